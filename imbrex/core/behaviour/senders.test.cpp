// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::senders_test {

class senders : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, senders, ::testing::ValuesIn(machines()), name_of_machine);

class listener : public chare<listener> {
 public:
  void note(sender from) { notes_.push_back(from.pe); }
  void note_value(sender from, int value) { notes_.push_back(from.pe == value ? from.pe : -1); }
  int of(sender from, const std::string& text) const { return text == "of" ? from.pe : -1; }
  task<int> of_late(sender from, std::vector<int> values) {
    co_await sleep_for(std::chrono::microseconds(1));
    co_return values.size() == 2 ? from.pe : -1;
  }
  void pass_on(sender from, element<listener> to) { send<&listener::note>(to, from); }
  task<int> travel(sender from, int left) {
    if (left > 0) {
      migrate_to((pe() + 1) % num_pes());
      co_await balance_point<&listener::travel>(from, left - 1);
    }
    co_return from.pe;
  }
  std::vector<int> notes() const { return notes_; }
  void serialize(auto& ar) { ar(notes_); }

 private:
  std::vector<int> notes_;
};

class teller : public chare<teller> {
 public:
  /// Sends in all possible ways; true if each of them reports this PE as the sender.
  task<bool> tell(array<listener> all) {
    const auto one = all[1];
    const auto some = all.section({0, 2});
    send<&listener::note>(one);
    send<&listener::note_value>(one.coalesced(), pe());
    send<&listener::note>(all);
    send<&listener::note_value>(some, pe());
    send<&listener::pass_on>(all[2], one);
    const int called = co_await one.call<&listener::of>("of");
    const int late = co_await one.call<&listener::of_late>(std::vector<int>(2));
    const int least = co_await all.reduce<&listener::of>(min, "of");
    const int most = co_await all.reduce<&listener::of_late>(max, std::vector<int>(2));
    const int of_some = co_await some.reduce<&listener::of>(max, "of");
    const int travelled = co_await all[0].call<&listener::travel>(3);
    co_return called == pe() && late == pe() && least == pe() && most == pe() && of_some == pe() &&
        travelled == pe();
  }
};

TEST_P(senders, are_known_to_entries_that_want_to_know) {
  run([]() -> task<int> {
    const auto all = make_array<listener>(3);
    const auto tellers = make_group<teller>();
    for (int p = 0; p < num_pes(); ++p) {
      const bool knows = co_await tellers[p].call<&teller::tell>(all);
      EXPECT_TRUE(knows);
    }
    co_await quiescence();
    const auto notes = co_await all.reduce<&listener::notes>(gather);
    std::vector<int> counts(static_cast<std::size_t>(num_pes()));
    for (const auto& of_one : notes)
      for (const int p : of_one) ++counts.at(static_cast<std::size_t>(p));
    EXPECT_EQ(counts, std::vector<int>(static_cast<std::size_t>(num_pes()), 2 + 3 + 2 + 1));
    co_return 0;
  });
}

}  // namespace imbrex::senders_test
