// SPDX-License-Identifier: Apache-2.0
// Several checkpoints and restarts, one after the other, of which some fail.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/checkpoint/driver/enable.hpp>
#include <imbrex/checkpoint/driver/test_folder.test.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/testing/awaited_error_of.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::repeated_checkpoints_test {

using testing::awaited_error_of;

class repeated_checkpoints : public checkpoints_test::in_test_folder {};

/// Cannot be written at will.
class moody : public chare<moody> {
 public:
  static inline std::atomic<bool> is_stubborn = false;

  mailbox<int> words;

  moody() : value_(0) {}
  explicit moody(int first) : value_(first + where()[0]) {}
  std::int64_t value() const { return value_; }
  void serialize(auto& ar) {
    if (is_stubborn && where()[0] == 5) throw error("element 5 will not be written");
    ar(words, value_);
  }
  task<int> sum_of_words(int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) {
      const int word = co_await words.receive(i);
      sum += word;
    }
    co_return sum;
  }

 private:
  std::int64_t value_;
};

constexpr int count = 9;
constexpr std::int64_t sum_of_values = 9 * 100 + 36;

TEST_F(repeated_checkpoints, are_whole_after_one_that_has_failed) {
  EXPECT_EQ(testing::run_in_processes(2, on(testing::threads(2)),
                                      []() -> task<> {
                                        const auto all = make_array<moody>(dense({count}).named("all"), 100);
                                        co_await all.created();
                                        moody::is_stubborn = true;
                                        const std::string why =
                                            co_await awaited_error_of<error>(checkpoint());
                                        EXPECT_NE(why.find("element 5 will not be written"), why.npos) << why;
                                        moody::is_stubborn = false;
                                        co_await checkpoint();
                                      }),
            0);
  for (const int pes : {3, 4}) {
    EXPECT_EQ(run(on(testing::threads(pes)),
                  []() -> task<> {
                    const auto all = restored<moody>("all");
                    EXPECT_EQ(all->size(), count);
                    const std::int64_t sum_of_all = co_await all->reduce<&moody::value>(sum);
                    EXPECT_EQ(sum_of_all, sum_of_values);
                    co_await checkpoint();
                  }),
              0);
  }
}

TEST_F(repeated_checkpoints, take_unread_letters_however_many_an_element_has) {
  EXPECT_EQ(run(on(testing::threads(2)),
                []() -> task<> {
                  auto all = restored<moody>("all");
                  EXPECT_FALSE(all);
                  all = make_array<moody>(dense({count}).named("all"), 100);
                  for (int i = 0; i < count; ++i)
                    for (int word = 0; word < count - i; ++word) send<&moody::words>((*all)[i], word, word);
                  co_await quiescence();
                  co_await checkpoint();
                }),
            0);
  EXPECT_EQ(run(on(testing::threads(3)),
                []() -> task<> {
                  const auto all = restored<moody>("all");
                  for (int i = 0; i < count; ++i) {
                    const int words = co_await (*all)[i].call<&moody::sum_of_words>(count - i);
                    EXPECT_EQ(words, (count - i) * (count - i - 1) / 2);
                  }
                }),
            0);
}

TEST_F(repeated_checkpoints, keep_values_that_later_runs_do_not_save_again) {
  for (int begin = 0; begin < 3; ++begin)
    EXPECT_EQ(run(on(testing::threads(1 + begin)),
                  [=]() -> task<> {
                    if (begin == 0) save("kept", std::vector<int>{1, 2, 3});
                    const auto kept = restored<std::vector<int>>("kept");
                    if (begin > 0) {
                      EXPECT_EQ(kept, (std::vector<int>{1, 2, 3}));
                      EXPECT_EQ(restored<int>("runs"), begin - 1);
                    }
                    save("runs", begin);
                    co_await checkpoint();
                  }),
              0);
}

TEST_F(repeated_checkpoints, have_names_of_values_apart_from_those_of_the_runtime) {
  EXPECT_EQ(run(on(testing::threads(1)),
                []() -> task<> {
                  for (const char* const name : {"tables of PEs", "PEs of records"}) {
                    const std::string why = testing::error_of<usage_error>([&] { save(name, 1); });
                    EXPECT_NE(why.find(name), why.npos) << why;
                  }
                  co_return;
                }),
            0);
}

TEST_F(repeated_checkpoints, warn_once_of_arrays_that_are_left_out) {
  EXPECT_EQ(run(on(testing::threads(1)),
                []() -> task<> {
                  for (const char* const name : {"first", "second"})
                    static_cast<void>(make_array<moody>(dense({count}).named(name), 1));
                  co_await checkpoint();
                }),
            0);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(on(testing::threads(2)),
                []() -> task<> {
                  restored<moody>("first");
                  co_await checkpoint();
                  co_await checkpoint();
                }),
            0);
  const std::string text = ::testing::internal::GetCapturedStderr();
  const auto at = text.find("the program has not restored the array \"second\"");
  EXPECT_NE(at, text.npos) << text;
  EXPECT_EQ(text.find("has not restored", at + 30), text.npos) << text;
}

/// A class whose `serialize` names as many fields as it has values.
class list_by_hand {
 public:
  void add(int value) { values_.push_back(value); }
  const std::vector<int>& values() const { return values_; }
  void serialize(auto& ar) {
    auto n = static_cast<std::uint32_t>(values_.size());
    ar(n);
    values_.resize(n);
    for (int& each : values_) ar(each);
  }

 private:
  std::vector<int> values_;
};

TEST_F(repeated_checkpoints, keep_values_of_a_class_with_fields_by_its_state) {
  EXPECT_EQ(run(on(testing::threads(1)),
                []() -> task<> {
                  list_by_hand list;
                  for (int i = 0; i < 7; ++i) list.add(i);
                  save("list", list);
                  co_await checkpoint();
                }),
            0);
  EXPECT_EQ(
      run(on(testing::threads(1)),
          []() -> task<> {
            EXPECT_EQ(restored<list_by_hand>("list")->values(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
            const std::string why = testing::error_of<usage_error>([] { restored<std::string>("list"); });
            EXPECT_NE(why.find("the value \"list\" of the checkpoint"), why.npos) << why;
            co_return;
          }),
      0);
}

TEST_F(repeated_checkpoints, count_starts_that_have_failed_and_no_others) {
  EXPECT_EQ(run(on(testing::threads(2)), []() -> task<> { co_await checkpoint(); }), 0);
  const auto tries = [&] { return checkpoints::tries_of(folder() + "/000001"); };
  const auto begin = [&](int status) {
    return run(on(testing::threads(2)), [=]() -> task<int> {
      EXPECT_EQ(checkpoints::tries_of(extension::run_handle::here().settings().checkpoint.folder + "/000001"),
                1);
      co_return status;
    });
  };
  EXPECT_EQ(begin(0), 0);
  EXPECT_EQ(tries(), 0);
  EXPECT_EQ(begin(usage_error::exit_status), usage_error::exit_status);
  EXPECT_EQ(tries(), 0);
  EXPECT_EQ(begin(1), 1);
  EXPECT_EQ(tries(), 1);
}

}  // namespace imbrex::repeated_checkpoints_test
