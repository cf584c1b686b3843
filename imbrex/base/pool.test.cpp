// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace imbrex::detail {
namespace {

/// Makes a pool the thread's until the end of the block.
class active {
 public:
  explicit active(pool& p) : before_(pool::set_current(&p)) {}
  active(const active&) = delete;
  active& operator=(const active&) = delete;
  ~active() { pool::set_current(before_); }

 private:
  pool* before_;
};

TEST(pool, blocks_are_aligned_apart_and_as_large_as_asked) {
  pool p;
  const active activation(p);
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t bytes = 1; bytes < 9000; bytes += 61)
    for (int i = 0; i < 3; ++i) {
      auto* b = static_cast<unsigned char*>(pool::allocate(bytes));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % 64, 0U);
      std::memset(b, static_cast<int>(blocks.size() % 251), bytes);
      blocks.emplace_back(b, bytes);
    }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [b, bytes] = blocks[i];
    for (std::size_t k = 0; k < bytes; ++k) ASSERT_EQ(b[k], i % 251);
    pool::release(b, bytes);
  }
}

TEST(pool, released_blocks_are_used_again) {
  if (pool::largest_pooled == 0) GTEST_SKIP() << "this build pools nothing";
  pool p;
  const active activation(p);
  void* first = pool::allocate(100);
  pool::release(first, 100);
  EXPECT_EQ(pool::allocate(128), first);  // in the same class
  EXPECT_NE(pool::allocate(129), first);
}

TEST(pool, blocks_of_no_bytes_differ_and_go_back) {
  pool p;
  for (pool* const current : {&p, static_cast<pool*>(nullptr)}) {
    pool* const before = pool::set_current(current);
    void* const first = pool::allocate(0);
    void* const second = pool::allocate(0);
    EXPECT_NE(first, nullptr);
    EXPECT_NE(first, second);
    pool::release(first, 0);
    pool::release(second, 0);
    pool::set_current(before);
  }
}

TEST(pool, long_blocks_begin_on_pages) {
  for (const std::size_t bytes : {std::size_t{65'536}, std::size_t{100'000}, std::size_t{3} << 20U}) {
    std::vector<void*> blocks;
    for (int i = 0; i < 5; ++i) {
      blocks.push_back(pool::allocate(bytes));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back()) % 4096, 0U) << bytes;
    }
    for (void* const b : blocks) pool::release(b, bytes);
  }
}

TEST(pool, blocks_of_one_class_differ_by_a_granule_or_a_quarter) {
  if (pool::largest_pooled == 0) GTEST_SKIP() << "this build pools nothing";
  pool p;
  const active activation(p);
  std::size_t smallest = 1;  // smallest size of the class
  for (std::size_t bytes = 2; bytes <= pool::largest_pooled; ++bytes) {
    void* const before = pool::allocate(smallest);
    pool::release(before, smallest);
    void* const now = pool::allocate(bytes);
    pool::release(now, bytes);
    if (now == before) continue;
    EXPECT_EQ((bytes - 1) % pool::granule, 0U);
    EXPECT_LE(bytes - smallest, std::max(pool::granule, smallest / 4));
    smallest = bytes;
  }
  EXPECT_EQ(pool::largest_pooled, 8192U);
}

TEST(pool, more_than_a_slab_is_served) {
  pool p;
  const active activation(p);
  std::set<void*> blocks;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(blocks.insert(pool::allocate(8192)).second);
  for (void* b : blocks) pool::release(b, 8192);
}

TEST(pool, blocks_released_on_another_pe_come_home) {
  if (pool::largest_pooled == 0) GTEST_SKIP() << "this build pools nothing";
  pool a;
  pool b;
  std::set<void*> seen;
  for (int round = 0; round < 200; ++round) {
    std::vector<void*> blocks;
    {
      const active activation(a);
      for (int i = 0; i < 100; ++i) blocks.push_back(pool::allocate(64));
    }
    seen.insert(blocks.begin(), blocks.end());
    const active other(b);
    for (void* p : blocks) pool::release(p, 64);
    b.flush();
  }
  EXPECT_LE(seen.size(), 4300U);  // about one slab of blocks, not 20,000
}

