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
  function,  ///< a function of the program
};

/// The operation by which a reduction combines values.
struct operation {
  operation_kind kind = operation_kind::none;
  std::vector<std::byte> function{};  ///< encoded by `encode`
};

/// A value of a reduction with its operation; the operation is data and not a type parameter. Numbers of 64
/// bits, the most frequent values, are stored inline.
struct contribution {
  static constexpr std::string_view shown_as = "values of Python";

  enum class form : std::uint8_t { none, integer, real, other };
  struct other {
    std::vector<std::byte> function{};  ///< `operation::function`
    parcel value{};                     ///< unused for numbers
  };

  operation_kind by = operation_kind::none;
  form is = form::none;
  std::int64_t bits = 0;      ///< a number's bits
  std::vector<other> rest{};  ///< at most one item
};

contribution contribution_of(const operation& by, PyObject* value);
nb::object value_of(const contribution& c);

/// Combines contributions. Integers and floats are combined in C++ if the result fits 64 bits. Python
/// combines everything else, and arrays element by element.
struct combination {
  contribution operator()(const contribution& a, const contribution& b) const;
  /// Called by the runtime: combines `b` into `a`.
  void append(contribution& a, contribution& b) const;
};

/// The operation for `imbrex.sum` and the like, or for a function of two values. Throws for other objects.
operation operation_of(PyObject* o);

}  // namespace imbrex::python
