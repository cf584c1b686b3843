# SPDX-License-Identifier: Apache-2.0
# cmake -D COMPILER=<path> -D INCLUDE=<folder> [-D PRECOMPILED=<file>] -D SOURCE=<file> -P expect_error.cmake
# Fails unless the file fails to compile and the first error matches the file's "// expect:" line.
#   PRECOMPILED   what Clang has made of <imbrex/imbrex.hpp>
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${SOURCE} expected REGEX "^// expect: " LIMIT_COUNT 1)
if(NOT expected)
  message(FATAL_ERROR "${SOURCE} has no line \"// expect: <regular expression>\"")
endif()
string(REGEX REPLACE "^// expect: " "" expected "${expected}")

set(included "")
if(PRECOMPILED)
  set(included -include-pch ${PRECOMPILED})
endif()
# In the locale C, where every compiler has the same quotation marks.
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
                        ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE} ${included} ${SOURCE}
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE output)
if(status STREQUAL "0")
  message(FATAL_ERROR "${SOURCE} compiles, but must not")
endif()

# Without quoted source, of which g++ 14 shows some for each template on the way.
string(REGEX REPLACE "\n *[0-9]* \\|[^\n]*" "" messages "${output}")
string(REGEX MATCHALL "\n" lines "${messages}")
list(LENGTH lines line_count)
string(REGEX MATCH "[^\n]*error:[^\n]*" first_error "${output}")
message("${line_count} lines from the compiler, of which the first error is\n${first_error}")
if(NOT first_error MATCHES "${expected}")
  message(FATAL_ERROR "the first error does not match: ${expected}\n${output}")
endif()
if(line_count GREATER_EQUAL 20)
  message(FATAL_ERROR "a wrong call must be under 20 lines of error, this is ${line_count}\n${output}")
endif()
