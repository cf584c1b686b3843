// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/heap_meeting.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/run/run.hpp>

namespace imbrex::resident::detail {

task<std::shared_ptr<heap_memory>> memory_of_processes(process_group<heap_meeting> place, device& mine,
                                                       std::size_t bytes) {
  const auto memory = std::make_shared<heap_memory>(mine, static_cast<std::uint32_t>(num_processes()),
                                                    static_cast<std::uint32_t>(process()), bytes);
  if (memory->gpus() == 1) co_return memory;
  const heap_part own{memory->key(), bytes};
  const std::vector<heap_part> all = co_await place[process()].call<&heap_meeting::exchange>(own);
  for (std::uint32_t g = 1; g < memory->gpus(); ++g)
    if (all[g].bytes != all[0].bytes)
      throw usage_error("a symmetric heap has " + std::to_string(all[0].bytes) + " bytes in process 0 and " +
                        std::to_string(all[g].bytes) + " in process " + std::to_string(g) +
                        ": give as many in all processes");
  for (std::uint32_t g = 0; g < memory->gpus(); ++g)
    if (g != memory->first()) memory->join(g, all[g].key);
  co_return memory;
}

}  // namespace imbrex::resident::detail
