// SPDX-License-Identifier: Apache-2.0
// Entries that are no coroutines: each runs on a stack of its own, and can wait for anything that an entry
// can co_await.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/behaviour/stack_entry.test.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/trace/reader.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::stack_test {

class stacks : public on_machine {
 protected:
  ~stacks() override { EXPECT_EQ(stack::count(), 0); }

  /// Runs a program that fails, and checks its output for each expected text.
  template <class Main>
  void fails(const Main& main, const std::vector<std::string>& expected) {
    for (const options& settings : GetParam().runs) {
      SCOPED_TRACE(text_of(settings));
      ::testing::internal::CaptureStderr();
      EXPECT_EQ(run_once(settings, main), 1);
      const std::string text = ::testing::internal::GetCapturedStderr();
      for (const auto& e : expected)
        EXPECT_NE(text.find(e), std::string::npos) << e << "\nis not in\n" << text;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(on, stacks, ::testing::ValuesIn(machines()), name_of_machine);

/// Counts the blocks that are being executed.
struct presence {
  presence() { ++count; }
  ~presence() { --count; }
  static inline std::atomic<int> count = 0;
};

class climber : public chare<climber> {
 public:
  mailbox<int> rope;
  mailbox<std::string> words;

  int twice(int n) { return 2 * n; }
  int fail(int n) { throw std::out_of_range("fell from " + std::to_string(n)); }
  task<int> sum_of_two(int first) {
    const int a = co_await rope.receive(first);
    const int b = co_await rope.receive(first + 1);
    co_return a + b;
  }

  stack_entry<int> at_once(int n) {
    return [n](stack&) { return n + 1; };
  }
  stack_entry<std::string> wait_for_everything() {
    return [this](stack& here) {
      std::string text;
      for (int round = 0; round < 3; ++round) text += std::to_string(here.await(rope.receive(round))) + " ";
      text += here.await(words.receive_any()) + " ";
      text += std::to_string(here.await(peers()[0].call<&climber::twice>(21))) + " ";
      here.await(sleep_for(std::chrono::microseconds(30)));
      text += std::to_string(here.await(all_reduce(1, sum))) + " ";
      const auto [a, b] = here.await(when_all(rope.receive(10), words.receive(11)));
      text += std::to_string(a) + b + " ";
      const auto first = here.await(when_any(rope.receive(20), words.receive(99)));
      text += std::to_string(first.index) + " ";
      text += std::to_string(here.await(sum_of_two(30)));
      return text;
    };
  }
  stack_entry<int> wait_in_a_handler(int n) {
    return [this, n](stack& here) {
      int sum = 0;
      try {
        here.await(self().call<&climber::fail>(n));
      } catch (const std::out_of_range&) {
        sum += here.await(rope.receive(n));  // no coroutine can wait in a handler
        try {
          throw;
        } catch (const std::exception& e) {
          sum += e.what() == "fell from " + std::to_string(n) ? 1 : 1000;
        }
      }
      return sum;
    };
  }
  stack_entry<> let_fall() {
    return [this](stack& here) { here.await(self().call<&climber::fail>(7)); };
  }
  stack_entry<int> hold() {
    return [this](stack& here) {
      const presence inside;
      return here.await(rope.receive(42));
    };
  }
  void let_go() { destroy(); }

  stack_entry<std::vector<int>> carry_over(int moves) {
    return [this, moves](stack& here) {
      std::vector<int> been;
      const presence inside;
      for (int i = 0; i < moves; ++i) {
        been.push_back(here.await(rope.receive(i)));
        been.push_back(pe());
      }
      return been;
    };
  }
  stack_entry<int> move_after_a_call(int to) {
    return [this, to](stack& here) {
      auto answer = self().call<&climber::twice>(4);
      migrate_to(to);
      const int sum = here.await(std::move(answer)) + here.await(rope.receive(3));
      return sum + 100 * pe();
    };
  }
  stack_entry<int> restart(int times) {
    return [this, times](stack& here) {
      const presence inside;
      if (times == 0) return pe();
      migrate_to((pe() + 1) % num_pes());
      here.await(balance_point<&climber::restart>(times - 1));
      return here.await(self().call<&climber::twice>(0)) + (num_pes() == 1 ? pe() : -1);
    };
  }
  void go(int to) { migrate_to(to); }
  int on() const { return pe(); }
  void serialize(auto& ar) { ar(rope, words); }
};

TEST_P(stacks, may_end_at_once) {
  run([]() -> task<> {
    auto all = make_array<climber>({7});
    const int each = co_await all[3].call<&climber::at_once>(41);
    EXPECT_EQ(each, 42);
    const int sum_of_all = co_await all.reduce<&climber::at_once>(sum, 1);
    EXPECT_EQ(sum_of_all, 14);
  });
}

TEST_P(stacks, wait_for_all_that_an_entry_can_await) {
  run([]() -> task<> {
    auto all = make_array<climber>({5});
    std::vector<pending<std::string>> texts;
    for (int i = 0; i < 5; ++i) {
      texts.push_back(all[i].call<&climber::wait_for_everything>());
      for (const int r : {2, 1, 0, 20, 31, 30, 10}) send<&climber::rope>(all[i], r, r + 100 * i);
      send<&climber::words>(all[i], "any");
    }
    co_await quiescence();
    for (int i = 0; i < 5; ++i) send<&climber::words>(all[i], 11, "eleven");
    for (int i = 0; i < 5; ++i) {
      const auto n = [i](int r) { return std::to_string(r + 100 * i); };
      const auto text = co_await texts[static_cast<std::size_t>(i)];
      EXPECT_EQ(text, n(0) + " " + n(1) + " " + n(2) + " any 42 5 " + n(10) + "eleven 0 " +
                          std::to_string(61 + 200 * i));
    }
  });
}

TEST_P(stacks, wait_inside_of_handlers_of_exceptions) {
  run([]() -> task<> {
    auto all = make_array<climber>({4});
    std::vector<pending<int>> sums;
    for (int i = 0; i < 12; ++i) sums.push_back(all[i % 4].call<&climber::wait_in_a_handler>(i));
    co_await quiescence();
    for (int i = 11; i >= 0; --i) send<&climber::rope>(all[i % 4], i, 10 * i);
    for (int i = 0; i < 12; ++i) {
      const int each = co_await sums[static_cast<std::size_t>(i)];
      EXPECT_EQ(each, 10 * i + 1);
    }
  });
}

TEST_P(stacks, pass_exceptions_on_to_who_awaits_them) {
  run([]() -> task<> {
    auto all = make_array<climber>({3});
    const std::string text = co_await awaited_error_of<std::out_of_range>(all[2].call<&climber::let_fall>());
    EXPECT_EQ(text, "fell from 7");
  });
  fails(
      []() -> task<> {
        auto all = make_array<climber>({3});
        send<&climber::let_fall>(all[2]);
        co_await quiescence();
      },
      {"climber(2), entry fail", "fell from 7"});
}

TEST_P(stacks, are_named_in_the_report_of_a_deadlock) {
  fails(
      []() -> task<> {
        auto all = make_array<climber>({3});
        send<&climber::rope>(all[1], 41, 7);
        co_await all[1].call<&climber::hold>();
      },
      {"deadlock", "climber(1), entry hold, on PE ", " waits for rope with reference 42 (1 unread",
       "other references), at its stack"});
}

TEST_P(stacks, are_destroyed_with_their_chares_and_unwound) {
  run([]() -> task<> {
    auto all = make_array<climber>({6});
    std::vector<pending<int>> held;
    for (int i = 0; i < 6; ++i) held.push_back(all[i].call<&climber::hold>());
    co_await quiescence();
    for (int i = 0; i < 6; i += 2) send<&climber::let_go>(all[i]);
    for (int i = 0; i < 6; i += 2) {
      const std::string text = co_await awaited_error_of<error>(held[static_cast<std::size_t>(i)]);
      EXPECT_NE(text.find("was destroyed before that entry had ended"), std::string::npos) << text;
    }
    // The other stacks are dropped at the end of the run.
  });
  EXPECT_EQ(presence::count, 0);
  EXPECT_EQ(stack::count(), 0);
}

TEST_P(stacks, go_on_after_a_move_to_another_pe_of_their_process) {
  for (const options& settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    std::set<int> seen;
    const int status = run_once(settings, [&]() -> task<> {
      auto single_element = make_array<climber>({1});
      const int moves = 3 * num_pes();
      auto been = single_element[0].call<&climber::carry_over>(moves);
      co_await quiescence();
      std::vector<int> expected;
      for (int i = 0; i < moves; ++i) {
        send<&climber::go>(single_element[0], i % num_pes());
        co_await quiescence();
        const int on = co_await single_element[0].call<&climber::on>();
        seen.insert(on);
        expected.insert(expected.end(), {i * i, on});
        send<&climber::rope>(single_element[0], i, i * i);
        co_await quiescence();
      }
      const auto found = co_await been;
      EXPECT_EQ(found, expected);
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(settings.pes));
  }
}

TEST_P(stacks, leave_when_nothing_keeps_them_on_their_pe) {
  for (const options& settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    const int status = run_once(settings, [&]() -> task<> {
      auto single_element = make_array<climber>({1});
      const int from = co_await single_element[0].call<&climber::on>();
      const int of_process = from / settings.pes * settings.pes;
      const int to = of_process + (from + 1) % settings.pes;
      auto result = single_element[0].call<&climber::move_after_a_call>(to);
      co_await quiescence();
      send<&climber::rope>(single_element[0], 3, 5);
      const int sum = co_await result;
      EXPECT_EQ(sum, 13 + 100 * to);
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(stacks, end_at_a_balance_point) {
  run([]() -> task<> {
    auto all = make_array<climber>({4});
    for (int i = 0; i < 4; ++i) {
      const int before = co_await all[i].call<&climber::on>();
      const int after = co_await all[i].call<&climber::restart>(num_pes() + 1);
      EXPECT_EQ(after, (before + (num_pes() == 1 ? 0 : num_pes() + 1)) % num_pes());
    }
  });
  EXPECT_EQ(presence::count, 0);
}

TEST_P(stacks, are_dropped_where_they_are_when_a_run_exits) {
  for (const options& settings : GetParam().runs) {
    const int status = run_once(settings, []() -> task<> {
      auto all = make_array<climber>({9});
      for (int i = 0; i < 9; ++i) {
        send<&climber::hold>(all[i]);
        send<&climber::go>(all[i], i % num_pes());
      }
      imbrex::exit(3);
      co_await sleep_for(std::chrono::hours(1));
    });
    EXPECT_EQ(status, 3);
    EXPECT_EQ(presence::count, 0);
    EXPECT_EQ(stack::count(), 0);
  }
}

TEST_P(stacks, appear_in_traces) {
  using trace::record_kind;
  if (GetParam().processes > 1) GTEST_SKIP() << "each process has a file of its own";
  for (options settings : GetParam().runs) {
    const test::temporary_trace folder;
    settings.trace = folder.file();
    const int status = run_once(settings, []() -> task<> {
      auto all = make_array<climber>({2});
      auto held = all[1].call<&climber::hold>();
      co_await quiescence();
      send<&climber::rope>(all[1], 42, 1);
      co_await held;
    });
    EXPECT_EQ(status, 0);
    int suspended = 0;
    int resumed = 0;
    trace::reader source(settings.trace);
    for (auto piece = source.next(); !piece.records.empty(); piece = source.next()) {
      const auto& file = *source.files()[source.tracks()[piece.track].file];
      for (const auto& r : piece.records) {
        if (r.kind != record_kind::suspended && r.kind != record_kind::resumed) continue;
        if (!std::string(file.name(trace::name_table::entries, r.entry)).ends_with("climber::hold")) continue;
        EXPECT_EQ(r.a, 42);
        ++(r.kind == record_kind::suspended ? suspended : resumed);
      }
    }
    EXPECT_EQ(suspended, 1);
    EXPECT_EQ(resumed, 1);
  }
}

class computing : public chare<computing> {
 public:
  stack_entry<std::int64_t> copy_numbers(int n) {
    return [n](stack& here) {
      const auto count = static_cast<std::size_t>(n);
      stream work(gpu(), stream_priority::low, "copies");
      device_buffer<std::int64_t> numbers(gpu(), count);
      pinned_buffer<std::int64_t> first(gpu(), count);
      pinned_buffer<std::int64_t> last(gpu(), count);
      std::iota(first.span().begin(), first.span().end(), 1);
      work.copy(numbers.span(), first.span());
      work.copy(last.span(), numbers.span());
      here.await(work.done());
      return std::accumulate(last.span().begin(), last.span().end(), std::int64_t{0});
    };
  }
};

TEST_P(stacks, wait_for_a_device) {
  for (options settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    settings.device = "emulated";
    const int status = run_once(settings, []() -> task<> {
      auto all = make_array<computing>({5});
      const auto total = co_await all.reduce<&computing::copy_numbers>(sum, 100);
      EXPECT_EQ(total, 5 * 5050);
    });
    EXPECT_EQ(status, 0);
  }
}

}  // namespace imbrex::stack_test
