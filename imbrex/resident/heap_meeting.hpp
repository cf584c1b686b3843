// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/array/process_group.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/memory_key.hpp>
#include <imbrex/resident/heap_memory.hpp>

namespace imbrex::resident {

/// Where the processes of a run meet to make a symmetric heap:
/// `make_process_group<resident::heap_meeting>()`.
class heap_meeting : public imbrex::chare<heap_meeting> {
 public:
  /// Of each process, by the number of the meeting.
  imbrex::mailbox<memory_key> keys;

  /// Gives all processes this one's, and returns theirs.
  task<std::vector<memory_key>> exchange(memory_key mine) {
    const auto members = peers();
    const int all = members.shape()[0];
    const std::int64_t first = std::int64_t{meetings_++} * all;
    for (int p = 0; p < all; ++p) send<&heap_meeting::keys>(members[p], first + where()[0], mine);
    std::vector<memory_key> theirs;
    for (int p = 0; p < all; ++p) {
      const memory_key one = co_await keys.receive(first + p);
      theirs.push_back(one);
    }
    co_return theirs;
  }

 private:
  std::int64_t meetings_ = 0;
};

namespace detail {

task<std::shared_ptr<heap_memory>> memory_of_processes(process_group<heap_meeting> place, device& mine,
                                                       std::size_t bytes);

}  // namespace detail
}  // namespace imbrex::resident
