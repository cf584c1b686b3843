// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/bootstrap/frame.hpp>
#include <imbrex/net/bootstrap/internal/frame_connection.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <string_view>

namespace imbrex {

/// The bootstrap of a process that `imbrex run` started; they communicate over an inherited socket.
class launched_bootstrap final : public bootstrap {
 public:
  /// `launcher` is readable when the launcher has ended; it may be empty.
  launched_bootstrap(int rank, int size, descriptor socket, descriptor launcher,
                     std::chrono::milliseconds patience);

  std::string_view launcher() const override { return "imbrex run"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<std::string> all_gather(const std::string& text) override;
  int leave(int status) override;
  std::optional<end_of_others> others_left() override;
  int launcher_descriptor() const override { return launcher_.get(); }
  bool complain(const std::string& text) noexcept override;
  void finish(int status) noexcept override;

 private:
  using time_point = std::chrono::steady_clock::time_point;

  std::vector<std::string> exchange(const frame& message, time_point deadline);
  /// Calls `exchange`, and stores its error, preceded by `what`, for further calls.
  std::vector<std::string> exchange_or_fail(const frame& message, time_point deadline, const char* what);
  /// Sends a frame that has no reply. False if that takes too long.
  bool say(frame_kind kind, const std::string& payload) const noexcept;
  /// The next reply; other frames are dropped.
  std::optional<frame> receive_answer(time_point deadline);

  int rank_;
  int size_;
  frame_connection connection_;
  descriptor launcher_;
  std::chrono::milliseconds patience_;
  std::exception_ptr failure_;  // error of the first failed exchange; null before
};

/// The bootstrap described by IMBREX_RANK, IMBREX_SIZE, IMBREX_BOOTSTRAP_FD and IMBREX_LAUNCHER_FD; null if
/// the first is not set.
std::unique_ptr<bootstrap> find_launched_bootstrap();

}  // namespace imbrex
