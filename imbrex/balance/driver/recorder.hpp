// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <imbrex/balance/driver/period_report.hpp>
#include <imbrex/balance/record_writer.hpp>

namespace imbrex::balance::detail {

/// Records a run (`--balance-record`), or does nothing. A record that cannot be written is ended with a
/// warning.
class recorder {
 public:
  /// `file`: null for no record.
  recorder(std::unique_ptr<record_writer> file, recorded_run run);
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  bool is_open() const { return file_ != nullptr; }
  /// Notes the time of a period that has ended, and whether its loads were measured.
  void end_period(const period_report& ended, bool is_measured);
  /// Sets the loads that the objects had in the period, in the order of their names.
  void set_measured(std::vector<float> loads) { measured_ = std::move(loads); }
  /// Writes the period. `moves` are in the order of `names`; those of elements that are not
  /// where a move begins are left out.
  void write(action taken, std::span<const object_name> names, const snapshot& problem,
             const std::vector<array_moves>& moves);

 private:
  template <class Write>
  void attempt(const Write& write);
  void begin();

  std::unique_ptr<record_writer> file_;
  recorded_run run_;
  bool has_begun_ = false;
  double time_ = 0;
  bool is_measured_ = false;
  std::vector<float> measured_;
};

}  // namespace imbrex::balance::detail
