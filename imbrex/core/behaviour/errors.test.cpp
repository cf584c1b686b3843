// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::errors_test {

/// Machines in which a message to another PE is always serialised.
std::vector<testing::machine> machines_with_bytes() {
  std::vector<testing::machine> some = machines({"serialized", "processes_2"});
  some.push_back({"delayed", {serializing(delayed())}});
  some.push_back({"deterministic", {seeded(2, 1), seeded(3, 2)}});
  return some;
}

class errors : public on_machine {
 protected:
  /// Runs a program that must fail, on each machine, and expects each of these texts in its output.
  template <class Main>
  void fails(const Main& main, const std::vector<std::string>& expected, int status = 1) {
    for (const options& settings : GetParam().runs) {
      SCOPED_TRACE(text_of(settings));
      ::testing::internal::CaptureStderr();
      EXPECT_EQ(run_once(settings, main), status);
      const std::string text = ::testing::internal::GetCapturedStderr();
      for (const auto& e : expected)
        EXPECT_NE(text.find(e), std::string::npos) << e << "\nis not in\n" << text;
      if (status != 1) continue;
      EXPECT_GE(occurrences(text, "imbrex: error:"), 1) << text;
      // Processes that fail at the same time each report an error.
      EXPECT_LE(occurrences(text, "imbrex: error:"), GetParam().processes) << text;
    }
  }
  static int occurrences(const std::string& text, const std::string& of) {
    int n = 0;
    for (auto at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++n;
    return n;
  }
};
INSTANTIATE_TEST_SUITE_P(on, errors,
                         ::testing::ValuesIn(machines({"threads_1", "threads_3", "serialized", "delayed",
                                                       "shuffled_3", "deterministic_5", "simulated",
                                                       "processes_2x2", "processes_4"})),
                         name_of_machine);

struct own_exception : std::exception {
  const char* what() const noexcept override { return "my own"; }
};

class faulty : public chare<faulty, index<2>> {
 public:
  mailbox<int> port;
  channel<int> line;

  void fail() { throw std::runtime_error("it broke"); }
  void fail_oddly() { throw 5; }
  int fail_with_own() { throw own_exception(); }
  task<> fail_later() {
    co_await sleep_for(std::chrono::microseconds(1));
    throw std::out_of_range("it broke later");
  }
  task<int> pass_on(element<faulty> to) {
    co_await to.call<&faulty::fail_later>();
    co_return 1;
  }
  void allocate() { huge_.reserve(std::size_t{1} << 59U); }
  int fail_at_one() {
    if (where() == index<2>(0, 1)) throw std::invalid_argument("one of many");
    return 1;
  }
  int fail_by_place() { throw std::runtime_error("the same"); }
  task<int> fail_after_a_failure(element<faulty> other) {
    try {
      co_await other.call<&faulty::fail>();
    } catch (const std::runtime_error&) {
    }
    throw std::domain_error("my own fault");
  }
  task<> reduce_a_failure(array<faulty> all) { co_await all.reduce<&faulty::fail_at_one>(sum); }
  task<> wait() { co_await port.receive(42); }
  task<int> fail_or_wait() {
    if (where()[0] + where()[1] == 0) throw std::runtime_error("I am the first");
    co_return co_await port.receive(43);
  }
  task<> wait_for_any() { co_await port.receive_any(); }
  task<> wait_for_all() { co_await all_reduce(1, sum); }
  task<> wait_for_two() {
    line.connect<&faulty::line>(self());
    line.send(1);
    for (int n = 0; n < 2; ++n) co_await line.receive();
  }
  void say_to(element<faulty> other) {
    line.connect<&faulty::line>(other);
    line.send(1);
  }
  task<int> hear() { co_return co_await line.receive(); }
  void end_the_run(int status) { imbrex::exit(status); }

