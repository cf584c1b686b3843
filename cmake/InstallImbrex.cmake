# SPDX-License-Identifier: Apache-2.0
# Installation, and the package that find_package(imbrex) finds.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/imbrex)
get_property(libraries GLOBAL PROPERTY IMBREX_LIBRARIES)

install(TARGETS ${libraries} EXPORT imbrexTargets
        ARCHIVE COMPONENT development
        FILE_SET HEADERS COMPONENT development
)
# Headers for programs that have another library, which no component of ours compiles.
install(FILES imbrex/serial/eigen.hpp imbrex/serial/kokkos.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/imbrex/serial COMPONENT development)
install(FILES imbrex/kokkos.hpp imbrex/mpi.hpp imbrex/python.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/imbrex COMPONENT development)
set(for_python ${IMBREX_INSTALLED_HEADERS})
list(FILTER for_python INCLUDE REGEX "^imbrex/python/")
install(FILES imbrex/mpi/rank/await.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/imbrex/mpi/rank COMPONENT development)
install(FILES ${for_python} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/imbrex/python COMPONENT development)
install(FILES imbrex/core/gpu/kokkos.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/imbrex/core/gpu COMPONENT development)
# Commands of gdb for programs that use Imbrex.
install(FILES imbrex/tools/imbrex_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/imbrex/gdb RENAME imbrex.py
        COMPONENT development)
install(EXPORT imbrexTargets NAMESPACE imbrex:: DESTINATION ${package_dir} COMPONENT development)

configure_package_config_file(cmake/imbrexConfig.cmake.in ${PROJECT_BINARY_DIR}/imbrexConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/imbrexConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/imbrexConfig.cmake
        ${PROJECT_BINARY_DIR}/imbrexConfigVersion.cmake
        cmake/CheckGccCoroutineTemporaries.cmake
        cmake/gcc_coroutine_temporaries.cpp
        cmake/Findhwloc.cmake
        cmake/ImbrexPythonModule.cmake
        cmake/ImbrexRankLibrary.cmake
        cmake/WarnWithoutBuildType.cmake
  DESTINATION ${package_dir} COMPONENT development
)
