# SPDX-License-Identifier: Apache-2.0
# Warns of a project that is compiled without optimisation because nobody has chosen: CMake's own default is none. Once,
# and not where the flags say how to optimise.
get_property(imbrex_has_warned GLOBAL PROPERTY IMBREX_HAS_WARNED)
get_property(imbrex_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT imbrex_has_warned AND NOT imbrex_configurations AND NOT CMAKE_BUILD_TYPE
   AND NOT " ${CMAKE_CXX_FLAGS}" MATCHES " -O")
  set_property(GLOBAL PROPERTY IMBREX_HAS_WARNED ON)
  message(WARNING "No build type is chosen, so nothing is optimised, and programs that use Imbrex run about ten times "
                  "slower. Configure with -DCMAKE_BUILD_TYPE=Release, or with Debug if that is what you want.")
endif()