 private:
  std::vector<double> huge_;
};

template <class R>
task<> arrival_of(const pending<R>& result) {
  while (!result.ready()) co_await sleep_for(std::chrono::microseconds(10));
}

TEST_P(errors, a_second_end_that_is_connected_to_one_ends_the_run) {
  fails(
      []() -> task<> {
        const auto all = make_array<faulty>({1, 3});
        co_await all[{0, 1}].call<&faulty::say_to>(all[{0, 0}]);
        co_await all[{0, 0}].call<&faulty::hear>();
        co_await all[{0, 2}].call<&faulty::say_to>(all[{0, 0}]);
        co_await all[{0, 0}].call<&faulty::hear>();
      },
      {"faulty(0, 0), entry line",
       "a channel received a value from a second end: a channel has one other end"});
}
TEST_P(errors, an_exception_that_nobody_has_awaited_ends_the_run) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        const auto unawaited = all[{1, 0}].call<&faulty::fail_with_own>();
        co_await arrival_of(unawaited);
      },
      {"my own (thrown by faulty(1, 0), entry fail_with_own, on PE ",
       "the result of faulty::fail_with_own was not awaited"});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        const auto unawaited = all[{1, 0}].call<&faulty::fail_with_own>();
        co_await arrival_of(unawaited);
        co_await all[{0, 1}].call<&faulty::fail_later>();  // the exception that is thrown first
      },
      {"the main task: std::out_of_range: it broke later"});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        auto wins = all[{0, 0}].call<&faulty::fail_at_one>();
        auto loses = all[{1, 0}].call<&faulty::fail_with_own>();
        co_await arrival_of(wins);
        co_await arrival_of(loses);
        co_await when_any(std::move(wins), std::move(loses));
      },
      {"my own (thrown by faulty(1, 0), entry fail_with_own, on PE ",
       "the result of faulty::fail_with_own was not awaited"});
}

TEST_P(errors, an_exception_in_a_send_ends_the_run) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        send<&faulty::fail>(all[{1, 0}]);
        co_await sleep_for(std::chrono::hours(1));
      },
      {"faulty(1, 0)", "fail", "on PE ", "std::runtime_error: it broke"});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        send<&faulty::fail_later>(all[{0, 1}]);
        co_await sleep_for(std::chrono::hours(1));
      },
      {"faulty(0, 1)", "fail_later", "std::out_of_range: it broke later"});
  fails(
      []() -> task<> {
        send<&faulty::fail_oddly>(make_array<faulty>({2, 2}));
        co_await sleep_for(std::chrono::hours(1));
      },
      {"faulty(", "fail_oddly", "an exception of type int"});
}

TEST_P(errors, an_exception_that_its_awaiter_lets_go_on_names_who_threw_it) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all[{1, 1}].call<&faulty::fail>();
      },
      {"the main task: std::runtime_error: it broke (thrown by faulty(1, 1), entry fail, on PE "});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        send<&faulty::pass_on>(all[{1, 1}], all[{0, 1}]);
        co_await sleep_for(std::chrono::hours(1));
      },
      {"faulty(1, 1), entry pass_on, on PE ",
       "std::out_of_range: it broke later (thrown by faulty(0, 1), entry fail_later, on PE "});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all[{1, 1}].call<&faulty::pass_on>(all[{0, 1}]);
      },
      {"the main task: std::out_of_range: it broke later (thrown by faulty(0, 1), entry fail_later, on PE "});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        const auto call = all[{1, 0}].call<&faulty::fail_with_own>();
        co_await arrival_of(call);
        co_await call;
      },
      {"the main task: ", "my own (thrown by faulty(1, 0), entry fail_with_own, on PE "});
}

TEST_P(errors, an_exception_from_a_reduction_names_who_threw_it) {
  const std::string thrower = "one of many (thrown by faulty(0, 1), entry fail_at_one, on PE ";
  fails([]() -> task<> { co_await make_array<faulty>({2, 2}).reduce<&faulty::fail_at_one>(sum); },
        {"the main task: std::invalid_argument: " + thrower});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all.section({{0, 1}, {1, 1}}).reduce<&faulty::fail_at_one>(sum);
      },
      {"the main task: std::invalid_argument: " + thrower});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all[{1, 1}].call<&faulty::reduce_a_failure>(all);
      },
      {"the main task: std::invalid_argument: " + thrower});
}

