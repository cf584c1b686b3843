// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/balance/recorded.hpp>
#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::balance {

/// Reads the record of a run, period by period. The record of a killed run, or of one that still runs, has
/// the periods up to that moment. All functions throw usage_error, with the name of the file, if it cannot be
/// read, is no record or one of another version, or is cut or damaged. Files of any origin are safe.
class record_reader {
 public:
  /// Reads what stays in the run.
  explicit record_reader(const std::string& file);

  const recorded_run& run() const { return run_; }
  /// Reads the next period; false at the end.
  bool next();
  /// The last period read, with the whole problem.
  const recorded_period& period() const { return period_; }
  /// The number of the last period read, from 1.
  std::uint64_t number() const { return number_; }
  /// The objects of the period, in the order of their names. An element that moved while the period ended may
  /// be there twice, or not at all.
  const std::vector<object_name>& names() const { return names_; }

 private:
  struct block {
    std::uint64_t kind = 0;
    std::vector<std::byte> content;
  };

  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse_period(const std::string& why) const;
  void read_at(std::uint64_t offset, void* to, std::size_t bytes) const;
  block read_block();
  template <class T>
  T value_of(const block& from) const;
  void take(recorded_objects objects);
  void take(recorded_period period);
  void check_outcome() const;

  std::string file_;
  descriptor descriptor_;
  std::uint64_t at_ = 0;
  std::uint64_t whole_ = 0;  ///< bytes of the file up to the end of the last block
  recorded_run run_;
  std::vector<object_name> names_;
  recorded_period period_;
  std::uint64_t number_ = 0;
};

}  // namespace imbrex::balance
