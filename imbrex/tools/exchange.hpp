// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/net/bootstrap/frame.hpp>

namespace imbrex::tools {

/// The launcher's side of the bootstrap: decides which bytes to send to which process. It uses no
/// descriptors.
class exchange {
 public:
  /// Bytes to send to one process.
  struct answer {
    int rank;
    std::shared_ptr<const std::string> bytes;
  };

  /// `names`: the processes' names for error texts, in the order of ranks.
  explicit exchange(std::vector<std::string> names);

  /// Handles a frame received from process `rank`. Throws `error` if the protocol does not allow it.
  std::vector<answer> take(int rank, frame message);

  /// Process `rank` has ended and takes part in no further exchange. `how`: the way it ended ("with status
  /// 0"). `is_reported`: the launcher reports its end to the user anyway.
  std::vector<answer> ended(int rank, const std::string& how, bool is_reported);

  /// The reason why waiting processes got no reply, if the user must still see it. A second call returns "".
  std::string complaint();

  /// True if some process has waited in vain.
  bool failed() const { return failed_; }

  /// True if the process has met the others for a run and has not left it, so that they depend on it.
  bool is_in_run(int rank) const {
    return in_run_[static_cast<std::size_t>(rank)] && !announced_[static_cast<std::size_t>(rank)];
  }

  /// The exit status that the process has announced.
  std::optional<int> announced(int rank) const { return announced_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<answer> gather(int rank, frame message);
  std::vector<answer> fail(std::string why, bool is_reported = false);
  /// Notifies all other processes of the run that `rank` leaves, with its text.
  std::vector<answer> tell_of_leaving(int rank, const std::string& message) const;
  /// Notifies all other processes of the run that `rank` has died in the middle of it.
  std::vector<answer> tell_of_death(int rank) const;
  /// Sends the same reply to all waiting processes and clears the waiting list.
  std::vector<answer> answer_waiting(const std::string& bytes);
  std::string missing() const;

  std::vector<std::string> names_;
  std::vector<std::optional<frame>> waiting_;  // by rank: the frame of a process that waits for the others
  std::vector<bool> in_run_;
  std::vector<std::optional<int>> announced_;
  std::size_t arrived_count_ = 0;
  std::string failure_;       // the reason why no further exchange can succeed
  bool is_reported_ = false;  // the user has seen `failure_`
  bool failed_ = false;
};

}  // namespace imbrex::tools
