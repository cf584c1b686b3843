// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_endpoint.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/net/endpoint/text_item.test.hpp>

namespace imbrex::ucx {
namespace {

using endpoints::path_choice;
using endpoints::places;
using endpoints::shared_layout;
using test::long_text;
using test::text;

/// One of three processes of one PE each, in a job so large that they do not greet each other. Processes 0
/// and 1 are on one host, where 0 watches the link to the host of 2.
struct process : detail::network::receiver {
  process(ucp_context_h context, int number)
      : wire(std::make_unique<ucx_worker>(context), number, where, *this) {
    wire.belong_to(number);
  }

  detail::work& unpack(reader& in) override { return text::read(in); }
  void arrived(detail::work& item, int, std::size_t) override {
    came.push_back(static_cast<text&>(item).content);
    text::destroy(item);
  }
  void control_message(int, std::span<const std::byte>) override {
    ++control_messages;
    if (on_control_message) on_control_message();
  }
  void lost(int, const std::string& why) override { FAIL() << why; }

  places where;
  ucx_endpoint wire;
  std::vector<std::string> came;
  int control_messages = 0;
  std::function<void()> on_control_message;
};

class job_on_two_hosts : public ::testing::Test {
 protected:
  job_on_two_hosts() {
    constexpr std::size_t many = 40;
    const std::vector<int> hosts{0, 0, 1};
    for (std::size_t p = 0; p < hosts.size(); ++p) {
      auto& where = all[p]->where;
      for (std::size_t k = 0; k < many; ++k) {
        const bool is_one = k < hosts.size();
        const int host = is_one ? hosts[k] : 0;
        where.endpoints.push_back(
            {{is_one ? all[k]->wire.address() : "", static_cast<int>(k), host == hosts[p]}, host, true});
        where.endpoint_of_pe.push_back(k);
        where.first_endpoint.push_back(k);
      }
      where.are_on_one_host = false;
    }
    one.where.link_monitor = 0;
  }

  /// Polls all processes until the condition holds, at most for some seconds.
  template <class Condition>
  bool comes_to(Condition holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!holds() && std::chrono::steady_clock::now() < until)
      for (process* p : all) p->wire.progress(0);
    return holds();
  }

