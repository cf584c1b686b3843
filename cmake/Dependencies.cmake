# SPDX-License-Identifier: Apache-2.0
# What each is for, and its Debian package: docs/dependencies.md.
# What the library links is global, for a project that contains Imbrex links it too.
find_package(Threads REQUIRED GLOBAL)
find_package(hwloc REQUIRED GLOBAL)
find_package(ucx QUIET GLOBAL)  # for several processes
if(IMBREX_BUILD_APPS)
  find_package(fmt REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
endif()
if(IMBREX_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  include(GoogleTest)
endif()
if(IMBREX_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