TEST_P(errors, each_exception_names_its_own_thrower) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        try {
          co_await all[{0, 0}].call<&faulty::fail_by_place>();
        } catch (const std::runtime_error&) {
        }
        auto later = all[{1, 1}].call<&faulty::fail_by_place>();
        auto sooner = all[{1, 0}].call<&faulty::fail_by_place>();
        co_await when_all(std::move(later), std::move(sooner));
      },
      {"the main task: std::runtime_error: the same (thrown by faulty(1, 1), entry fail_by_place, on PE "});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all[{1, 1}].call<&faulty::fail_after_a_failure>(all[{0, 0}]);
      },
      {"std::domain_error: my own fault (thrown by faulty(1, 1), entry fail_after_a_failure, on PE "});
}

TEST_P(errors, an_exception_in_a_call_reaches_the_awaiter) {
  run([]() -> task<> {
    auto all = make_array<faulty>({2, 2});
    std::string text = co_await awaited_error_of<std::runtime_error>(all[{1, 1}].call<&faulty::fail>());
    EXPECT_EQ(text, "it broke");
    text = co_await awaited_error_of<std::out_of_range>(all[{1, 1}].call<&faulty::pass_on>(all[{0, 0}]));
    EXPECT_EQ(text, "it broke later");
    text = co_await awaited_error_of<std::invalid_argument>(all.reduce<&faulty::fail_at_one>(sum));
    EXPECT_EQ(text, "one of many");
    text = co_await awaited_error_of<std::out_of_range>(all.call<&faulty::fail_later>());
    EXPECT_EQ(text, "it broke later");
    text.clear();
    try {
      co_await all[{1, 1}].call<&faulty::fail_with_own>();
    } catch (const own_exception& e) {
      text = e.what();
    } catch (const remote_error& e) {
      text = e.what();
      EXPECT_NE(e.type_name().find("own_exception"), std::string::npos) << e.type_name();
    }
    EXPECT_EQ(text, "my own");
  });
}

TEST_P(errors, a_deadlock_is_reported_with_who_waits_for_what) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        send<&faulty::port>(all[{1, 1}], 41, 7);
        co_await all[{1, 1}].call<&faulty::wait>();
      },
      {"deadlock", "main task waits for the result of faulty::wait", "faulty(1, 1), entry wait, on PE ",
       "port with reference 42", "1 unread"});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all[{0, 1}].call<&faulty::wait_for_any>();
      },
      {"deadlock", "faulty(0, 1), entry wait_for_any", "any reference"});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all[{0, 1}].call<&faulty::wait_for_two>();
      },
      {"deadlock", "faulty(0, 1), entry wait_for_two", "line, of which it has received 1 value\n"});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all[{0, 1}].call<&faulty::wait_for_all>();
      },
      {"deadlock", "faulty(0, 1), entry wait_for_all", "all_reduce"});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>(sparse(index<2>(2, 2)));
        co_await all[{0, 1}].call<&faulty::wait>();
      },
      {"deadlock", "faulty(0, 1)", "never created", "entry wait"});
}

TEST_P(errors, an_exception_that_waits_for_others_is_told_in_a_deadlock) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all.reduce<&faulty::fail_or_wait>(sum);
      },
      {"imbrex: error: std::runtime_error: I am the first (thrown by faulty(0, 0), entry fail_or_wait, on "
       "PE ",
       "The call cannot end, which is a deadlock", "entry fail_or_wait"});
}

