# SPDX-License-Identifier: Apache-2.0
# What `cpack --preset package` makes for Debian: a package for each component that is installed.
#   imbrex          the command
#   libimbrex-dev   headers, libraries, compilers for programs of MPI, and what CMake and pkg-config find
#   imbrex-doc      documents and examples
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME imbrex)
set(CPACK_PACKAGE_CONTACT "The authors of Imbrex <imbrex@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL commands development documents)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(CPACK_COMPONENT_COMMANDS_DESCRIPTION 
  "The command: starts programs as several processes, reports on traces of their runs, finds good options for them, \
and makes new projects.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION 
  "Headers and libraries for programs whose objects call each other by asynchronous messages, and for programs of MPI.")
set(CPACK_COMPONENT_DOCUMENTS_DESCRIPTION "The tutorial and the manual, and examples that can be built.")

set(CPACK_DEBIAN_COMMANDS_PACKAGE_NAME imbrex)
set(CPACK_DEBIAN_COMMANDS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMANDS_PACKAGE_SHLIBDEPS ON)

# Static libraries are linked with what they need by who uses them. UCX is loaded at run time.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libimbrex-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libhwloc-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS ON)  # of the library for programs of MPI
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "imbrex, libucx0, g++ (>= 4:13) | clang (>= 1:16) | clang-19")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "imbrex-doc, cmake, pkg-config")

set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_NAME imbrex-doc)
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_ARCHITECTURE all)

# Where Debian's packages have their license.
foreach(package IN ITEMS commands:imbrex development:libimbrex-dev documents:imbrex-doc)
  string(REPLACE ":" ";" package ${package})
  list(POP_FRONT package component)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright COMPONENT ${component})
endforeach()

include(CPack)
