// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrices, vectors and arrays of Eigen in messages and files. A program that includes this has Eigen.

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <imbrex/serial/archive.hpp>

namespace imbrex {
namespace detail {

template <class Dense>
void check_eigen_extents(std::int64_t rows, std::int64_t columns) {
  const auto fits = [](std::int64_t extent, int fixed, int most) {
    return extent >= 0 && (fixed == Eigen::Dynamic || extent == fixed) &&
           (most == Eigen::Dynamic || extent <= most);
  };
  if (!fits(rows, Dense::RowsAtCompileTime, Dense::MaxRowsAtCompileTime) ||
      !fits(columns, Dense::ColsAtCompileTime, Dense::MaxColsAtCompileTime))
    throw serial_error("malformed message: a matrix of " + std::to_string(rows) + " x " +
                       std::to_string(columns) + " where Eigen's type has another size");
}

/// Processes the extents, then the elements in the order of memory.
template <class Dense>
struct eigen_serializer {
  using element = typename Dense::Scalar;

  static void serialize(auto& ar, Dense& value) {
    std::int64_t rows = value.rows();
    std::int64_t columns = value.cols();
    ar(rows, columns);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      check_eigen_extents<Dense>(rows, columns);
      // Each element takes at least one byte.
      const std::size_t bytes_each = is_bitwise_element ? sizeof(element) : 1;
      const auto most = static_cast<std::int64_t>(ar.remaining() / bytes_each);
      if (rows != 0 && columns > most / rows)
        throw serial_error("malformed message: a matrix of " + std::to_string(rows) + " x " +
                           std::to_string(columns) + " elements, which the bytes do not hold");
      value.resize(rows, columns);
    }
    const auto count = static_cast<std::size_t>(value.size());
    if constexpr (is_bitwise_element) {
      ar.bytes(value.data(), count * sizeof(element));
    } else {
      for (std::size_t i = 0; i < count; ++i) process_element(ar, value.data()[i]);
    }
  }

 private:
  static constexpr bool is_bitwise_element = bitwise<element>;
};

}  // namespace detail

template <class T, int Rows, int Columns, int Options, int MostRows, int MostColumns>
struct serializer<Eigen::Matrix<T, Rows, Columns, Options, MostRows, MostColumns>>
    : detail::eigen_serializer<Eigen::Matrix<T, Rows, Columns, Options, MostRows, MostColumns>> {};

template <class T, int Rows, int Columns, int Options, int MostRows, int MostColumns>
struct serializer<Eigen::Array<T, Rows, Columns, Options, MostRows, MostColumns>>
    : detail::eigen_serializer<Eigen::Array<T, Rows, Columns, Options, MostRows, MostColumns>> {};

}  // namespace imbrex
