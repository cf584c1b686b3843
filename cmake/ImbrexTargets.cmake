# SPDX-License-Identifier: Apache-2.0
# The kinds of target that Imbrex is made of. Files are named one by one, relative to the caller.

# For our own code only. They are errors where CMAKE_COMPILE_WARNING_AS_ERROR is on, as in the presets. By -Wshadow
# alone g++, other than clang, also means variables that are named like a type or a function; and it takes values in
# std::optional and std::variant for uninitialised that are not.
function(imbrex_warnings target)
  set(shadow "$<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local;-Wno-maybe-uninitialized,-Wshadow>")
  if(CMAKE_UNITY_BUILD)  # where names of one source stand above the next
    set(shadow "")
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic "${shadow}")
endfunction()

# For what instantiates much and runs it once, as tests and command lines do: with sanitizers it takes longer to
# optimise it than to run it slowly; and elsewhere a fifth of the time that it takes to compile goes into debug
# information, without which a backtrace still names functions.
function(imbrex_runs_once target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0> $<$<CONFIG:RelWithDebInfo>:-g0>)
  set_target_properties(${target} PROPERTIES IMBREX_RUNS_ONCE ON)
endfunction()
option(IMBREX_OPTIMISE_TESTS
       "Optimise the unit tests as the libraries are, which takes three times as long to compile" OFF)

# For unit tests: they are not optimised, the libraries and programs that they test are.
function(imbrex_tests_only target)
  imbrex_runs_once(${target})
  if(NOT IMBREX_OPTIMISE_TESTS)
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
  endif()
  set_target_properties(${target} PROPERTIES IMBREX_TESTS_ONLY ON UNITY_BUILD OFF)
endfunction()

# Like imbrex_tests_only, for some sources of the caller's targets.
function(imbrex_sources_run_once)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_source_files_properties(${ARGV} PROPERTIES COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# A program of unit tests; each of its suites is one of ctest's tests, named "<folder>.<suite>".
#   imbrex_unit_tests(base SOURCES foo.test.cpp LINKS imbrex::base)
#   FILTER       runs these of its tests only
#   PRECOMPILED  a header that most of its sources include, compiled once where IMBREX_PRECOMPILE is not OFF
function(imbrex_unit_tests folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILTER;PRECOMPILED" "SOURCES;LINKS")
  set(target ${folder}.test)
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINKS} GTest::gtest_main)
  imbrex_tests_only(${target})
  imbrex_warnings(${target})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX IMBREX_PRECOMPILED "${arg_PRECOMPILED}")
  set(find_suites ${CMAKE_CURRENT_BINARY_DIR}/${target}.find_suites.cmake)
  file(GENERATE OUTPUT ${find_suites} CONTENT "\
set(PROGRAM [==[$<TARGET_FILE:${target}>]==])
set(FOLDER [==[${folder}]==])
set(FILTER [==[${arg_FILTER}]==])
set(LIST [==[${CMAKE_CURRENT_BINARY_DIR}/${target}.suites.cmake]==])
include([==[${imbrex_SOURCE_DIR}/cmake/FindSuites.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${find_suites})
endfunction()

# Gives a library its headers, the installed ones among them as its interface. Others belong to a target beside it,
# which only serves to check that they compile alone.
function(imbrex_headers target scope folder)
  set(installed "")
  set(inner "")
  foreach(header IN LISTS ARGN)
    if(${folder}/${header} IN_LIST IMBREX_INSTALLED_HEADERS)
      list(APPEND installed ${header})
    else()
      list(APPEND inner ${header})
    endif()
  endforeach()
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${imbrex_SOURCE_DIR} FILES ${installed})
  if(CMAKE_VERIFY_INTERFACE_HEADER_SETS AND inner)
    add_library(${target}_inner INTERFACE)
    target_link_libraries(${target}_inner INTERFACE ${target})
    target_sources(${target}_inner INTERFACE FILE_SET HEADERS BASE_DIRS ${imbrex_SOURCE_DIR} FILES ${inner})
  endif()
endfunction()

# The library imbrex::<folder>: one folder of imbrex/. Without SOURCES it is headers only. Programs, plug-ins and Python
# modules can hold it, so its code is independent of its position.
#   HEADERS  those for other folders; what is private lies in internal/ and is not named here. Installed are those among
#            IMBREX_INSTALLED_HEADERS
#   DEPENDS  folders below this one;  LINKS  other libraries, which no header of this folder shows
#   TESTS    unit tests, linked into the program <folder>.test;  PRECOMPILED  as for imbrex_unit_tests
#   TEST_LINKS  libraries that only these tests need
#   INTERNAL is not for users: it has no name imbrex::<folder> and is not installed
function(imbrex_component folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNAL" "PRECOMPILED" "SOURCES;HEADERS;DEPENDS;LINKS;TESTS;TEST_LINKS")
  set(target imbrex_${folder})
  list(TRANSFORM arg_DEPENDS PREPEND imbrex::)
  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(${target} STATIC ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    imbrex_warnings(${target})
    target_link_libraries(${target} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_LINKS})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_DEPENDS} ${arg_LINKS})
  endif()
  target_compile_features(${target} ${scope} cxx_std_20)
  imbrex_headers(${target} ${scope} imbrex/${folder} ${arg_HEADERS})
  if(NOT arg_INTERNAL)
    add_library(imbrex::${folder} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder})
    set_property(GLOBAL APPEND PROPERTY IMBREX_LIBRARIES ${target})
  endif()

  if(IMBREX_BUILD_TESTS AND arg_TESTS)
    imbrex_unit_tests(${folder} SOURCES ${arg_TESTS} LINKS ${target} ${arg_LINKS} ${arg_TEST_LINKS}
                      PRECOMPILED "${arg_PRECOMPILED}")
  endif()
endfunction()

# Links the whole runtime into a shared library, and not only what the library itself calls: others that are linked to
# nothing else use it there, such as libraries of chares for ranks, and modules of Python. `exports` is the version
# script that names what they see. Calls within the library stay within it.
function(imbrex_hold_runtime target exports)
  get_property(runtime GLOBAL PROPERTY IMBREX_LIBRARIES)
  foreach(library IN LISTS runtime)
    get_target_property(kind ${library} TYPE)
    if(kind STREQUAL "STATIC_LIBRARY")
      target_link_libraries(${target} PRIVATE ${library})
      string(APPEND whole " $<TARGET_FILE:${library}>")
    endif()
  endforeach()
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${exports})
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports} LINKER:-Bsymbolic-functions
                      "SHELL:-Wl,--whole-archive${whole} -Wl,--no-whole-archive")
endfunction()

# a * b + c is rounded twice on every host and by every device: results are compared bit for bit, and simulated times
# are the same on all hosts. Who wants one rounding writes fma(). Compilers for processors that have it, as aarch64,
# would else contract by themselves.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
# Options of nvcc for every kernel, here and in scripts/check_kernels.py.
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
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
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
#   imbrex_program(jacobi3d SOURCES main.cpp LINKS fmt::fmt-header-only)
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
