// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/checkpoint/driver/enable.hpp>
#include <imbrex/checkpoint/driver/test_folder.test.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/testing/awaited_error_of.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::checkpoint_driver_test {

using checkpoints_test::restarted;
using checkpoints_test::test_folder;
using checkpoints_test::with_folder;
using testing::awaited_error_of;
using testing::machine;
using testing::machine_by_name;

constexpr int count = 11;

/// A cell of a ring. It adds up the words of the cell before it, and one word that a cell farther away sends
/// at the beginning.
class cell : public chare<cell> {
 public:
  static inline std::string removed_midway;  ///< a file; empty: none

  mailbox<std::int64_t> words;
  mailbox<std::int64_t> ahead;

  task<std::int64_t> run(int steps) {
    const int me = where()[0];
    if (step_ == 0) send<&cell::ahead>(peers()[(me + 3) % count], std::int64_t{me} * me);
    while (step_ < steps) {
      send<&cell::words>(next_ ? *next_ : peers()[(me + 1) % count], step_, std::int64_t{me} * step_);
      next_ = peers()[(me + 1) % count];
      const std::int64_t word = co_await words.receive(step_);
      sum_ += word;
      ++step_;
      if (me == 0 && step_ == steps / 2 && !removed_midway.empty()) std::filesystem::remove(removed_midway);
      if (step_ == steps) {
        const std::int64_t sent_ahead = co_await ahead.receive();
        sum_ += sent_ahead;
      }
      co_await balance_point<&cell::run>(steps);
    }
    co_return sum_;
  }
  int step() const { return step_; }
  void wait_for_ever() {}
  task<> wait() { co_await words.receive(-1); }
  void serialize(auto& ar) { ar(words, ahead, next_, step_, sum_); }

 private:
  std::optional<element<cell>> next_;
  int step_ = 0;
  std::int64_t sum_ = 0;
};

std::int64_t expected_sum(int steps) {
  std::int64_t sum = 0;
  for (std::int64_t me = 0; me < count; ++me) {
    sum += me * me;
    for (int step = 0; step < steps; ++step) sum += me * step;
  }
  return sum;
}

constexpr int steps = 200;

/// Runs the ring to its end, or to a checkpoint in its midst.
task<int> run_ring(bool to_checkpoint) {
  auto cells = restored<cell>("cells");
  const bool is_restart = cells.has_value();
  if (!cells) cells = make_array<cell>(dense({count}).named("cells"));
  const int first_step = co_await cells->reduce<&cell::step>(min);
  EXPECT_EQ(first_step > 0, is_restart);
  auto sums = cells->reduce<&cell::run>(sum, steps);
  if (to_checkpoint) {
    while (co_await cells->reduce<&cell::step>(min) < steps / 4) co_await give_way();
    const checkpoint_result saved = co_await checkpoint();
    EXPECT_GT(saved.number, 0);
    EXPECT_GT(saved.bytes, 0);
    imbrex::exit(0);
  }
  const std::int64_t all = co_await sums;
  EXPECT_EQ(all, expected_sum(steps));
  co_return 0;
}

struct pair_of_machines {
  const char* first;
  const char* second;
};

class checkpoint_driver : public ::testing::TestWithParam<pair_of_machines> {};
INSTANTIATE_TEST_SUITE_P(on, checkpoint_driver,
                         ::testing::Values(pair_of_machines{"threads_1", "threads_4"},
                                           pair_of_machines{"threads_4", "threads_2"},
                                           pair_of_machines{"threads_3", "threads_3"},
                                           pair_of_machines{"deterministic_2", "simulated"},
                                           pair_of_machines{"simulated", "deterministic_2"},
                                           pair_of_machines{"serialized", "shuffled_2"},
                                           pair_of_machines{"shuffled_2", "threads_7"}),
                         [](const auto& info) {
                           return std::string(info.param.first) + "_to_" + info.param.second;
                         });

// Other numbers of PEs: charm#983, charm#555, charm#575.
TEST_P(checkpoint_driver, begins_again_with_equal_results) {
  for (const options& first : machine_by_name(GetParam().first).runs) {
    const test_folder folder;
    SCOPED_TRACE(testing::text_of(first));
    ASSERT_EQ(run(with_folder(first, folder), [] { return run_ring(true); }), 0);
    const auto written = folder.list();
    ASSERT_EQ(written.size(), 1U);
    EXPECT_EQ(written.front().problem, "");
    for (const options& second : machine_by_name(GetParam().second).runs)
      EXPECT_EQ(run(restarted(second, folder.path()), [] { return run_ring(false); }), 0)
          << testing::text_of(second);
  }
}

