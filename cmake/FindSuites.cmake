# SPDX-License-Identifier: Apache-2.0
# Makes each suite of a program of unit tests one of ctest's tests: a process for each test would take longer to start
# than to run. The program is asked for its suites when ctest starts, because it is built after the configuration.
# Expects these variables:
#   PROGRAM   the program;  FOLDER  before the names;  FILTER  of the names of its tests, or empty
#   LIST      a file of ctest's commands, written anew when the program is younger
# Tests that match the environment's IMBREX_TESTS_LEFT_OUT, patterns as googletest's separated by colons, do not run.
cmake_minimum_required(VERSION 3.25)

set(left_out "$ENV{IMBREX_TESTS_LEFT_OUT}")
if(NOT EXISTS "${PROGRAM}")
  add_test(${FOLDER}.not_built ${PROGRAM})
  return()
endif()

set(header "# of ${FILTER}-${left_out}\n")
set(written "")
if(EXISTS "${LIST}" AND "${LIST}" IS_NEWER_THAN "${PROGRAM}")
  file(READ "${LIST}" written)
endif()
string(FIND "${written}" "${header}" position)
if(NOT position EQUAL 0)
  set(filter "${FILTER}")
  if(filter STREQUAL "")
    set(filter "*")
  endif()
  execute_process(COMMAND ${PROGRAM} --gtest_list_tests "--gtest_filter=*.${filter}-${left_out}"
                  OUTPUT_VARIABLE listed RESULT_VARIABLE status TIMEOUT 60)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} does not list its tests: ${status}")
  endif()
  string(REGEX REPLACE " *#[^\n]*" "" listed "${listed}")
  string(REPLACE ";" "" listed "${listed}")
  string(REPLACE "\n" ";" lines "${listed}")
  set(suites "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^([^ ]+)\\.$")
      set(suite "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^  ")
      if(NOT suite IN_LIST suites)
        list(APPEND suites "${suite}")
        set(count_of_${suite} 0)
      endif()
      math(EXPR count_of_${suite} "${count_of_${suite}} + 1")
    endif()
  endforeach()
  set(commands "${header}")
  foreach(suite IN LISTS suites)
    set(name "${FOLDER}.${suite}")
    string(APPEND commands
      "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${suite}.${filter}-${left_out}]==])\n"
      "set_tests_properties([==[${name}]==] PROPERTIES TIMEOUT 300 LABELS unit COST ${count_of_${suite}})\n")
  endforeach()
  file(WRITE "${LIST}" "${commands}")
endif()
include("${LIST}")
