// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>

#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// Converts Python's current error to an exception that can be sent to other PEs, and clears the error. The
/// exception holds Python's exception by pickle, its traceback as text, and `who`: the place that raised it
/// (`Block(2), entry run, on PE 1`; empty if the text already names it).
std::exception_ptr take_python_error(const std::string& who);
/// Converts the C++ exception being handled like `take_python_error`, if it wraps a Python exception. Other
/// exceptions are returned unchanged.
std::exception_ptr travelling_exception(const std::string& who);

/// Exit status if the exception being handled is Python's SystemExit, which ends the program like
/// imbrex.exit; nullopt for others. Writes the text of the SystemExit, if it has one, as Python does. Does
/// not return in a process that an entry or the main task has forked, since it lacks the run's threads and
/// connections. Such a process ends with the status that Python would give it.
std::optional<int> status_of_system_exit();

/// Remembers this process as the one whose run begins, to recognise forked processes.
void note_process_of_run();

/// Adds a note (PEP 678) to the exception; tracebacks show it.
void add_note(const nb::python_error& to, const std::string& line);

}  // namespace imbrex::python
