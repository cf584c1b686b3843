// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// What is asked of a program of this folder; all three understand the same options.
struct course {
  std::string bench = "pingpong";
  std::size_t smallest = 1;
  std::size_t largest = 0;       ///< 0: what suits the bench
  std::int64_t rounds = 0;       ///< timed ones of small messages; 0: what suits the bench
  std::int64_t megabytes = 512;  ///< so much travels at most for each size, but for a least number of rounds
  int window = 64;               ///< messages in flight
  int buffers = 1;               ///< from which UCX and MPI send, and into which they receive, in turn
  std::string payload = "shared";  ///< where the bytes of messages come from; `--help` says what may be asked
  bool coalesces = false;          ///< Imbrex's windows, of short messages
  int elements = 10'000;           ///< of the array that a broadcast goes to

  int priority = 0;  ///< priority of the measuring threads; 0: the usual scheduling

  bool is_pingpong() const { return bench == "pingpong"; }
  /// What came is sent on, and not what was there before.
  bool hands_on() const { return is_pingpong() && payload == "given"; }
  /// 1, 2, 4, ... bytes.
  std::vector<std::size_t> sizes() const;
  /// How many rounds of messages of so many bytes are timed; a multiple of `stretches`.
  std::int64_t rounds_of(std::size_t bytes) const;
  /// And how many before them are not.
  std::int64_t warm_up_of(std::size_t bytes) const;

  /// Timed rounds are cut into so many stretches, of which the median counts: others use the processors too.
  static constexpr int stretches = 10;
};

/// Reads the command line; `usage` says how the program is started. Prints the help and ends the program if
/// that is asked for. Throws usage_error.
course parse_course(int argc, const char* const* argv, const std::string& usage, bool has_broadcast);

/// Throws usage_error unless the job has two processes.
void check_two_processes(int processes, const std::string& usage);

/// While it lives this thread, and those that it starts meanwhile, have a real-time priority; 0 changes
/// nothing. Throws imbrex::error where that is not allowed.
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
