// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/executor.hpp>
#include <imbrex/core/pe/promise.hpp>
#include <imbrex/core/run/pe_attachment.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex::executors_test {

class executors : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, executors, ::testing::ValuesIn(machines()), name_of_machine);

class counter : public chare<counter> {
 public:
  void add(int value) { sum_ += value; }
  int sum() const { return sum_; }
  /// Another thread makes the PE of this chare add to the sum.
  task<int> add_from_a_thread(int values) {
    auto [promise, all_added] = make_promise<int>();
    std::thread other([=, here = make_executor(), own = self()] {
      for (int i = 1; i <= values; ++i) here.post([=] { send<&counter::add>(own, i); });
      here.post([=] { promise.set_value(values); });
    });
    const int added = co_await all_added;
    other.join();
    co_return added;
  }

 private:
  int sum_ = 0;
};

TEST_P(executors, post_for_threads_that_are_no_pe) {
  run([]() -> task<int> {
    constexpr int values = 100;
    const auto all = make_array<counter>(3);
    const int added = co_await all.reduce<&counter::add_from_a_thread>(sum, values);
    EXPECT_EQ(added, 3 * values);
    co_await quiescence();
    const int counted = co_await all.reduce<&counter::sum>(sum);
    EXPECT_EQ(counted, 3 * values * (values + 1) / 2);
    co_return 0;
  });
}

/// Otherwise the run would end with a deadlock.
TEST_P(executors, keep_a_run_from_being_quiet) {
  run([]() -> task<int> {
    std::atomic<bool> has_let_go = false;
    std::thread other([&has_let_go, here = make_executor()]() mutable {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      has_let_go = true;
      here = executor();
    });
    co_await quiescence();
    EXPECT_TRUE(has_let_go);
    other.join();
    co_return 0;
  });
}

class rest final : public observer {
 public:
  void parks() override {
    begun_ = true;
    begun_.notify_all();
  }
  void wait() const { begun_.wait(false); }

 private:
  std::atomic<bool> begun_ = false;
};

/// A thread that holds a lock while it has work, such as an interpreter's, must be notified when it has none.
TEST_P(executors, let_threads_know_that_they_rest) {
  for (const options& settings : GetParam().runs) {
    rest of_any;
    const pe_attachment attachment([&](detail::scheduler& pe) { pe.attach(of_any, observed::thread); });
    const int status = run_once(settings, [&]() -> task<int> {
      auto [promise, posted] = make_promise();
      std::thread other([&of_any, promise, here = make_executor()] {
        of_any.wait();
        here.post([promise] { promise.set_value(); });
      });
      co_await posted;
      other.join();
      co_return 0;
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(executors, refuse_what_comes_after_the_run) {
  executor kept;
  auto counted = std::make_shared<int>(0);
  EXPECT_FALSE(kept.post([counted] { ++*counted; }));
  run([&]() -> task<int> {
    kept = make_executor();
    auto [promise, posted] = make_promise();
    EXPECT_TRUE(kept.post([counted, promise] {
      ++*counted;
      promise.set_value();
    }));
    co_await posted;
    kept.post([counted] { *counted += 1000; });  // may be too late; then the function is destroyed
    co_return 0;
  });
  EXPECT_FALSE(kept.post([counted] { ++*counted; }));
  EXPECT_EQ(*counted % 1000, static_cast<int>(std::ranges::distance(GetParam().runs)));
  EXPECT_EQ(counted.use_count(), 1);
}

TEST_P(executors, end_the_run_by_an_exception) {
  for (const options& settings : GetParam().runs) {
    ::testing::internal::CaptureStderr();
    const int status = run_once(settings, []() -> task<int> {
      make_executor().post([] { throw std::runtime_error("posted in vain"); });
      auto [promise, never] = make_promise();
      co_await never;
      co_return 0;
    });
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, 1);
    EXPECT_NE(text.find("posted in vain"), std::string::npos) << text;
  }
}

TEST(executors_outside_a_run, are_refused) { EXPECT_THROW(make_executor(), error); }

}  // namespace imbrex::executors_test
