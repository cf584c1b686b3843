// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <imbrex/mpi/object/counted.hpp>

namespace imbrex::mpi {

/// Pairs of a key and a value in the order in which the keys came. Throws mpi::error for a key or a value
/// that is empty or too long. Each call is O(pairs).
class info {
 public:
  void set(const std::string& key, const std::string& value);
  /// Null if there is none.
  const std::string* find(const std::string& key) const;
  /// Throws mpi::error (MPI_ERR_INFO_NOKEY) if there is none.
  void remove(const std::string& key);
  const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

/// What a process tells of itself and of the command that it was started by: "command", "argv", "wdir",
/// "host", "arch". What is too long for a value is left out.
info process_info(const std::vector<std::string>& command);

/// What a handle of an info stands for.
struct info_object : counted {
  info pairs;
};

}  // namespace imbrex::mpi
