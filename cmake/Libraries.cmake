# The libraries that we use; scripts/install-deps installs them on Debian.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)

# Some Z3 packages have no pkg-config file, and none has a CMake one that
# suits plain C; so look for the header and the library.
find_path(Z3_INCLUDE_DIR z3.h PATH_SUFFIXES z3 REQUIRED)
find_library(Z3_LIBRARY z3 REQUIRED)
mark_as_advanced(Z3_INCLUDE_DIR Z3_LIBRARY)
add_library(sp_z3 INTERFACE)
target_include_directories(sp_z3 SYSTEM INTERFACE ${Z3_INCLUDE_DIR})
target_link_libraries(sp_z3 INTERFACE ${Z3_LIBRARY})

add_library(sp_libraries INTERFACE)
target_link_libraries(sp_libraries INTERFACE PkgConfig::XXHASH PkgConfig::GMP
  PkgConfig::YAML)

# Threads of C11; in older C libraries they are a library of their own.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
target_link_libraries(sp_libraries INTERFACE Threads::Threads)

# Running programs multiplies matrices by OpenBLAS where there is one.
option(SP_BLAS "use OpenBLAS where it is installed" ON)
if(SP_BLAS)
  pkg_check_modules(OPENBLAS IMPORTED_TARGET openblas)
  if(OPENBLAS_FOUND)
    target_link_libraries(sp_libraries INTERFACE PkgConfig::OPENBLAS)
    target_compile_definitions(sp_libraries INTERFACE SP_HAVE_BLAS)
  endif()
endif()
