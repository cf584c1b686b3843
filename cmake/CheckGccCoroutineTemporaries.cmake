# SPDX-License-Identifier: Apache-2.0
# Refuses a compiler that destroys a temporary aggregate twice when it stands in one full expression with
# co_await, as g++ 12 does at every optimisation level: such programs free memory twice. g++ 13 has it fixed,
# clang never had it. Compiles and runs gcc_coroutine_temporaries.cpp, which lies beside this file.
include_guard(GLOBAL)

set(imbrex_compiler "${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION})")
string(CONCAT imbrex_remedy
       "Imbrex needs g++ 13 or newer, or clang 16 or newer: on Debian 12 install clang-19, delete the build "
       "folder and configure with -DCMAKE_CXX_COMPILER=clang++-19.")

if(CMAKE_CROSSCOMPILING)
  return()
endif()

try_run(IMBREX_COROUTINE_TEMPORARIES_EXIT IMBREX_COROUTINE_TEMPORARIES_COMPILED
        SOURCES ${CMAKE_CURRENT_LIST_DIR}/gcc_coroutine_temporaries.cpp
        CXX_STANDARD 20
        CXX_STANDARD_REQUIRED ON
        COMPILE_OUTPUT_VARIABLE imbrex_compile_output
)

if(NOT IMBREX_COROUTINE_TEMPORARIES_COMPILED)
  message(FATAL_ERROR "${imbrex_compiler} cannot compile a C++20 coroutine. ${imbrex_remedy} "
                      "It said:\n${imbrex_compile_output}")
elseif(NOT IMBREX_COROUTINE_TEMPORARIES_EXIT STREQUAL "0")
  message(FATAL_ERROR "${imbrex_compiler} miscompiles coroutines: a temporary in one expression with "
                      "co_await is destroyed twice, so correct programs would free memory twice. "
                      "${imbrex_remedy}")
endif()
