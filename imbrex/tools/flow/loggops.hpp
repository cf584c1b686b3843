// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/tools/flow/goal.hpp>

namespace imbrex::tools {

/// The parameters of LogGOPS, in ns and bytes. The defaults are those of LogGOPSim.
struct loggops {
  std::uint64_t L = 2500;   ///< latency
  std::uint64_t o = 1500;   ///< overhead of a processor to send or receive
  std::uint64_t g = 1000;   ///< gap between messages of a network card
  std::uint64_t G = 6;      ///< gap a byte
  std::uint64_t O = 0;      ///< overhead a byte
  std::uint64_t S = 65535;  ///< bytes; longer messages begin with a rendezvous
};

/// Reads "L=2500,o=1500,..."; parameters that are not named keep their defaults. Throws `usage_error`.
loggops parse_loggops(std::string_view text);

/// The times of a schedule.
struct goal_times {
  std::vector<std::uint64_t> ends;  ///< by rank, when its processors are free
  std::uint64_t events = 0;
};

/// Runs a schedule by the rules of LogGOPSim (Hoefler, Schneider, Lumsdaine 2010): o on both sides, g between
/// the messages of a card, G for each byte on both cards, O for each byte of a processor, and eager messages
/// up to S bytes. A longer message ends when its receive has begun. Throws `error` if operations remain that
/// can never begin or end, with one of them.
goal_times evaluate(const goal& what, const loggops& machine);

}  // namespace imbrex::tools
