# SPDX-License-Identifier: Apache-2.0
# Settings for work on Imbrex itself; a project that contains Imbrex keeps its own.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

find_program(IMBREX_CCACHE ccache)
mark_as_advanced(IMBREX_CCACHE)
if(IMBREX_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${IMBREX_CCACHE})
endif()

# LLVM's linker takes a fifth of the time for a program of tests.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  string(REGEX MATCH "^[0-9]+" version "${CMAKE_CXX_COMPILER_VERSION}")
  find_program(IMBREX_LLD NAMES ld.lld-${version})
  mark_as_advanced(IMBREX_LLD)
  if(IMBREX_LLD)
    add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=lld>)
  endif()
endif()

# Each installed header compiles alone: the target check_headers.
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
