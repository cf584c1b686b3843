// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/core/message/named_entry.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

struct class_record;
class native_class;
class native_constructor;
class native_entry;
class native_port;

enum class member_kind : std::uint8_t { constructor, plain, coroutine, mailbox, channel, device_channel };

/// A member of a chare class that messages can name: an entry, a port, or the constructor.
struct member_record {
  class_record* of = nullptr;
  member_kind kind = member_kind::plain;
  std::string name;
  entry_name number;
  PyObject* function = nullptr;   ///< entries: the unbound function
  PyObject* signature = nullptr;  ///< entries: calls are bound by it (`imbrex._classes`)
  int least = 0;                  ///< minimum of positional arguments without self
  int most = 0;                   ///< maximum of positional arguments; -1: any number
  bool has_keywords = false;      ///< some arguments are keyword-only
  int port = -1;                  ///< index in class_record::ports
  PyObject* awaited_name =
      nullptr;  ///< for warnings if not awaited: "Block.run.call()", "Block.halo.receive()"
  PyObject* reduced_name = nullptr;            ///< "Block.run.reduce()"
  const native_entry* native = nullptr;        ///< set for an entry of a C++ class
  const native_port* native_values = nullptr;  ///< set for a port of a C++ class

  bool is_entry() const { return kind == member_kind::plain || kind == member_kind::coroutine; }
  bool is_channel() const { return kind == member_kind::channel || kind == member_kind::device_channel; }
  bool is_port() const { return kind == member_kind::mailbox || is_channel(); }
  /// "Block.run"
  std::string whole_name() const;
};

/// The methods of a chare class that balancers call; null where the class has none.
struct balance_methods {
  PyObject* expected_load = nullptr;
  PyObject* departs = nullptr;
  PyObject* arrived = nullptr;
};

/// A chare class of the program; lives as long as the process.
struct class_record {
  PyObject* type = nullptr;
  std::string name;
  std::vector<std::unique_ptr<member_record>> members;  ///< the constructor first
  std::vector<member_record*> ports;
  balance_methods for_balancers;
  PyObject *all_reduce_name = nullptr, *created_name = nullptr, *destroy_name = nullptr,
           *balance_name = nullptr;      ///< names of awaitables, for warnings
  PyObject* by_name = nullptr;           ///< dict: name to the address of the member, as an int
  const native_class* native = nullptr;  ///< set for a C++ class
  const native_constructor* native_creation = nullptr;  ///< C++ class: null until it declares a constructor
  struct found_member {
    PyObject* name = nullptr;
    member_record* its = nullptr;
  };
  /// Cache of names looked up; holds references. Keyed by the address of the name, since a program's
  /// attribute names are interned. Unused in a Python without a global lock.
  mutable std::array<found_member, 16> found{};

  const member_record& constructor() const { return *members.front(); }
  /// The member of that name; null, without a Python error, if there is none.
  member_record* find(PyObject* member_name) const {
#if defined(Py_GIL_DISABLED)
    return search(member_name);
#else
    const found_member& before = found[place_of(member_name)];
    return before.name == member_name ? before.its : search(member_name);
#endif
  }

 private:
  std::size_t place_of(PyObject* member_name) const {
    return (reinterpret_cast<std::uintptr_t>(member_name) >> 4U) % found.size();
  }
  member_record* search(PyObject* member_name) const;
};

/// A member as written in the class statement.
struct member_definition {
  std::string name;
  member_kind kind;
  PyObject* function;
  PyObject* signature;
  std::string signature_text;
  int least;
  int most;
  bool has_keywords;
};

/// Defines a class in this process. All processes define the same classes in the same order before a run.
/// During a run of several processes, throws imbrex::error unless `in_all_processes`. Then all processes must
/// define it in the same order, and before they receive a message that names it.
class_record& define_class(PyObject* type, const std::string& name,
                           const std::vector<member_definition>& members,
                           const balance_methods& for_balancers, bool in_all_processes);
/// Adds a member to a defined class, before a run.
member_record& add_member(class_record& c, const member_definition& d);
/// Makes `type` stand for the class from now on: the type that was made anew from the class's own.
void replace_class(class_record& of, PyObject* type);
/// Sets a constructor that was added after the class statement; only before a run.
void set_constructor(class_record& of, const member_definition& definition);
/// The record of a defined class. Throws nb::type_error for any other object.
class_record& class_of(PyObject* type);

inline const member_record& member_of(entry_name name) {
  return *static_cast<const member_record*>(name.target());
}

}  // namespace imbrex::python
