// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/operation.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/python/failure.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

namespace {

std::optional<std::int64_t> combined(operation_kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t c = 0;
  switch (kind) {
    case operation_kind::sum: return __builtin_add_overflow(a, b, &c) ? std::nullopt : std::optional(c);
    case operation_kind::product: return __builtin_mul_overflow(a, b, &c) ? std::nullopt : std::optional(c);
    case operation_kind::min: return std::min(a, b);
    case operation_kind::max: return std::max(a, b);
    case operation_kind::bit_and: return a & b;
    case operation_kind::bit_or: return a | b;
    case operation_kind::bit_xor: return a ^ b;
    default: return std::nullopt;
  }
}

std::optional<double> combined(operation_kind kind, double a, double b) {
  switch (kind) {
    case operation_kind::sum: return a + b;
    case operation_kind::product: return a * b;
    case operation_kind::min: return b < a || std::isnan(b) ? b : a;  // NaN propagates
    case operation_kind::max: return a < b || std::isnan(b) ? b : a;
    default: return std::nullopt;
  }
}

template <class Number>
bool combine_numbers(contribution& a, const contribution& b) {
  const auto result = combined(a.by, std::bit_cast<Number>(a.bits), std::bit_cast<Number>(b.bits));
  if (result) a.bits = std::bit_cast<std::int64_t>(*result);
  return result.has_value();
}

/// Sets the value; the operation stays.
void set_value(contribution& c, PyObject* value) {
  using form = contribution::form;
  int overflow = 0;
  c.is = form::other;
  if (PyLong_CheckExact(value)) {
    c.bits = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) c.is = form::integer;
  } else if (PyFloat_CheckExact(value)) {
    c.bits = std::bit_cast<std::int64_t>(PyFloat_AS_DOUBLE(value));
    c.is = form::real;
  }
  if (c.is != form::other) return;
  if (c.rest.empty()) c.rest.emplace_back();
  c.rest.front().value = parcel_of(value);
}

/// The Python function that combines two values.
nb::object function_of(const contribution& c) {
  if (c.by != operation_kind::function) {
    static module_attribute functions("imbrex._operations", "functions");
    PyObject* const all = functions;
    return nb::borrow(PyTuple_GET_ITEM(all, static_cast<Py_ssize_t>(c.by)));
  }
  decoder in{std::span<const std::byte>(c.rest.front().function)};
  return decode(in);
}

void combine_by_python(contribution& a, const contribution& b) {
  const nb::object function = function_of(a);
  const nb::object x = value_of(a);
  const nb::object y = value_of(b);
  PyObject* const arguments[] = {x.ptr(), y.ptr()};
  const nb::object z = checked(PyObject_Vectorcall(function.ptr(), arguments, 2, nullptr));
  set_value(a, z.ptr());
}

std::string name_of(const contribution& c) {
  static module_attribute name("imbrex._operations", "name_of");
  const nb::object number = checked(PyLong_FromLong(static_cast<long>(c.by)));
  const nb::object function = c.by == operation_kind::function ? function_of(c) : nb::none();
  PyObject* const arguments[] = {number.ptr(), function.ptr()};
  return nb::cast<std::string>(checked(PyObject_Vectorcall(name, arguments, 2, nullptr)));
}

/// Functions that travel by value may have other bytes in another process, but not another name.
void check_agreement(const contribution& a, const contribution& b) {
  if (a.by == b.by) {
    if (a.by != operation_kind::function) return;
    if (a.rest.front().function == b.rest.front().function) return;
  }
  const std::string one = name_of(a);
  const std::string other = name_of(b);
  if (one != other)
    throw error("the elements disagree about a reduction: some give " + std::min(one, other) +
                ", and others " + std::max(one, other) +
                ": all must call all_reduce with the same operation, in the same order");
}

}  // namespace

contribution contribution_of(const operation& by, PyObject* value) {
  contribution c;
  c.by = by.kind;
  if (by.kind == operation_kind::function) c.rest.push_back({by.function, {}});
  if (by.kind != operation_kind::none) set_value(c, value);
  return c;
}

nb::object value_of(const contribution& c) {
  switch (c.is) {
    case contribution::form::none: return nb::none();
    case contribution::form::integer: return checked(PyLong_FromLongLong(c.bits));
    case contribution::form::real: return checked(PyFloat_FromDouble(std::bit_cast<double>(c.bits)));
    case contribution::form::other: break;
  }
  return value_of(c.rest.front().value);
}

contribution combination::operator()(const contribution& a, const contribution& b) const {
  interpreter_lock::hold_here();
  contribution whole = a;
  contribution other = b;
  append(whole, other);
  return whole;
}

void combination::append(contribution& a, contribution& b) const {
  interpreter_lock::hold_here();
  using form = contribution::form;
  if (a.by != b.by || a.by == operation_kind::function) check_agreement(a, b);
  if (a.by == operation_kind::none) return;
  if (a.is == form::integer && b.is == form::integer && combine_numbers<std::int64_t>(a, b)) return;
  if (a.is == form::real && b.is == form::real && combine_numbers<double>(a, b)) return;
  try {
    combine_by_python(a, b);
  } catch (...) {
    std::rethrow_exception(travelling_exception("a reduction"));
  }
}

operation operation_of(PyObject* o) {
  static module_attribute kind_of("imbrex._operations", "kind_of");
  const nb::object kind = checked(PyObject_CallOneArg(kind_of, o));
  operation by;
  by.kind = static_cast<operation_kind>(PyLong_AsLong(kind.ptr()));
  if (by.kind == operation_kind::function) {
    encoder out;
    encode(out, o);
    by.function.assign(out.head().begin(), out.head().end());
  }
  return by;
}

}  // namespace imbrex::python
