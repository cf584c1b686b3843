# SPDX-License-Identifier: Apache-2.0
# UCX's own package, with its paths set right: that of 1.18 takes the folder three above its own for the prefix,
# which is /usr/lib where libraries lie in lib/x86_64-linux-gnu, as they do in Debian 13.
find_package(ucx QUIET CONFIG)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ucx CONFIG_MODE)
if(NOT ucx_FOUND)
  return()
endif()

cmake_path(GET ucx_DIR PARENT_PATH ucx_libraries)
cmake_path(GET ucx_libraries PARENT_PATH ucx_libraries)
find_path(ucx_INCLUDE_DIR ucp/api/ucp.h HINTS ${ucx_libraries}/../include ${ucx_libraries}/../../include)
mark_as_advanced(ucx_INCLUDE_DIR)
foreach(library IN ITEMS ucp ucs)
  set_target_properties(ucx::${library} PROPERTIES
    IMPORTED_LOCATION ${ucx_libraries}/lib${library}.so
    INTERFACE_INCLUDE_DIRECTORIES ${ucx_INCLUDE_DIR}
  )
endforeach()
