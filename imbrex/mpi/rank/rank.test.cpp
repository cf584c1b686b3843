// SPDX-License-Identifier: Apache-2.0
// Messages between ranks, without handles and types: order, matching, and each path of the data.
#include <gtest/gtest.h>

#include <cfenv>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <imbrex/core/extension/run.hpp>
#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>
#include <imbrex/mpi/rank/ranks.test.hpp>

namespace imbrex::mpi {

class ranks : public on_ranks {};
INSTANTIATE_TEST_SUITE_P(on, ranks, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

rank& here() { return *rank::current(); }

std::byte content(int from, int to, int number, std::size_t at) {
  return static_cast<std::byte>(static_cast<std::size_t>(from * 7 + to * 31 + number * 3) + at * 5);
}

std::vector<std::byte> message(int from, int to, int number, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = content(from, to, number, i);
  return data;
}

void begin_send(request& q, std::vector<std::byte>& data, int to, int tag,
                send_mode mode = send_mode::standard) {
  q.head = {5, here().number(), tag};
  q.buffer = data.data();
  q.size = data.size();
  here().messages.send(q, to, mode);
}
void send(std::vector<std::byte> data, int to, int tag, send_mode mode = send_mode::standard) {
  request q;
  begin_send(q, data, to, tag, mode);
  here().await(q);
}
void begin_receive(request& q, std::vector<std::byte>& data, int from, int tag) {
  q.head = {5, from, tag};
  q.buffer = data.data();
  q.size = data.size();
  here().messages.receive(q);
}

constexpr std::size_t lengths[] = {0, 1, 8, 511, 513, 2048, 2049, 70'000, 1'000'003};

}  // namespace

TEST_P(ranks, pass_data_of_all_lengths_in_a_ring) {
  run_ranks(5, [] {
    const int n = here().ranks();
    const int me = here().number();
    const int left = (me + n - 1) % n;
    const int right = (me + 1) % n;
    int number = 0;
    for (const bool posted_first : {true, false})
      for (const std::size_t bytes : lengths) {
        ++number;
        auto out = message(me, right, number, bytes);
        std::vector<std::byte> in(bytes + 3, std::byte{1});
        request sending;
        request receiving;
        if (posted_first) begin_receive(receiving, in, left, number);
        begin_send(sending, out, right, number,
                   number % 3 == 0 ? send_mode::synchronous : send_mode::standard);
        if (!posted_first) begin_receive(receiving, in, left, number);
        request* both[] = {&sending, &receiving};
        here().await_all(both);
        ASSERT_EQ(receiving.received, bytes);
        ASSERT_EQ(receiving.source, left);
        ASSERT_FALSE(receiving.is_too_long);
        in.resize(bytes);
        ASSERT_EQ(in, message(left, me, number, bytes));
      }
  });
}

TEST_P(ranks, receive_in_the_order_of_sending_whatever_the_lengths) {
  constexpr int messages = 120;
  run_ranks(4, [] {
    const int me = here().number();
    std::mt19937 random(static_cast<unsigned>(me));
    if (me == 0) {
      std::vector<int> next(4, 0);
      std::vector<std::byte> in(100'000);
      for (int i = 0; i < 3 * messages; ++i) {
        request q;
        begin_receive(q, in, any_source, 1);
        here().await(q);
        const auto from = static_cast<std::size_t>(q.source);
        const auto expected = message(q.source, 0, next[from]++, q.received);
        ASSERT_EQ(0, q.received == 0 ? 0 : std::memcmp(in.data(), expected.data(), q.received));
      }
    } else {
      for (int i = 0; i < messages; ++i) {
        const std::size_t bytes = random() % 3 == 0 ? 3000 + random() % 90'000 : random() % 64;
        send(message(me, 0, i, bytes), 0, 1);
      }
    }
  });
}

TEST_P(ranks, match_tags_and_sources_as_a_plain_list_does) {
  run_ranks(3, [] {
    const int me = here().number();
    constexpr int each = 60;
    if (me != 0) {
      for (int i = 0; i < each; ++i) send(message(me, 0, i, 8 + static_cast<std::size_t>(i)), 0, i % 5);
      return;
    }
    // Numbers must arrive in order for each source and tag.
    int next[3][5] = {{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}};
    std::mt19937 random(7);
    std::vector<std::vector<std::byte>> in(2 * each, std::vector<std::byte>(200));
    std::vector<request> receives(2 * each);
    int left[3][5] = {};
    for (int s = 1; s < 3; ++s)
      for (int t = 0; t < 5; ++t) left[s][t] = each / 5;
    for (int i = 0; i < 2 * each;) {
      const int s = 1 + static_cast<int>(random() % 2);
      const int t = static_cast<int>(random() % 5);
      if (left[s][t] == 0) continue;
      --left[s][t];
      begin_receive(receives[static_cast<std::size_t>(i)], in[static_cast<std::size_t>(i)], s, t);
      ++i;
    }
    for (std::size_t i = 0; i < receives.size(); ++i) {
      request& q = receives[i];
      here().await(q);
      int& number = next[q.source][q.tag];
      ASSERT_EQ(q.received, 8U + static_cast<std::size_t>(number));
      in[i].resize(q.received);
      ASSERT_EQ(in[i], message(q.source, 0, number, q.received));
      number += 5;
    }
  });
}

TEST_P(ranks, cut_what_is_too_long_for_a_receive) {
  run_ranks(2, [] {
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{100'000}}) {
      if (here().number() == 0) {
        send(message(0, 1, 1, bytes), 1, 0);
      } else {
        std::vector<std::byte> in(bytes / 2);
        request q;
        begin_receive(q, in, 0, 0);
        here().await(q);
        EXPECT_TRUE(q.is_too_long);
        EXPECT_EQ(q.received, bytes / 2);
        auto expected = message(0, 1, 1, bytes);
        expected.resize(bytes / 2);
        EXPECT_EQ(in, expected);
      }
    }
  });
}

TEST_P(ranks, send_to_themselves) {
  run_ranks(3, [] {
    const int me = here().number();
    for (const std::size_t bytes : lengths) {
      auto out = message(me, me, 4, bytes);
      std::vector<std::byte> in(bytes);
      request sending;
      request receiving;
      begin_send(sending, out, me, 9);
      begin_receive(receiving, in, me, 9);
      request* both[] = {&receiving, &sending};
      here().await_all(both);
      EXPECT_EQ(in, out);
    }
  });
}

TEST_P(ranks, find_messages_before_they_receive_them) {
  run_ranks(2, [] {
    if (here().number() == 0) {
      std::vector<std::vector<std::byte>> out;
      std::vector<request> sends(20);
      for (int i = 0; i < 20; ++i) {
        out.push_back(message(0, 1, i, i % 2 == 0 ? 16 : 5000 + static_cast<std::size_t>(i)));
        begin_send(sends[static_cast<std::size_t>(i)], out.back(), 1, i);
      }
      for (request& q : sends) here().await(q);
    } else {
      for (int i = 19; i >= 0; --i) {
        const packet& found = here().await_message({5, any_source, i});
        std::vector<std::byte> in(found.size);
        EXPECT_EQ(found.size, i % 2 == 0 ? 16U : 5000U + static_cast<unsigned>(i));
        request q;
        begin_receive(q, in, found.head.source, found.head.tag);
        here().await(q);
        EXPECT_EQ(in, message(0, 1, i, in.size()));
      }
    }
  });
}

TEST_P(ranks, take_receives_and_offers_back) {
  run_ranks(2, [] {
    std::vector<std::byte> data(50'000);
    if (here().number() == 0) {
      request q;
      begin_send(q, data, 1, 3, send_mode::synchronous);
      here().messages.cancel(q);
      here().await(q);
      EXPECT_TRUE(q.is_cancelled);
      send(message(0, 1, 8, 12), 1, 4);

      request received;
      begin_send(received, data, 1, 5, send_mode::synchronous);
      here().await(received);
      here().messages.cancel(received);
      EXPECT_FALSE(received.is_cancelled);

      request never;
      begin_receive(never, data, 1, 77);
      here().messages.cancel(never);
      EXPECT_TRUE(never.is_done && never.is_cancelled);
    } else {
      for (const int tag : {4, 5}) {
        request q;
        begin_receive(q, data, 0, tag);
        here().await(q);
        EXPECT_EQ(q.received, tag == 4 ? 12U : data.size());
      }
      EXPECT_EQ(here().messages.find({5, any_source, any_tag}), nullptr);
    }
  });
}

TEST_P(ranks, give_way_to_others_while_they_poll) {
  run_ranks(2, [] {
    std::vector<std::byte> data(10);
    if (here().number() == 0) {
      request q;
      begin_receive(q, data, 1, 0);
      while (!q.is_done) here().give_way();
    } else {
      for (int i = 0; i < 3; ++i) here().give_way();
      send(message(1, 0, 0, 10), 0, 0);
    }
  });
}

TEST_P(ranks, keep_how_they_round) {
  run_ranks(8, [] {
    constexpr int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const int mode = modes[here().number() % 4];
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    std::fesetround(mode);
    for (int i = 0; i < 5; ++i) {
      here().give_way();
      EXPECT_EQ(std::fegetround(), mode);
    }
  });
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST_P(ranks, go_on_on_other_pes_of_their_process) {
  run_ranks(6, [] {
    const int n = here().ranks();
    const int me = here().number();
    const auto run = extension::run_handle::here();
    const int pes_of_process = num_pes() / run.processes();
    const int first = run.process() * pes_of_process;
    for (int i = 0; i < 12; ++i) {
      here().move_to(first + (me + i) % pes_of_process);
      EXPECT_EQ(pe(), first + (me + i) % pes_of_process);
      const std::size_t bytes = i % 3 == 2 ? 20'000 : 30;
      auto out = message(me, (me + 1) % n, i, bytes);
      std::vector<std::byte> in(bytes);
      request sending;
      request receiving;
      begin_send(sending, out, (me + 1) % n, 2);
      begin_receive(receiving, in, (me + n - 1) % n, 2);
      request* both[] = {&receiving, &sending};
      here().await_all(both);
      EXPECT_EQ(in, message((me + n - 1) % n, me, i, bytes));
    }
  });
}

TEST_P(ranks, are_named_where_they_wait_for_ever) {
  ranks_fail(3,
             [] {
               if (here().number() != 1) return;
               here().call.function = "MPI_Recv";
               std::vector<std::byte> data(10);
               request q;
               begin_receive(q, data, 2, 99);
               here().await(q);
             },
             {"deadlock", "rank(1), entry run, on PE ", "waits for MPI_Recv from rank 2, tag 99"});
}

TEST_P(ranks, return_the_greatest_status) {
  for (const options& settings : GetParam().runs) {
    EXPECT_EQ(run_ranks_once(settings, 5, [] { return here().number() == 3 ? 7 : here().number(); }), 7);
  }
}

TEST_P(ranks, fail_with_what_their_code_throws) {
  ranks_fail(2,
             [] {
               if (here().number() == 1) throw std::runtime_error("a bad day");
             },
             {"rank(1), entry run, on PE ", "a bad day"});
}

}  // namespace imbrex::mpi
