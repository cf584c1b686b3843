// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// The time of this PE since a fixed but arbitrary moment: real, or simulated on machines with simulated
/// time. Programs measure durations by the difference of two times of one PE.
nanoseconds now();

/// The time `now()` in seconds, as a floating-point number.
double seconds();

/// On `--machine simulated`, charges this time to the PE for the entry's computation. On other machines,
/// where computing takes real time, it does nothing. A negative time counts as 0.
void spend(nanoseconds time);

/// Charges a copy of `bytes` bytes from host memory to host memory, at the model's bandwidth.
void spend_copy(std::size_t bytes);

}  // namespace imbrex
