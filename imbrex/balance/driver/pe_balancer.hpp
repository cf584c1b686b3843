// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

#include <imbrex/balance/driver/period_report.hpp>
#include <imbrex/balance/record_writer.hpp>
#include <imbrex/core/extension/load.hpp>

namespace imbrex::balance::detail {

class driver;

/// The part of the balancer on one PE: measures its elements, ends its periods, and moves its elements.
class pe_balancer final : public extension::load_meter {
 public:
  /// `record`: where PE 0 records the run, or null.
  pe_balancer(imbrex::detail::scheduler& pe, std::unique_ptr<record_writer> record);

  /// The balancer of this thread's PE; null if the run has none.
  static pe_balancer* here() { return static_cast<pe_balancer*>(extension::load_meter::here()); }
  /// The chare of the balancer on this PE; null before it exists.
  driver* own_driver() const { return driver_; }
  /// Sets the chare of the PE, and what ends a period that is due. No period ends before.
  void connect(driver& own, std::function<void()> end);

  /// Where the run is recorded; null on PEs other than 0, without a record, and once it has been taken.
  std::unique_ptr<record_writer> take_record() { return std::move(record_); }

  /// True if the period is to end once elements have passed their balance points.
  bool awaits_points() const { return awaits_points_ && !is_due_; }
  /// Ends the period, and begins another.
  period_report end_period(const period_rules& next);
  /// The elements here with their expected loads. `extrapolates`: loads go on to change as they did.
  pe_loads loads(bool extrapolates);
  /// Requests the moves of elements of this PE.
  void move(const array_moves& moves);

 private:
  using time = load_meter::time;
  /// The length of the meter's unit, and two readings at one moment from which it is computed.
  struct unit_length {
    nanoseconds first_time{0};
    time first = 0;
    double seconds = 0;
  };

  /// The device memory of elements, which is found out by their `serialize`, and not anew for each report.
  class known_device_bytes {
   public:
    /// Forgets all after some reports, since elements may have changed.
    void begin_report();
    std::uint64_t of(const extension::measured_element& e);

   private:
    static constexpr int most_reports = 8;

    std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, std::uint64_t>> by_array_;
    int reports_ = 0;
  };

  void due() override;
  double seconds(time t) const { return static_cast<double>(t) * unit_.seconds; }
  void calibrate();
  void end_period_of(const extension::measured_element& e, period_report& report);
  static void end_period_of_sent(measured_load& its, std::uint32_t points);
  static void end_period_beside(measured_load& its, std::uint32_t points, period_report& report);
  static double checked_load(const extension::measured_element& e, double load, pe_loads& all);

  /// The parts of reports that not all runs have.
  const struct {
    bool bytes;     ///< bytes of the elements that move
    bool measured;  ///< loads, for the record of the run
    bool sent;      ///< messages of elements
  } reported_;
  std::unique_ptr<record_writer> record_;
  driver* driver_ = nullptr;
  std::function<void()> end_;
  bool is_due_ = false;
  bool awaits_points_ = false;
  bool is_timed_ = false;     ///< periods end by the clock, whatever elements do
  std::uint64_t points_ = 1;  ///< balance points of each element in the period
  time began_ = 0;            ///< when the period began
  time others_before_ = 0;    ///< `time_of_nobody` when the period began
  time own_before_ = 0;       ///< `balancer_time` when the period began
  std::uint64_t items_before_ = 0;
  unit_length unit_;
  extension::balanced_device device_;
  known_device_bytes device_bytes_;
  float other_ = 0;  ///< load of the last period that no movable element had
  std::uint64_t least_items_ = 0;
  std::uint64_t arrivals_before_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace imbrex::balance::detail
