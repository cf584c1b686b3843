// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/net/bootstrap/frame.hpp>

namespace imbrex::tools {

/// The launcher's side of the bootstrap: what to answer to which process, without any descriptors.
class exchange {
 public:
  /// Bytes to send to one process.
  struct answer {
    int rank;
    std::shared_ptr<const std::string> bytes;
  };

  /// `names` are those of the processes for messages, in the order of ranks.
  explicit exchange(std::vector<std::string> names);

  /// A frame has come from that process. Throws `error` if the protocol does not allow it.
  std::vector<answer> take(int rank, frame said);

  /// That process has ended, and so comes to no further exchange; `how` says in what way ("with status 0"),
  /// and `told` whether the launcher tells the user of it anyway.
  std::vector<answer> ended(int rank, const std::string& how, bool told);

  /// Why processes that waited got no answer, if the user must still be told; a second call gives nothing.
  std::string complaint();

  /// Some process has waited in vain.
  bool failed() const { return failed_; }

  /// The process has met the others for a run, and not left it: they count on it.
  bool is_in_run(int rank) const {
    return in_run_[static_cast<std::size_t>(rank)] && !announced_[static_cast<std::size_t>(rank)];
  }

  /// The status that the process has said it will end with.
  std::optional<int> announced(int rank) const { return announced_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<answer> gather(int rank, frame said);
  std::vector<answer> fail(std::string why, bool told = false);
  /// To all others of a run that one leaves with what it says.
  std::vector<answer> tell_of_leaving(int rank, const std::string& said) const;
  /// To all others of the run that one ends in the middle of.
  std::vector<answer> tell_of_death(int rank) const;
  /// The same answer to all that wait, who then wait no more.
  std::vector<answer> answer_waiting(const std::string& bytes);
  std::string missing() const;

  std::vector<std::string> names_;
  std::vector<std::optional<frame>> waiting_;  // what the processes said that wait for the others
  std::vector<bool> in_run_;
  std::vector<std::optional<int>> announced_;
  std::size_t come_ = 0;
  std::string failure_;  // why no further exchange can succeed
  bool told_ = false;    // the user knows it
  bool failed_ = false;
};

}  // namespace imbrex::tools
