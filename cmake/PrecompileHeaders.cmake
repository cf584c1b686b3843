# SPDX-License-Identifier: Apache-2.0
# The standard's and the libraries' headers, compiled once and not for every source: with sanitizers that is a third of
# the time of a build. The preset release goes without, so that each source still includes what it needs.

# So that ccache keeps what is compiled with it, also for another clone: Clang would write into it when each header was
# changed last.
function(imbrex_let_ccache_keep target)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  if(IMBREX_CCACHE AND CMAKE_CXX_COMPILER_LAUNCHER STREQUAL IMBREX_CCACHE AND NOT DEFINED ENV{CCACHE_SLOPPINESS})
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${IMBREX_CCACHE}")
  endif()
endfunction()

# A precompiled header fits the sources that are optimised alike: there are two.
foreach(variant optimised once)
  set(target imbrex_precompiled_${variant})
  add_library(${target} OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled/precompiled.cpp)
  target_link_libraries(${target} PRIVATE Threads::Threads fmt::fmt-header-only nlohmann_json::nlohmann_json GTest::gtest)
  target_compile_features(${target} PRIVATE cxx_std_20)
  imbrex_let_ccache_keep(${target})
  target_precompile_headers(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled/libraries.hpp)
endforeach()
imbrex_runs_once(imbrex_precompiled_once)

function(imbrex_use_precompiled_headers folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(runs_once ${target} IMBREX_RUNS_ONCE)
    if(target MATCHES "^imbrex_precompiled_" OR NOT type MATCHES "^(EXECUTABLE|STATIC_LIBRARY)$")
      continue()
    endif()
    imbrex_let_ccache_keep(${target})
    if(runs_once)
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
