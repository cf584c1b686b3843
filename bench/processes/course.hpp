// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// The settings of these programs; all three have the same options.
struct course {
  std::string bench = "pingpong";
  std::size_t smallest = 1;
  std::size_t largest = 0;         ///< 0: default of the bench
  std::int64_t rounds = 0;         ///< timed rounds of small messages; 0: default of the bench
  std::int64_t megabytes = 512;    ///< most bytes sent for each size, except for a minimum of rounds
  int window = 64;                 ///< messages in flight
  int buffers = 1;                 ///< from which UCX and MPI send, and to which they receive, in turn
  std::string payload = "shared";  ///< source of the messages' bytes; `--help` lists the values
  bool coalesces = false;          ///< for Imbrex's windows of short messages
  int elements = 10'000;           ///< size of the array that receives a broadcast

  int priority = 0;  ///< real-time priority of the measuring threads; 0: normal scheduling

  bool is_pingpong() const { return bench == "pingpong"; }
  /// Received bytes are sent on, instead of the sender's own bytes.
  bool hands_on() const { return is_pingpong() && payload == "given"; }
  /// 1, 2, 4, ... bytes.
  std::vector<std::size_t> sizes() const;
  /// The number of timed rounds for this message size; a multiple of `stretches`.
  std::int64_t rounds_of(std::size_t bytes) const;
  /// The number of untimed rounds before them.
  std::int64_t warm_up_of(std::size_t bytes) const;

  /// The number of series of timed rounds. Their median counts, since other programs may use the processors,
  /// too.
  static constexpr int stretches = 10;
};

/// Parses the command line. `usage`: how to start the program. Prints the help and ends the program on
/// request. Throws usage_error.
course parse_course(int argc, const char* const* argv, const std::string& usage, bool has_broadcast);

/// Throws usage_error unless the job has two processes.
void check_two_processes(int processes, const std::string& usage);

/// Gives a real-time priority to this thread, and to those that it starts, while the object lives; 0 changes
/// nothing. Throws imbrex::error if that is not allowed.
class real_time {
 public:
  explicit real_time(int priority);
  ~real_time();
  real_time(const real_time&) = delete;
  real_time& operator=(const real_time&) = delete;

 private:
  bool changed_;
};

}  // namespace bench
