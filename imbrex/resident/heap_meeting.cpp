// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/heap_meeting.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/core/run/run.hpp>

namespace imbrex::resident::detail {

task<std::shared_ptr<heap_memory>> memory_of_processes(process_group<heap_meeting> place, device& mine,
                                                       std::size_t bytes) {
  const auto memory = std::make_shared<heap_memory>(mine, static_cast<std::uint32_t>(num_processes()),
                                                    static_cast<std::uint32_t>(process()), bytes);
  if (memory->gpus() == 1) co_return memory;
  const memory_key own = memory->key();
  const std::vector<memory_key> all = co_await place[process()].call<&heap_meeting::exchange>(own);
  for (std::uint32_t g = 0; g < memory->gpus(); ++g)
    if (g != memory->first()) memory->join(g, all[g]);
  co_return memory;
}

}  // namespace imbrex::resident::detail
