// SPDX-License-Identifier: Apache-2.0
#pragma once
// A stop of all elements of a run at balance points of one step.

#include <cstdint>
#include <utility>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/collective/waits.hpp>
#include <imbrex/core/extension/stop.hpp>
#include <imbrex/core/pe/promise.hpp>

namespace imbrex::extension {

/// The result of a rendezvous.
struct standing_elements {
  std::uint64_t standing = 0;   ///< entries that stand at balance points
  detail::known_waits waiting;  ///< entries that wait elsewhere, and messages that wait for elements
  bool have_executors = false;  ///< PEs have executors, which `waiting` names, too

  /// True if each element stands or has no entry that has begun.
  bool are_all() const { return waiting.waits.empty(); }
  void serialize(auto& ar) { ar(standing, waiting, have_executors); }
};

/// The description of a result for which a rendezvous is made. An entry that awaits it is no obstacle.
inline constexpr const char* result_of_rendezvous = "the result of a rendezvous";
/// A promise of such a result, and the result.
template <class R>
std::pair<promise<R>, pending<R>> promise_after_rendezvous() {
  return detail::named_promise<R>(result_of_rendezvous);
}

/// The part of a rendezvous on one PE. A group, which `rendezvous` makes.
class rendezvous_part : public chare<rendezvous_part> {
 public:
  rendezvous_part();  ///< The group takes no part in the stop.
  void begin() { stop_here().begin(); }
  /// Lets the stopped elements go on to their next balance points.
  void step() { stop_here().step(); }
  void end() { stop_here().end(); }
  standing_elements look() const;  ///< Counts the elements that stand, and lists the waits of the others.
};

/// A stop of all elements at their balance points, one after another. Made and used by one chare on PE 0.
///
/// Elements that were a step ahead wait for what a stopped one would send. Then the stopped ones go on to
/// their next points. Each time those that are behind come one step nearer, so the elements of a coupled
/// program meet at one step. It is given up when the same entries wait elsewhere three times in a row, or
/// after many steps.
class rendezvous {
 public:
  /// Makes the parts on all PEs, without stopping anything.
  rendezvous() : parts_(make_group<rendezvous_part>()) {}

  /// Stops the elements, once other rendezvous have ended. On return nothing runs and no message is in
  /// flight; call `end` then.
  task<standing_elements> begin();
  /// Lets the elements go on. Elements that were asked to leave meanwhile leave.
  task<> end();
  const group<rendezvous_part>& parts() const { return parts_; }  ///< the parts, one on each PE

 private:
  group<rendezvous_part> parts_;
};

}  // namespace imbrex::extension