// Several processes of several threads, and more of them than before: charm#2613, spectre#6562.
TEST(checkpoint_driver_of_processes, begins_again_on_other_numbers) {
  for (const auto& [first, second] : {std::pair{1, 3}, std::pair{3, 2}, std::pair{2, 1}}) {
    const test_folder folder;
    const options settings = testing::threads(2);
    ASSERT_EQ(testing::run_in_processes(first, with_folder(settings, folder), [] { return run_ring(true); }),
              0);
    EXPECT_EQ(
        testing::run_in_processes(second, restarted(settings, folder.path()), [] { return run_ring(false); }),
        0);
  }
}

TEST(checkpoints, are_made_after_balance_points_and_removed_later) {
  for (const bool is_balanced : {false, true}) {
    const test_folder folder;
    options settings = with_folder(testing::seeded(3, 5), folder);
    settings.checkpoint.every_points = 20;
    settings.checkpoint.keep = 2;
    if (is_balanced) settings.balance.strategy = "rotate";
    EXPECT_EQ(run(settings, [] { return run_ring(false); }), 0);
    const auto written = folder.list();
    ASSERT_EQ(written.size(), 2U);
    EXPECT_GT(written.back().number, 4U);
    EXPECT_EQ(run(restarted(testing::threads(2), folder.path()), [] { return run_ring(false); }), 0);
    EXPECT_EQ(run(restarted(testing::threads(2), written.front().path), [] { return run_ring(false); }), 0);
  }
}

TEST(checkpoints, are_tried_again_after_the_folder_could_not_be_made) {
  const test_folder folder;
  std::ofstream(folder.path()) << "in the way";
  options settings = with_folder(testing::seeded(3, 5), folder);
  settings.checkpoint.every_points = 10;
  EXPECT_EQ(run(settings,
                [&]() -> task<> {
                  const auto cells = make_array<cell>(dense({count}).named("cells"));
                  cell::removed_midway = folder.path();
                  const std::int64_t all = co_await cells.reduce<&cell::run>(sum, steps);
                  EXPECT_EQ(all, expected_sum(steps));
                }),
            0);
  cell::removed_midway.clear();
  EXPECT_FALSE(folder.list().empty());
}

TEST(checkpoints, that_are_passed_over_are_named) {
  const test_folder folder;
  ASSERT_EQ(run(with_folder(testing::threads(1), folder), [] { return run_ring(true); }), 0);
  checkpoints::checkpoint_folder(folder.path()).create_next();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(restarted(testing::threads(1), folder.path()), [] { return run_ring(false); }), 0);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("passes over a checkpoint: \"" + folder.path() + "/000002\" is no whole checkpoint"),
            std::string::npos)
      << text;
}

TEST(checkpoints, are_made_when_a_signal_asks) {
  const test_folder folder;
  options settings = with_folder(testing::threads(2), folder);
  settings.checkpoint.signal = SIGUSR1;
  EXPECT_EQ(run(settings,
                [&]() -> task<> {
                  static_cast<void>(make_array<cell>(dense({count}).named("cells")));
                  ::raise(SIGUSR1);
                  while (!std::filesystem::exists(folder.path() + "/000001/manifest.json"))
                    co_await quiescence();
                }),
            0);
}

TEST(checkpoints, keep_values_of_the_program) {
  const test_folder folder;
  EXPECT_EQ(run(with_folder(testing::threads(2), folder),
                []() -> task<> {
                  save("title", std::string("a ring"));
                  save("table", std::vector<double>{1, 2.5});
                  co_await checkpoint();
                }),
            0);
  EXPECT_EQ(run(restarted(testing::threads(1), folder.path()),
                []() -> task<> {
                  EXPECT_EQ(restored<std::string>("title"), "a ring");
                  EXPECT_EQ(restored<std::vector<double>>("table"), (std::vector<double>{1, 2.5}));
                  EXPECT_EQ(restored<int>("nothing"), std::nullopt);
                  const std::string error = testing::error_of<usage_error>([] { restored<int>("title"); });
                  EXPECT_NE(error.find("title"), std::string::npos) << error;
                  int reports = 0;
                  on_restart([&](const restart_report& r) {
                    ++reports;
                    EXPECT_EQ(r.pes_before, 2);
                    EXPECT_EQ(r.pes, 1);
                  });
                  EXPECT_EQ(reports, 1);
                  co_return;
                }),
            0);
}

