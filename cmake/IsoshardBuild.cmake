# How every target of isoshard is compiled.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

# A compiler cache, where there is one. It takes precompiled headers only when told that they may differ in time and in
# macros that are not used; it knows a file again in another clone by its path from the root; and it takes a file's
# includes from the compiler's own list, so that a file it does not know costs nothing more.
find_program(ISOSHARD_CCACHE ccache)
mark_as_advanced(ISOSHARD_CCACHE)
if(ISOSHARD_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
    CCACHE_DEPEND=1
    CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "${ISOSHARD_CCACHE}")
  add_compile_options(
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang\ -fno-pch-timestamp>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()

# A person who waits for a build waits for headers and for templates that many files instantiate alike. So files are
# compiled in batches, each as one unit, and what nearly every unit includes is read once, as a precompiled header
# (docs/performance.md has the shares). Neither may hide a missing include: `dev alone` compiles each file alone, too (CI a
# fifth of them), with the preset `separate`, which has batches of one file and no precompiled headers.
set(default_batch 1)
if(PROJECT_IS_TOP_LEVEL)
  set(default_batch 12)
endif()
set(ISOSHARD_BATCH ${default_batch} CACHE STRING "Sources in a batch: more compile faster, fewer rebuild faster")
set(CMAKE_UNITY_BUILD OFF)
option(ISOSHARD_PCH "Precompile the headers that nearly every unit includes" ${PROJECT_IS_TOP_LEVEL})

# isoshard_batches(RESULT NAME source...)
#
# RESULT: the batches of these sources of this folder, and those that have flags of their own. CMake's own batches hold full
# paths, by which a compiler cache takes them for others in another clone.
function(isoshard_batches result name)
  set(batches)
  set(text)
  set(count 0)
  set(index 0)
  foreach(source IN LISTS ARGN)
    get_source_file_property(flags "${source}" COMPILE_OPTIONS)
    if(flags OR ISOSHARD_BATCH EQUAL 1)
      list(APPEND batches "${source}")
      continue()
    endif()
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    string(APPEND text "#include \"${path}\"\n")
    math(EXPR count "${count} + 1")
    if(count EQUAL ISOSHARD_BATCH)
      isoshard_write_batch(batches ${name} ${index} "${text}")
      set(text)
      set(count 0)
      math(EXPR index "${index} + 1")
    endif()
  endforeach()
  if(text)
    isoshard_write_batch(batches ${name} ${index} "${text}")
  endif()
  set(${result} "${batches}" PARENT_SCOPE)
endfunction()

# Appends to the list RESULT the file of a batch, which is written when its text is another.
function(isoshard_write_batch result name index text)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/batches/${name}_${index}.cc")
  file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
  set(${result} ${${result}} "${file}" PARENT_SCOPE)
endfunction()

# Floating-point results are part of the product: the compiler may not fuse a multiply and an add that the source keeps
# apart, and there is no -march=native (instruction sets are chosen at run time, per function). Sources with AVX2 code
# carry `target` attributes on the functions, never flags on the file.
add_library(isoshard_warnings INTERFACE)
target_compile_features(isoshard_warnings INTERFACE cxx_std_20)
# -fPIC for programs, too, where CMake would say -fPIE: precompiled headers are shared between both.
set(warnings
  -fPIC
  # __FILE__ is a path from the root: the same in each clone, which may share objects of a compiler cache. Of clang the
  # paths of line counts stay whole.
  $<IF:$<CXX_COMPILER_ID:GNU>,-ffile-prefix-map,-fmacro-prefix-map>=${PROJECT_SOURCE_DIR}/=
  -ffp-contract=off
  -Wall
  -Wconversion
  -Wextra
  -Wpedantic
  -Wshadow
  -Wsign-conversion
  # g++ 12 reports impossible overlaps in std::string's operator+ (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${ISOSHARD_WERROR}>:-Werror>)
target_compile_options(isoshard_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>)  # nvcc knows none of them

if(ISOSHARD_SANITIZE)
  # Without -fno-sanitize-recover UBSan prints and exits 0.
  set(sanitize -fsanitize=${ISOSHARD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(ISOSHARD_SANITIZE MATCHES undefined)
    # A check at each access to a member takes a quarter of the time of a build. AddressSanitizer stops at null pointers
    # and wrong objects, too; only sim reads elements through casts, where it checks their alignment.
    list(APPEND sanitize -fno-sanitize=alignment,null,object-size,vptr)
  endif()
  # Of targets that are watched: isoshard_compile.
  target_compile_options(isoshard_warnings INTERFACE
    $<$<BOOL:$<TARGET_PROPERTY:ISOSHARD_WATCHED>>:${sanitize}>)
  target_link_options(isoshard_warnings INTERFACE ${sanitize})
endif()

# isoshard_guide_fuzzers(target...)
#
# What libFuzzer sees of a run: the branches and comparisons of these targets, those that read files. In all of them it would
# make every test slower.
function(isoshard_guide_fuzzers)
  if(ISOSHARD_FUZZERS)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE
        -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
    endforeach()
  endif()
endfunction()

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

# isoshard_precompile(NAME header...)
#
# A target whose precompiled headers others share with PRECOMPILED NAME; they must be compiled with the same flags.
function(isoshard_precompile name)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${name}.cc" "")
  add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cc")
  isoshard_compile(${name})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  if(ISOSHARD_PCH)
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

# isoshard_compile(NAME [PRECOMPILED])
#
# The language, the flags and the precompiled headers of a target. Sanitizers watch it unless the folder says otherwise
# with `isoshard_unwatched`.
function(isoshard_compile name)
  set_target_properties(${name} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  if(NOT isoshard_unwatched)
    set_target_properties(${name} PROPERTIES ISOSHARD_WATCHED ON)
  endif()
  target_link_libraries(${name} PRIVATE isoshard_warnings)
  if(ISOSHARD_PCH AND ARGC GREATER 1)
    get_target_property(watched ${ARGV1} ISOSHARD_WATCHED)  # a compiler takes no headers of other sanitizers
    if(NOT isoshard_unwatched OR NOT watched)
      target_precompile_headers(${name} REUSE_FROM ${ARGV1})
    endif()
  endif()
endfunction()

# isoshard_optimise(-OLEVEL target...)
#
# In release builds. Where a target says nothing it is CMake's -O3.
function(isoshard_optimise level)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  endforeach()
endfunction()

# isoshard_add_library(NAME [PRECOMPILED target] SOURCES file... DEPENDS target...)
#
# Static library NAME whose headers are included from the repository root ("core/ir/program.h"). DEPENDS are the targets
# its headers may include. Without sources (a box with only headers, or one that a later issue fills) it is an interface
# library.
function(isoshard_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED" "SOURCES;DEPENDS")
  if(arg_SOURCES)
    isoshard_batches(files ${name} ${arg_SOURCES})
    add_library(${name} STATIC ${files})
    isoshard_compile(${name} ${arg_PRECOMPILED})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_link_libraries(${name} ${scope} ${arg_DEPENDS})
endfunction()

# isoshard_add_executable(NAME [PRECOMPILED target] SOURCES file... DEPENDS target...)
function(isoshard_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED" "SOURCES;DEPENDS")
  isoshard_batches(files ${name} ${arg_SOURCES})
  add_executable(${name} ${files})
  isoshard_compile(${name} ${arg_PRECOMPILED})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
endfunction()
