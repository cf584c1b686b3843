// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/eigen.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <imbrex/serial/bytes.hpp>

namespace imbrex {
namespace {

template <class T>
T again(const T& value) {
  return from_bytes<T>(to_bytes(value));
}

TEST(eigen, matrices_and_vectors_come_as_they_went) {
  Eigen::MatrixXd large(7, 3);
  for (Eigen::Index i = 0; i < large.size(); ++i) large(i % 7, i / 7) = 0.5 * static_cast<double>(i);
  EXPECT_EQ(again(large), large);
  const Eigen::Matrix<int, 2, 5, Eigen::RowMajor> rows{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
  EXPECT_EQ(again(rows), rows);
  const Eigen::Vector4d four(1, 2, 3, 4);
  EXPECT_EQ(again(four), four);
  const Eigen::RowVectorXf row = Eigen::RowVectorXf::LinSpaced(9, 1, 9);
  EXPECT_EQ(again(row), row);
  const Eigen::MatrixXcd complex_one = Eigen::MatrixXcd::Constant(2, 2, std::complex<double>(1, -1));
  EXPECT_EQ(again(complex_one), complex_one);
  const Eigen::ArrayXi whole = Eigen::ArrayXi::LinSpaced(5, 0, 4);
  EXPECT_TRUE((again(whole) == whole).all());
  EXPECT_EQ(again(Eigen::MatrixXd(0, 4)).cols(), 4);
}

TEST(eigen, elements_of_any_type_that_can_be_serialised) {
  Eigen::Matrix<std::vector<int>, 2, 1> lists;
  lists[0] = {1, 2};
  const auto copy = again(lists);
  EXPECT_EQ(copy[0], (std::vector{1, 2}));
  EXPECT_TRUE(copy[1].empty());
  const std::vector<Eigen::Vector3f> points{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(again(points), points);
}

TEST(eigen, bytes_that_are_no_such_matrix_are_refused) {
  using fixed = Eigen::Matrix2d;
  EXPECT_THROW(from_bytes<fixed>(to_bytes(Eigen::MatrixXd(3, 2))), serial_error);
  EXPECT_THROW((from_bytes<Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1>>(to_bytes(Eigen::VectorXd(5)))),
               serial_error);
  const auto bytes = to_bytes(Eigen::MatrixXd::Identity(3, 3).eval());
  for (std::size_t kept = 0; kept < bytes.size(); ++kept)
    EXPECT_THROW(from_bytes<Eigen::MatrixXd>(std::span(bytes).first(kept)), serial_error);
  const auto refused = [](std::int64_t rows, std::int64_t columns) {
    EXPECT_THROW(from_bytes<Eigen::MatrixXd>(to_bytes(std::pair(rows, columns))), serial_error);
  };
  refused(-1, 1);
  refused(1, -1);
  refused(std::int64_t{1} << 40, std::int64_t{1} << 40);
  refused(std::int64_t{1} << 62, 1);
}

}  // namespace
}  // namespace imbrex
