// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstring>
#include <type_traits>

#include <imbrex/mpi/operation/operation.hpp>

namespace imbrex::mpi {

namespace {

__extension__ using quad = __float128;

/// A replacement of std::complex, which does not support quad precision.
struct quad_complex {
  quad re, im;
  friend quad_complex operator+(quad_complex a, quad_complex b) { return {a.re + b.re, a.im + b.im}; }
  friend quad_complex operator*(quad_complex a, quad_complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

/// In-memory types of Fortran's LOGICAL and C's bool.
enum class logical : std::int32_t {};
enum class boolean : std::uint8_t {};

template <typename T>
constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, quad>;
template <typename T>
constexpr bool is_truth = is_number<T> || std::is_enum_v<T>;
template <typename T>
bool truth(T value) {
  return value != T(0);
}

// Narrow integers are computed as int. Unsigned results wrap; signed results that overflow wrap, too.
template <typename T>
T sum_of(T a, T b) {
  if constexpr (std::is_integral_v<T> && sizeof(T) >= 4)
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return T(a + b);
}
template <typename T>
T product_of(T a, T b) {
  if constexpr (std::is_integral_v<T> && sizeof(T) >= 4)
    return T(std::make_unsigned_t<T>(a) * std::make_unsigned_t<T>(b));
  else
    return T(a * b);
}

struct max {
  template <typename T>
  static constexpr bool takes = is_number<T>;
  static auto of(auto a, auto b) { return a > b ? a : b; }
};
struct min {
  template <typename T>
  static constexpr bool takes = is_number<T>;
  static auto of(auto a, auto b) { return a < b ? a : b; }
};
struct addition {
  template <typename T>
  static constexpr bool takes = !std::is_enum_v<T>;
  static auto of(auto a, auto b) { return sum_of(a, b); }
};
struct multiplication {
  template <typename T>
  static constexpr bool takes = !std::is_enum_v<T>;
  static auto of(auto a, auto b) { return product_of(a, b); }
};
struct logical_and {
  template <typename T>
  static constexpr bool takes = is_truth<T>;
  static auto of(auto a, auto b) { return decltype(a)(truth(a) && truth(b)); }
};
struct logical_or {
  template <typename T>
  static constexpr bool takes = is_truth<T>;
  static auto of(auto a, auto b) { return decltype(a)(truth(a) || truth(b)); }
};
struct logical_xor {
  template <typename T>
  static constexpr bool takes = is_truth<T>;
  static auto of(auto a, auto b) { return decltype(a)(truth(a) != truth(b)); }
};
struct bit_and {
  template <typename T>
  static constexpr bool takes = std::is_integral_v<T>;
  static auto of(auto a, auto b) { return decltype(a)(a & b); }
};
struct bit_or {
  template <typename T>
  static constexpr bool takes = std::is_integral_v<T>;
  static auto of(auto a, auto b) { return decltype(a)(a | b); }
};
struct bit_xor {
  template <typename T>
  static constexpr bool takes = std::is_integral_v<T>;
  static auto of(auto a, auto b) { return decltype(a)(a ^ b); }
};

template <typename Operation, typename T>
void fold_all(const void* first, void* accumulated, std::int64_t count) {
  const T* a = static_cast<const T*>(first);
  T* b = static_cast<T*>(accumulated);
  for (std::int64_t i = 0; i < count; ++i) b[i] = Operation::of(a[i], b[i]);
}

template <typename Operation, typename T>
fold* fold_of() {
  if constexpr (Operation::template takes<T>)
    return &fold_all<Operation, T>;
  else
    return nullptr;
}

template <typename Operation>
fold* fold_of(element e) {
  switch (e) {
    case element::character: return fold_of<Operation, char>();
    case element::int8: return fold_of<Operation, std::int8_t>();
    case element::int16: return fold_of<Operation, std::int16_t>();
    case element::int32: return fold_of<Operation, std::int32_t>();
    case element::int64:
    case element::long_integer: return fold_of<Operation, std::int64_t>();
    case element::uint8: return fold_of<Operation, std::uint8_t>();
    case element::uint16: return fold_of<Operation, std::uint16_t>();
    case element::uint32: return fold_of<Operation, std::uint32_t>();
    case element::uint64:
    case element::unsigned_long: return fold_of<Operation, std::uint64_t>();
    case element::float32: return fold_of<Operation, float>();
    case element::float64: return fold_of<Operation, double>();
    case element::long_float: return fold_of<Operation, long double>();
    case element::float128: return fold_of<Operation, quad>();
    case element::complex64: return fold_of<Operation, std::complex<float>>();
    case element::complex128: return fold_of<Operation, std::complex<double>>();
    case element::long_complex: return fold_of<Operation, std::complex<long double>>();
    case element::complex256: return fold_of<Operation, quad_complex>();
    case element::boolean: return fold_of<Operation, boolean>();
    case element::logical: return fold_of<Operation, logical>();
    case element::none:
    case element::byte:
    case element::packed:
    case element::wide_character: return nullptr;
  }
  return nullptr;
}

template <typename Value, typename Place, bool Greatest>
void fold_places(const void* first, void* accumulated, std::int64_t count) {
  struct pair {
    Value value;
    Place place;
  };
  const pair* a = static_cast<const pair*>(first);
  pair* b = static_cast<pair*>(accumulated);
  for (std::int64_t i = 0; i < count; ++i) {
    const bool is_first = Greatest ? a[i].value > b[i].value : a[i].value < b[i].value;
    // Copy the members, not whole pairs: padding bytes belong to the user.
    if (is_first) {
      b[i].value = a[i].value;
      b[i].place = a[i].place;
    } else if (a[i].value == b[i].value && a[i].place < b[i].place) {
      b[i].place = a[i].place;
    }
  }
}

template <bool Greatest>
fold* place_fold_of(int type) {
  switch (type) {
    case MPI_FLOAT_INT: return &fold_places<float, int, Greatest>;
    case MPI_DOUBLE_INT: return &fold_places<double, int, Greatest>;
    case MPI_LONG_INT: return &fold_places<long, int, Greatest>;
    case MPI_SHORT_INT: return &fold_places<short, int, Greatest>;
    case MPI_LONG_DOUBLE_INT: return &fold_places<long double, int, Greatest>;
    case MPI_2INT:
    case MPI_2INTEGER: return &fold_places<int, int, Greatest>;
    case MPI_2REAL: return &fold_places<float, float, Greatest>;
    case MPI_2DOUBLE_PRECISION: return &fold_places<double, double, Greatest>;
    default: return nullptr;
  }
}

}  // namespace

fold* find_fold(int operation_handle, element of) {
  const element bits = of == element::byte ? element::uint8 : of;  // bitwise operations treat a byte as uint8
  switch (operation_handle) {
    case MPI_MAX: return fold_of<max>(of);
    case MPI_MIN: return fold_of<min>(of);
    case MPI_SUM: return fold_of<addition>(of);
    case MPI_PROD: return fold_of<multiplication>(of);
    case MPI_LAND: return fold_of<logical_and>(of);
    case MPI_LOR: return fold_of<logical_or>(of);
    case MPI_LXOR: return fold_of<logical_xor>(of);
    case MPI_BAND: return fold_of<bit_and>(bits);
    case MPI_BOR: return fold_of<bit_or>(bits);
    case MPI_BXOR: return fold_of<bit_xor>(bits);
    default: return nullptr;
  }
}

fold* find_fold(int operation_handle, const datatype& type) {
  if (operation_handle == MPI_MAXLOC) return place_fold_of<true>(type.handle());
  if (operation_handle == MPI_MINLOC) return place_fold_of<false>(type.handle());
  const bool is_one = type.elements() == 1 && type.is_contiguous();
  return is_one ? find_fold(operation_handle, type.only()) : nullptr;
}

}  // namespace imbrex::mpi
