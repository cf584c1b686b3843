// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/imbrex.hpp>

namespace osu {

/// The measured pattern, as in the programs of the OSU suite.
enum class exchange {
  latency,        ///< osu_latency: one message there, one back; half of the time
  bandwidth,      ///< osu_bw: a window of messages, then a short reply
  bidirectional,  ///< osu_bibw: windows in both directions at once
  multi_pair,     ///< osu_mbw_mr: bandwidth of all pairs together
  rate,           ///< osu_mbw_mr: messages a second
};
inline constexpr std::array<const char*, 5> exchange_names{"latency", "bandwidth", "bidirectional",
                                                           "multi-pair", "rate"};

/// The transport between the two chares.
enum class way {
  message,     ///< a message; for device memory with a place at the receiver
  channel,     ///< `channel` for host memory, `device_channel` for device memory
  persistent,  ///< `persistent_channel`, for device memory
  staging,     ///< device memory is copied to the host, sent in a message, and copied to the device
};
inline constexpr std::array<const char*, 4> way_names{"message", "channel", "persistent", "staging"};

enum class place { host, device };
inline constexpr std::array<const char*, 2> place_names{"host", "device"};

const char* name_of(const auto& names, auto kind) { return names[std::size_t(kind)]; }

/// One line of a table.
struct course {
  exchange what = exchange::latency;
  way by = way::message;
  place memory = place::host;
  std::uint64_t bytes = 0;
  int window = 1;    ///< messages in flight at once
  int pairs = 1;     ///< elements 0 to `pairs` - 1 lead one pair each
  int distance = 1;  ///< index difference of the elements of a pair
  int warmup = 0;    ///< rounds before the measured ones
  int rounds = 1;
  bool checks = false;  ///< whether it checks the bytes of a round

  bool takes_part(int element) const {
    return leads(element) || (element >= distance && leads(element - distance));
  }
  bool leads(int element) const { return element < pairs; }
  int other(int element) const { return leads(element) ? element + distance : element - distance; }
  void serialize(auto& ar) { ar(what, by, memory, bytes, window, pairs, distance, warmup, rounds, checks); }
};

/// The settings of the command line.
struct settings {
  imbrex::options machine;
  std::vector<exchange> exchanges{exchange::latency};
  std::vector<way> ways;
  place memory = place::host;
  std::uint64_t smallest = 1;
  std::uint64_t largest = std::uint64_t{4} << 20U;
  int window = 64;
  int distance = 0;  ///< 0: half of the PEs
  int rounds = 0;    ///< 0: by size
  bool checks = false;
  std::string json;
  bool quiet = false;
  std::string help;  ///< text of --help if requested; else empty
};

/// Throws imbrex::usage_error for wrong options.
settings parse_settings(int argc, char** argv);

/// The powers of two from the smallest to the largest size.
std::vector<std::uint64_t> sizes_of(const settings& setup);
/// The course for one message size.
course course_of(const settings& setup, exchange what, way by, std::uint64_t bytes);

}  // namespace osu
