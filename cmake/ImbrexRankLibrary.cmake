# SPDX-License-Identifier: Apache-2.0
# A shared library with chares of C++ for programs of MPI: docs/mpi.md. All ranks of a process use one instance of it,
# and the runtime that the library of MPI has. Programs link it as any other library.
#   imbrex_add_rank_library(monitor monitor.cpp)
function(imbrex_add_rank_library name)
  add_library(${name} SHARED ${ARGN})
  target_link_libraries(${name} PRIVATE imbrex::mpi)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:imbrex::imbrex,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:imbrex::imbrex,INTERFACE_COMPILE_DEFINITIONS>)
  # A rank may continue on another thread, so no address of a thread_local variable is kept across a wait.
  target_compile_options(${name} PRIVATE $<TARGET_PROPERTY:imbrex::imbrex,INTERFACE_COMPILE_OPTIONS>
                         -ftls-model=initial-exec)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF UNITY_BUILD OFF)
endfunction()
