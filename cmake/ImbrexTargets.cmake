# SPDX-License-Identifier: Apache-2.0
# The kinds of target that Imbrex is made of. Files are named one by one, relative to the caller.

# For our own code only. They are errors where CMAKE_COMPILE_WARNING_AS_ERROR is on, as in the presets. By -Wshadow
# alone g++, other than clang, also means variables that are named like a type or a function; and it takes values in
# std::optional and std::variant for uninitialised that are not.
function(imbrex_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic
    "$<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local;-Wno-maybe-uninitialized,-Wshadow>"
  )
endfunction()

# For what instantiates much and runs it once, as tests and command lines do: with sanitizers it takes longer to
# optimise it than to run it slowly; and elsewhere a fifth of the time that it takes to compile goes into debug
# information, without which a backtrace still names functions.
function(imbrex_runs_once target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0> $<$<CONFIG:RelWithDebInfo>:-g0>)
  set_target_properties(${target} PROPERTIES IMBREX_RUNS_ONCE ON)
endfunction()
# The same for some sources of the caller's targets.
function(imbrex_sources_run_once)
  set_source_files_properties(${ARGV} PROPERTIES
    COMPILE_OPTIONS $<$<CONFIG:Debug>:-O0>
    SKIP_PRECOMPILE_HEADERS ON
  )
endfunction()

set(IMBREX_TEST_SHARDS 0 CACHE STRING
    "Run each program of unit tests so often, each time a part of its tests, and not once for each test")

# A program of unit tests; each of its tests is one of ctest's, named "<folder>.<suite>.<test>", unless they are run
# by shards, because with sanitizers a program starts so slowly.
#   imbrex_unit_tests(base SOURCES foo.test.cpp LINKS imbrex::base)
function(imbrex_unit_tests folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILTER" "SOURCES;LINKS")
  set(target ${folder}.test)
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINKS} GTest::gtest_main)
  imbrex_runs_once(${target})
  imbrex_warnings(${target})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  if(IMBREX_TEST_SHARDS)
    set(chosen "")
    if(arg_FILTER)
      set(chosen --gtest_filter=${arg_FILTER})
    endif()
    foreach(shard RANGE 1 ${IMBREX_TEST_SHARDS})
      set(name ${folder}.shard_${shard}_of_${IMBREX_TEST_SHARDS})
      math(EXPR index "${shard} - 1")
      add_test(NAME ${name} COMMAND ${target} ${chosen})
      set_tests_properties(${name} PROPERTIES
        TIMEOUT 300 LABELS unit
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${IMBREX_TEST_SHARDS};GTEST_SHARD_INDEX=${index}"
      )
    endforeach()
    return()
  endif()
  gtest_discover_tests(${target}
    TEST_PREFIX ${folder}.
    TEST_FILTER "${arg_FILTER}"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 60 LABELS unit
  )
endfunction()

# The library imbrex::<folder>: one folder of imbrex/. Without SOURCES it is headers only.
#   HEADERS  what is installed; what is private lies in internal/ and is not named here
#   DEPENDS  folders below this one;  LINKS  other libraries, which no header of this folder shows
#   TESTS    unit tests, linked into the program <folder>.test
function(imbrex_component folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;DEPENDS;LINKS;TESTS")
  set(target imbrex_${folder})
  list(TRANSFORM arg_DEPENDS PREPEND imbrex::)
  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(${target} STATIC ${arg_SOURCES})
    imbrex_warnings(${target})
    target_link_libraries(${target} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_LINKS})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_DEPENDS} ${arg_LINKS})
  endif()
  add_library(imbrex::${folder} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${imbrex_SOURCE_DIR} FILES ${arg_HEADERS})
  set_property(GLOBAL APPEND PROPERTY IMBREX_LIBRARIES ${target})

  if(IMBREX_BUILD_TESTS AND arg_TESTS)
    imbrex_unit_tests(${folder} SOURCES ${arg_TESTS} LINKS ${target} ${arg_LINKS})
  endif()
endfunction()

# What nvcc compiles every kernel with, here and in scripts/check_kernels.py. The host does not contract
# a * b + c into one rounding, so kernels do not either: results are compared with the host's bit for bit.
# Who wants it writes fma().
set(IMBREX_KERNEL_OPTIONS --fmad=false)

# Kernels, to be linked into a library or program: programs are linked as C++ all the same, as the functions
# of this file do. What is linked with kernels is compiled with IMBREX_HAS_CUDA=1. Nothing where there is no
# CUDA compiler.
#   imbrex_kernels(jacobi3d_kernels native_kernels.cu)
function(imbrex_kernels target)
  if(NOT CMAKE_CUDA_COMPILER)
    add_library(${target} INTERFACE)
    return()
  endif()
  add_library(${target} OBJECT ${ARGN})
  target_compile_definitions(${target} PUBLIC IMBREX_HAS_CUDA=1)
  target_compile_options(${target} PRIVATE ${IMBREX_KERNEL_OPTIONS})
  target_include_directories(${target} PRIVATE ${imbrex_SOURCE_DIR})
endfunction()

# A test that a file compiles for AMD's GPUs, where hipcc is found.
#   imbrex_compiles_for_hip(device.compiles_for_hip cuda/cuda_devices.cpp -std=c++20)
function(imbrex_compiles_for_hip test source)
  find_program(IMBREX_HIPCC hipcc)
  mark_as_advanced(IMBREX_HIPCC)
  if(NOT IMBREX_HIPCC)
    return()
  endif()
  add_test(NAME ${test}
           COMMAND ${CMAKE_COMMAND} -E env HIP_PLATFORM=amd ${IMBREX_HIPCC} -I${imbrex_SOURCE_DIR}
                   -DIMBREX_GPU_HIP=1 -fsyntax-only -Wall -Werror -Wno-unused-command-line-argument
                   --offload-arch=gfx90a ${ARGN} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  set_tests_properties(${test} PROPERTIES TIMEOUT 60 LABELS source)
endfunction()

# A program that uses the library as a user does; it goes to <build folder>/bin.
#   imbrex_program(jacobi3d SOURCES main.cpp LINKS CLI11::CLI11)
function(imbrex_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE imbrex::imbrex ${arg_LINKS})
  imbrex_warnings(${name})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX
                                           RUNTIME_OUTPUT_DIRECTORY ${imbrex_BINARY_DIR}/bin)
endfunction()

# A test that runs a program: it must exit with status 0 and its output must match the regular expression.
#   imbrex_expect_output(example.hello "hello 17" COMMAND hello --pes 2)
function(imbrex_expect_output test expected)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "COMMAND")
  list(POP_FRONT arg_COMMAND program)
  add_test(NAME ${test}
           COMMAND ${CMAKE_COMMAND} -D EXPECTED=${expected} -P ${imbrex_SOURCE_DIR}/cmake/expect_output.cmake
                   -- $<TARGET_FILE:${program}> ${arg_COMMAND})
  set_tests_properties(${test} PROPERTIES TIMEOUT 60)
endfunction()
