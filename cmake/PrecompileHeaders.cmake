# SPDX-License-Identifier: Apache-2.0
# The standard's and the libraries' headers, compiled once and not for every source: with sanitizers that is a third of
# the time of a build. The preset release goes without, so that each source still includes what it needs.

# A precompiled header fits the sources that are optimised alike: there are two.
foreach(variant optimised once)
  set(target imbrex_precompiled_${variant})
  add_library(${target} OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled/precompiled.cpp)
  target_link_libraries(${target} PRIVATE Threads::Threads fmt::fmt-header-only nlohmann_json::nlohmann_json GTest::gtest)
  target_compile_features(${target} PRIVATE cxx_std_20)
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
