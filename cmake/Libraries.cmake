# The libraries that we use; scripts/install-deps installs them on Debian.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

# Some Z3 packages have no pkg-config file, and none has a CMake one that
# suits plain C; so look for the header and the library.
find_path(Z3_INCLUDE_DIR z3.h PATH_SUFFIXES z3 REQUIRED)
find_library(Z3_LIBRARY z3 REQUIRED)
mark_as_advanced(Z3_INCLUDE_DIR Z3_LIBRARY)
add_library(sp_z3 INTERFACE)
target_include_directories(sp_z3 SYSTEM INTERFACE ${Z3_INCLUDE_DIR})
target_link_libraries(sp_z3 INTERFACE ${Z3_LIBRARY})

add_library(sp_libraries INTERFACE)
target_link_libraries(sp_libraries INTERFACE PkgConfig::XXHASH PkgConfig::GMP)
