// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/imbrex.hpp>

namespace osu {

/// What is measured, as the programs of the OSU suite do.
enum class exchange {
  latency,        ///< osu_latency: one message there, one back; half of the time
  bandwidth,      ///< osu_bw: a window of messages, then a short answer
  bidirectional,  ///< osu_bibw: windows both ways at once
  multi_pair,     ///< osu_mbw_mr: bandwidth of all pairs together
  rate,           ///< the same, as messages a second
};
inline constexpr std::array<const char*, 5> exchange_names{"latency", "bandwidth", "bidirectional",
                                                           "multi-pair", "rate"};

/// How the bytes go from one chare to the other.
enum class way {
  message,     ///< a message; of memory in a device with a place at the receiver
  channel,     ///< `channel` of host memory, `device_channel` of memory in a device
  persistent,  ///< `persistent_channel`, of memory in a device
  staging,     ///< memory in a device is copied to the host, sent in a message, and copied to the device
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
  int window = 1;    ///< messages under way at once
  int pairs = 1;     ///< element i of the first so many leads one
  int distance = 1;  ///< to the other of a pair
  int warmup = 0;    ///< rounds before those that count
  int rounds = 1;
  bool checks = false;  ///< the bytes of a round

  bool takes_part(int element) const {
    return leads(element) || (element >= distance && leads(element - distance));
  }
  bool leads(int element) const { return element < pairs; }
  int other(int element) const { return leads(element) ? element + distance : element - distance; }
  void serialize(auto& ar) { ar(what, by, memory, bytes, window, pairs, distance, warmup, rounds, checks); }
};

/// What the command line asks for.
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
  std::string help;  ///< not empty if that is all that is wanted
};

/// Throws imbrex::usage_error.
settings parse_settings(int argc, char** argv);

/// The powers of two from the smallest to the largest size.
std::vector<std::uint64_t> sizes_of(const settings& setup);
/// That of one size.
course course_of(const settings& setup, exchange what, way by, std::uint64_t bytes);

}  // namespace osu
