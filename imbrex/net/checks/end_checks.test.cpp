// SPDX-License-Identifier: Apache-2.0
// Checks of the end of endpoints, with many or no messages in transfer. `subject::end` finds leaks.
#include <imbrex/net/checks/checks.test.hpp>

#include <array>

namespace imbrex::test {
namespace {

using texts = std::vector<std::string>;

void send_of_all_sizes(subject& in, std::size_t from, int to) {
  for (const std::size_t size : {10UL, 5'000UL, 20'000UL, 300'000UL, 2'000'000UL})
    for (const std::size_t beginning : {std::size_t{8}, size})
      in.send(from, to, long_text(size, 'e'), size == 10, beginning);
}

void flush_has_all_leave(subject& in) {
  texts sent;
  for (std::size_t i = 0; i < 100; ++i) {
    sent.push_back(long_text(i % 5 == 0 ? 50'000 : 100, 'f'));
    in.send(0, 1, sent.back(), i % 2 == 0);
  }
  in.at(0).wire().progress(0);
  // Waiting texts leave at a poll of the network, which `flushed` includes.
  in.expect(in.reach([&] { return in.at(0).own().flushed() && in.at(1).came.size() == sent.size(); }),
            "what is flushed does not all come");
  in.expect_texts(1, sent);
}

void after_a_flush_nothing_is_sent_or_taken(subject& in) {
  in.send(0, 1, "the first text");
  in.expect(in.receive(1, 1), "the first text does not come");
  in.expect(in.at(0).own().flushed(), "there is something to flush");
  in.send(0, 1, "too late");
  in.expect(!in.write(0, 1, "too late"), "there is room for what is too late");
  in.at(0).wire().notify(1, {});
  in.send(1, 0, "nobody listens");
  in.look_often();
  in.expect_equal(in.at(1).came.size() + in.at(1).control_messages.size(), std::size_t{1}, "what has come");
  in.expect_equal(in.at(0).came.size(), std::size_t{0}, "what has come to who has ended");
}

void senders_end_with_much_on_its_way(subject& in) {
  in.send(0, 1, "the first text");
  in.expect(in.receive(1, 1), "the first text does not come");
  send_of_all_sizes(in, 0, 1);
  in.at(0).own().close();
}

void receivers_end_with_much_on_its_way(subject& in) {
  in.send(0, 1, "the first text");
  in.expect(in.receive(1, 1), "the first text does not come");
  send_of_all_sizes(in, 0, 1);
  for (int turn = 0; turn < 100; ++turn) in.at(1).wire().progress(detail::endpoint::most_unread + 1);
  in.at(1).own().close();
}

void all_end_with_much_on_its_way(subject& in) {
  for (const std::size_t from : {0UL, 1UL, 2UL})
    for (const int to : {0, 1, 2})
      if (static_cast<int>(from) != to) send_of_all_sizes(in, from, to);
  in.look();
}

void ends_before_anything_is_sent(subject& in) {
  in.expect(in.at(0).own().close(), "something is on its way");
}

const std::array checks{
    fabric_check{"flush_has_all_leave", flush_has_all_leave},
    fabric_check{"after_a_flush_nothing_is_sent_or_taken", after_a_flush_nothing_is_sent_or_taken},
    fabric_check{"senders_end_with_much_on_its_way", senders_end_with_much_on_its_way},
    fabric_check{"receivers_end_with_much_on_its_way", receivers_end_with_much_on_its_way},
    fabric_check{"all_end_with_much_on_its_way", all_end_with_much_on_its_way},
    fabric_check{"ends_before_anything_is_sent", ends_before_anything_is_sent},
};

}  // namespace

std::span<const fabric_check> end_checks() { return checks; }

}  // namespace imbrex::test
