// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/array/process_group.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/resident/heap_memory.hpp>
#include <imbrex/resident/heap_source.hpp>

namespace imbrex::resident {

/// Chares by which the processes of a run make a symmetric heap:
/// `make_process_group<resident::heap_exchange>()`.
class heap_exchange : public imbrex::chare<heap_exchange> {
 public:
  /// Received parts of all processes, by exchange and process.
  imbrex::mailbox<heap_part> parts;

  /// Sends this process's part to all processes, and returns the parts of all.
  task<std::vector<heap_part>> exchange(heap_part own_part) {
    const auto members = peers();
    const int all = members.shape()[0];
    const std::int64_t first = std::int64_t{exchanges_++} * all;
    for (int p = 0; p < all; ++p) send<&heap_exchange::parts>(members[p], first + where()[0], own_part);
    std::vector<heap_part> all_parts;
    for (int p = 0; p < all; ++p) {
      heap_part one = co_await parts.receive(first + p);
      all_parts.push_back(std::move(one));
    }
    co_return all_parts;
  }

 private:
  std::int64_t exchanges_ = 0;
};

namespace detail {

task<std::shared_ptr<heap_memory>> memory_of_processes(process_group<heap_exchange> place, device& own_device,
                                                       std::size_t bytes, heap_way way);

}  // namespace detail
}  // namespace imbrex::resident
