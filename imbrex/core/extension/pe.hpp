// SPDX-License-Identifier: Apache-2.0
#pragma once
// The PE on which a front end's code runs.

#include <span>

#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/pe/pe_tree.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::extension {

/// A PE's parent and children in a tree of PEs.
using detail::tree_place;

/// The PE that runs on this thread: its queue, its timers, and the way of its messages. Make it where it is
/// used, in code that a PE runs: it is valid on this thread alone, and does not check that.
class current_pe {
 public:
  current_pe() : pe_(detail::processor::running_here()) {}
  /// A PE that does not run yet, as an attachment gets it.
  explicit current_pe(detail::scheduler& pe) : pe_(static_cast<detail::processor&>(pe)) {}

  int number() const { return pe_.pe(); }  ///< Number of the PE in the run, from 0.
  /// The number of PEs in the run.
  int count() const { return pe_.num_pes(); }
  /// The place of a PE in a tree over all PEs of the run.
  tree_place place_in_tree(int root, int of) const {
    return place_in_tree(root, of, pe_.run().host_starts());
  }
  /// The place in a tree that joins other parts of the PEs than hosts first. `starts`: the first PE of each
  /// part, ascending from 0.
  tree_place place_in_tree(int root, int of, std::span<const int> starts) const {
    return detail::place_in_tree(of, root, pe_.num_pes(), starts);
  }
  /// The number of the array that a proxy names.
  std::uint64_t number_of(std::uint64_t in_proxy) const { return pe_.number_of(in_proxy); }
  /// Time since the start of the run; on the simulated machine that of the model.
  nanoseconds now() const { return pe_.now(); }
  run_handle run() const { return run_handle(pe_.run()); }  ///< The run that the PE belongs to.

  /// The object of type T that a front end keeps on this PE; its first use makes it. It is destroyed with the
  /// chares.
  template <class T>
  T& local() const {
    return pe_.local<T>();
  }
  /// Queues an item that this PE runs in a turn of its own. The item must live until then.
  void push(detail::work& item) const { pe_.push(item); }
  /// Queues the timer's item at its deadline.
  void add_timer(detail::timer& t) const { pe_.add_timer(t); }
  /// In simulated time: lets `time` pass for this PE.
  void charge(nanoseconds time) const { pe_.charge(time); }

  /// True if messages of the PE to itself only go through its queue. Then a front end may call an element of
  /// this PE directly: nobody observes messages, delays them or changes their order.
  bool queues_plainly() const { return pe_.sent().are_plain(); }
  /// Sends a message to a PE, which may be this one.
  void send(detail::message& m, int to) const { pe_.dispatch(m, to); }

 private:
  detail::processor& pe_;
};

}  // namespace imbrex::extension