/// A counter on each PE, and a proxy that lives longer than its run.
class counter : public chare<counter> {
 public:
  void set(element<cell> any) {
    value_ = 10 * pe() + 1;
    any_ = any;
  }
  int value() const { return value_; }
  task<int> step_of_any() { co_return co_await any_.call<&cell::step>(); }
  void merge(std::span<counter* const> old) {
    for (const counter* const each : old) value_ += each->value_;
    any_ = old.front()->any_;
  }
  void serialize(auto& ar) { ar(value_, any_); }

 private:
  int value_ = 0;
  element<cell> any_;
};

/// A counter whose class has no `merge`.
class plain_counter : public chare<plain_counter> {
 public:
  void set() { value_ = pe() + 5; }
  int value() const { return value_; }
  void serialize(auto& ar) { ar(value_); }

 private:
  int value_ = 0;
};

// More than arrays come back: charm#2677.
TEST(checkpoints, give_groups_their_state) {
  for (const int pes : {3, 1, 4}) {
    const test_folder folder;
    EXPECT_EQ(run(with_folder(testing::threads(3), folder),
                  []() -> task<> {
                    const auto cells = make_array<cell>(dense({count}).named("cells"));
                    const auto counters = make_group<counter>();
                    const auto plain = make_group<plain_counter>();
                    const bool is_restored = co_await restore(counters);
                    EXPECT_FALSE(is_restored);
                    co_await counters.call<&counter::set>(cells[2]);
                    co_await plain.call<&plain_counter::set>();
                    co_await checkpoint();
                  }),
              0);
    EXPECT_EQ(run(restarted(testing::threads(pes), folder.path()),
                  [&]() -> task<> {
                    const auto counters = make_group<counter>();
                    const auto plain = make_group<plain_counter>();
                    const bool has_counters = co_await restore(counters);
                    EXPECT_TRUE(has_counters);
                    const bool has_plain = co_await restore(plain);
                    EXPECT_TRUE(has_plain);
                    EXPECT_TRUE(restored<cell>("cells"));
                    const auto values = co_await counters.reduce<&counter::value>(gather);
                    EXPECT_EQ(values, pes == 3 ? (std::vector<int>{1, 11, 21}) : std::vector<int>(pes, 33));
                    const auto plain_values = co_await plain.reduce<&plain_counter::value>(gather);
                    EXPECT_EQ(plain_values,
                              pes == 3 ? (std::vector<int>{5, 6, 7}) : std::vector<int>(pes, 5));
                    const int step = co_await counters.reduce<&counter::step_of_any>(sum);
                    EXPECT_EQ(step, 0);
                  }),
              0);
  }
}

/// A single chare, and an array whose elements know some.
class ledger : public chare<ledger> {
 public:
  ledger() = default;
  explicit ledger(int value) : value_(value) {}
  void add(int more) { value_ += more; }
  int value() const { return value_; }
  void serialize(auto& ar) { ar(value_); }

 private:
  int value_ = 0;
};

class owner : public chare<owner> {
 public:
  void open() { own_ = make_chare<ledger>(100 * where()[0]); }
  task<> add(int more) { co_await own_.call<&ledger::add>(more); }
  task<int> value() { co_return co_await own_.call<&ledger::value>(); }
  void serialize(auto& ar) { ar(own_); }

 private:
  element<ledger> own_;
};

// New chares get other numbers than those that come back: charm#3898.
TEST(checkpoints, keep_single_chares) {
  const int owners = 7;
  for (const int pes : {3, 1, 4}) {
    const test_folder folder;
    EXPECT_EQ(run(with_folder(testing::threads(3), folder),
                  [=]() -> task<> {
                    const auto all = make_array<owner>(dense({owners}).named("owners"));
                    co_await all.call<&owner::open>();
                    co_await all.call<&owner::add>(5);
                    co_await checkpoint();
                  }),
              0);
    EXPECT_EQ(run(restarted(testing::threads(pes), folder.path()),
                  [=]() -> task<> {
                    const auto all = restored<owner>("owners");
                    EXPECT_TRUE(all);
                    co_await all->call<&owner::add>(2);
                    const auto values = co_await all->reduce<&owner::value>(gather);
                    for (int i = 0; i < owners; ++i)
                      EXPECT_EQ(values[static_cast<std::size_t>(i)], 100 * i + 7);
                    const auto more = make_chare<ledger>(3);
                    const int value = co_await more.call<&ledger::value>();
                    EXPECT_EQ(value, 3);
                  }),
              0);
  }
}

