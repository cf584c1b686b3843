# SPDX-License-Identifier: Apache-2.0
# Takes clang++-19 if no compiler was chosen and the system has none, or g++ 12 (as Debian 12 does), which
# CheckGccCoroutineTemporaries refuses. To be included before project(). In the build of a wheel, CXX may be the
# compiler of Python itself, without a choice of the user.
if(DEFINED CMAKE_CXX_COMPILER OR (DEFINED ENV{CXX} AND NOT SKBUILD) OR DEFINED CMAKE_TOOLCHAIN_FILE)
  return()
endif()

set(names c++ g++)
if(DEFINED ENV{CXX})
  separate_arguments(words UNIX_COMMAND "$ENV{CXX}")
  list(GET words 0 names)
endif()
find_program(IMBREX_SYSTEM_CXX NAMES ${names})
find_program(IMBREX_CLANG_19 NAMES clang++-19)
mark_as_advanced(IMBREX_SYSTEM_CXX IMBREX_CLANG_19)
if(NOT IMBREX_CLANG_19)
  return()
endif()

set(system_version "none")
if(IMBREX_SYSTEM_CXX)
  execute_process(COMMAND ${IMBREX_SYSTEM_CXX} --version OUTPUT_VARIABLE system_version ERROR_QUIET)
endif()
if(system_version STREQUAL "none" OR system_version MATCHES "^[^\n]*(g\\+\\+|c\\+\\+|GCC)[^\n]* 12\\.[0-9]+")
  message(STATUS "The system's C++ compiler is missing or g++ 12: using ${IMBREX_CLANG_19}")
  set(CMAKE_CXX_COMPILER ${IMBREX_CLANG_19} CACHE FILEPATH "C++ compiler")
endif()
