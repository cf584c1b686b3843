// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/datatype/datatype.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/constructors.hpp>
#include <imbrex/mpi/datatype/external32.hpp>
#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace {

using namespace imbrex::mpi;
using numbers = std::vector<std::int64_t>;

datatype_ref type(int handle) { return datatype_ref(predefined_type(handle)); }

int class_of(auto&& call) {
  try {
    call();
  } catch (const error& e) {
    return e.code();
  }
  return MPI_SUCCESS;
}

TEST(datatype, of_mpi_itself_has_the_size_that_its_handle_says) {
  for (const int handle : {MPI_CHAR, MPI_INT, MPI_LONG, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_2INT,
                           MPI_C_DOUBLE_COMPLEX, MPI_2DOUBLE_PRECISION, MPI_LOGICAL, MPI_COUNT}) {
    ASSERT_TRUE(predefined_type(handle));
    EXPECT_EQ(predefined_type(handle)->size(), handle >> 8 & 0xff);
    EXPECT_TRUE(predefined_type(handle)->is_contiguous());
    EXPECT_TRUE(predefined_type(handle)->is_committed());
  }
  EXPECT_EQ(predefined_type(MPI_DATATYPE_NULL), nullptr);
  EXPECT_EQ(predefined_type(MPI_COMM_WORLD), nullptr);
  EXPECT_EQ(predefined_type(0x4c00047f), nullptr);
  struct {
    double value;
    int place;
  } pair;
  EXPECT_EQ(type(MPI_DOUBLE_INT)->extent(), std::int64_t(sizeof pair));
  EXPECT_EQ(type(MPI_DOUBLE_INT)->size(), 12);
  EXPECT_EQ(type(MPI_SHORT_INT)->extent(), 8);
  EXPECT_EQ(type(MPI_LONG_DOUBLE_INT)->extent(), 32);
}

TEST(datatype, contiguous_and_structures_without_holes_are_one_run) {
  EXPECT_TRUE(contiguous_type(1000, type(MPI_DOUBLE))->is_contiguous());
  EXPECT_TRUE(vector_type(10, 3, 24, type(MPI_DOUBLE))->is_contiguous());
  EXPECT_FALSE(vector_type(10, 3, 32, type(MPI_DOUBLE))->is_contiguous());
  const std::vector<datatype_ref> two{type(MPI_INT), type(MPI_FLOAT)};
  EXPECT_TRUE(struct_type(numbers{1, 1}, numbers{0, 4}, two)->is_contiguous());
  EXPECT_FALSE(struct_type(numbers{1, 1}, numbers{4, 0}, two)->is_contiguous());  // out of memory order
  EXPECT_FALSE(resized_type(0, 16, type(MPI_DOUBLE))->is_contiguous());
}

