// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/block_recording.hpp>

#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/core/record/run_recording.hpp>

namespace imbrex::detail {

std::unique_ptr<block_recorder> block_recording(const device& of, std::uint32_t blocks) {
  const scheduler* const here = scheduler::current();
  if (here == nullptr || here->pe() == scheduler::no_pe) return nullptr;
  run_recording* const recording = static_cast<const processor*>(here)->run().recording();
  return recording == nullptr ? nullptr : recording->blocks(of, blocks);
}

}  // namespace imbrex::detail
