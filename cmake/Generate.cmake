# Generated sources, all below build/<preset>/generated: the protobuf code of
# graph/hlo.proto (included as "graph/hlo.pb-c.h") and the operator table.
set(gen ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${gen}/graph)

# ---- protobuf: a library of its own, because our warnings are not for it
find_program(PROTOC_C protoc-c REQUIRED)
add_custom_command(
  OUTPUT ${gen}/graph/hlo.pb-c.c ${gen}/graph/hlo.pb-c.h
  COMMAND ${PROTOC_C} --proto_path=${CMAKE_SOURCE_DIR}/graph
    --c_out=${gen}/graph ${CMAKE_SOURCE_DIR}/graph/hlo.proto
  DEPENDS ${CMAKE_SOURCE_DIR}/graph/hlo.proto
  COMMENT "protoc-c graph/hlo.proto" VERBATIM)
add_library(sp_protobuf STATIC ${gen}/graph/hlo.pb-c.c ${gen}/graph/hlo.pb-c.h)
target_include_directories(sp_protobuf SYSTEM PUBLIC ${gen})
target_compile_options(sp_protobuf PRIVATE -w)
target_link_libraries(sp_protobuf PUBLIC PkgConfig::PROTOBUF_C)

# ---- operators: encode/ops/X.c defines sp_ops_X, NULL at the end
file(GLOB op_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/encode/ops
  encode/ops/*.c)
list(SORT op_files)
set(op_externs "")
set(op_rows "")
foreach(file IN LISTS op_files)
  string(REGEX REPLACE "\\.c$" "" name ${file})
  string(MAKE_C_IDENTIFIER ${name} name)
  string(APPEND op_externs "extern const sp_op *const sp_ops_${name}[];\n")
  string(APPEND op_rows "    sp_ops_${name},\n")
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/cmake/ops_table.c.in ${gen}/ops_table.c @ONLY)
set(SP_GENERATED_SOURCES ${gen}/ops_table.c)

# A file as the bytes of a C array; the zero at the end is to be added.
function(sp_bytes_of file result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/${file})
  file(READ ${CMAKE_SOURCE_DIR}/${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1', " bytes "${bytes}")
  set(${result} "${bytes}" PARENT_SCOPE)
endfunction()

# ---- operator meanings: shard-specs/*.yaml as arrays of bytes
file(GLOB meaning_files CONFIGURE_DEPENDS
  RELATIVE ${CMAKE_SOURCE_DIR} shard-specs/*.yaml)
list(SORT meaning_files)
set(meaning_arrays "")
set(meaning_rows "")
foreach(file IN LISTS meaning_files)
  string(MAKE_C_IDENTIFIER ${file} name)
  sp_bytes_of(${file} bytes)
  string(APPEND meaning_arrays "static const char ${name}[] = {${bytes}0};\n")
  string(APPEND meaning_rows
    "    {\"${file}\", ${name}, sizeof ${name} - 1},\n")
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/cmake/ready_made.c.in ${gen}/ready_made.c
  @ONLY)
list(APPEND SP_GENERATED_SOURCES ${gen}/ready_made.c)

# ---- the page of `check --html`, in parts that cli/page.h declares
file(GLOB page_scripts CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
  cli/page*.js)
list(SORT page_scripts)
set(page_js "")
foreach(file IN LISTS page_scripts)
  sp_bytes_of(${file} bytes)
  string(APPEND page_js "${bytes}")
endforeach()
sp_bytes_of(cli/page.css page_css)
sp_bytes_of(cli/page.html page_html)
configure_file(${CMAKE_SOURCE_DIR}/cmake/page.c.in ${gen}/page.c @ONLY)