/// A file that replaces standard error.
class error_file {
 public:
  error_file() : before_(::dup(STDERR_FILENO)) { ::dup2(::fileno(file_), STDERR_FILENO); }
  ~error_file() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    std::fclose(file_);
  }
  error_file(const error_file&) = delete;
  error_file& operator=(const error_file&) = delete;

  bool has(const std::string& part) const {
    std::string text(65'536, '\0');
    const ssize_t size = ::pread(::fileno(file_), text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text.find(part) != std::string::npos;
  }

 private:
  std::FILE* const file_ = std::tmpfile();
  const int before_;
};

const error_file* report = nullptr;

class timekeeper : public chare<timekeeper> {
 public:
  /// Keeps the run alive until the exception and the waits have been reported.
  task<> run_until_all_is_reported() {
    while (!report->has(
               "std::runtime_error: I am the first (thrown by faulty(0, 0), entry fail_or_wait, on PE ") ||
           !report->has("faulty(1, 1), entry fail_or_wait, on PE 0 waits for port with reference 43"))
      co_await sleep_for(std::chrono::milliseconds(1));
    imbrex::exit(0);
  }
};

TEST(errors_of_calls, are_told_where_others_wait_and_something_goes_on) {
  for (const options& settings : {threads(1), seeded(1, 1)}) {
    SCOPED_TRACE(text_of(settings));
    const error_file file;
    report = &file;
    EXPECT_EQ(run(settings,
                  []() -> task<> {
                    auto ends = make_chare<timekeeper>().call<&timekeeper::run_until_all_is_reported>();
                    co_await make_array<faulty>({2, 2}).reduce<&faulty::fail_or_wait>(sum);
                  }),
              0);
  }
}

TEST_P(errors, a_default_constructed_proxy_is_refused) {
  fails([]() -> task<> { co_await element<faulty>().call<&faulty::wait>(); },
        {"default-constructed proxy", "entry wait of faulty", "make_array"});
  const std::vector<std::function<void()>> uses = {
      [] { send<&faulty::fail>(element<faulty>()); }, [] { send<&faulty::fail>(array<faulty>()); },
      [] { send<&faulty::fail>(section<faulty>()); }, [] { array<faulty>()[{0, 0}]; },
      [] { array<faulty>().section({{0, 0}}); }};
  for (const auto& use : uses)
    fails(
        [use]() -> task<> {
          use();
          co_await quiescence();
        },
        {"default-constructed proxy", "faulty", "make_array"});
}

TEST_P(errors, a_default_constructed_proxy_destroys_nothing) {
  run([]() -> task<> {
    element<faulty>().destroy();
    co_await quiescence();
  });
}

TEST_P(errors, a_message_to_a_destroyed_element_ends_the_run) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        all[{1, 1}].destroy();
        co_await quiescence();
        send<&faulty::fail>(all[{1, 1}]);
        co_await sleep_for(std::chrono::hours(1));
      },
      {"faulty(1, 1)", "entry fail", "has been destroyed"});
}

TEST_P(errors, a_call_of_a_destroyed_element_names_it) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        all[{1, 0}].destroy();
        co_await quiescence();
        co_await all[{1, 0}].call<&faulty::wait>();
      },
      {"faulty(1, 0) has been destroyed"});
}

TEST_P(errors, an_insertion_over_an_element_ends_the_run) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        all.insert({1, 1});
        co_await sleep_for(std::chrono::hours(1));
      },
      {"faulty(1, 1)", "exists already"});
}

class unborn : public chare<unborn> {
 public:
  explicit unborn(int which) {
    if (where_to_throw(which)) throw std::domain_error("no birth");
  }
  int value() const { return 1; }
  task<int> join(section<unborn> over) { co_return co_await all_reduce(over, 1, sum); }

 private:
  static bool where_to_throw(int which) { return which < 0 ? imbrex::pe() == num_pes_less_one() : which > 0; }
  static int num_pes_less_one() { return imbrex::num_pes() - 1; }
};

TEST_P(errors, a_constructor_that_throws_ends_the_run) {
  fails(
      []() -> task<> {
        make_array<unborn>({8}, -1);
        co_await sleep_for(std::chrono::hours(1));
      },
      {"constructor of unborn(", "std::domain_error: no birth"});
  fails(
      []() -> task<> {
        make_chare_on<unborn>(num_pes() - 1, 1);
        co_await sleep_for(std::chrono::hours(1));
      },
      {"constructor of unborn", "std::domain_error: no birth"});
}

