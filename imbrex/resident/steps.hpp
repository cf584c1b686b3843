// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident::detail {

/// What steps of PEs take in simulated time; null where time passes by itself (stepping.hpp).
class stepping;

/// A step of the PE that runs.
enum class step : std::uint32_t {
  look,       ///< it has found nothing
  take,       ///< it takes the item with the ticket `a`: of GPU `b` - 1; 0: out of its mailbox
  send_near,  ///< it sends its item `a` to PE `b` of its cluster
  take_near,  ///< it takes item `a` of PE `b` there
  take_more,  ///< and with the same look the next, `a`
  local,      ///< it takes an item that it has sent to itself
  send,       ///< it draws the ticket `a` of PE `b`
  send_more,  ///< and with the same draw the next, `a`
  flag,       ///< it writes the number `c` into the flag at `a`, which is GPU `b`'s
  seen,       ///< it has seen that number, or a larger one, in its flag at `a`
  entry,      ///< it begins or has ended an entry: half of what both take
  bytes,      ///< its entry reads or writes `a` bytes of the device's memory
  put,        ///< its entry writes `a` bytes of the memory of PE `b`
  time,       ///< its entry computes for `a` ns
  sync,       ///< its threads wait for each other inside an entry
  tell,       ///< it tells the host something
  host,       ///< it waits until the host has heard something
  wait        ///< it waits for what another PE does
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
