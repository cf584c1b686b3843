// SPDX-License-Identifier: Apache-2.0
// Checks of senders faster than their receivers, and of sleep.
#include <imbrex/net/checks/checks.test.hpp>

#include <poll.h>

#include <array>

namespace imbrex::test {
namespace {

using texts = std::vector<std::string>;

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

void much_that_does_not_leave_congests(subject& in) {
  in.send(0, 1, "the first text");
  in.expect(in.receive(1, 1), "the first text does not come");
  texts sent{"the first text"};
  while (sent.size() < 60 && !in.at(0).wire().congested()) {
    sent.push_back(long_text(mebibyte, static_cast<char>('A' + sent.size() % 26)));
    in.send(0, 1, sent.back());
  }
  in.expect(in.at(0).wire().congested(), "60 MiB that nobody takes congest nothing");
  in.expect(in.at(0).wire().sending(), "nothing is said to be left");
  in.expect(in.receive(1, sent.size()), "what congests does not all come");
  in.expect(!in.at(0).wire().congested(), "it is congested with nothing left");
  in.expect_texts(1, sent);
}

/// Each message that a fabric keeps costs hundreds of bytes here, and one of the receiver's few slots.
void short_items_that_cannot_leave_are_put_together(subject& in) {
  in.send(0, 1, "a short text");
  in.expect(in.receive(1, 1), "the first text does not come");
  constexpr std::size_t many = 20'000;
  constexpr std::size_t most_kept = 1'000;
  for (std::size_t i = 1; i < many; ++i)
    if (i % 2 == 0 || !in.write(0, 1, "a short text")) in.send(0, 1, "a short text");
  in.expect(in.at(0).own().departing() < most_kept,
            std::to_string(in.at(0).own().departing()) + " messages are kept one by one");
  in.expect(in.receive(1, many), "what was put together does not all come");
  in.expect_texts(1, texts(many, "a short text"));
  in.expect_equal_counts();
  in.send(0, 1, "the last text");
  for (int turn = 0; turn < 1000 && in.at(1).came.size() == many; ++turn) in.at(1).wire().progress(0);
  in.expect_equal(in.at(1).came.size(), many + 1, "the number of texts when the sender looks no more");
}

void who_has_much_to_run_leaves_long_messages(subject& in) {
  const std::string content = long_text(3 * mebibyte, 'L');
  in.send(0, 1, "the first text");
  in.expect(in.receive(1, 1), "the first text does not come");
  in.send(0, 1, content);
  for (int turn = 0; turn < 300; ++turn) {
    in.at(0).wire().progress(0);
    in.at(1).wire().progress(detail::endpoint::most_unread + 1);
  }
  in.expect_equal(in.at(1).came.size(), std::size_t{1}, "the number of texts at who has much to run");
  in.expect(in.at(0).wire().sending(), "the sender does not notice");
  in.expect(in.receive(1, 2), "a long text does not come when there is nothing to run");
  in.expect_texts(1, {"the first text", content});
}

/// Each PE has too much to send, and meanwhile too much to run: no PE may wait for the others for ever.
void circles_go_on(subject& in) {
  constexpr std::size_t each = 40;
  for (std::size_t p = 0; p < 3; ++p) {
    in.send(p, static_cast<int>((p + 1) % 3), "the first text");
    in.expect(in.receive((p + 1) % 3, 1), "the first text does not come");
  }
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t i = 0; i < each; ++i)
      in.send(p, static_cast<int>((p + 1) % 3), long_text(mebibyte, 'c'));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto all_have_arrived = [&] {
    for (std::size_t p = 0; p < 3; ++p)
      if (in.at(p).came.size() < each / 2) return false;
    return true;
  };
  while (!all_have_arrived() && std::chrono::steady_clock::now() < until)
    for (std::size_t p = 0; p < 3; ++p)  // a PE that may send has run what arrived
      in.at(p).wire().progress(in.at(p).wire().congested() ? detail::endpoint::most_unread + 1 : 0);
  in.expect(all_have_arrived(), "in a circle of those that have too much nothing moves");
  for (std::size_t p = 0; p < 3; ++p)
    in.expect(in.receive(p, each + 1), "what is sent in a circle does not all come");
  in.expect_equal_counts();
}

void what_comes_wakes_sleepers(subject& in) {
  for (const std::size_t from : {0UL, 1UL}) {
    in.send(from, from == 0 ? 1 : 0, "the first text");
    in.expect(in.receive(1 - from, 1), "the first text does not come");
  }
  detail::endpoint& sleeper = in.at(1).wire();
  in.expect(in.reach([&] { return sleeper.arm(); }), "nobody can go to sleep");
  pollfd wakeup{sleeper.descriptor(), POLLIN, 0};
  in.expect_equal(::poll(&wakeup, 1, 0), 0, "the number of wakes by nothing");
  in.send(0, 1, "wake up");
  in.expect_equal(::poll(&wakeup, 1, 10'000), 1, "the number of wakes by a text");
  in.expect(in.receive(1, 2), "what has woken does not come");
}

const std::array checks{
    fabric_check{"much_that_does_not_leave_congests", much_that_does_not_leave_congests},
    fabric_check{"short_items_that_cannot_leave_are_put_together",
                 short_items_that_cannot_leave_are_put_together},
    fabric_check{"who_has_much_to_run_leaves_long_messages", who_has_much_to_run_leaves_long_messages},
    fabric_check{"circles_go_on", circles_go_on},
    fabric_check{"what_comes_wakes_sleepers", what_comes_wakes_sleepers},
};

}  // namespace

std::span<const fabric_check> pressure_checks() { return checks; }

}  // namespace imbrex::test
