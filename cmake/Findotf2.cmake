# SPDX-License-Identifier: Apache-2.0
# Makes the target otf2::otf2.
find_path(otf2_INCLUDE_DIR otf2/otf2.h)
find_library(otf2_LIBRARY NAMES otf2 open-trace-format2)
mark_as_advanced(otf2_INCLUDE_DIR otf2_LIBRARY)

if(otf2_INCLUDE_DIR AND EXISTS ${otf2_INCLUDE_DIR}/otf2/OTF2_GeneralDefinitions.h)
  set(otf2_VERSION "")
  foreach(part IN ITEMS MAJOR MINOR BUGFIX)
    file(STRINGS ${otf2_INCLUDE_DIR}/otf2/OTF2_GeneralDefinitions.h line REGEX "define OTF2_VERSION_${part} ")
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND otf2_VERSION ${number})
  endforeach()
  list(JOIN otf2_VERSION "." otf2_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  otf2
  REQUIRED_VARS otf2_LIBRARY otf2_INCLUDE_DIR
  VERSION_VAR otf2_VERSION
  REASON_FAILURE_MESSAGE
    "imbrex trace convert will not write OTF2. Install its development files, 3.0 or newer (Debian: \
libotf2-trace-dev), or add their prefix to CMAKE_PREFIX_PATH."
)

if(otf2_FOUND AND NOT TARGET otf2::otf2)
  add_library(otf2::otf2 UNKNOWN IMPORTED)
  set_target_properties(otf2::otf2 PROPERTIES
    IMPORTED_LOCATION ${otf2_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${otf2_INCLUDE_DIR}
  )
endif()