TEST(datatype, a_regular_type_of_a_million_blocks_needs_little) {
  const datatype_ref matrix = vector_type(1'000'000, 1, 8000, vector_type(1000, 1, 16, type(MPI_FLOAT)));
  EXPECT_LE(matrix->bytes_of_one().cost(), 4);
  EXPECT_EQ(matrix->size(), 4'000'000'000);
}

TEST(datatype, a_structure_ends_where_the_next_may_begin) {
  const std::vector<datatype_ref> parts{type(MPI_DOUBLE), type(MPI_CHAR)};
  const datatype_ref padded = struct_type(numbers{1, 1}, numbers{0, 8}, parts);
  EXPECT_EQ(padded->size(), 9);
  EXPECT_EQ(padded->extent(), 16);
  EXPECT_EQ(padded->true_extent(), 9);
}

TEST(datatype, bounds_that_are_set_stay) {
  const std::vector<datatype_ref> parts{type(MPI_LB), type(MPI_INT), type(MPI_UB)};
  const datatype_ref marked = struct_type(numbers{1, 1, 1}, numbers{-3, 0, 6}, parts);
  EXPECT_EQ(marked->lower_bound(), -3);
  EXPECT_EQ(marked->extent(), 9);
  EXPECT_EQ(marked->true_lower_bound(), 0);
  EXPECT_EQ(marked->true_extent(), 4);
  const std::vector<datatype_ref> outer{marked, type(MPI_DOUBLE)};
  const datatype_ref twice = struct_type(numbers{2, 1}, numbers{0, 100}, outer);
  EXPECT_EQ(twice->lower_bound(), -3);
  EXPECT_EQ(twice->upper_bound(), 15);
  EXPECT_EQ(resized_type(1, 2, marked)->extent(), 2);
}

TEST(datatype, subarray_is_a_box_of_the_array) {
  std::vector<int> array(5 * 6 * 7);
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = int(i);
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    const datatype_ref box =
        subarray_type(numbers{5, 6, 7}, numbers{2, 3, 4}, numbers{1, 2, 3}, order, type(MPI_INT));
    EXPECT_EQ(box->extent(), std::int64_t(array.size() * sizeof(int)));
    EXPECT_EQ(box->size(), 24 * 4);
    std::vector<int> packed(24), expected;
    pack({reinterpret_cast<std::byte*>(array.data()), 1, box.get()}, 0,
         reinterpret_cast<std::byte*>(packed.data()), box->size());
    if (order == MPI_ORDER_C) {
      for (int x = 1; x < 3; ++x)
        for (int y = 2; y < 5; ++y)
          for (int z = 3; z < 7; ++z) expected.push_back((x * 6 + y) * 7 + z);
    } else {
      for (int z = 3; z < 7; ++z)
        for (int y = 2; y < 5; ++y)
          for (int x = 1; x < 3; ++x) expected.push_back((z * 6 + y) * 5 + x);
    }
    EXPECT_EQ(packed, expected);
  }
}

// Every element belongs to exactly one rank of the grid, in the array's order.
TEST(datatype, darrays_of_all_ranks_share_the_array) {
  const numbers sizes{7, 10};
  std::vector<int> array(70);
  for (int i = 0; i < 70; ++i) array[std::size_t(i)] = i;
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN})
    for (const int first : kinds)
      for (const int second : kinds)
        for (const int argument : {MPI_DISTRIBUTE_DFLT_DARG, 3, 4}) {
          const int both[] = {first, second}, grid[] = {2, 3};
          const int arguments[] = {first == MPI_DISTRIBUTE_BLOCK ? MPI_DISTRIBUTE_DFLT_DARG : argument,
                                   argument};
          if (second == MPI_DISTRIBUTE_BLOCK && argument == 3) continue;  // three blocks of 3 cannot hold 10
          std::vector<int> owners(70, -1);
          for (int rank = 0; rank < 6; ++rank) {
            const datatype_ref part_type =
                darray_type(6, rank, sizes, {both, arguments, grid}, order, type(MPI_INT));
            EXPECT_EQ(part_type->extent(), 70 * 4);
            std::vector<int> packed(std::size_t(part_type->size() / 4));
            pack({reinterpret_cast<std::byte*>(array.data()), 1, part_type.get()}, 0,
                 reinterpret_cast<std::byte*>(packed.data()), part_type->size());
            int last = -1;
            for (const int i : packed) {
              EXPECT_GT(i, last);
              last = i;
              EXPECT_EQ(owners[std::size_t(i)], -1);
              owners[std::size_t(i)] = rank;
              // Owner and index by the standard's definition:
              const int x = order == MPI_ORDER_C ? i / 10 : i % 7, y = order == MPI_ORDER_C ? i % 10 : i / 7;
              const auto owner = [&](int kind, int darg, int n, int size, int at) {
                if (kind == MPI_DISTRIBUTE_BLOCK)
                  return at / (darg == MPI_DISTRIBUTE_DFLT_DARG ? (size + n - 1) / n : darg);
                return at / (darg == MPI_DISTRIBUTE_DFLT_DARG ? 1 : darg) % n;
              };
              EXPECT_EQ(owner(first, arguments[0], 2, 7, x) * 3 + owner(second, arguments[1], 3, 10, y),
                        rank);
            }
          }
          EXPECT_EQ(std::count(owners.begin(), owners.end(), -1), 0);
        }
}

