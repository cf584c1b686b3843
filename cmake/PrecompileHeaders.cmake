# SPDX-License-Identifier: Apache-2.0
# The standard's and the libraries' headers, compiled once and not for every source: with sanitizers that is a third of
# the time of a build, of a small unit test three quarters. Where IMBREX_PRECOMPILE is TESTS, libraries and programs go
# without, so that each of their sources still includes what it needs.

# Lets ccache keep the results of compilations with the precompiled header, also for another clone: otherwise Clang
# writes the times of the last changes of headers into it.
function(imbrex_let_ccache_keep target)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  if(IMBREX_CCACHE AND CMAKE_CXX_COMPILER_LAUNCHER STREQUAL IMBREX_CCACHE AND NOT DEFINED ENV{CCACHE_SLOPPINESS})
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${IMBREX_CCACHE}")
  endif()
endfunction()

# A precompiled header fits the sources that are optimised alike, and alike independent of their position.
foreach(variant library optimised once tests)
  set(target imbrex_precompiled_${variant})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/precompiled/precompiled.cpp)
  target_link_libraries(${target} PRIVATE Threads::Threads fmt::fmt-header-only
                        nlohmann_json::nlohmann_json GTest::gtest)
  target_compile_features(${target} PRIVATE cxx_std_20)
  imbrex_let_ccache_keep(${target})
  target_precompile_headers(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled/libraries.hpp)
endforeach()
set_target_properties(imbrex_precompiled_library PROPERTIES POSITION_INDEPENDENT_CODE ON)
imbrex_runs_once(imbrex_precompiled_once)
imbrex_tests_only(imbrex_precompiled_tests)

function(imbrex_use_precompiled_headers folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(runs_once ${target} IMBREX_RUNS_ONCE)
    get_target_property(tests_only ${target} IMBREX_TESTS_ONLY)
    get_target_property(headers ${target} IMBREX_PRECOMPILED)
    get_target_property(position_independent ${target} POSITION_INDEPENDENT_CODE)
    if(target MATCHES "^imbrex_precompiled_" OR NOT type MATCHES "^(EXECUTABLE|STATIC_LIBRARY)$")
      continue()
    endif()
    if(IMBREX_PRECOMPILE STREQUAL "TESTS" AND NOT tests_only)
      continue()
    endif()
    imbrex_let_ccache_keep(${target})
    if(headers)
      target_precompile_headers(${target} PRIVATE ${imbrex_SOURCE_DIR}/cmake/precompiled/libraries.hpp ${headers})
    elseif(tests_only)
      target_precompile_headers(${target} REUSE_FROM imbrex_precompiled_tests)
    elseif(position_independent)
      target_precompile_headers(${target} REUSE_FROM imbrex_precompiled_library)
    elseif(runs_once)
      target_precompile_headers(${target} REUSE_FROM imbrex_precompiled_once)
    else()
      target_precompile_headers(${target} REUSE_FROM imbrex_precompiled_optimised)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    imbrex_use_precompiled_headers(${below})
  endforeach()
endfunction()

imbrex_use_precompiled_headers(${imbrex_SOURCE_DIR})
