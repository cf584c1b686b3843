// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::balance {

/// Times of a period of a run, in seconds.
struct period {
  double busiest = 0;             ///< time of the busiest PE
  double average = 0;             ///< load of all PEs over their speed
  double largest = 0;             ///< time of the largest object, on a PE of speed 1
  double busiest_otherwise = -1;  ///< `busiest` if the last step had not been taken; below 0: unknown

  /// The time that a perfect balance would have saved: no solution is faster than the average or than its
  /// largest object.
  double lost() const;
};

/// Actions between two periods.
enum class action {
  wait,       ///< nothing
  act,        ///< solve the problem and move objects
  take_back,  ///< move the objects of the last step back
};

/// Decides when to balance. It acts when the time lost since the last step exceeds what a step costs, as
/// measured; never twice within three periods. If the period after a step lost no less than without the step
/// (or than the one before, where that is unknown), it takes the step back, once, and from then on waits
/// until twice the cost is lost. The wait shrinks again with steps that gain.
///
/// Whoever balances calls `next` at the end of each period. After `act` or `take_back` and before the next
/// call: `done` with the time that the step took all PEs, or `found_nothing` if nothing moves. All is counted
/// in periods and in the run's own times: no constant is a time.
class decision {
 public:
  /// Judges a period, and decides what to do before the next one.
  action next(const period& last);
  /// Reports the cost of a step: seconds by which it delayed the run.
  void done(double cost);
  /// Reports that the step has found nothing to move. It is not judged; twice as much must be lost before the
  /// next one.
  void found_nothing();

  /// The gain of the last judged step in seconds a period; below 0 if it lost. 0 before.
  double gain() const { return gain_; }

 private:
  static constexpr int shortest_rest = 2;  ///< periods without an action after one

  bool has_lost_enough(const period& last);
  action judge(const period& last);

  double lost_ = 0;          ///< since the last step
  double cost_ = -1;         ///< the cost of a step; below 0: not measured yet
  double patience_ = 1;      ///< steps' costs that must be lost before the next step
  double share_before_ = 0;  ///< share of the average that was lost in the period before the last step
  double gain_ = 0;
  int rest_ = 0;           ///< periods before the next action
  bool unjudged_ = false;  ///< the last step has not been judged
};

}  // namespace imbrex::balance
