// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

/// A value of a reduction, with the operation, which travels as a value and not as a type.
struct contribution {
  operation by{};
  parcel value{};
};

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
