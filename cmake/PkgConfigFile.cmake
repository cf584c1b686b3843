# SPDX-License-Identifier: Apache-2.0
# Installs imbrex.pc, for projects that are not built by CMake. The libraries are static, so the file lists their
# dependencies. It finds them relative to its own place, so that an installation can be moved.
set(pc_libraries "")     # ours, each before those that it needs
set(pc_requirements "")  # packages that have such a file themselves
set(pc_others "")        # other libraries, as they are linked

# Visits what a target links, and puts the target in front.
function(imbrex_add_to_pkg_config target)
  get_target_property(visited ${target} IMBREX_IN_PKG_CONFIG)
  if(visited)
    return()
  endif()
  set_target_properties(${target} PROPERTIES IMBREX_IN_PKG_CONFIG ON)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
    string(REGEX REPLACE "^imbrex::" "imbrex_" ours "${link}")
    if(TARGET ${ours} AND ours MATCHES "^imbrex_")
      imbrex_add_to_pkg_config(${ours})
    elseif(link STREQUAL "Threads::Threads")
      list(APPEND pc_others ${CMAKE_THREAD_LIBS_INIT} -pthread)
    elseif(link STREQUAL "hwloc::hwloc")
      list(APPEND pc_requirements hwloc)
    elseif(link STREQUAL "CUDA::cudart_static")
      list(APPEND pc_others -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt)
    elseif(link MATCHES "^-")
      list(APPEND pc_others ${link})
    elseif(link MATCHES "^[a-z]+$")
      list(APPEND pc_others -l${link})
    elseif(link)
      message(FATAL_ERROR "imbrex.pc does not know how ${link} is linked, which ${target} needs: say so in "
                          "cmake/PkgConfigFile.cmake")
    endif()
  endforeach()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(PREPEND pc_libraries -l${target})
  endif()
  set(pc_libraries ${pc_libraries} PARENT_SCOPE)
  set(pc_requirements ${pc_requirements} PARENT_SCOPE)
  set(pc_others ${pc_others} PARENT_SCOPE)
endfunction()

imbrex_add_to_pkg_config(imbrex)
foreach(list IN ITEMS pc_requirements pc_others)
  list(REMOVE_DUPLICATES ${list})
  list(JOIN ${list} " " ${list})
endforeach()
list(JOIN pc_libraries " " pc_libraries)

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
string(REGEX REPLACE "[^/]+" ".." pc_to_prefix ${pc_dir})
configure_file(cmake/imbrex.pc.in ${PROJECT_BINARY_DIR}/imbrex.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/imbrex.pc DESTINATION ${pc_dir} COMPONENT development)
