// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/bootstrap/internal/frame_connection.hpp>
#include <imbrex/net/bootstrap/internal/numbered_job.hpp>

namespace imbrex {

/// The bootstrap of a numbered job. Process 0 does for the others what a launcher would. It has a connection
/// to each of them, and each has one to it.
class joined_bootstrap final : public bootstrap {
 public:
  /// Connects to the others. Throws imbrex::error if they do not arrive in time.
  joined_bootstrap(numbered_job job, std::optional<std::string> secret, std::chrono::milliseconds patience);

  std::string_view launcher() const override { return job_.launcher; }
  int rank() const override { return job_.rank; }
  int size() const override { return job_.size; }
  std::vector<std::string> all_gather(const std::string& text) override;
  int leave(int status) override;
  std::optional<end_of_others> others_left() override;

 private:
  using time_point = std::chrono::steady_clock::time_point;

  std::vector<std::string> exchange_or_fail(const frame& message, time_point deadline, const char* what);
  std::vector<std::string> exchange(const frame& message, time_point deadline);
  /// Process 0: receives the texts of all processes, and sends them to all.
  std::vector<std::string> collect(const frame& message, time_point deadline);
  std::string missing() const;
  /// Sends to all other processes that can still be reached.
  void tell_others(frame_kind kind, const std::string& payload) const noexcept;
  std::optional<end_of_others> hear_of_end();

  const numbered_job job_;
  const std::chrono::milliseconds patience_;
  std::vector<frame_connection> others_;       ///< process 0: all others by rank; else process 0
  std::vector<std::optional<frame>> waiting_;  ///< frames of these that wait for the remaining processes
  std::exception_ptr failure_;                 ///< error of the first failed exchange; null before
};

/// Null if no launcher has numbered this process among several. Throws `usage_error` for a variable with an
/// invalid value, and if the job is on several hosts and has no secret.
std::unique_ptr<bootstrap> find_joined_bootstrap();

}  // namespace imbrex