TEST(pool, large_blocks_come_home_before_many_are_collected) {
  if (pool::largest_pooled == 0) GTEST_SKIP() << "this build pools nothing";
  pool a;
  pool b;
  std::set<void*> seen;
  for (int i = 0; i < 1000; ++i) {
    void* block = nullptr;
    {
      const active activation(a);
      block = pool::allocate(8192);
    }
    seen.insert(block);
    const active other(b);
    pool::release(block, 8192);
  }
  EXPECT_LE(seen.size(), 64U);
}

TEST(pool, threads_without_a_pe_allocate_and_release_too) {
  void* outside = pool::allocate(64);
  void* large = pool::allocate(1U << 20U);
  pool p;
  void* inside = nullptr;
  {
    const active activation(p);
    inside = pool::allocate(64);
    pool::release(outside, 64);
    pool::release(large, 1U << 20U);
    p.flush();
  }
  pool::release(inside, 64);
  const active guard(p);
  void* again = pool::allocate(64);
  pool::release(again, 64);
}

TEST(pool, leaves_what_was_kept_until_it_comes_back) {
  struct block {
    void* first;
    std::size_t bytes;
  };
  std::vector<block> kept;
  const auto keep_some = [&](int value) {
    pool p;
    const active activation(p);
    for (const std::size_t bytes :
         {std::size_t{64}, std::size_t{64}, std::size_t{200}, std::size_t{100'000}}) {
      kept.push_back({pool::allocate(bytes), bytes});
      std::memset(kept.back().first, value, bytes);
      pool::keep(kept.back().first, bytes);
      pool::release(pool::allocate(bytes), bytes);
    }
  };
  const auto release_all = [&](int value) {
    for (const block& b : kept) {
      EXPECT_EQ(static_cast<char*>(b.first)[b.bytes - 1], value);
      pool::release(b.first, b.bytes);
    }
    kept.clear();
  };
  keep_some(1);
  release_all(1);  // by a thread without a pool
  keep_some(2);    // frees the remains of the first
  {
    pool later;
    const active guard(later);
    release_all(2);
    later.flush();
  }
  keep_some(3);
  release_all(3);
}

/// A ring of threads: each fills blocks, and checks and releases those of its neighbour.
TEST(pool, streams_between_threads_keep_their_content) {
  constexpr int pes = 3;
  constexpr int messages = 20'000;
  struct message {
    std::atomic<message*> next;
    std::uint64_t content[20];
  };
  std::vector<pool> pools(pes);
  std::vector<std::atomic<message*>> mail(pes);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < pes; ++t)
    threads.emplace_back([&, t] {
      const active activation(pools[static_cast<std::size_t>(t)]);
      auto& out = mail[static_cast<std::size_t>((t + 1) % pes)];
      auto& in = mail[static_cast<std::size_t>(t)];
      int received = 0;
      const auto take = [&] {
        for (message* m = in.exchange(nullptr, std::memory_order_acquire); m != nullptr;) {
          message* next = m->next.load(std::memory_order_relaxed);
          for (const auto c : m->content) wrong += c != m->content[0] ? 1 : 0;
          pool::release(m, sizeof(message));
          ++received;
          m = next;
        }
      };
      for (int i = 0; i < messages; ++i) {
        auto* m = ::new (pool::allocate(sizeof(message))) message;
        for (auto& c : m->content) c = static_cast<std::uint64_t>(i) * pes + static_cast<std::uint64_t>(t);
        message* seen = out.load(std::memory_order_relaxed);
        do m->next.store(seen, std::memory_order_relaxed);
        while (!out.compare_exchange_weak(seen, m, std::memory_order_release, std::memory_order_relaxed));
        if (i % 16 == 0) take();
      }
      while (received < messages) {
        take();
        std::this_thread::yield();
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace imbrex::detail
