# SPDX-License-Identifier: Apache-2.0
# Warns once of a project that is compiled without optimisation because no build type was chosen: CMake's own default is
# none. Silent if the flags choose an optimisation.
get_property(imbrex_has_warned GLOBAL PROPERTY IMBREX_HAS_WARNED)
get_property(imbrex_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT imbrex_has_warned AND NOT imbrex_configurations AND NOT CMAKE_BUILD_TYPE
   AND NOT " ${CMAKE_CXX_FLAGS}" MATCHES " -O")
  set_property(GLOBAL PROPERTY IMBREX_HAS_WARNED ON)
  message(WARNING "No build type is chosen, so nothing is optimised, and programs that use Imbrex run about ten times "
                  "slower. Configure with -DCMAKE_BUILD_TYPE=Release, or with Debug if that is what you want.")
endif()