TEST_P(errors, a_constructor_that_throws_fails_who_waits_for_the_creation) {
  run([]() -> task<> {
    const auto text_of = [](const error& e) { return std::string(e.what()); };
    std::string text;
    try {
      const auto all = make_array<unborn>({8}, -1);
      for (int again = 0; again < 2; ++again) {
        try {
          co_await all.created();
          ADD_FAILURE() << "it did not throw";
        } catch (const error& e) {
          text = text_of(e);
        }
      }
      const auto expect_failure = [](auto& pending) -> task<> {
        const std::string error_text = co_await awaited_error_of<error>(pending);
        EXPECT_NE(error_text.find("std::domain_error: no birth"), std::string::npos) << error_text;
      };
      for (int again = 0; again < 2; ++again) {
        auto missing = all[7].call<&unborn::value>();
        co_await expect_failure(missing);
        auto sum_of_all = all.reduce<&unborn::value>(sum);
        co_await expect_failure(sum_of_all);
        auto gathered = all.reduce<&unborn::value>(gather);
        co_await expect_failure(gathered);
      }
      if (num_pes() > 1) {
        const int there = co_await all[0].call<&unborn::value>();
        EXPECT_EQ(there, 1);
        const int alone = co_await all[0].call<&unborn::join>(all.section({index<1>(0)}));
        EXPECT_EQ(alone, 1);
        for (const auto& some : {all.section({index<1>(0), index<1>(7)}), all.section(full_extent)})
          for (int again = 0; again < 2; ++again) {
            auto over_missing = all[0].call<&unborn::join>(some);
            co_await expect_failure(over_missing);
          }
      }
      co_await all.destroy();
    } catch (const error& e) {  // if this PE is the last one
      text = text_of(e);
    }
    EXPECT_NE(text.find("constructor of unborn("), std::string::npos) << text;
    EXPECT_NE(text.find("std::domain_error: no birth"), std::string::npos) << text;
    const auto others = make_array<unborn>({8}, 0);
    const auto count = co_await others.reduce<&unborn::value>(sum);
    EXPECT_EQ(count, 8);
  });
}

TEST_P(errors, memory_that_runs_out_is_said_to) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer ends the process itself";
#endif
#endif
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        send<&faulty::allocate>(all[{1, 1}]);
        co_await sleep_for(std::chrono::hours(1));
      },
      {"out of memory", "faulty(1, 1)", "allocate"});
}

TEST_P(errors, in_the_main_task_end_the_run) {
  fails(
      []() -> task<> {
        make_array<faulty>({2, 2});
        throw std::logic_error("main is wrong");
        co_return;
      },
      {"the main task", "std::logic_error: main is wrong"});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        co_await all[{1, 1}].call<&faulty::fail>();
      },
      {"the main task", "it broke"});
}

TEST_P(errors, exit_ends_the_run_with_its_status) {
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        send<&faulty::end_the_run>(all[{1, 1}], 3);
        co_await sleep_for(std::chrono::hours(1));
      },
      {}, 3);
}

TEST_P(errors, a_main_task_with_a_status_gives_it) {
  for (const options& settings : GetParam().runs)
    EXPECT_EQ(run_once(settings, []() -> task<int> { co_return 9; }), 9);
}

TEST_P(errors, a_status_that_would_be_seen_as_another_is_refused) {
  fails([]() -> task<int> { co_return 256; }, {"the main task", "256 would be seen as 0", "1 to 255"});
  fails([]() -> task<int> { co_return -1; }, {"the main task", "-1 would be seen as 255", "1 to 255"});
  fails(
      []() -> task<> {
        auto all = make_array<faulty>({2, 2});
        send<&faulty::end_the_run>(all[{1, 1}], -512);
        co_await sleep_for(std::chrono::hours(1));
      },
      {"faulty(1, 1)", "end_the_run", "-512"});
}

