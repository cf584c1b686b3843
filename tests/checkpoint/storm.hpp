// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program whose elements use messages of all kinds, move, and keep ledgers of what came.

#include <cstdint>
#include <string>

#include <imbrex/imbrex.hpp>

namespace storm {

/// The steps of the elements, and the time that each of them sleeps in a step.
void set_length(int steps, imbrex::nanoseconds pause);
/// Ends the run after so many events; 0: never.
void end_after(std::int64_t events);
/// The events so far.
std::int64_t events();

/// The main task. `seed` chooses the elements' actions. `result` gets the ledgers, as text; it stays empty if
/// the run ends before. An undisturbed run and one that went on from checkpoints have equal results.
imbrex::task<> run(std::uint64_t seed, std::string& result);

}  // namespace storm
