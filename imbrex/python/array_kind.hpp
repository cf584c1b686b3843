// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/python/classes.hpp>
#include <imbrex/python/codec.hpp>
#include <imbrex/python/operation.hpp>
#include <imbrex/python/proxy.hpp>

namespace imbrex::python {

enum class layout_kind : std::uint8_t { in_blocks, round_robin, sparse, in_bricks };

/// Operations on arrays that take no arguments of entries.
class array_operations {
 public:
  /// The array of that name in the checkpoint from which the run began; empty if there is none.
  virtual std::optional<proxy> restored(class_record& of, const std::string& name) const = 0;
  virtual proxy section(const proxy& of, const std::vector<proxy>& members) const = 0;
  virtual void destroy(const proxy& element) const = 0;
  /// Return awaitables; for arrays and groups.
  virtual nb::object destroy_all(const proxy& array) const = 0;
  virtual nb::object created(const proxy& array) const = 0;
  virtual nb::object rebalance(const proxy& array, PyObject* name) const = 0;

 protected:
  ~array_operations() = default;
};

/// Arrays of Python chares with one index type, as calls of the C++ runtime. Arguments arrive encoded; each
/// call takes them out of the encoder.
class array_kind : public array_operations {
 public:
  /// Sends a message to an element, an array, a group or a section.
  virtual void send(const proxy& to, const member_record& entry, encoder& arguments) const = 0;
  /// Calls an entry of one element; returns an awaitable named `name`.
  virtual nb::object call(const proxy& to, const member_record& entry, encoder& arguments,
                          PyObject* name) const = 0;
  /// Calls an entry of each member of an array, group or section, and reduces the results.
  virtual nb::object reduce(const proxy& to, const member_record& entry, operation by, encoder& arguments,
                            PyObject* name) const = 0;
  /// Sends a value to a port, with its reference number.
  virtual void put(const proxy& to, entry_name port, std::int64_t reference, encoder& value) const = 0;
  /// `send` and `put` of encoded values.
  virtual void send_loaded(const proxy& to, const member_record& entry, loaded_parcel arguments) const = 0;
  virtual void put_loaded(const proxy& to, entry_name port, std::int64_t reference,
                          loaded_parcel value) const = 0;

  /// `name`: empty if the array has none.
  virtual proxy make_array(class_record& of, const proxy& shape, layout_kind how, std::string name,
                           encoder& arguments) const = 0;
  virtual void insert(const proxy& element, encoder& arguments) const = 0;

 protected:
  ~array_kind() = default;
};

const array_kind& arrays_with_indices();
const array_kind& arrays_with_keys();
inline const array_kind& kind_of(const proxy& p) {
  return p.dimensions == 0 ? arrays_with_keys() : arrays_with_indices();
}

// Groups and single chares always have one dimension.
proxy make_group(class_record& of, encoder& arguments);
/// `pe`: -1 for the runtime's choice.
proxy make_chare(class_record& of, int pe, std::int8_t priority, encoder& arguments);

/// Gives the chares of a group their state in the checkpoint from which the run began. Returns an awaitable
/// of a bool: False if it has none.
nb::object restore_group(const proxy& group, PyObject* name);
/// The chare of a group that is on this PE.
nb::object local_chare(const proxy& group);

/// The chare and channel that `proxy.name` names. Throws nb::type_error if it is none.
std::pair<proxy, const member_record*> end_of_channel(PyObject* member);

}  // namespace imbrex::python
