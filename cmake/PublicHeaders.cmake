# SPDX-License-Identifier: Apache-2.0
# Programs may include these headers; docs/headers.md describes each. A header that lies in imbrex/ itself includes the
# one that does the work, which may move. Headers that these include are installed, too, and may change at any time.
set(IMBREX_PUBLIC_HEADERS
  imbrex/imbrex.hpp
  imbrex/gpu.hpp
  imbrex/grid.hpp
  imbrex/io.hpp
  imbrex/cells.hpp
  imbrex/resident.hpp

  imbrex/clock.hpp
  imbrex/error.hpp
  imbrex/log.hpp
  imbrex/random.hpp
  imbrex/balance_point.hpp
  imbrex/channel.hpp
  imbrex/chare.hpp
  imbrex/collectives.hpp
  imbrex/create.hpp
  imbrex/mailbox.hpp
  imbrex/mpi.hpp
  imbrex/process_group.hpp
  imbrex/checkpoint.hpp
  imbrex/rebalance.hpp
  imbrex/section.hpp
  imbrex/section_reduction.hpp
  imbrex/send.hpp
  imbrex/deterministic.hpp
  imbrex/sender.hpp
  imbrex/format.hpp
  imbrex/index.hpp
  imbrex/indices.hpp
  imbrex/operations.hpp
  imbrex/options.hpp
  imbrex/executor.hpp
  imbrex/parallel_for.hpp
  imbrex/promise.hpp
  imbrex/python.hpp
  imbrex/sleep.hpp
  imbrex/timeout.hpp
  imbrex/tracing.hpp
  imbrex/run.hpp
  imbrex/spend.hpp
  imbrex/task.hpp
  imbrex/when_all.hpp
  imbrex/when_any.hpp
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

  imbrex/combination.hpp
  imbrex/device_argument.hpp
  imbrex/device_channel.hpp
  imbrex/device_choice.hpp
  imbrex/device_loan.hpp
  imbrex/device_reduction.hpp
  imbrex/device_work.hpp
  imbrex/kokkos.hpp
  imbrex/persistent_channel.hpp
  imbrex/shared_device_buffer.hpp
  imbrex/stream_set.hpp
  imbrex/work_request.hpp
  imbrex/buffer.hpp
  imbrex/device.hpp
  imbrex/device_span.hpp
  imbrex/event.hpp
  imbrex/graph.hpp
  imbrex/kernel.hpp
  imbrex/native_stream.hpp
  imbrex/pinned_span.hpp
  imbrex/shared_event.hpp
  imbrex/stream.hpp

  imbrex/balance/curve_order.hpp
  imbrex/balance/decision.hpp
  imbrex/balance/edges.hpp
  imbrex/balance/forecast.hpp
  imbrex/balance/problem.hpp
  imbrex/balance/quality.hpp
  imbrex/balance/driver/rebalance.hpp
  imbrex/checkpoint/driver/checkpoint.hpp
  imbrex/balance/snapshot.hpp
  imbrex/balance/strategy.hpp

  imbrex/grid/boundaries.hpp
  imbrex/grid/box.hpp
  imbrex/grid/decomposition.hpp
  imbrex/grid/device_field.hpp
  imbrex/grid/device_halo.hpp
  imbrex/grid/device_view.hpp
  imbrex/grid/field.hpp
  imbrex/grid/halo.hpp
  imbrex/suggest_odf.hpp
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
  imbrex/resident/heap_exchange.hpp
  imbrex/resident/heap_source.hpp
  imbrex/resident/index.hpp
  imbrex/resident/native.hpp
  imbrex/resident/program.hpp
  imbrex/resident/symmetric.hpp
  imbrex/resident/symmetric_heap.hpp

  imbrex/testing/awaited_error_of.hpp
  imbrex/testing/error_of.hpp
  imbrex/testing/machines.hpp

  imbrex/core/array/define_entries.hpp
  imbrex/core/extension/chare.hpp
  imbrex/core/extension/device.hpp
  imbrex/core/extension/diagnosis.hpp
  imbrex/core/extension/durable.hpp
  imbrex/core/extension/durable_names.hpp
  imbrex/core/extension/fiber.hpp
  imbrex/core/extension/index.hpp
  imbrex/core/extension/load.hpp
  imbrex/core/extension/message_kind.hpp
  imbrex/core/extension/pe.hpp
  imbrex/core/extension/port.hpp
  imbrex/core/extension/report.hpp
  imbrex/core/extension/rendezvous.hpp
  imbrex/core/extension/run.hpp
  imbrex/core/extension/stop.hpp
  imbrex/coro/await_by.hpp
  imbrex/coro/entry_body.hpp
  imbrex/sched/observer.hpp
)

# The public headers and our own headers that they include, at the time of CMake's configuration;
# packaging.public_headers fails if this list is out of date.
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
