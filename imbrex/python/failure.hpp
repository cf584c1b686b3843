// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>

#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// What Python has raised, as an exception that travels: with the exception by pickle, its traceback as text,
/// and who threw it (`Block(2), entry run, on PE 1`; empty if that is said elsewhere). Clears Python's error.
std::exception_ptr take_python_error(const std::string& who);
/// The same of an exception of C++ that is handled, if it is Python's; all others stay as they are.
std::exception_ptr travelling_exception(const std::string& who);

/// Of the exception that is handled: the status if it is Python's SystemExit, which has the program end as
/// imbrex.exit does. Its text, if it has one, has been written then, as Python does.
/// Where it was raised in a process that an entry or the main task has forked, which has none of the run's
/// threads and connections of its own, that process ends as Python would end it, and this does not return.
std::optional<int> status_of_system_exit();

/// A run begins in this process.
void note_process_of_run();

/// Adds a line to what a traceback says of the exception.
void add_note(const nb::python_error& to, const std::string& line);

}  // namespace imbrex::python
