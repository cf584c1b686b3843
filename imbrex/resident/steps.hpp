// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident::detail {

/// Costs of the steps of PEs in simulated time (stepping.hpp). The pointer is null where time is real.
class stepping;

/// Step of the PE that runs.
enum class step : std::uint32_t {
  look,       ///< has found nothing
  take,       ///< takes the item of ticket `a` from GPU `b` - 1, or from its mailbox if `b` is 0
  send_near,  ///< sends its item `a` to PE `b` of its cluster
  take_near,  ///< takes item `a` of PE `b` of its cluster
  take_more,  ///< takes the next item, `a`, by the same poll
  local,      ///< takes an item that it has sent to itself
  send,       ///< draws the ticket `a` of PE `b`
  send_more,  ///< draws the next ticket, `a`, by the same operation
  flag,       ///< writes the number `c` into the flag at `a`, of GPU `b`
  seen,       ///< has seen the number `c`, or a larger one, in its flag at `a`
  entry,      ///< begins or has ended an entry: half of what both take
  bytes,      ///< reads or writes `a` bytes of the device's memory in its entry
  put,        ///< writes `a` bytes of the memory of PE `b` in its entry
  time,       ///< computes for `a` ns in its entry
  sync,       ///< waits for all of its threads inside an entry
  tell,       ///< sends the host an item
  host,       ///< waits until the host has received an item
  wait        ///< waits for another PE's action
};

#if defined(__CUDA_ARCH__)
__device__ inline void take_step(stepping*, step, std::uint64_t = 0, std::uint32_t = 0, std::uint32_t = 0) {}
#else
void pass_step(stepping& through, step what, std::uint64_t a, std::uint32_t b, std::uint32_t c);
inline void take_step(stepping* through, step what, std::uint64_t a = 0, std::uint32_t b = 0,
                      std::uint32_t c = 0) {
  if (through != nullptr) pass_step(*through, what, a, b, c);
}
#endif

}  // namespace imbrex::resident::detail
