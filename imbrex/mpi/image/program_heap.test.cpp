// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/program_heap.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace imbrex::mpi {

namespace {

/// Reserved addresses.
class reserved_range {
 public:
  explicit reserved_range(std::size_t bytes)
      : bytes_(bytes),
        begin_(static_cast<std::byte*>(
            ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~reserved_range() { ::munmap(begin_, bytes_); }
  reserved_range(const reserved_range&) = delete;
  std::byte* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::byte* begin_;
};

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

struct block {
  std::byte* at;
  std::size_t bytes;
  std::byte mark;

  bool is_whole() const {
    return std::all_of(at, at + bytes, [this](std::byte each) { return each == mark; });
  }
};

TEST(program_heap, keeps_blocks_apart_in_any_order_of_calls) {
  const reserved_range range(1024 * mebibyte);
  program_heap& heap = *program_heap::make(range.begin(), range.bytes());
  std::mt19937 random(7);
  std::vector<block> blocks;
  const auto mark = [&](void* at, std::size_t bytes) {
    const auto sign = static_cast<std::byte>(random());
    std::memset(at, static_cast<int>(sign), bytes);
    return block{static_cast<std::byte*>(at), bytes, sign};
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t bytes = random() % (i % 50 == 0 ? 2'000'000 : 700);
    const std::size_t aligned = std::size_t{16} << random() % (i % 7 == 0 ? 9 : 1);
    void* const at = heap.allocate_aligned(bytes, aligned);
    ASSERT_NE(at, nullptr);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % aligned, 0U);
    ASSERT_GE(heap.bytes_of(at), bytes);
    blocks.push_back(mark(at, bytes));
    block& other = blocks[random() % blocks.size()];
    ASSERT_TRUE(other.is_whole());
    if (i % 3 == 0) {
      const std::size_t more = random() % 5000;
      auto* const moved = static_cast<std::byte*>(heap.reallocate(other.at, more));
      ASSERT_TRUE((block{moved, std::min(other.bytes, more), other.mark}.is_whole()));
      other = mark(moved, more);
    } else if (i % 3 == 1) {
      heap.free(other.at);
      other = blocks.back();
      blocks.pop_back();
    }
  }
  for (const block& each : blocks) {
    EXPECT_TRUE(each.is_whole());
    heap.free(each.at);
  }
}

TEST(program_heap, gives_zeroed_memory_where_it_was_used_before) {
  const reserved_range range(16 * mebibyte);
  program_heap& heap = *program_heap::make(range.begin(), range.bytes());
  void* const used = heap.allocate(100);
  std::memset(used, 1, 100);
  heap.free(used);
  const auto* const again = static_cast<const std::byte*>(heap.allocate_zeroed(100));
  EXPECT_EQ(again, used);
  EXPECT_TRUE((block{const_cast<std::byte*>(again), 100, std::byte{0}}.is_whole()));
}

TEST(program_heap, returns_null_when_its_addresses_are_used_up) {
  const reserved_range range(8 * mebibyte);
  program_heap& heap = *program_heap::make(range.begin(), range.bytes());
  EXPECT_EQ(heap.allocate(9 * mebibyte), nullptr);
  EXPECT_EQ(heap.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(heap.allocate(SIZE_MAX - 20), nullptr);
  EXPECT_EQ(heap.allocate_aligned(64, SIZE_MAX / 2 + 1), nullptr);
  void* const large = heap.allocate(6 * mebibyte);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(heap.allocate(6 * mebibyte), nullptr);
  EXPECT_EQ(heap.reallocate(large, 12 * mebibyte), nullptr);
  heap.free(large);
  EXPECT_NE(heap.allocate(6 * mebibyte), nullptr);
}

TEST(program_heap, does_not_grow_if_blocks_are_used_again) {
  const reserved_range range(1024 * mebibyte);
  program_heap& heap = *program_heap::make(range.begin(), range.bytes());
  std::byte* after_first = nullptr;
  for (int i = 0; i < 200; ++i) {
    std::vector<void*> blocks;
    for (std::size_t bytes = 1; bytes < 3 * mebibyte; bytes = bytes * 3 + 1)
      for (int n = 0; n < 5; ++n) blocks.push_back(heap.allocate(bytes));
    for (void* const each : blocks) heap.free(each);
    if (i == 0) after_first = heap.end();
  }
  EXPECT_LE(heap.end() - after_first, static_cast<std::ptrdiff_t>(8 * mebibyte));
}

TEST(program_heap, goes_on_from_a_copy_of_its_bytes_at_the_same_addresses) {
  const reserved_range range(64 * mebibyte);
  program_heap& heap = *program_heap::make(range.begin(), range.bytes());
  std::vector<block> blocks;
  for (std::size_t i = 0; i < 500; ++i) {
    auto* const at = static_cast<std::byte*>(heap.allocate(i * 40));
    std::memset(at, static_cast<int>(i), i * 40);
    blocks.push_back({at, i * 40, static_cast<std::byte>(i)});
  }
  const std::vector<std::byte> saved(range.begin(), heap.end());
  ASSERT_EQ(::mmap(range.begin(), range.bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
            range.begin());
  program_heap& again = *program_heap::make(range.begin(), range.bytes());
  ASSERT_TRUE(again.make_accessible(saved.size()));
  std::memcpy(range.begin(), saved.data(), saved.size());
  for (const block& each : blocks) {
    EXPECT_TRUE(each.is_whole());
    again.free(each.at);
  }
  EXPECT_EQ(again.end(), range.begin() + saved.size());
  EXPECT_NE(again.allocate(20 * mebibyte), nullptr);
}

}  // namespace

}  // namespace imbrex::mpi
