// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/process_group.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/name/operations.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex {
namespace {

class process_groups : public on_machine {};

/// A counter for one process.
class counter : public chare<counter> {
 public:
  explicit counter(int begin) : count_(begin) {}

  void add(int more) { count_ += more; }
  int count() { return count_; }
  int place() { return pe(); }
  task<int> slow_count() {
    const int before = count_;
    co_await sleep_for(nanoseconds(10));
    co_return before;
  }
  /// The value, which entries do not use.
  int& value() { return count_; }

 private:
  int count_;
};

int processes() { return static_cast<int>(detail::processor::here().run().process_starts().size()); }
int my_process() { return detail::processor::here().run().process(); }

/// A group member on each PE.
class user : public chare<user> {
 public:
  /// Adds to the counter of its process, and returns the process number.
  task<int> use(process_group<counter> counters, int times) {
    int last = 0;
    for (int i = 0; i < times; ++i) {
      last = co_await counters.local([&](counter& c) {
        EXPECT_EQ(c.where()[0], my_process());
        return ++c.value();
      });
    }
    EXPECT_GE(last, times);
    co_return my_process();
  }
  task<std::string> fail(process_group<counter> counters) {
    const std::string text = co_await awaited_error_of(
        [&] { return counters.local([](counter&) { throw std::runtime_error("no such key"); }); });
    co_return text;
  }
};

TEST_P(process_groups, have_a_chare_in_each_process_on_its_first_pe) {
  run([]() -> task<> {
    const auto counters = make_process_group<counter>(7);
    EXPECT_EQ(counters.size(), processes());
    co_await counters.created();
    const auto places = co_await counters.reduce<&counter::place>(gather);
    const auto starts = detail::processor::here().run().process_starts();
    EXPECT_TRUE(std::ranges::equal(places, starts));
    const int all = co_await counters.reduce<&counter::count>(sum);
    EXPECT_EQ(all, 7 * processes());
  });
}

TEST_P(process_groups, take_messages_for_a_process_and_for_all) {
  run([]() -> task<> {
    const auto counters = make_process_group<counter>(0);
    send<&counter::add>(counters, 1);
    for (int p = 0; p < counters.size(); ++p) send<&counter::add>(counters[p], 10 * p);
    co_await quiescence();
    const auto counts = co_await counters.reduce<&counter::count>(gather);
    for (int p = 0; p < counters.size(); ++p) EXPECT_EQ(counts.at(static_cast<std::size_t>(p)), 1 + 10 * p);
    co_await counters.with_priority(-3).call<&counter::add>(5);
    const int last = co_await counters[counters.size() - 1].call<&counter::slow_count>();
    EXPECT_EQ(last, 6 + 10 * (counters.size() - 1));
  });
}

TEST_P(process_groups, are_used_by_all_pes_of_a_process_one_at_a_time) {
  run([]() -> task<> {
    const auto counters = make_process_group<counter>(0);
    const auto users = make_group<user>();
    const auto of = co_await users.reduce<&user::use>(gather, counters, 20);
    const auto counts = co_await counters.reduce<&counter::count>(gather);
    for (int p = 0; p < counters.size(); ++p)
      EXPECT_EQ(counts.at(static_cast<std::size_t>(p)), 20 * std::ranges::count(of, p));
  });
}

TEST_P(process_groups, pass_on_what_a_function_throws) {
  run([]() -> task<> {
    const auto counters = make_process_group<counter>(0);
    const auto users = make_group<user>();
    const auto texts = co_await users.reduce<&user::fail>(gather, counters);
    for (const auto& text : texts) EXPECT_EQ(text, "no such key");
  });
}

TEST_P(process_groups, refuse_calls_after_their_end) {
  run([]() -> task<> {
    const auto counters = make_process_group<counter>(0);
    co_await counters.destroy();
    const auto users = make_group<user>();
    const auto texts = co_await users.reduce<&user::fail>(gather, counters);
    // The error text depends on how far the end of the array has progressed on the PE.
    for (const auto& text : texts)
      EXPECT_TRUE(text.ends_with("has been destroyed") || text.starts_with("that array of counter has ended"))
          << text;
  });
}

TEST_P(process_groups, have_no_chare_of_a_process_that_there_is_not) {
  run([]() -> task<> {
    const auto counters = make_process_group<counter>(0);
    EXPECT_THROW(static_cast<void>(counters[counters.size()]), error);
    co_return;
  });
}

INSTANTIATE_TEST_SUITE_P(on, process_groups, ::testing::ValuesIn(machines()), name_of_machine);

}  // namespace
}  // namespace imbrex