  /// Lets `one` offer memory with its first long block, which `link_monitor` accepts.
  void share_memory() {
    one.wire.send(*new text(std::string(100'000, 'A')), 0);
    ASSERT_TRUE(comes_to([&] { return link_monitor.came.size() == 1 && text::there_are == 0; }));
    for (int turn = 0; turn < 1000; ++turn)
      for (process* p : all) p->wire.progress(0);
    link_monitor.came.clear();
  }

  context ucx = make_context(connecting::may_block);
  process link_monitor{ucx.get(), 0};
  process one{ucx.get(), 1};
  process other{ucx.get(), 2};
  std::vector<process*> all{&link_monitor, &one, &other};
};

TEST_F(job_on_two_hosts, answers_what_comes_while_it_connects) {
  other.wire.notify(1, {});
  ASSERT_TRUE(comes_to([&] { return one.control_messages == 1; }));
  other.wire.notify(
      1, {});  // unread until the first message to another host must leave, which waits for the monitor
  for (int turn = 0; turn < 1000; ++turn) other.wire.progress(0);
  one.on_control_message = [this] {
    auto* const answer = new text("the answer");
    answer->coalesced = true;
    one.wire.send(*answer, 2);
  };
  one.wire.send(*new text("the first message"), 2);
  ASSERT_TRUE(comes_to([&] { return one.control_messages == 2 && other.came.size() == 2; }))
      << other.came.size();
  EXPECT_EQ(one.wire.sent(), 2U);
}

TEST_F(job_on_two_hosts, keeps_apart_what_is_sent_while_something_is_packed) {
  auto* const outer = new text("outer text");
  outer->while_packed = [this] {
    one.wire.send(*new text("inner text"), 2);
    one.wire.notify(2, {});
  };
  one.wire.send(*outer, 2);
  ASSERT_TRUE(comes_to([&] { return other.came.size() == 2 && other.control_messages == 1; }));
  EXPECT_EQ(other.came, (std::vector<std::string>{"inner text", "outer text"}));
}

/// Copies in shared memory free the sender's items at once. Blocks alternate between them and rendezvous
/// until the better path is known.
TEST_F(job_on_two_hosts, copies_long_blocks_to_memory_that_a_neighbour_reads_while_there_is_room) {
  share_memory();
  constexpr std::size_t size = shared_layout::longest_block;
  std::vector<std::string> sent;
  for (const int not_in_memory : {1, 1, 2, 2, 3, 3, 4, 4, 5, 6}) {
    sent.push_back(long_text(size, static_cast<char>('A' + sent.size())));
    one.wire.send(*new text(sent.back()), 0);
    if (sent.size() == 2 && text::there_are == 2) GTEST_SKIP() << "UCX shares no memory here";
    EXPECT_EQ(text::there_are, not_in_memory);
  }
  ASSERT_TRUE(comes_to([&] { return link_monitor.came.size() == sent.size() && text::there_are == 0; }));
  std::ranges::sort(link_monitor.came, {}, [](const std::string& t) { return t[1]; });
  EXPECT_TRUE(link_monitor.came == sent);
  EXPECT_EQ(one.wire.sent(), sent.size() + 1);
  EXPECT_EQ(link_monitor.wire.received(), sent.size() + 1);
}

TEST_F(job_on_two_hosts, sends_long_blocks_to_a_neighbour_by_the_path_that_a_trial_has_shown) {
  share_memory();
  const std::string sent = long_text(60'000, 'A');
  const auto goes_by_memory = [&] {
    one.wire.send(*new text(sent), 0);
    const bool is_destroyed = text::there_are == 0;
    EXPECT_TRUE(comes_to([&] { return link_monitor.came.size() == 1 && text::there_are == 0; }));
    EXPECT_TRUE(link_monitor.came.front() == sent);
    link_monitor.came.clear();
    return is_destroyed;
  };
  constexpr int trial = 2 * path_choice::by_each_path;
  for (int i = 0; i < trial; ++i) goes_by_memory();
  for (int turn = 0; turn < 1000; ++turn)  // until the verdict has arrived
    for (process* p : all) p->wire.progress(0);
  int by_memory = 0;
  constexpr int until_next = path_choice::shortest_interval - trial;
  for (int i = 0; i < until_next; ++i) by_memory += goes_by_memory() ? 1 : 0;
  EXPECT_TRUE(by_memory == 0 || by_memory == until_next) << by_memory;
}

TEST_F(job_on_two_hosts, leaves_blocks_in_a_neighbours_memory_while_much_waits_to_be_run) {
  for (int i = 1; i <= 3; ++i) {
    one.wire.send(*new text(long_text(100'000, 'A')), 0);
    ASSERT_TRUE(comes_to([&] { return static_cast<int>(link_monitor.came.size()) == i; }));
  }
  one.wire.send(*new text(long_text(100'000, 'B')), 0);
  for (int turn = 0; turn < 1000; ++turn) {
    one.wire.progress(0);
    link_monitor.wire.progress(detail::endpoint::most_unread + 1);
  }
  EXPECT_EQ(link_monitor.came.size(), 3U);
  ASSERT_TRUE(comes_to([&] { return link_monitor.came.size() == 4; }));
  EXPECT_TRUE(link_monitor.came.back() == long_text(100'000, 'B'));
}

/// Messages of all kinds and lengths from a process that knows everything but the run's token.
TEST_F(job_on_two_hosts, drops_what_a_stranger_sends) {
  const auto send_all = [this](int to) {
    for (const std::size_t size : {10UL, 5'000UL, 20'000UL, 300'000UL, 2'000'000UL})
      for (const std::size_t packed : {std::size_t{8}, size}) {
        auto* const item = new text(long_text(size, 'S'));
        item->beginning = packed;
        item->coalesced = size == 10;
        other.wire.send(*item, to);
      }
    other.wire.notify(to, {});
  };
  other.where.token = 1;
  send_all(0);
  send_all(1);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while ((other.wire.sending() || text::there_are > 0) && std::chrono::steady_clock::now() < until)
    for (process* p : all) p->wire.progress(0);
  EXPECT_EQ(text::there_are, 0);
  other.where.token = 0;
  other.wire.notify(0, {});
  other.wire.notify(1, {});
  ASSERT_TRUE(comes_to([&] { return link_monitor.control_messages == 1 && one.control_messages == 1; }));
  EXPECT_EQ(link_monitor.came.size() + one.came.size(), 0U);
  EXPECT_EQ(link_monitor.wire.received() + one.wire.received(), 0U);
}

/// Each message that UCX keeps costs hundreds of bytes here, and one of the receiver's few slots.
TEST_F(job_on_two_hosts, puts_together_what_waits_for_a_neighbour_who_does_not_look) {
  constexpr int many = 50'000;
  constexpr std::size_t most_kept = 1000;  // batches
  for (int i = 0; i < many; ++i) one.wire.send(*new text("a short text"), 0);
  EXPECT_LT(one.wire.departing(), most_kept);
  EXPECT_TRUE(one.wire.sending());
  for (int i = 0; i < many; ++i) {
    std::byte* const room = one.wire.room_for(0, 100, false);
    ASSERT_NE(room, nullptr);
    std::fill_n(room, 20, std::byte{'b'});
    one.wire.send_written(20, false);
  }
  EXPECT_LT(one.wire.departing(), 2 * most_kept);
  one.wire.send(*new text(long_text(100'000, 'A')), 0);
  ASSERT_TRUE(comes_to([&] { return link_monitor.came.size() == 2 * many + 1 && !one.wire.sending(); }));
  EXPECT_EQ(std::ranges::count(link_monitor.came, "a short text"), many);
  EXPECT_EQ(std::ranges::count(link_monitor.came, std::string(20, 'b')), many);
  EXPECT_EQ(one.wire.sent(), link_monitor.wire.received());
}

TEST_F(job_on_two_hosts, sends_at_once_again_when_nothing_waits) {
  for (int i = 0; i < 50'000; ++i) one.wire.send(*new text("a short text"), 0);
  ASSERT_TRUE(comes_to([&] { return link_monitor.came.size() == 50'000 && !one.wire.sending(); }));
  one.wire.send(*new text("the last text"), 0);
  for (int turn = 0; turn < 1000; ++turn) link_monitor.wire.progress(0);  // the sender polls no more
  EXPECT_EQ(link_monitor.came.back(), "the last text");
}

TEST(endpoints_in_shared_memory, let_more_than_a_few_messages_wait) {
  if (std::getenv("UCX_TLS") != nullptr || std::getenv("UCX_POSIX_FIFO_SIZE") != nullptr)
    GTEST_SKIP() << "the user has chosen";
  const context ucx = make_context(connecting::may_block, {"posix,self", ""});
  process here{ucx.get(), 0};
  process there{ucx.get(), 1};
  for (process* p : {&here, &there})
    for (process* k : {&here, &there}) {
      const auto number = p->where.endpoints.size();
      p->where.endpoint_of_pe.push_back(number);
      p->where.first_endpoint.push_back(number);
      p->where.endpoints.push_back({{k->wire.address(), static_cast<int>(number), true}, 0, true});
    }
  here.wire.send(*new text("the first text"), 1);
  while (there.came.empty() || here.wire.sending()) there.wire.progress(0), here.wire.progress(0);
  for (int i = 0; i < 200; ++i) here.wire.send(*new text("a short text"), 1);
  EXPECT_FALSE(here.wire.sending());
}

TEST_F(job_on_two_hosts, sends_blocks_of_all_sizes_to_a_neighbour) {
  random dice(1);
  std::vector<std::string> sent;
  for (int i = 0; i < 300; ++i) {
    const std::size_t size = dice.below(dice.below(10) == 0 ? 3'000'000 : 60'000) + 8;
    sent.push_back(std::to_string(100 + i) + long_text(size, 'x'));
    auto* const next = new text(sent.back());
    next->coalesced = dice.below(2) == 0;
    if (dice.below(4) == 0) next->beginning = dice.below(size);
    one.wire.send(*next, 0);
    if (dice.below(3) == 0) link_monitor.wire.progress(0);
    if (dice.below(3) == 0) one.wire.progress(0);
  }
  ASSERT_TRUE(comes_to([&] { return link_monitor.came.size() == sent.size(); }));
  std::ranges::sort(link_monitor.came);
  EXPECT_TRUE(link_monitor.came == sent);
  EXPECT_TRUE(comes_to([] { return text::there_are == 0; }));
}

}  // namespace
}  // namespace imbrex::ucx
