// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/promise.hpp>

namespace imbrex::promises_test {

class promises : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, promises, ::testing::ValuesIn(machines()), name_of_machine);

class keeper : public chare<keeper> {
 public:
  /// Passes a promise on to the next element of its array, `times` times.
  void pass(promise<std::string> result, int times) {
    if (times > 0)
      return send<&keeper::pass>(peers()[(where()[0] + 1) % peers().shape()[0]], result, times - 1);
    result.set_value("from " + std::to_string(where()[0]));
  }
  void keep(promise<> result) { kept_.push_back(result); }
  void set_all() {
    for (const auto& each : std::exchange(kept_, {})) each.set_value();
  }
  void move_to(int pe) { migrate_to(pe); }
  void give_up(promise<std::unique_ptr<int>> result) {
    result.set_exception(std::make_exception_ptr(std::runtime_error("given up")));
  }
  void give(promise<std::unique_ptr<int>> result) { result.set_value(std::make_unique<int>(5)); }
  void set_twice(promise<int> result, bool by_exception) {
    result.set_value(1);
    if (by_exception)
      result.set_exception(std::make_exception_ptr(std::runtime_error("late")));
    else
      result.set_value(2L);
  }
  void serialize(auto& ar) { ar(kept_); }

 private:
  std::vector<promise<>> kept_;
};

TEST_P(promises, are_set_by_whoever_has_them) {
  run([]() -> task<int> {
    const auto all = make_array<keeper>(5);
    for (int times = 0; times < 7; ++times) {
      auto [promise, result] = make_promise<std::string>();
      send<&keeper::pass>(all[0], promise, times);
      const std::string text = co_await result;
      EXPECT_EQ(text, "from " + std::to_string(times % 5));
    }
    auto [promise, result] = make_promise<std::string>();
    promise.set_value("here");
    const std::string text = co_await result;
    EXPECT_EQ(text, "here");
    co_return 0;
  });
}

TEST_P(promises, go_with_a_chare_that_migrates) {
  run([]() -> task<int> {
    const auto all = make_array<keeper>(2);
    std::vector<pending<void>> results;
    for (int i = 0; i < 3; ++i) {
      auto [promise, result] = make_promise();
      co_await all[1].call<&keeper::keep>(promise);
      results.push_back(std::move(result));
    }
    co_await all[1].call<&keeper::move_to>((pe() + 1) % num_pes());
    co_await quiescence();
    EXPECT_FALSE(results[0].ready());
    send<&keeper::set_all>(all[1]);
    for (auto& result : results) co_await result;
    co_return 0;
  });
}

TEST_P(promises, carry_exceptions_and_what_only_moves) {
  run([]() -> task<int> {
    const auto all = make_array<keeper>(3);
    auto [kept, value] = make_promise<std::unique_ptr<int>>();
    send<&keeper::give>(all[2], kept);
    const auto result = co_await value;
    EXPECT_EQ(*result, 5);
    auto [broken, never_set] = make_promise<std::unique_ptr<int>>();
    send<&keeper::give_up>(all[2], broken);
    const std::string text = co_await awaited_error_of<std::runtime_error>(never_set);
    EXPECT_EQ(text.substr(0, 8), "given up");
    co_return 0;
  });
}

TEST_P(promises, are_dropped_where_nobody_waits_any_more) {
  run([]() -> task<int> {
    const auto all = make_array<keeper>(1);
    {
      auto [promise, result] = make_promise();
      co_await all[0].call<&keeper::keep>(promise);
    }
    co_await all[0].call<&keeper::set_all>();
    co_await quiescence();
    co_return 0;
  });
}

TEST_P(promises, that_stand_for_nothing_are_refused) {
  std::optional<promise<int>> of_another_run;
  run([&]() -> task<int> {
    std::string text = error_of<error>([&] { promise<int>().set_value(1); });
    EXPECT_NE(text.find("a default-constructed promise was set"), std::string::npos) << text;
    if (of_another_run) {
      text = error_of<error>([&] { of_another_run->set_value(1); });
      EXPECT_NE(text.find("belongs to an earlier run"), std::string::npos) << text;
    }
    auto [promise, result] = make_promise<int>();
    of_another_run = promise;
    co_return 0;
  });
}

TEST_P(promises, that_are_set_twice_end_the_run) {
  bool by_exception = false;
  for (const options& settings : GetParam().runs) {
    by_exception = !by_exception;
    ::testing::internal::CaptureStderr();
    const int status = run_once(settings, [by_exception]() -> task<int> {
      const auto all = make_array<keeper>(1);
      auto [promise, result] = make_promise<int>();
      send<&keeper::set_twice>(all[0], promise, by_exception);
      co_await quiescence();  // so that both results arrive
      co_return co_await result;
    });
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, 1);
    EXPECT_NE(text.find("a promise was set twice"), std::string::npos) << text;
  }
}

}  // namespace imbrex::promises_test
