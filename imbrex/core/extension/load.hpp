// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loads of a PE's elements, and requests to move them, for balancers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/pe/load_meter.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::extension {

/// A class of elements, and whether it has what migration takes.
using element_class = detail::element_class;

/// The classes of which the program and its libraries have code to create arrays, in the order of names; not
/// those of groups. Known from the beginning of a run.
std::vector<const element_class*> classes_of_arrays();

/// An element of this PE whose class can migrate. A handle, valid until the current item ends.
class measured_element {
 public:
  /// The number of its array, and the number of its key: equal in all processes.
  std::uint64_t array() const { return element_->home->id(); }
  /// Number of the element in its array.
  std::uint64_t key() const { return element_->home->number_of(*element_); }
  /// "block(1, 2)"
  std::string name() const { return element_->home->element_name(*element_); }

  /// The load in the meter's time (`load_meter::time`).
  measured_load& load() const { return element_->load; }
  /// Messages that a number such as `measured_load::sent` counts.
  static std::uint64_t messages_in(std::uint64_t sent) { return detail::sent_messages::messages_in(sent); }
  /// Bytes that a number such as `measured_load::sent` counts.
  static std::uint64_t bytes_in(std::uint64_t sent) { return detail::sent_messages::bytes_in(sent); }
  /// The load that the class expects in the next period, in seconds; empty if it expects none by
  /// `expected_load`.
  std::optional<double> expected_load() const;
  /// The bytes that migrate with it; 0 if it only moves as an object, with its entries. Runs its `serialize`,
  /// and throws what that throws.
  std::uint64_t bytes() const;
  /// The bytes of device memory that migrate with it. Runs its `serialize`, and throws what that throws.
  std::uint64_t device_bytes() const;

  /// True if it can be expected to leave soon after a request: no entry of it is suspended, or one that
  /// passes balance points. An element of a class with `moves_with_entries` only leaves at balance points.
  /// In a run of several processes, the function `moves_with_entries` of its class must return true.
  bool can_leave() const;
  /// Moves it to another PE at its next opportunity, if there is one; it may stay.
  void move(int to) const { element_->home->move(*element_, to); }

 private:
  friend class local_loads;
  explicit measured_element(chare_header& element) : element_(&element) {}

  chare_header* element_;
};

/// A PE's device, for its balancer.
struct balanced_device {
  std::int32_t number = -1;       ///< the first PE that has the device; -1: this PE has none
  int pes = 0;                    ///< number of PEs that have it, in all processes
  std::uint64_t free_memory = 0;  ///< bytes that elements may bring

  /// The device of the PE that runs on this thread, at the end of its period.
  static balanced_device here();
};

/// The elements of a PE for its balancer.
class local_loads {
 public:
  /// `pe`: the PE whose elements are measured.
  explicit local_loads(const detail::processor& pe) : pe_(pe) {}
  /// The loads of the PE that runs on this thread.
  static local_loads here() { return local_loads(detail::processor::running_here()); }

  /// The elements whose classes can migrate, in the order of their arrays.
  std::vector<measured_element> elements() const;
  /// The time of the elements whose classes cannot migrate, such as those of groups, since the last call; in
  /// the meter's time.
  std::uint64_t take_time_of_fixed_elements();
  /// The number of those elements, without the balancer's own.
  std::uint64_t count_fixed_elements() const;
  /// Writes the components of the index of an element, at most six. Returns how many; 0 if its key is no
  /// index, or the array is not known here.
  int write_coordinates(std::uint64_t array, std::uint64_t key, float* out) const;

 private:
  const detail::processor& pe_;
};

/// One element that sends messages to another.
using sent_edge = detail::sent_edge;

/// A meter of a PE, from which a balancer derives its own. `now` counts ticks of the processor on machines of
/// threads, nanoseconds in simulated time, and items on the deterministic machine.
class load_meter : public detail::load_meter {
 public:
  /// `pe`: as given to the function of a `pe_attachment`; not the communication thread.
  explicit load_meter(detail::scheduler& pe);
  /// Gives a PE its meter, before the PE runs. The meter lives as long as the PE.
  static void attach(detail::scheduler& pe, detail::owner<load_meter> meter);
  /// The meter of the PE that runs on this thread; null if it has none.
  static load_meter* here() { return static_cast<load_meter*>(detail::processor::running_here().loads()); }

 private:
  std::uint64_t bytes_beside(detail::message& m) final;
};

/// True if the loads of the chare's PE are measured.
template <class T>
bool is_measured(T& chare) {
  return detail::element_memory<T>::of(chare).home->pe().loads() != nullptr;
}

/// Counts a balance point of a chare, where its front end has balance points of its own.
template <class T>
void count_balance_point(T& chare) {
  auto& own = detail::element_memory<T>::of(chare);
  if (auto* const loads = own.home->pe().loads()) loads->count_balance_point(own);
}

/// Counts the time of a chare no longer, or again.
template <class T>
void pause_load(T& chare, bool is_paused) {
  auto& own = detail::element_memory<T>::of(chare);
  if (auto* const loads = own.home->pe().loads()) loads->pause(own, is_paused);
}
/// For a balance point of a front end: the chare was asked to leave (`is_leaving`) and cannot.
template <class T>
void refuse_departure(T& chare) {
  detail::refuse_departure(detail::element_memory<T>::of(chare));
}

/// The header of a chare, with its load.
template <class T>
chare_header& header_of(T& chare) {
  return detail::element_memory<T>::of(chare);
}

}  // namespace imbrex::extension
