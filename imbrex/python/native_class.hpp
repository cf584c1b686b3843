// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chare classes of C++ as Python sees them: what a module that `native.hpp` builds gives to the package.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/python/array_kind.hpp>

namespace imbrex::python {

/// The arguments of a call as Python passes them: by place, then by name.
struct call_values {
  PyObject* const* values = nullptr;
  Py_ssize_t by_place = 0;
  PyObject* names = nullptr;  ///< a tuple of texts, or null
};

/// The declaration of an entry or constructor for errors and help.
struct native_signature {
  struct parameter {
    std::string name;  ///< empty: passed by place only
    std::string type;  ///< in Python's words: "int"
  };

  std::string name;  ///< "solver.Block.run"
  std::vector<parameter> parameters;
  std::string result;  ///< in Python's words; empty for constructors

  /// "solver.Block.run(rounds: int) -> float"
  std::string text() const;
};

/// Finds the argument of each parameter. Throws nb::type_error, which shows the signature, if some are
/// missing or left over.
void place_arguments(const native_signature& of, const call_values& call, std::span<PyObject*> found);
/// Throws nb::type_error: the argument does not convert to the type of that parameter.
[[noreturn]] void throw_unfit(const native_signature& of, std::size_t parameter, PyObject* argument);
/// A short text of a value and its type: "'three', of type str".
std::string shown_value(PyObject* o);
/// Throws nb::type_error: the value does not convert to the type of a port's values. `port`:
/// "solver.Block.halo".
[[noreturn]] void throw_unfit_value(const std::string& port, const std::string& type, PyObject* value);

/// An entry of a C++ class, called from Python.
class native_entry {
 public:
  /// Sends a message to an element, array, group or section.
  virtual void send(const proxy& to, const call_values& call) const = 0;
  /// Calls one element; for many, waits for the end of all. Returns an awaitable named `name`.
  virtual nb::object call(const proxy& to, const call_values& call, PyObject* name) const = 0;
  /// Combines the results of many. Throws nb::type_error for an operation that their type does not have.
  virtual nb::object reduce(const proxy& to, const operation& by, const call_values& call,
                            PyObject* name) const = 0;
  virtual const native_signature& signature() const = 0;

 protected:
  ~native_entry() = default;
};

/// A mailbox of a C++ class, to which Python sends.
class native_port {
 public:
  virtual void send(const proxy& to, std::int64_t reference, PyObject* value) const = 0;
  virtual const std::string& type_of_values() const = 0;

 protected:
  ~native_port() = default;
};

/// Makes chares of a C++ class from one list of constructor arguments.
class native_constructor {
 public:
  virtual std::uint64_t make_array(const proxy& shape, layout_kind how, std::string name,
                                   const call_values& call) const = 0;
  virtual proxy make_group(const call_values& call) const = 0;
  /// `pe`: -1 for the runtime's choice.
  virtual proxy make_chare(int pe, std::int8_t priority, const call_values& call) const = 0;
  virtual void insert(const proxy& element, const call_values& call) const = 0;
  virtual const native_signature& signature() const = 0;

 protected:
  ~native_constructor() = default;
};

/// The arrays of a C++ class.
class native_class : public array_operations {
 public:
  virtual int dimensions() const = 0;
  /// The C++ class, as `type_name` spells it.
  virtual std::string_view type() const = 0;

 protected:
  ~native_class() = default;
};

/// The version of the interface between a module and the package: both must be built with the same.
struct native_interface {
  int major = 0, minor = 0;  ///< version of nanobind
  std::string imbrex;        ///< version of the headers
};

/// Defines a chare class in a module, before a run. Throws imbrex::error during a run, and for a module that
/// was built with other headers.
class_record& define_native_class(const nb::module_& module, const std::string& name, const std::string& text,
                                  const native_class& of, const native_interface& built_with);
/// Sets how its chares are made. All of these live as long as the process.
void set_native_constructor(class_record& of, const native_constructor& constructor);
void add_native_entry(class_record& of, const std::string& name, const native_entry& entry);
void add_native_port(class_record& of, const std::string& name, const native_port& port);
/// The full name of a member: "solver.Block.run".
std::string native_name(const class_record& of, const std::string& member);

/// An awaitable of the result of `imbrex.rebalance` for the array with this number.
nb::object rebalanced(std::uint64_t collection, PyObject* name);

/// The constructor of a class. Throws nb::type_error if none was declared.
const native_constructor& constructor_of(const class_record& of);
/// The operations on a proxy's array, whichever language its class is of.
const array_operations& operations_of(const proxy& p);

}  // namespace imbrex::python
