// SPDX-License-Identifier: Apache-2.0
// Checks that each message arrives, whole, once, and in order where that is promised.
#include <imbrex/net/checks/checks.test.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

#include <imbrex/base/random.hpp>

namespace imbrex::test {
namespace {

using texts = std::vector<std::string>;

std::string numbered(std::size_t number, std::size_t size = 0) {
  std::string text = "text " + std::to_string(number) + " ";
  if (text.size() < size) text += long_text(size - text.size(), 'x');
  return text;
}

void short_items_come_once(subject& in) {
  texts sent;
  for (std::size_t i = 0; i < 300; ++i) {
    sent.push_back(numbered(i));
    in.send(0, 1, sent.back());
    if (i % 7 == 0) in.look();
  }
  in.expect(in.receive(1, sent.size()), "short items do not all come");
  in.expect_in_order(1, sent);
  in.expect_equal_counts();
}

/// Sizes around the limits at which the endpoint changes its method, packed and as a block.
void items_of_odd_sizes(subject& in) {
  texts sent;
  for (const std::size_t around : {0UL, 8UL, 64UL, 256UL, 768UL, 1024UL, 2112UL, 4096UL, 8192UL, 16'384UL,
                                   65'536UL, 131'072UL, 262'144UL, 1'048'576UL})
    for (const std::size_t size : {around - 8, around - 1, around, around + 1, around + 8}) {
      if (size > 2 * around + 8) continue;  // below zero
      for (const std::size_t beginning : {std::size_t{8}, size}) {
        sent.push_back(long_text(size, beginning == 8 ? 'b' : 'p'));
        in.send(0, 1, sent.back(), false, beginning);
      }
      in.look();
    }
  in.expect(in.receive(1, sent.size()), "items of odd sizes do not all come");
  in.expect_texts(1, sent);
  in.expect_equal_counts();
}

void blocks_beside_long_beginnings(subject& in) {
  texts sent;
  for (const std::size_t beginning : {0UL, 1000UL, 1100UL, 5000UL, 70'000UL})
    for (const std::size_t block : {4095UL, 4096UL, 9000UL, 100'000UL}) {
      sent.push_back(numbered(sent.size(), beginning + block));
      in.send(0, 2, sent.back(), false, beginning);
    }
  in.expect(in.receive(2, sent.size()), "blocks beside long beginnings do not all come");
  in.expect_texts(2, sent);
}

/// The first block makes the sender offer memory; the others take the faster path.
void long_blocks_to_a_neighbour(subject& in) {
  texts sent;
  for (std::size_t i = 0; i < 60; ++i) {
    sent.push_back(numbered(i, 20'000 + i * 5'000));
    in.send(0, 1, sent.back());
    if (i % 5 == 0) in.look_often();
  }
  in.expect(in.receive(1, sent.size()), "long blocks do not all come");
  in.expect_texts(1, sent);
  in.expect_equal_counts();
}

void many_to_one(subject& in) {
  texts sent;
  for (std::size_t i = 0; i < 120; ++i)
    for (const std::size_t from : {0UL, 1UL}) {
      sent.push_back(numbered(i, i % 10 == 0 ? 50'000 : i % 3 == 0 ? 3'000 : 0) + std::to_string(from));
      in.send(from, 2, sent.back());
    }
  in.expect(in.receive(2, sent.size()), "what two send to one does not all come");
  in.expect_texts(2, sent);
}

void short_items_keep_their_order(subject& in) {
  random dice(3);
  texts sent;
  for (std::size_t i = 0; i < 400; ++i) {
    sent.push_back(numbered(i, dice.below(4) == 0 ? dice.below(2'000) : 0));
    const bool may_wait = dice.below(2) == 0;
    if (dice.below(2) == 0 || !in.write(0, 1, sent.back(), may_wait)) in.send(0, 1, sent.back(), may_wait);
    if (dice.below(9) == 0) in.look();
  }
  in.expect(in.receive(1, sent.size()), "short items of all kinds do not all come");
  in.expect_in_order(1, sent);
  in.expect_equal_counts();
}

void items_are_written_in_place(subject& in) {
  texts sent{"the first"};
  in.send(0, 1, sent.front());
  in.expect(in.receive(1, 1), "the first text does not come");
  for (std::size_t i = 0; i < 50; ++i) {
    sent.push_back(numbered(i, i * 40));
    in.expect(in.write(0, 1, sent.back(), i % 2 == 0), "a short item has no room");
  }
  in.expect(in.receive(1, sent.size()), "what was written in place does not all come");
  in.expect_in_order(1, sent);
}

void items_that_may_wait_leave_together(subject& in) {
  in.send(0, 1, "the first text");
  in.expect(in.receive(1, 1), "the first text does not come");
  for (std::size_t i = 0; i < 10; ++i) in.send(0, 1, numbered(i), true);
  for (int turn = 0; turn < 100; ++turn) in.at(1).wire().progress(0);
  in.expect_equal(in.at(1).came.size(), std::size_t{1}, "the number of texts that have not waited");
  in.at(0).wire().progress(0);
  in.expect(in.receive(1, 11), "what has waited does not come");
  for (std::size_t i = 0; i < 1000; ++i) in.send(0, 1, numbered(i), true);
  in.expect(in.receive(1, 1011), "what fills messages does not come");
  in.expect_equal_counts();
}

void notices_are_not_counted(subject& in) {
  const std::string question = "how are you";
  in.at(2).wire().notify(0, std::as_bytes(std::span(question)));
  in.at(1).wire().notify(0, {});
  in.expect(in.reach([&] { return in.at(0).control_messages.size() == 2; }), "notices do not come");
  const texts& found = in.at(0).control_messages;
  for (const char* const should : {"2: how are you", "1: "})
    in.expect(std::ranges::find(found, should) != found.end(), std::string("no notice \"") + should + "\"");
  in.expect_equal(in.at(0).own().received(), std::uint64_t{0}, "the number of items received");
}

void receivers_may_answer_at_once(subject& in) {
  in.at(1).on_arrival = [&in](const std::string& content) { in.send(1, 0, "answer to " + content); };
  texts should;
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string content = numbered(i, i % 4 == 0 ? 30'000 : 0);
    should.push_back("answer to " + content);
    in.send(0, 1, content);
  }
  in.expect(in.receive(0, should.size()), "answers do not all come");
  in.expect_texts(0, should);
}

void items_may_send_while_they_are_packed(subject& in) {
  auto* const outer = new text("the outer text");
  outer->while_packed = [&in] {
    in.send(0, 1, "the inner text");
    in.at(0).wire().notify(1, {});
  };
  in.at(0).wire().send(*outer, 1);
  in.expect(in.receive(1, 2), "what is sent while something is packed does not come");
  in.expect_texts(1, {"the inner text", "the outer text"});
}

void items_that_cannot_be_packed_leave_nothing(subject& in) {
  for (int i = 0; i < 3; ++i) {
    auto* const bad = new text("it throws");
    bad->while_packed = [] { throw std::runtime_error("it cannot be packed"); };
    try {
      in.at(0).wire().send(*bad, 1);
      in.expect(false, "what packing throws does not come through");
    } catch (const std::runtime_error&) {
    }
    in.send(0, 1, numbered(static_cast<std::size_t>(i)));
  }
  in.expect(in.receive(1, 3), "what was sent afterwards does not come");
  in.expect_texts(1, {numbered(0), numbered(1), numbered(2)});
}

void strangers_are_not_heard(subject& in) {
  in.estrange(2);
  for (const std::size_t size : {10UL, 5'000UL, 20'000UL, 300'000UL})
    for (const std::size_t beginning : {std::size_t{8}, size})
      in.send(2, 1, long_text(size, 's'), false, beginning);
  in.at(2).wire().notify(1, {});
  in.look_often();
  in.send(0, 1, "a friend");
  in.expect(in.receive(1, 1), "a friend is not heard");
  in.expect_texts(1, {"a friend"});
  in.expect(in.at(1).control_messages.empty(), "a stranger's notice is heard");
}

void several_pes_share_an_endpoint(subject& in) {
  texts sent;
  for (int i = 0; i < 90; ++i) {
    const int to = 1 + i % 3;
    sent.push_back(numbered(static_cast<std::size_t>(i), i % 9 == 0 ? 40'000 : 0) + "for " +
                   std::to_string(to));
    in.send(0, to, sent.back(), i % 2 == 0);
  }
  in.expect(in.receive(1, sent.size()), "what is for several PEs of a process does not all come");
  in.expect_texts(1, sent);
  for (std::size_t k = 0; k < in.at(1).came.size(); ++k)
    in.expect(in.at(1).came[k].ends_with("for " + std::to_string(in.at(1).came_for[k])),
              "an item comes to another PE");
}

/// All kinds of messages at once, in a random order, compared with what was sent.
void random_traffic(subject& in) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    random dice(seed);
    std::array<texts, 3> should;
    for (std::size_t p = 0; p < 3; ++p) in.at(p).came.clear();
    for (std::size_t i = 0; i < 400; ++i) {
      const std::size_t from = dice.below(3);
      const std::size_t to = (from + 1 + dice.below(2)) % 3;
      const std::size_t most = dice.below(20) == 0 ? 600'000 : dice.below(4) == 0 ? 20'000 : 300;
      should[to].push_back(numbered(i, dice.below(most)));
      const std::string& content = should[to].back();
      const bool may_wait = dice.below(2) == 0;
      const std::size_t beginning = dice.below(3) == 0 ? dice.below(content.size() + 1) : 8;
      if (content.size() > detail::endpoint::longest_written || dice.below(2) == 0 ||
          !in.write(from, static_cast<int>(to), content, may_wait))
        in.send(from, static_cast<int>(to), content, may_wait, beginning);
      if (dice.below(3) == 0) in.at(dice.below(3)).wire().progress(0);
    }
    for (std::size_t p = 0; p < 3; ++p) {
      in.expect(in.receive(p, should[p].size()),
                "random traffic does not all come, seed " + std::to_string(seed));
      in.expect_texts(p, should[p]);
    }
    in.expect_equal_counts();
  }
}

const std::array checks{
    fabric_check{"short_items_come_once", short_items_come_once},
    fabric_check{"items_of_odd_sizes", items_of_odd_sizes},
    fabric_check{"blocks_beside_long_beginnings", blocks_beside_long_beginnings},
    fabric_check{"long_blocks_to_a_neighbour", long_blocks_to_a_neighbour},
    fabric_check{"many_to_one", many_to_one},
    fabric_check{"short_items_keep_their_order", short_items_keep_their_order},
    fabric_check{"items_are_written_in_place", items_are_written_in_place},
    fabric_check{"items_that_may_wait_leave_together", items_that_may_wait_leave_together},
    fabric_check{"notices_are_not_counted", notices_are_not_counted},
    fabric_check{"receivers_may_answer_at_once", receivers_may_answer_at_once},
    fabric_check{"items_may_send_while_they_are_packed", items_may_send_while_they_are_packed},
    fabric_check{"items_that_cannot_be_packed_leave_nothing", items_that_cannot_be_packed_leave_nothing},
    fabric_check{"strangers_are_not_heard", strangers_are_not_heard},
    fabric_check{"several_pes_share_an_endpoint", several_pes_share_an_endpoint, {1, 3, 1}},
    fabric_check{"random_traffic", random_traffic},
};

}  // namespace

std::span<const fabric_check> message_checks() { return checks; }

}  // namespace imbrex::test