TEST(datatype, refuses_what_cannot_be) {
  const datatype_ref i = type(MPI_INT);
  EXPECT_EQ(class_of([&] { contiguous_type(-1, i); }), MPI_ERR_COUNT);
  EXPECT_EQ(class_of([&] { vector_type(1, -1, 4, i); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { indexed_type(numbers{-2}, numbers{0}, i); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { subarray_type(numbers{4}, numbers{5}, numbers{0}, MPI_ORDER_C, i); }),
            MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { subarray_type(numbers{4}, numbers{2}, numbers{3}, MPI_ORDER_C, i); }),
            MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { subarray_type(numbers{4}, numbers{2}, numbers{1}, 7, i); }), MPI_ERR_ARG);
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK}, few[] = {2}, grid[] = {3};
  EXPECT_EQ(class_of([&] { darray_type(3, 0, numbers{7}, {kinds, few, grid}, MPI_ORDER_C, i); }),
            MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { darray_type(4, 0, numbers{6}, {kinds, few, grid}, MPI_ORDER_C, i); }),
            MPI_ERR_ARG);
}

TEST(datatype, refuses_sizes_that_exceed_63_bits) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const datatype_ref i = type(MPI_INT);
  EXPECT_EQ(class_of([&] { contiguous_type(most, i); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { vector_type(1 << 20, 1, most / 2, i); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { resized_type(most, most, i); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { (void)contiguous_type(1 << 30, i)->bytes(most / 4); }), MPI_ERR_COUNT);
  EXPECT_EQ(class_of([&] { (void)i->bytes(-1); }), MPI_ERR_COUNT);
  const std::string text = imbrex::testing::error_of<error>([&] { contiguous_type(most, i); });
  EXPECT_NE(text.find("exceeds 63 bits"), std::string::npos) << text;
}

TEST(datatype, parts_live_as_long_as_what_is_made_of_them) {
  datatype_ref whole;
  {
    const datatype_ref part = vector_type(2, 1, 8, type(MPI_INT));
    whole = contiguous_type(3, part);
  }
  EXPECT_EQ(whole->elements(), 6);
  EXPECT_EQ(whole->elements_in(12), 3);
  EXPECT_EQ(whole->elements_in(13), -1);
}

TEST(external32, is_what_the_standard_says) {
  const std::vector<datatype_ref> parts{type(MPI_INT), type(MPI_LONG), type(MPI_DOUBLE), type(MPI_CHAR),
                                        type(MPI_LONG_DOUBLE)};
  struct {
    int i = 0x01020304;
    long l = -2;
    double d = 1;
    char c = 'x';
    long double e = -2.5L;
  } value, back{0, 0, 0, 0, 0};
  const datatype_ref all =
      struct_type(numbers{1, 1, 1, 1, 1}, numbers{0, 8, 16, 24, 32}, std::span<const datatype_ref>(parts));
  ASSERT_EQ(all->external_size(), 33);
  std::vector<std::byte> bytes(33);
  pack_external({reinterpret_cast<std::byte*>(&value), 1, all.get()}, bytes.data());
  const unsigned char expected[33] = {
      1, 2, 3, 4, 0xff, 0xff, 0xff, 0xfe, 0x3f, 0xf0,
      0, 0, 0, 0, 0,    0,    'x',  0xc0, 0,    0x40};  // -2.5: sign and exponent 1 + 16383, then .01
  EXPECT_EQ(std::memcmp(bytes.data(), expected, 33), 0);
  unpack_external(bytes.data(), {reinterpret_cast<std::byte*>(&back), 1, all.get()});
  EXPECT_EQ(back.i, value.i);
  EXPECT_EQ(back.l, value.l);
  EXPECT_EQ(back.d, value.d);
  EXPECT_EQ(back.c, value.c);
  EXPECT_EQ(back.e, value.e);
}

}  // namespace
