# SPDX-License-Identifier: Apache-2.0
# A module of Python with chare classes of C++: docs/python.md. It is linked to nothing of Imbrex, since the package
# imbrex, which a program imports first, has the runtime. Needed are Python's headers and nanobind, in the version with
# which the package was built.
#   imbrex_add_python_module(solver module.cpp)
function(imbrex_add_python_module name)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
  if(NOT COMMAND nanobind_add_module)
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                    RESULT_VARIABLE status OUTPUT_VARIABLE folder ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "imbrex_add_python_module needs nanobind for ${Python_EXECUTABLE}: pip install nanobind")
    endif()
    find_package(nanobind REQUIRED CONFIG PATHS ${folder} NO_DEFAULT_PATH)
  endif()
  nanobind_add_module(${name} NB_STATIC FREE_THREADED NOMINSIZE ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:imbrex::imbrex,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_options(${name} PRIVATE $<TARGET_PROPERTY:imbrex::imbrex,INTERFACE_COMPILE_OPTIONS>)
  target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:imbrex::imbrex,INTERFACE_COMPILE_DEFINITIONS>
                             IMBREX_VERSION="${imbrex_VERSION}")
  # The runtime's inline variables are those of the package.
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF UNITY_BUILD OFF)
  set_target_properties(nanobind-static PROPERTIES UNITY_BUILD OFF DISABLE_PRECOMPILE_HEADERS ON)
endfunction()
