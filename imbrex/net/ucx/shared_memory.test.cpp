// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/shared_memory.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include <imbrex/base/random.hpp>
#include <imbrex/net/ucx/handles.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::ucx {
namespace {

ucp_worker_params_t of_one_thread() {
  ucp_worker_params_t how{};
  how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  how.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  return how;
}

/// An owner and a reader, who might be two processes.
class blocks_in_shared_memory : public testing::Test {
 protected:
  void SetUp() override {
    const std::string address = address_of(owner_.get());
    ucp_ep_params_t how{};
    how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    how.address = reinterpret_cast<const ucp_address_t*>(address.data());
    check(ucp_ep_create(reader_.get(), &how, &endpoint_), "ucp_ep_create");
    there_ = foreign_memory::find(endpoint_, here_.key(), here_.address());
    if (!there_) GTEST_SKIP() << "UCX shares no memory here: UCX_TLS, or no System V or POSIX shared memory";
  }
  void TearDown() override {
    there_.reset();
    ucp_request_param_t force{};
    force.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    force.flags = UCP_EP_CLOSE_FLAG_FORCE;
    void* const request = ucp_ep_close_nbx(endpoint_, &force);
    if (!UCS_PTR_IS_PTR(request)) return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(reader_.get());
    ucp_request_free(request);
  }

  const context context_ = make_context(connecting::may_block);
  shared_memory here_{context_.get()};
  const worker owner_ = make_worker(context_.get(), of_one_thread());
  const worker reader_ = make_worker(context_.get(), of_one_thread());
  ucp_ep_h endpoint_ = nullptr;
  std::unique_ptr<foreign_memory> there_;
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
    const auto one = unread.begin() + static_cast<std::ptrdiff_t>(dice.below(unread.size()));
    EXPECT_TRUE(std::ranges::equal(there_->at(one->where), one->bytes));
    there_->release(one->where, std::chrono::nanoseconds(0));
    unread.erase(one);
  }
  EXPECT_GT(refused, 0U);  // there was more than fits
  for (const auto& one : unread) {
    EXPECT_TRUE(std::ranges::equal(there_->at(one.where), one.bytes));
    there_->release(one.where, std::chrono::nanoseconds(0));
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
  there_->release(where, std::chrono::nanoseconds(0));
  EXPECT_THROW(there_->at(where), serial_error);
}

TEST_F(blocks_in_shared_memory, tell_when_most_are_read_slowly) {
  constexpr std::chrono::milliseconds slow{1};
  constexpr std::chrono::microseconds fast{1};
  const auto read = [this](std::chrono::nanoseconds copying, std::size_t size = 100'000) {
    shared_block where;
    EXPECT_TRUE(here_.put(block_of(size, 1), where));
    return there_->release(where, copying);
  };
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(read(i % 2 == 0 ? slow : fast));
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(read(slow, 10'000));
  for (int round = 0; round < 3; ++round) {
    for (int i = 1; i < foreign_memory::many_slow_copies; ++i) EXPECT_FALSE(read(slow));
    EXPECT_TRUE(read(slow));
  }
}

TEST(neighbour_access, pauses_longer_each_time_that_memory_is_still_far) {
  neighbour_access access;
  neighbour_access::time_point now{};
  now += std::chrono::hours(1);
  EXPECT_FALSE(access.may_be_used(now));
  access.pause(now);  // of a neighbour that has none
  access.is_there = neighbour_access::answer::yes;
  EXPECT_TRUE(access.may_be_used(now));
  auto expected = neighbour_access::shortest_pause;
  for (int i = 0; i < 10; ++i) {
    access.pause(now);
    access.pause(now + expected / 2);  // what came of blocks from before
    EXPECT_FALSE(access.may_be_used(now + expected - std::chrono::milliseconds(1)));
    now += expected;
    access.pause(now);  // of those, too
    EXPECT_TRUE(access.may_be_used(now));
    expected = std::min(2 * expected, neighbour_access::longest_pause);
  }
  EXPECT_EQ(expected, neighbour_access::longest_pause);
  now += neighbour_access::longest_pause;  // without any slow block
  access.pause(now);
  EXPECT_TRUE(access.may_be_used(now + neighbour_access::shortest_pause));
}

TEST_F(blocks_in_shared_memory, are_not_found_by_the_key_of_nothing) {
  EXPECT_EQ(foreign_memory::find(endpoint_, "", here_.address()), nullptr);
}

}  // namespace
}  // namespace imbrex::ucx
