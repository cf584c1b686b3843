// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/operation/operation.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/mpi/datatype/constructors.hpp>
#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace {

using namespace imbrex::mpi;

template <typename T>
std::vector<T> result(int op, int type, std::vector<T> a, std::vector<T> b) {
  const datatype& t = *predefined_type(type);
  predefined_operation(op)->check(t);
  predefined_operation(op)->apply(a.data(), b.data(), std::int64_t(a.size()), t, type);
  return b;
}

template <typename T>
void check_numbers(int type) {
  EXPECT_EQ(result<T>(MPI_MAX, type, {1, 7}, {2, 3}), (std::vector<T>{2, 7}));
  EXPECT_EQ(result<T>(MPI_MIN, type, {1, 7}, {2, 3}), (std::vector<T>{1, 3}));
  EXPECT_EQ(result<T>(MPI_SUM, type, {1, 7}, {2, 3}), (std::vector<T>{3, 10}));
  EXPECT_EQ(result<T>(MPI_PROD, type, {1, 7}, {2, 3}), (std::vector<T>{2, 21}));
}

template <typename T>
void check_integers(int type) {
  check_numbers<T>(type);
  EXPECT_EQ(result<T>(MPI_LAND, type, {0, 2, 2}, {0, 0, 1}), (std::vector<T>{0, 0, 1}));
  EXPECT_EQ(result<T>(MPI_LOR, type, {0, 2, 2}, {0, 0, 1}), (std::vector<T>{0, 1, 1}));
  EXPECT_EQ(result<T>(MPI_LXOR, type, {0, 2, 2}, {0, 0, 1}), (std::vector<T>{0, 1, 0}));
  EXPECT_EQ(result<T>(MPI_BAND, type, {6, 12}, {3, 10}), (std::vector<T>{2, 8}));
  EXPECT_EQ(result<T>(MPI_BOR, type, {6, 12}, {3, 10}), (std::vector<T>{7, 14}));
  EXPECT_EQ(result<T>(MPI_BXOR, type, {6, 12}, {3, 10}), (std::vector<T>{5, 6}));
}

TEST(operation, takes_every_kind_of_number) {
  check_integers<char>(MPI_CHAR);
  check_integers<signed char>(MPI_SIGNED_CHAR);
  check_integers<unsigned char>(MPI_UNSIGNED_CHAR);
  check_integers<short>(MPI_SHORT);
  check_integers<unsigned short>(MPI_UNSIGNED_SHORT);
  check_integers<int>(MPI_INT);
  check_integers<unsigned>(MPI_UNSIGNED);
  check_integers<long>(MPI_LONG);
  check_integers<unsigned long>(MPI_UNSIGNED_LONG);
  check_integers<long long>(MPI_LONG_LONG);
  check_integers<unsigned long long>(MPI_UNSIGNED_LONG_LONG);
  check_integers<std::int64_t>(MPI_COUNT);
  check_integers<int>(MPI_INTEGER);
  check_numbers<float>(MPI_FLOAT);
  check_numbers<double>(MPI_DOUBLE);
  check_numbers<double>(MPI_DOUBLE_PRECISION);
  check_numbers<long double>(MPI_LONG_DOUBLE);
}

TEST(operation, takes_complex_numbers_and_truths_and_bits) {
  using c = std::complex<double>;
  EXPECT_EQ(result<c>(MPI_SUM, MPI_C_DOUBLE_COMPLEX, {{1, 2}}, {{3, 4}}), (std::vector<c>{{4, 6}}));
  EXPECT_EQ(result<c>(MPI_PROD, MPI_DOUBLE_COMPLEX, {{1, 2}}, {{3, 4}}), (std::vector<c>{{-5, 10}}));
  EXPECT_EQ(result<int>(MPI_LXOR, MPI_LOGICAL, {1, 1}, {0, 1}), (std::vector<int>{1, 0}));
  EXPECT_EQ(result<char>(MPI_LAND, MPI_C_BOOL, {1, 1}, {0, 1}), (std::vector<char>{0, 1}));
  EXPECT_EQ(result<unsigned char>(MPI_BXOR, MPI_BYTE, {0xf0}, {0xff}), (std::vector<unsigned char>{0x0f}));
}

template <typename Value>
struct pair {
  Value value;
  int place;
  bool operator==(const pair&) const = default;
};
template <typename Value>
void check_places(int type) {
  using p = pair<Value>;
  EXPECT_EQ(result<p>(MPI_MAXLOC, type, {{5, 3}, {1, 3}, {4, 3}}, {{2, 9}, {6, 9}, {4, 9}}),
            (std::vector<p>{{5, 3}, {6, 9}, {4, 3}}));
  EXPECT_EQ(result<p>(MPI_MINLOC, type, {{5, 3}, {1, 3}, {4, 9}}, {{2, 9}, {6, 9}, {4, 3}}),
            (std::vector<p>{{2, 9}, {1, 3}, {4, 3}}));
}

TEST(operation, finds_the_place_of_the_greatest_and_the_least) {
  check_places<float>(MPI_FLOAT_INT);
  check_places<double>(MPI_DOUBLE_INT);
  check_places<long>(MPI_LONG_INT);
  check_places<short>(MPI_SHORT_INT);
  check_places<int>(MPI_2INT);
  check_places<long double>(MPI_LONG_DOUBLE_INT);
}

TEST(operation, refuses_what_it_does_not_take) {
  const auto text = [](int op, const datatype& type) -> std::string {
    try {
      predefined_operation(op)->check(type);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), MPI_ERR_OP);
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(text(MPI_SUM, *predefined_type(MPI_BYTE)),
            "MPI_SUM does not take elements of MPI_BYTE; make an operation by MPI_Op_create");
  EXPECT_NE(text(MPI_MAX, *predefined_type(MPI_C_DOUBLE_COMPLEX)), "");
  EXPECT_NE(text(MPI_BAND, *predefined_type(MPI_DOUBLE)), "");
  EXPECT_NE(text(MPI_MAXLOC, *predefined_type(MPI_INT)), "");
  EXPECT_NE(text(MPI_SUM, *predefined_type(MPI_2INT)), "");
  const datatype_ref two = contiguous_type(2, datatype_ref(predefined_type(MPI_INT)));
  EXPECT_NE(text(MPI_SUM, *two), "");
  EXPECT_EQ(text(MPI_SUM, *predefined_type(MPI_INT)), "");
  EXPECT_EQ(predefined_operation(MPI_OP_NULL), nullptr);
}

void subtract(void* a, void* b, int* count, MPI_Datatype* type) {
  EXPECT_EQ(*type, MPI_INT);
  for (int i = 0; i < *count; ++i)
    static_cast<int*>(b)[i] = static_cast<int*>(a)[i] - static_cast<int*>(b)[i];
}
void subtract_many(void* a, void* b, MPI_Count* count, MPI_Datatype* type) {
  int n = int(*count);
  subtract(a, b, &n, type);
}

TEST(operation, calls_the_function_of_the_program) {
  const datatype& type = *predefined_type(MPI_INT);
  const operation small(subtract, false), large(subtract_many, true);
  EXPECT_FALSE(small.commutes());
  EXPECT_TRUE(large.commutes());
  for (const operation* op : {&small, &large}) {
    const int a[] = {7, 8};
    int b[] = {1, 2};
    op->check(type);
    op->apply(a, b, 2, type, MPI_INT);
    EXPECT_EQ(b[0], 6);
    EXPECT_EQ(b[1], 6);
  }
}

}  // namespace
