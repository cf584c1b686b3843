# SPDX-License-Identifier: Apache-2.0
# The package of UCX 1.18 takes the folder three above its own for its prefix, which is /usr/lib where libraries lie in
# lib/x86_64-linux-gnu, as they do in Debian 13. Gives its targets the right paths where what they name is not there;
# the library's own is looked at, too, since headers of the host may lie where those of another system are named.
cmake_path(GET ucx_DIR PARENT_PATH ucx_libraries)
cmake_path(GET ucx_libraries PARENT_PATH ucx_libraries)
foreach(library IN ITEMS ucp ucs)
  get_target_property(ucx_headers ucx::${library} INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(ucx_library ucx::${library} LOCATION)
  if(EXISTS "${ucx_headers}" AND EXISTS "${ucx_library}")
    continue()
  endif()
  foreach(ucx_headers IN ITEMS ${ucx_libraries}/../include ${ucx_libraries}/../../include)
    if(EXISTS ${ucx_headers}/ucp/api/ucp.h)
      cmake_path(NORMAL_PATH ucx_headers)
      set_target_properties(ucx::${library} PROPERTIES
        IMPORTED_LOCATION ${ucx_libraries}/lib${library}.so
        INTERFACE_INCLUDE_DIRECTORIES ${ucx_headers}
      )
    endif()
  endforeach()
endforeach()
