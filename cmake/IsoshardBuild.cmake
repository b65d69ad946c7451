# How every target of isoshard is compiled.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

find_program(ISOSHARD_CCACHE ccache)
mark_as_advanced(ISOSHARD_CCACHE)
if(ISOSHARD_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ISOSHARD_CCACHE}")
endif()

# Floating-point results are part of the product: the compiler may not fuse a multiply and an add that the source keeps
# apart, and there is no -march=native (instruction sets are chosen at run time, per function). Sources with AVX2 code
# carry `target` attributes on the functions, never flags on the file.
add_library(isoshard_warnings INTERFACE)
target_compile_features(isoshard_warnings INTERFACE cxx_std_20)
set_target_properties(isoshard_warnings PROPERTIES INTERFACE_POSITION_INDEPENDENT_CODE ON)
target_compile_options(isoshard_warnings INTERFACE
  -ffp-contract=off
  -Wall
  -Wconversion
  -Wextra
  -Wpedantic
  -Wshadow
  -Wsign-conversion
  # g++ 12 reports impossible overlaps in std::string's operator+ at -O3 (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${ISOSHARD_WERROR}>:-Werror>)

if(ISOSHARD_SANITIZE)
  # Without -fno-sanitize-recover UBSan prints and exits 0.
  set(sanitize -fsanitize=${ISOSHARD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(ISOSHARD_SANITIZE MATCHES undefined)
    # A check at each access to a member takes a quarter of the time of a build. AddressSanitizer stops at null pointers
    # and wrong objects, too; only sim reads elements through casts, where it checks their alignment.
    list(APPEND sanitize -fno-sanitize=alignment,null,object-size,vptr)
  endif()
  target_compile_options(isoshard_warnings INTERFACE ${sanitize})
  target_link_options(isoshard_warnings INTERFACE ${sanitize})
endif()

# Line coverage of the libraries that decide: --coverage counts in the form that gcov, llvm-cov and gcovr read.
if(ISOSHARD_COVERAGE)
  target_link_options(isoshard_warnings INTERFACE --coverage)
endif()
# isoshard_count_lines()
#
# For the targets of this folder that come after it.
function(isoshard_count_lines)
  if(ISOSHARD_COVERAGE)
    add_compile_options(--coverage)
  endif()
endfunction()

# isoshard_add_library(NAME SOURCES file... DEPENDS target...)
#
# Static library NAME whose headers are included from the repository root ("core/ir/program.h"). DEPENDS are the targets
# its headers may include. Without sources (a box with only headers, or one that a later issue fills) it is an interface
# library.
function(isoshard_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
    target_link_libraries(${name} PRIVATE isoshard_warnings)
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_link_libraries(${name} ${scope} ${arg_DEPENDS})
endfunction()

# isoshard_add_executable(NAME SOURCES file... DEPENDS target...)
function(isoshard_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE isoshard_warnings ${arg_DEPENDS})
endfunction()
