// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <imbrex/core/name/operations.hpp>
#include <imbrex/python/interpreter.hpp>
#include <imbrex/python/parcel.hpp>

namespace imbrex::python {

enum class operation_kind : std::uint8_t {
  none,  ///< the values are dropped
  sum,
  product,
  min,
  max,
  all,
  any,
  bit_and,
  bit_or,
  bit_xor,
  gather,
  function,  ///< of the program's
};

/// What a reduction combines by.
struct operation {
  operation_kind kind = operation_kind::none;
  std::vector<std::byte> function{};  ///< by pickle
};

/// A value of a reduction, with the operation, which travels as a value and not as a type. Numbers of 64 bits
/// lie in it, since most values are some.
struct contribution {
  static constexpr std::string_view shown_as = "values of Python";

  enum class form : std::uint8_t { none, integer, real, other };
  struct other {
    std::vector<std::byte> function{};  ///< of `operation`
    parcel value{};                     ///< unless it is a number
  };

  operation_kind by = operation_kind::none;
  form is = form::none;
  std::int64_t bits = 0;      ///< of a number
  std::vector<other> rest{};  ///< one or none
};

contribution contribution_of(const operation& by, PyObject* value);
nb::object value_of(const contribution& c);

/// Combines contributions. Integers and floats are combined as in C++ where 64 bits hold the result;
/// everything else by Python, arrays element by element.
struct combination {
  contribution operator()(const contribution& a, const contribution& b) const;
  /// For the runtime: adds `b` to `a`.
  void append(contribution& a, contribution& b) const;
};

/// The operation that `imbrex.sum` and its like, or a function of two values, are. Throws nb::type_error for
/// others.
operation operation_of(PyObject* o);

}  // namespace imbrex::python
