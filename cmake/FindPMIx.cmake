# SPDX-License-Identifier: Apache-2.0
# Sets PMIx_INCLUDE_DIR and PMIx_VERSION. The library is loaded at run time, so that the header is all that is
# looked for.
find_path(PMIx_INCLUDE_DIR pmix.h PATH_SUFFIXES pmix2/include
          HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib)
mark_as_advanced(PMIx_INCLUDE_DIR)

if(PMIx_INCLUDE_DIR AND EXISTS ${PMIx_INCLUDE_DIR}/pmix_version.h)
  set(PMIx_VERSION "")
  foreach(part IN ITEMS MAJOR MINOR RELEASE)
    file(STRINGS ${PMIx_INCLUDE_DIR}/pmix_version.h line REGEX "define PMIX_VERSION_${part} ")
    string(REGEX MATCH "[0-9]+" number "${line}")
    list(APPEND PMIx_VERSION ${number})
  endforeach()
  list(JOIN PMIx_VERSION "." PMIx_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  PMIx
  REQUIRED_VARS PMIx_INCLUDE_DIR
  VERSION_VAR PMIx_VERSION
  REASON_FAILURE_MESSAGE
    "Imbrex will not find its processes under srun, nor under mpirun but through MPI. Install PMIx's header \
(Debian: libpmix-dev), or add its prefix to CMAKE_PREFIX_PATH."
)
