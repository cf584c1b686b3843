// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// The time of the PE that this runs on, since a fixed but arbitrary moment: real or, on machines that have
/// one, simulated. Differences of one PE's times are what its program measures.
nanoseconds now();

/// On `--machine simulated`: what the entry computes on the processor takes so long. Elsewhere, where it
/// takes its time by itself, this does nothing. A time below 0 counts as 0.
void spend(nanoseconds time);

/// The same for a copy of so many bytes from host memory to host memory, by the model's bandwidth.
void spend_copy(std::size_t bytes);

}  // namespace imbrex
