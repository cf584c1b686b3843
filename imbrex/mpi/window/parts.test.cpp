// SPDX-License-Identifier: Apache-2.0
// Unit tests of the parts of windows.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/constructors.hpp>
#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/window/accumulation.hpp>
#include <imbrex/mpi/window/exposed_memory.hpp>
#include <imbrex/mpi/window/lock_queue.hpp>
#include <imbrex/mpi/window/type_description.hpp>
#include <imbrex/serial/error.hpp>

namespace {

using namespace imbrex::mpi;

datatype_ref basic(int handle) { return datatype_ref(predefined_type(handle)); }

/// Displacements and kinds of a type's elements.
struct listed {
  std::vector<std::pair<element, std::uintptr_t>> all;
  void operator()(element e, std::uintptr_t at, std::int64_t n) {
    for (; n > 0; --n, at += std::uintptr_t(size_of(e))) all.emplace_back(e, at);
  }
};
std::vector<std::pair<element, std::uintptr_t>> elements_of(const datatype& type) {
  listed found;
  type.visit_elements(10'000, 3, found);
  return found.all;
}

TEST(type_description, makes_types_with_the_same_elements) {
  const std::int64_t displacements[] = {40, -8, 100};
  const std::int64_t lengths[] = {2, 0, 3};
  const datatype_ref column = vector_type(5, 2, 24, basic(MPI_INT));
  const datatype_ref parts[] = {column, basic(MPI_DOUBLE), basic(MPI_FLOAT_INT)};
  const datatype_ref types[] = {basic(MPI_DOUBLE),
                                basic(MPI_LONG_DOUBLE_INT),
                                contiguous_type(0, basic(MPI_INT)),
                                contiguous_type(7, basic(MPI_SHORT)),
                                column,
                                copied_type(column),
                                resized_type(-16, 200, column),
                                indexed_type(lengths, displacements, column),
                                struct_type(lengths, displacements, parts),
                                contiguous_type(2, struct_type(lengths, displacements, parts))};
  for (const datatype_ref& type : types) {
    const datatype_ref result = described_type(describe(*type));
    EXPECT_EQ(result->size(), type->size());
    EXPECT_EQ(result->extent(), type->extent());
    EXPECT_EQ(result->lower_bound(), type->lower_bound());
    EXPECT_EQ(result->true_extent(), type->true_extent());
    EXPECT_EQ(result->is_contiguous(), type->is_contiguous());
    EXPECT_EQ(elements_of(*result), elements_of(*type));
  }
}

TEST(type_description, describes_once_what_occurs_often) {
  std::vector<std::int64_t> displacements(1000);
  for (std::size_t i = 0; i < displacements.size(); ++i) displacements[i] = std::int64_t(i) * 100;
  const datatype_ref column = vector_type(5, 2, 24, basic(MPI_INT));
  EXPECT_LT(describe(*indexed_block_type(1, displacements, column)).size(), 3050U);
  EXPECT_LT(describe(*contiguous_type(1'000'000, column)).size(), 30U);
}

TEST(type_description, refuses_what_describes_nothing) {
  using numbers = std::vector<std::int64_t>;
  for (const numbers& wrong : {numbers{}, numbers{0}, numbers{0, 5}, numbers{7, 0}, numbers{1, 1, 0, 0, 0, 1},
                               numbers{1, 1, 0, 0, 0, 1, 0, 1, 0}, numbers{1, 1, 0, 0, 0, 1 << 20}})
    EXPECT_THROW(described_type(wrong), imbrex::serial_error);
  // A component whose size exceeds 63 bits.
  numbers many = describe(*contiguous_type(3, basic(MPI_DOUBLE)));
  for (std::int64_t& n : many)
    if (n == 3) n = std::int64_t{1} << 62U;
  EXPECT_THROW(described_type(many), imbrex::serial_error);
}

TEST(lock_queue, serves_all_in_the_order_of_asking) {
  lock_queue locks;
  std::vector<int> granted;
  const auto grant = [&granted](int origin) { granted.push_back(origin); };
  EXPECT_TRUE(locks.request(1, false));
  EXPECT_TRUE(locks.request(2, false));
  EXPECT_FALSE(locks.request(3, true));
  EXPECT_FALSE(locks.request(4, false));  // must queue behind the waiting origin
  EXPECT_FALSE(locks.request(5, false));
  EXPECT_FALSE(locks.request(6, true));
  locks.release(grant);
  EXPECT_TRUE(granted.empty());
  locks.release(grant);
  EXPECT_EQ(granted, (std::vector<int>{3}));
  locks.release(grant);
  EXPECT_EQ(granted, (std::vector<int>{3, 4, 5}));
  locks.release(grant);
  EXPECT_EQ(granted.size(), 3U);
  locks.release(grant);
  EXPECT_EQ(granted.back(), 6);
  EXPECT_TRUE(locks.is_held());
  locks.release(grant);
  EXPECT_FALSE(locks.is_held());
}

TEST(exposed_memory, is_reached_within_its_bounds) {
  std::byte bytes[100];
  const exposed_memory memory(bytes, sizeof bytes);
  const datatype_ref number = basic(MPI_INT);
  EXPECT_EQ(memory.reach(96, *number, 1), bytes + 96);
  EXPECT_EQ(memory.reach(100, *number, 0), bytes);
  EXPECT_THROW((void)memory.reach(97, *number, 1), error);
  EXPECT_THROW((void)memory.reach(-1, *number, 1), error);
  EXPECT_THROW((void)memory.reach(0, *number, std::int64_t{1} << 62U), error);
  const datatype_ref backwards = resized_type(0, -8, number);
  EXPECT_EQ(memory.reach(16, *backwards, 3), bytes + 16);
  EXPECT_THROW((void)memory.reach(15, *backwards, 3), error);
}

TEST(exposed_memory, has_pieces_that_are_attached_and_detached) {
  std::byte bytes[100];
  exposed_memory memory;
  const auto at = [&bytes](int i) { return std::int64_t(reinterpret_cast<std::uintptr_t>(bytes + i)); };
  const datatype_ref byte = basic(MPI_BYTE);
  EXPECT_THROW((void)memory.reach(at(0), *byte, 1), error);
  memory.attach(bytes, 40);
  memory.attach(bytes + 60, 40);
  EXPECT_EQ(memory.reach(at(10), *byte, 30), bytes + 10);
  EXPECT_THROW((void)memory.reach(at(10), *byte, 31), error);
  EXPECT_THROW((void)memory.reach(at(50), *byte, 20), error);
  EXPECT_THROW(memory.attach(bytes + 39, 5), error);
  EXPECT_THROW(memory.attach(bytes + 55, 10), error);
  memory.attach(bytes + 40, 20);
  EXPECT_EQ(memory.reach(at(10), *byte, 90), bytes + 10);
  memory.detach(bytes + 40);
  EXPECT_THROW((void)memory.reach(at(10), *byte, 90), error);
  EXPECT_THROW(memory.detach(bytes + 40), error);
}

TEST(accumulation, takes_data_that_are_not_aligned) {
  std::vector<std::byte> packed(1 + 8 * 400);
  std::vector<double> memory(800);
  for (int i = 0; i < 400; ++i) {
    const double value = i;
    std::memcpy(packed.data() + 1 + 8 * i, &value, 8);
    memory[std::size_t(2 * i)] = 1000;
  }
  const datatype_ref gaps = resized_type(0, 16, basic(MPI_DOUBLE));
  accumulate(MPI_SUM, packed.data() + 1, 8 * 399,
             {reinterpret_cast<std::byte*>(memory.data()), 400, gaps.get()});
  accumulate(MPI_SUM, packed.data() + 1, 8 * 400,
             {reinterpret_cast<std::byte*>(memory.data() + 400), 400, basic(MPI_DOUBLE).get()});
  for (int i = 0; i < 200; ++i) EXPECT_EQ(memory[std::size_t(2 * i)], 1000 + i);
  EXPECT_EQ(memory[799], 399);
}

}  // namespace
