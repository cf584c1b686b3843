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

/// In a process that `imbrex run` started: speaks with it over an inherited socket.
class launched_bootstrap final : public bootstrap {
 public:
  /// `launcher` is readable when the launcher has gone; it may be none.
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

  std::vector<std::string> exchange(const frame& said, time_point deadline);
  /// `exchange`, and notes for further calls why it has failed, after `what`.
  std::vector<std::string> exchange_or_fail(const frame& said, time_point deadline, const char* what);
  /// Sends a frame that has no answer. False if that cannot be done in a moment.
  bool say(frame_kind kind, const std::string& payload) const noexcept;
  /// What is no answer is dropped.
  std::optional<frame> receive_answer(time_point deadline);

  int rank_;
  int size_;
  frame_connection connection_;
  descriptor launcher_;
  std::chrono::milliseconds patience_;
  std::exception_ptr failure_;  // of the first exchange that failed; null before
};

/// From IMBREX_RANK, IMBREX_SIZE, IMBREX_BOOTSTRAP_FD and IMBREX_LAUNCHER_FD; null if the first is not set.
std::unique_ptr<bootstrap> find_launched_bootstrap();

}  // namespace imbrex
