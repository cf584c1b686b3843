// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/balance/recorded.hpp>
#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::balance {

/// Writes the record of a run. If the process is killed, the file has all periods written so far.
class record_writer {
 public:
  /// Creates the file, or empties it, unless another run is writing it. Throws usage_error, with the file and
  /// the remedy, if it cannot be written.
  explicit record_writer(std::string file);

  /// Writes the run; once, before all periods. Throws imbrex::error, which names the file, if it cannot be
  /// written, as does the other function.
  void write(const recorded_run& run);
  /// Writes a period. `names`: its objects.
  void write(std::span<const object_name> names, const recorded_period& period);

 private:
  void write_block(std::uint64_t kind, std::span<const std::byte> content);
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  std::string file_;
  descriptor descriptor_;
  std::uint64_t whole_ = 0;  ///< bytes of the file up to the end of the last block
  bool has_objects_ = false;
  std::vector<object_name> names_;  ///< objects of the last block
};

}  // namespace imbrex::balance
