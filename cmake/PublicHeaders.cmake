# SPDX-License-Identifier: Apache-2.0
# What programs may include; docs/headers.md says what each is for. These headers are installed, and those of ours that
# they include, which may change at any time; no others.
set(IMBREX_PUBLIC_HEADERS
  imbrex/imbrex.hpp
  imbrex/gpu.hpp
  imbrex/grid.hpp
  imbrex/cells.hpp
  imbrex/resident.hpp

  imbrex/base/clock.hpp
  imbrex/base/error.hpp
  imbrex/base/log.hpp
  imbrex/base/random.hpp
  imbrex/core/array/balance_point.hpp
  imbrex/core/array/channel.hpp
  imbrex/core/array/chare.hpp
  imbrex/core/array/collectives.hpp
  imbrex/core/array/create.hpp
  imbrex/core/array/log.hpp
  imbrex/core/array/mailbox.hpp
  imbrex/core/array/process_group.hpp
  imbrex/core/array/section.hpp
  imbrex/core/array/section_reduction.hpp
  imbrex/core/array/send.hpp
  imbrex/core/deterministic.hpp
  imbrex/core/message/sender.hpp
  imbrex/core/name/format.hpp
  imbrex/core/name/index.hpp
  imbrex/core/name/indices.hpp
  imbrex/core/name/operations.hpp
  imbrex/core/options/options.hpp
  imbrex/core/pe/executor.hpp
  imbrex/core/pe/parallel_for.hpp
  imbrex/core/pe/promise.hpp
  imbrex/core/pe/sleep.hpp
  imbrex/core/pe/timeout.hpp
  imbrex/core/record/tracing.hpp
  imbrex/core/run/run.hpp
  imbrex/core/run/spend.hpp
  imbrex/coro/task.hpp
  imbrex/coro/when_all.hpp
  imbrex/coro/when_any.hpp
  imbrex/serial/adaptors.hpp
  imbrex/serial/archive.hpp
  imbrex/serial/bytes.hpp
  imbrex/serial/eigen.hpp
  imbrex/serial/file.hpp
  imbrex/serial/filesystem.hpp
  imbrex/serial/forward_list.hpp
  imbrex/serial/kokkos.hpp
  imbrex/serial/random.hpp
  imbrex/serial/valarray.hpp

  imbrex/core/gpu/combination.hpp
  imbrex/core/gpu/device_argument.hpp
  imbrex/core/gpu/device_channel.hpp
  imbrex/core/gpu/device_choice.hpp
  imbrex/core/gpu/device_loan.hpp
  imbrex/core/gpu/device_reduction.hpp
  imbrex/core/gpu/device_work.hpp
  imbrex/core/gpu/persistent_channel.hpp
  imbrex/core/gpu/shared_device_buffer.hpp
  imbrex/core/gpu/stream_set.hpp
  imbrex/core/gpu/work_request.hpp
  imbrex/device/buffer.hpp
  imbrex/device/device.hpp
  imbrex/device/device_span.hpp
  imbrex/device/event.hpp
  imbrex/device/graph.hpp
  imbrex/device/kernel.hpp
  imbrex/device/native_stream.hpp
  imbrex/device/pinned_span.hpp
  imbrex/device/shared_event.hpp
  imbrex/device/stream.hpp

  imbrex/grid/boundaries.hpp
  imbrex/grid/box.hpp
  imbrex/grid/decomposition.hpp
  imbrex/grid/device_field.hpp
  imbrex/grid/device_halo.hpp
  imbrex/grid/device_view.hpp
  imbrex/grid/field.hpp
  imbrex/grid/halo.hpp
  imbrex/grid/view.hpp

  imbrex/cells/accumulator.hpp
  imbrex/cells/cell.hpp
  imbrex/cells/cell_set.hpp
  imbrex/cells/chunked_array.hpp
  imbrex/cells/distributed_map.hpp
  imbrex/cells/domain.hpp

  imbrex/resident/channel.hpp
  imbrex/resident/chare.hpp
  imbrex/resident/context.hpp
  imbrex/resident/entries.hpp
  imbrex/resident/heap_meeting.hpp
  imbrex/resident/heap_source.hpp
  imbrex/resident/index.hpp
  imbrex/resident/native.hpp
  imbrex/resident/program.hpp
  imbrex/resident/symmetric.hpp
  imbrex/resident/symmetric_heap.hpp

  imbrex/core/array/define_entries.hpp
  imbrex/core/record/load_meter.hpp
  imbrex/coro/await_by.hpp
  imbrex/sched/observer.hpp
)

# Those and what they include, of ours, as of when CMake configures; packaging.public_headers fails if that is out of
# date.
set(IMBREX_INSTALLED_HEADERS "")
set(unread ${IMBREX_PUBLIC_HEADERS})
while(unread)
  list(POP_FRONT unread header)
  if(header IN_LIST IMBREX_INSTALLED_HEADERS)
    continue()
  endif()
  list(APPEND IMBREX_INSTALLED_HEADERS ${header})
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${header} lines REGEX "^ *# *include <imbrex/")
  list(TRANSFORM lines REPLACE ".*<(.*)>.*" "\\1")
  list(APPEND unread ${lines})
endwhile()
