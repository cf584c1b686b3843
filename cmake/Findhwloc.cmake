# SPDX-License-Identifier: Apache-2.0
# Makes the target hwloc::hwloc.
find_path(hwloc_INCLUDE_DIR hwloc.h)
find_library(hwloc_LIBRARY hwloc)
mark_as_advanced(hwloc_INCLUDE_DIR hwloc_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  hwloc
  REQUIRED_VARS hwloc_LIBRARY hwloc_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "Install hwloc's development files (Debian: libhwloc-dev), or add their prefix to CMAKE_PREFIX_PATH."
)

if(hwloc_FOUND AND NOT TARGET hwloc::hwloc)
  add_library(hwloc::hwloc UNKNOWN IMPORTED)
  set_target_properties(hwloc::hwloc PROPERTIES
    IMPORTED_LOCATION ${hwloc_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${hwloc_INCLUDE_DIR}
  )
endif()