TEST_P(errors, messages_for_elements_never_inserted_are_told_of_at_the_end) {
  for (const options& settings : GetParam().runs) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_once(settings,
                       []() -> task<> {
                         auto all = make_array<faulty>(sparse(index<2>(2, 2)));
                         send<&faulty::wait>(all[{1, 0}]);
                         co_await quiescence();
                       }),
              0);
    const auto text = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("1 undelivered message"), std::string::npos) << text;
    EXPECT_NE(text.find("faulty(1, 0)"), std::string::npos) << text;
  }
}

class contrary : public chare<contrary> {
 public:
  task<> reduce_something() {
    if (where()[0] == 0) {
      co_await all_reduce(1, sum);
    } else {
      co_await all_reduce(1.0, max);
    }
  }
  std::vector<double> row() const { return std::vector<double>(static_cast<std::size_t>(where()[0] + 1)); }
};

TEST_P(errors, elements_that_disagree_about_a_reduction_end_the_run) {
  fails(
      []() -> task<> {
        auto all = make_array<contrary>({4});
        co_await all.call<&contrary::reduce_something>();
      },
      {"contrary", "disagree"});
}

TEST_P(errors, vectors_of_different_lengths_cannot_be_summed) {
  run([]() -> task<> {
    auto all = make_array<contrary>({4});
    const std::string text = co_await awaited_error_of<std::length_error>(all.reduce<&contrary::row>(sum));
    EXPECT_NE(text.find("same length"), std::string::npos) << text;
  });
}

TEST_P(errors, a_wrong_priority_is_refused) {
  run([]() -> task<> {
    auto all = make_array<contrary>({4});
    EXPECT_THROW(all[0].with_priority(-33), error);
    EXPECT_THROW(all[0].with_priority(32), error);
    EXPECT_THROW(all.with_priority(100), error);
    co_return;
  });
}

/// Reads more than it writes, or less.
struct lopsided {
  int written = 1;
  int read = 1;
  void serialize(auto& ar) {
    const bool reading = std::remove_cvref_t<decltype(ar)>::reading;
    std::int32_t number = read;
    ar(written, read);
    for (int i = 0; i < (reading ? read : written); ++i) ar(number);
  }
};

class careless : public chare<careless> {
 public:
  mailbox<lopsided> port;
  void take(const lopsided&) {}
  lopsided give() { return {.written = 1, .read = 2}; }
  void leave() { migrate_to((pe() + 1) % num_pes()); }
  void serialize(auto& ar) { ar(lopsided_); }

 private:
  lopsided lopsided_{.written = 1, .read = 3};
};

class through_bytes : public errors {};
INSTANTIATE_TEST_SUITE_P(on, through_bytes, ::testing::ValuesIn(machines_with_bytes()), name_of_machine);

TEST_P(through_bytes, a_message_that_cannot_be_unpacked_is_named) {
  const std::string truncated = " cannot be unpacked: truncated message: 4 bytes wanted";
  fails(
      []() -> task<> {
        co_await make_chare_on<careless>(num_pes() - 1).call<&careless::take>(lopsided{1, 2});
      },
      {"the message careless::take" + truncated});
  fails(
      []() -> task<> {
        send<&careless::port>(make_chare_on<careless>(num_pes() - 1), lopsided{2, 1});
        co_await sleep_for(std::chrono::hours(1));
      },
      {"the message careless::port cannot be unpacked: oversized message: 4 of "});
  fails(
      []() -> task<> {
        send<&careless::take>(make_array<careless>(8), lopsided{1, 2});
        co_await sleep_for(std::chrono::hours(1));
      },
      {"the message entry_broadcast<", "careless::take", truncated});
  fails([]() -> task<> { co_await make_chare_on<careless>(num_pes() - 1).call<&careless::give>(); },
        {"the message reply_message<", "lopsided>" + truncated});
  fails(
      []() -> task<> {
        send<&careless::leave>(make_array<careless>(8));
        co_await sleep_for(std::chrono::hours(1));
      },
      {"serialize of careless(",
       "), which migrates, threw imbrex::serial_error: truncated message: 4 bytes wanted"});
}

TEST(errors_alone, no_pe_runs_outside_a_run) {
  EXPECT_THROW(imbrex::pe(), error);
  EXPECT_THROW(make_chare<contrary>(), error);
}

