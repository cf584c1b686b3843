// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <imbrex/mpi/object/counted.hpp>

namespace imbrex::mpi {

/// Pairs of key and value, in order of insertion. Throws mpi::error for a key or value that is empty or too
/// long. Each call is O(pairs).
class info {
 public:
  void set(const std::string& key, const std::string& value);
  /// Null if the key is missing.
  const std::string* find(const std::string& key) const;
  /// Throws mpi::error (MPI_ERR_INFO_NOKEY) if the key is missing.
  void remove(const std::string& key);
  const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }
  void serialize(auto& ar) { ar(pairs_); }

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

/// Facts about the process and the command that started it: "command", "argv", "wdir", "host", "arch". Values
/// that are too long are omitted.
info process_info(const std::vector<std::string>& command);

/// The object behind an info's handle.
struct info_object : counted {
  info pairs;
};

}  // namespace imbrex::mpi
