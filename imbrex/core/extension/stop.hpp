// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stops of all elements at their balance points, for checkpoints and for balancers.

#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/point_stop.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/pe/pending.hpp>

namespace imbrex::extension {

/// The stop of this PE's elements at their balance points. Begin it on all PEs, then await
/// `quiescence_of_stop` on PE 0, then end it on all PEs. An element that awaits what a stopped one would send
/// does not reach its point: quiescence comes nevertheless, and the stop must end.
using point_stop = detail::point_stop;

/// The stop of the PE that runs on this thread.
inline point_stop& stop_here() { return detail::processor::running_here().local<point_stop>(); }

/// Awaits, in an entry on PE 0, that no message is in flight and nothing runs while elements are stopped.
/// Callers of `imbrex::quiescence` wait on meanwhile. Executors count as quiet. One caller at a time.
pending<void> quiescence_of_stop();

/// True if the chare is to stop at its next balance point.
template <class T>
bool must_stop(const T& chare) {
  return detail::must_stop(detail::element_memory<T>::of(chare));
}

/// Stops an entry of a front end at its balance point. `who` is resumed at the stop's end.
template <class T>
void stop_entry(T& chare, const waiter& who) {
  stop_here().add(who, nullptr, *detail::element_memory<T>::of(chare).entries);
}

}  // namespace imbrex::extension
