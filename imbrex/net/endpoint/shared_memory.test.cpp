// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/shared_memory.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#include <imbrex/base/random.hpp>
#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::endpoints {
namespace {

/// An owner and a reader, which could be two processes.
class blocks_in_shared_memory : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(there_); }

  shared_memory here_;
  std::unique_ptr<foreign_memory> there_ = foreign_memory::find(here_.key());
};

std::vector<std::byte> block_of(std::size_t size, std::uint64_t seed) {
  random dice(seed);
  std::vector<std::byte> bytes(size);
  for (auto& b : bytes) b = static_cast<std::byte>(dice.below(256));
  return bytes;
}

TEST_F(blocks_in_shared_memory, are_read_and_make_room_in_any_order) {
  struct sent {
    shared_block where;
    std::vector<std::byte> bytes;
  };
  std::deque<sent> unread;
  random dice(1);
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    auto bytes = block_of(1 + dice.below(dice.below(4) == 0 ? shared_layout::longest_block : 100'000), i);
    shared_block where;
    if (here_.put(bytes, where))
      unread.push_back({where, std::move(bytes)});
    else
      ++refused;
    if (dice.below(3) == 0 || unread.size() < 8) continue;
    const auto at = unread.begin() + static_cast<std::ptrdiff_t>(dice.below(unread.size()));
    EXPECT_TRUE(std::ranges::equal(there_->at(at->where), at->bytes));
    there_->release(at->where);
    unread.erase(at);
  }
  EXPECT_GT(refused, 0U);  // more was put than fits
  for (const auto& block : unread) {
    EXPECT_TRUE(std::ranges::equal(there_->at(block.where), block.bytes));
    there_->release(block.where);
  }
  shared_block where;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(here_.put(block_of(shared_layout::longest_block, 0), where));
  EXPECT_FALSE(here_.put(block_of(1, 0), where));
}

TEST_F(blocks_in_shared_memory, are_refused_where_none_are) {
  shared_block where;
  EXPECT_FALSE(here_.put(block_of(shared_layout::longest_block + 1, 0), where));
  ASSERT_TRUE(here_.put(block_of(100'000, 7), where));
  constexpr std::uint32_t last = shared_layout::granules - 1;
  for (const shared_block& wrong :
       {shared_block{where.first, 0}, shared_block{where.first + 1, 100}, shared_block{last, 100},
        shared_block{last, 100'000}, shared_block{last + 1, 1}, shared_block{~0U, 1},
        shared_block{where.first, ~0U}})
    EXPECT_THROW(there_->at(wrong), serial_error) << wrong.first << ", " << wrong.size;
  there_->release(where);
  EXPECT_THROW(there_->at(where), serial_error);
}

TEST_F(blocks_in_shared_memory, are_not_found_by_the_key_of_something_else) {
  EXPECT_EQ(foreign_memory::find({}), nullptr);
  auto key = here_.key();
  ++key.file;
  EXPECT_EQ(foreign_memory::find(key), nullptr);
  key = here_.key();
  ++key.device;
  EXPECT_EQ(foreign_memory::find(key), nullptr);
  key = here_.key();
  key.descriptor = -1;
  EXPECT_EQ(foreign_memory::find(key), nullptr);
}

TEST_F(blocks_in_shared_memory, are_not_found_in_a_file_that_could_shrink) {
  const descriptor file(::memfd_create("another", MFD_CLOEXEC));
  struct stat what{};
  ASSERT_EQ(::ftruncate(file.get(), shared_layout::size), 0);
  ASSERT_EQ(::fstat(file.get(), &what), 0);
  EXPECT_EQ(foreign_memory::find({::getpid(), file.get(), what.st_dev, what.st_ino}), nullptr);
}

TEST_F(blocks_in_shared_memory, are_nobody_elses_and_have_no_name) {
  struct stat what{};
  ASSERT_EQ(::fstat(here_.key().descriptor, &what), 0);
  EXPECT_EQ(what.st_mode & 07777, 0600U);
  EXPECT_EQ(what.st_nlink, 0U);
}

/// UCX 1.13 fails with a segmentation fault in this case.
TEST_F(blocks_in_shared_memory, are_not_found_where_no_memory_is_left) {
  if (test::memory_is_kept_back) GTEST_SKIP() << "the sanitizer needs memory of its own";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit none{1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &none), 0);
  void* const page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool found = foreign_memory::find(here_.key()) != nullptr;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  if (page != MAP_FAILED) {
    ::munmap(page, 4096);
    GTEST_SKIP() << "this kernel, or its emulator, does not limit memory";
  }
  EXPECT_FALSE(found);
}

}  // namespace
}  // namespace imbrex::endpoints
