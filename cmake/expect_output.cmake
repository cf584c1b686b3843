# SPDX-License-Identifier: Apache-2.0
# cmake -D EXPECTED=<regular expression> -P expect_output.cmake -- program arguments...
# Fails unless the program exits with status 0 and what it writes to the standard output matches.
cmake_minimum_required(VERSION 3.25)

set(command "")
set(after_separator OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_separator)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_separator ON)
  endif()
endforeach()

execute_process(COMMAND ${command} OUTPUT_VARIABLE output RESULT_VARIABLE status ECHO_OUTPUT_VARIABLE)
if(NOT status STREQUAL "0")
  message(FATAL_ERROR "exit status ${status}")
endif()
if(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "the output does not match: ${EXPECTED}")
endif()
