// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/operation.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

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
    case operation_kind::min: return b < a ? b : a;
    case operation_kind::max: return a < b ? b : a;
    default: return std::nullopt;
  }
}

/// The number in a parcel that holds one and nothing else.
template <class Number>
std::optional<Number> number_in(const parcel& p, tag kind) {
  const std::span<const std::byte> head = p.head;
  if (head.size() != 1 + sizeof(Number) || head[0] != static_cast<std::byte>(kind)) return std::nullopt;
  Number n;
  std::memcpy(&n, head.data() + 1, sizeof n);
  return n;
}

template <class Number>
bool combine_numbers(contribution& a, const contribution& b, tag kind) {
  const auto x = number_in<Number>(a.value, kind);
  const auto y = x ? number_in<Number>(b.value, kind) : std::nullopt;
  const auto z = y ? combined(a.by.kind, *x, *y) : std::nullopt;
  if (!z) return false;
  std::array<std::byte, 1 + sizeof(Number)> head;
  head[0] = static_cast<std::byte>(kind);
  std::memcpy(head.data() + 1, &*z, sizeof(Number));
  a.value = parcel{std::span<const std::byte>(head)};
  return true;
}

/// The function of Python that combines two values.
nb::object function_of(const operation& by) {
  if (by.kind != operation_kind::function) {
    static PyObject* const functions = package_attribute("imbrex._operations", "functions");
    return nb::borrow(PyTuple_GET_ITEM(functions, static_cast<Py_ssize_t>(by.kind)));
  }
  decoder in{std::span<const std::byte>(by.function)};
  return decode(in);
}

void combine_by_python(contribution& a, const contribution& b) {
  const nb::object function = function_of(a.by);
  const nb::object x = value_of(a.value);
  const nb::object y = value_of(b.value);
  PyObject* const arguments[] = {x.ptr(), y.ptr()};
  const nb::object z = checked(PyObject_Vectorcall(function.ptr(), arguments, 2, nullptr));
  a.value = parcel_of(z.ptr());
}

}  // namespace

contribution combination::operator()(const contribution& a, const contribution& b) const {
  contribution whole = a;
  contribution other = b;
  append(whole, other);
  return whole;
}

void combination::append(contribution& a, contribution& b) const {
  if (a.by.kind == operation_kind::none) return;
  if (combine_numbers<std::int64_t>(a, b, tag::integer) || combine_numbers<double>(a, b, tag::real)) return;
  try {
    combine_by_python(a, b);
  } catch (...) {
    std::rethrow_exception(travelling_exception("a reduction"));
  }
}

operation operation_of(PyObject* o) {
  static PyObject* const kind_of = package_attribute("imbrex._operations", "kind_of");
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
