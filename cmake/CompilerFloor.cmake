# SPDX-License-Identifier: Apache-2.0
# The compilers that Imbrex is tested with, and newer ones.
include(CheckGccCoroutineTemporaries)

set(floor_GNU 13)
set(floor_Clang 16)
set(floor ${floor_${CMAKE_CXX_COMPILER_ID}})
if(floor AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS floor)
  message(FATAL_ERROR "${imbrex_compiler} is too old. ${imbrex_remedy}")
endif()
