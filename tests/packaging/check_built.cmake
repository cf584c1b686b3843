# SPDX-License-Identifier: Apache-2.0
# Whoever has built some programs, as `./dev demo` does, can install: what is installed comes with them.
#   BUILD    a build folder of Ninja;  NINJA its program;  PROGRAMS  targets that were built
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${NINJA} -C ${BUILD} -t inputs ${PROGRAMS}
                OUTPUT_VARIABLE built COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" built "${built}")

file(GLOB_RECURSE scripts ${BUILD}/imbrex/cmake_install.cmake)
set(installed "")
foreach(script IN LISTS scripts ITEMS ${BUILD}/cmake_install.cmake)
  file(READ ${script} text)
  string(REGEX MATCHALL "\"${BUILD}/[^\"]*\\.(a|so)\"" files "${text}")
  list(APPEND installed ${files})
endforeach()
if(installed STREQUAL "")
  message(FATAL_ERROR "no library is installed from ${BUILD}")
endif()
foreach(file IN LISTS installed)
  string(REGEX REPLACE "\"${BUILD}/(.*)\"" "\\1" file "${file}")
  if(NOT file IN_LIST built)
    message(SEND_ERROR "${file} is installed, but not built with ${PROGRAMS}")
  endif()
endforeach()