TEST(checkpoints, fail_in_words_where_an_element_waits_elsewhere) {
  const test_folder folder;
  EXPECT_EQ(run(with_folder(testing::threads(2), folder),
                []() -> task<> {
                  const auto cells = make_array<cell>(dense({count}).named("cells"));
                  auto waits = cells[3].call<&cell::wait>();
                  const std::string problem = co_await awaited_error_of<error>(checkpoint());
                  EXPECT_NE(problem.find("cell(3), entry wait"), std::string::npos) << problem;
                  send<&cell::words>(cells[3], -1, 0);
                  co_await waits;
                  co_await checkpoint();
                }),
            0);
  EXPECT_EQ(folder.list().size(), 1U);
}

class other : public chare<other> {
 public:
  void serialize(auto& ar) { ar(value_); }

 private:
  double value_ = 0;
};

TEST(checkpoints, refuse_what_they_are_not) {
  EXPECT_EQ(run(testing::threads(1),
                []() -> task<> {
                  const std::string problem =
                      testing::error_of<error>([] { static_cast<void>(checkpoint()); });
                  EXPECT_NE(problem.find("--checkpoint DIR"), std::string::npos) << problem;
                  co_return;
                }),
            0);
  const test_folder folder;
  EXPECT_EQ(run(restarted(testing::threads(1), folder.path()), []() -> task<> { co_return; }),
            usage_error::exit_status);
  EXPECT_EQ(run(with_folder(testing::threads(1), folder),
                []() -> task<> {
                  static_cast<void>(make_array<cell>(dense({count}).named("cells")));
                  co_await checkpoint();
                }),
            0);
  EXPECT_EQ(run(restarted(testing::threads(1), folder.path()),
                []() -> task<> {
                  const std::string problem =
                      testing::error_of<usage_error>([] { restored<other>("cells"); });
                  EXPECT_NE(problem.find("cell"), std::string::npos) << problem;
                  EXPECT_EQ(restored<cell>("others"), std::nullopt);
                  co_return;
                }),
            0);
}

class without_serialize : public chare<without_serialize> {
 public:
  int value() const { return value_; }

 private:
  int value_ = 1;
};
class without_constructor : public chare<without_constructor> {
 public:
  explicit without_constructor(int value) : value_(value) {}
  void serialize(auto& ar) { ar(value_); }

 private:
  int value_;
};

TEST(checkpoints, refuse_arrays_that_cannot_be_saved_when_they_are_made) {
  const auto make_all = [](bool is_refused) -> task<> {
    const auto refusal = [&](const auto& make) {
      const std::string problem = is_refused ? testing::error_of<usage_error>(make) : (make(), std::string());
      EXPECT_EQ(problem.find("--checkpoint: the array \"") == 0, is_refused) << problem;
      return problem;
    };
    const auto by_class = refusal([] { make_array<without_serialize>(dense(3).named("plain")); });
    const auto by_constructor = refusal([] { make_array<without_constructor>(dense(3).named("built"), 1); });
    const auto by_placement = refusal([] {
      make_array<other>(dense(3).placed([](index<1> i, index<1>, int pes) { return i[0] % pes; }).named("l"));
    });
    if (is_refused) {
      EXPECT_NE(by_class.find("without_serialize cannot be saved"), std::string::npos) << by_class;
      EXPECT_NE(by_constructor.find("default constructor"), std::string::npos) << by_constructor;
      EXPECT_NE(by_placement.find("lambda"), std::string::npos) << by_placement;
    }
    static_cast<void>(make_array<without_serialize>(dense(3)));
    co_await quiescence();
  };
  const test_folder folder;
  EXPECT_EQ(run(with_folder(testing::threads(2), folder), [&] { return make_all(true); }), 0);
  EXPECT_EQ(run(testing::threads(2), [&] { return make_all(false); }), 0);
}

}  // namespace imbrex::checkpoint_driver_test