TEST(errors_alone, a_proxy_of_an_earlier_run_is_refused) {
  array<faulty> kept;
  const auto keep = [&]() -> task<> {
    kept = make_array<faulty>({2, 1});
    co_return;
  };
  ASSERT_EQ(imbrex::run(options{.pes = 1}, keep), 0);
  const auto use = [&]() -> task<> {
    make_array<contrary>(2);
    EXPECT_THROW(send<&faulty::fail>(kept[{1, 0}]), error);
    EXPECT_THROW(kept.section({{1, 0}}), error);
    const std::string error_text =
        co_await awaited_error_of<error>([&] { return kept[{1, 0}].call<&faulty::fail_at_one>(); });
    EXPECT_NE(error_text.find(
                  "a proxy was used for the entry fail_at_one of faulty that belongs to an earlier run"),
              std::string::npos)
        << error_text;
    co_await quiescence();
  };
  EXPECT_EQ(imbrex::run(options{.pes = 1}, use), 0);
  const auto broadcast = [&]() -> task<> {
    make_array<contrary>(2);
    send<&faulty::fail>(kept);
    co_await quiescence();
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(imbrex::run(options{.pes = 1}, broadcast), 1);
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("earlier run"), std::string::npos) << text;
}

class endless : public chare<endless> {
 public:
  void spin() {
    for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  void fail() { throw std::runtime_error("enough"); }
};

TEST(errors_alone_death_test, an_entry_that_never_returns_does_not_keep_the_process) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EXIT(imbrex::run(threads(2),
                          []() -> task<> {
                            auto on_last = make_chare_on<endless>(1);
                            send<&endless::spin>(on_last);
                            co_await sleep_for(std::chrono::milliseconds(20));
                            throw std::runtime_error("enough");
                          }),
              ::testing::ExitedWithCode(1), "enough[^$]*PE 1 is still busy with endless::spin that does not");
  // The limit is 3 s after a failed run, and 30 s after a successful one.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

class lonely : public chare<lonely> {
 public:
  task<int> all_of_one() {
    const int one = co_await all_reduce(1, sum);
    co_return one;
  }
  int count_peers() { return static_cast<int>(peers().size()); }
};

TEST_P(errors, a_single_chare_has_nobody_to_all_reduce_with) {
  fails(
      []() -> task<> {
        auto single = make_chare<lonely>();
        co_await single.call<&lonely::all_of_one>();
      },
      {"all_reduce", "lonely #1 of PE 0", "single chare"});
}

TEST_P(errors, a_single_chare_has_no_peers) {
  fails(
      []() -> task<> {
        auto single = make_chare<lonely>();
        co_await single.call<&lonely::count_peers>();
      },
      {"peers: lonely #1 of PE 0 is a single chare and has no peers: make an array or a group of its class"});
}

class reader_of_group : public chare<reader_of_group> {
 public:
  std::string look(group<lonely> at) {
    try {
      return at.local()->count_peers() > 0 ? "" : "nobody";
    } catch (const error& e) {
      return e.what();
    }
  }
};

TEST(errors_alone, a_chare_of_a_group_that_is_not_there_yet_is_an_error) {
  int early = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto main = [&]() -> task<> {
      auto reader = make_chare_on<reader_of_group>(1);
      co_await quiescence();
      const std::string text = co_await reader.call<&reader_of_group::look>(make_group<lonely>());
      if (text.empty()) co_return;
      ++early;
      EXPECT_EQ(text,
                "local: the lonely of the group on PE 1 is not there yet, or no more. Messages may come "
                "before the group does: where make_group<lonely> was called, await created() of the group "
                "before others use it");
    };
    EXPECT_EQ(imbrex::run(seeded(2, seed), main), 0);
  }
  EXPECT_GT(early, 0);
  const auto unassigned = []() -> task<> {
    EXPECT_THROW(group<lonely>().local(), error);
    co_return;
  };
  EXPECT_EQ(imbrex::run(threads(1), unassigned), 0);
}

}  // namespace imbrex::errors_test
