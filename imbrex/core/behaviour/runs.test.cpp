// SPDX-License-Identifier: Apache-2.0
// The beginning of runs: by command lines, in sequence, and concurrently.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::runs_test {

struct started_program {
  int status = 0;
  bool ran = false;
  std::string out{};
  std::string err{};
};

/// Starts a program that does nothing, with these arguments.
started_program started(std::vector<std::string> words) {
  words.insert(words.begin(), "/somewhere/program");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  char** argv = arguments.data();
  started_program seen;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  seen.status = imbrex::run(argc, argv, [&]() -> task<> {
    seen.ran = true;
    co_return;
  });
  std::fflush(stdout);
  seen.out = ::testing::internal::GetCapturedStdout();
  seen.err = ::testing::internal::GetCapturedStderr();
  return seen;
}

TEST(runs, an_impossible_number_of_pes_is_a_usage_error) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(imbrex::run(options{.pes = -1}, []() -> task<> { co_return; }), usage_error::exit_status);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("-1"), std::string::npos);
  for (const char* wrong : {"0", "x", "-3"}) {
    const auto seen = started({"--pes", wrong});
    EXPECT_EQ(seen.status, usage_error::exit_status);
    EXPECT_NE(seen.err.find(std::string("--pes ") + wrong), std::string::npos) << seen.err;
    EXPECT_FALSE(seen.ran);
  }
}

TEST(runs, a_slip_of_an_option_is_a_usage_error_and_the_programs_own_are_left_to_it) {
  const auto slip = started({"--pse", "3"});
  EXPECT_EQ(slip.status, usage_error::exit_status);
  EXPECT_FALSE(slip.ran);
  EXPECT_NE(slip.err.find("did you mean --pes?"), std::string::npos) << slip.err;
  const auto own = started({"--pes=1", "--grid", "8", "--", "--pse", "--help"});
  EXPECT_TRUE(own.ran && own.status == 0);
  EXPECT_EQ(own.err + own.out, "");
}

TEST(runs, of_a_program_without_a_help_print_the_options_of_the_runtime) {
  const auto helped = started({"--grid", "8", "--help", "--pse"});
  EXPECT_EQ(helped.status, 0);
  EXPECT_FALSE(helped.ran);
  EXPECT_EQ(helped.out, options_help());
  EXPECT_EQ(helped.err, "");
  const auto wrong = started({"--pes", "0", "--help"});
  EXPECT_EQ(wrong.status, usage_error::exit_status);
  EXPECT_EQ(wrong.out, "");
}

TEST(runs, take_options_from_the_environment) {
  setenv("IMBREX_OPTIONS", "--pes 0", 1);
  const auto wrong = started({});
  setenv("IMBREX_OPTIONS", "--pes 1", 1);
  const auto right = started({});
  unsetenv("IMBREX_OPTIONS");
  EXPECT_EQ(wrong.status, usage_error::exit_status);
  EXPECT_FALSE(wrong.ran);
  EXPECT_NE(wrong.err.find("IMBREX_OPTIONS: --pes 0: the number of PEs"), std::string::npos) << wrong.err;
  EXPECT_TRUE(right.ran && right.status == 0);
}

TEST(runs, options_that_a_machine_would_ignore_are_refused) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong{
      {{"--seed", "1"}, "--seed 1 with --machine threads: only --machine deterministic has an order by it"},
      {{"--seed=7", "--machine=simulated"}, "--seed 7 with --machine simulated: "},
      {{"--comm-thread", "--machine", "simulated"},
       "--comm-thread with --machine simulated: there one thread steps"},
      {{"--comm-thread", "--machine", "deterministic"}, "--comm-thread with --machine deterministic: "},
  };
  for (const auto& [arguments, expected] : wrong) {
    const auto seen = started(arguments);
    EXPECT_EQ(seen.status, usage_error::exit_status);
    EXPECT_FALSE(seen.ran);
    EXPECT_NE(seen.err.find(expected), std::string::npos) << seen.err;
  }
  EXPECT_EQ(started({"--comm-thread", "--pes=1"}).status, 0);
  EXPECT_EQ(started({"--seed=3", "--machine=deterministic"}).status, 0);
}

TEST(runs, a_fabric_that_does_not_exist_is_a_usage_error) {
  const auto seen = started({"--pes=1", "--net", "ucs"});
  EXPECT_EQ(seen.status, usage_error::exit_status);
  EXPECT_FALSE(seen.ran);
  EXPECT_NE(seen.err.find("--net ucs: "), std::string::npos) << seen.err;
  EXPECT_NE(seen.err.find("did you mean --net ucx?"), std::string::npos) << seen.err;
  for (const char* const fabric : {"ucx", "loopback"})
    EXPECT_EQ(started({"--pes=1", "--net", fabric}).status, 0);
}

TEST(runs, that_share_a_command_line_share_what_parse_options_returns) {
  std::vector<std::string> words{"program", "--pes", "3", "--iters=4"};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  char** argv = arguments.data();
  const options settings = parse_options(argc, argv);
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_EQ(imbrex::run(settings, []() -> task<int> { co_return imbrex::num_pes() == 3 ? 0 : 1; }), 0);
  EXPECT_EQ(argc, 2);
}

TEST(runs, another_number_of_processes_than_a_file_wants_is_a_usage_error) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(imbrex::run(options{.source = {.processes = 4}}, []() -> task<> { co_return; }),
            usage_error::exit_status);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("start it by imbrex run -n 4"), std::string::npos);
  EXPECT_EQ(imbrex::run(options{.source = {.processes = 1}}, []() -> task<> { co_return; }), 0);
}
class member : public chare<member> {
 public:
  int count_peers() { return static_cast<int>(peers().size()); }
};

TEST(runs, of_a_process_by_itself_may_nest_and_be_at_once) {
  const auto count = []() -> task<int> {
    const int there = co_await make_group<member>().reduce<&member::count_peers>(sum);
    co_return there == num_pes() * num_pes() ? 0 : 3;
  };
  const options in_simulated_time{.pes = 2, .machine = machine_kind::simulated};
  for (const options& outer : {threads(2), serializing(threads(2)), seeded(3, 1), in_simulated_time})
    for (const options& inner : {threads(3), seeded(2, 1), in_simulated_time}) {
      SCOPED_TRACE(text_of(outer) + " around " + text_of(inner));
      const auto around = [&]() -> task<int> {
        const int before = co_await count();
        const int inside = imbrex::run(inner, count);
        const int after = co_await count();
        co_return before + inside + after;
      };
      EXPECT_EQ(imbrex::run(outer, around), 0);
    }
  std::vector<std::jthread> several;
  for (int i = 0; i < 3; ++i)
    several.emplace_back([&] {
      for (int turn = 0; turn < 10; ++turn) EXPECT_EQ(imbrex::run(threads(2), count), 0);
    });
}

TEST(runs, have_no_descriptor_in_the_place_of_a_standard_one) {
  const int saved = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  ::close(STDIN_FILENO);
  std::filesystem::path input;
  const int status = imbrex::run(threads(2), [&]() -> task<> {
    std::error_code is_closed;
    input = std::filesystem::read_symlink("/proc/self/fd/0", is_closed);
    co_return;
  });
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(input, "/dev/null");
}

/// A chare of a run with more PEs than the next run.
class remembered : public chare<remembered> {
 public:
  int touch() { return 1; }
  section<remembered> choose() { return peers().section({{0}, {1}}); }
};

TEST(runs, proxies_of_one_with_more_pes_are_refused) {
  section<remembered> chosen;
  element<remembered> single;
  EXPECT_EQ(imbrex::run(options{.pes = 4},
                        [&]() -> task<> {
                          const auto some = make_array<remembered>(4);
                          chosen = co_await some[3].call<&remembered::choose>();
                          single = make_chare_on<remembered>(3);
                          co_await single.call<&remembered::touch>();
                        }),
            0);
  std::vector<std::string> texts;
  const auto note = [&](const auto& use) {
    try {
      use();
    } catch (const error& e) {
      texts.emplace_back(e.what());
    }
  };
  EXPECT_EQ(imbrex::run(options{.pes = 2},
                        [&]() -> task<> {
                          make_array<remembered>(4);
                          note([&] { send<&remembered::touch>(chosen); });
                          note([&] { send<&remembered::touch>(single); });
                          co_return;
                        }),
            0);
  const std::string text =
      "a proxy was used for the entry touch of remembered that belongs to an earlier run of this process, or "
      "to a concurrent one: proxies are valid only within their run";
  EXPECT_EQ(texts, (std::vector<std::string>{text, text}));
}

/// Settings with which one program runs several times. Data left from the first run must have no effect on
/// the second.
std::vector<options> few_ways() {
  return {threads(1), threads(3), serializing(threads(2)), seeded(3, 1), {.pes = 2, .shuffle = 1}};
}

class waiting : public chare<waiting> {
 public:
  mailbox<int> never;
  task<int> wait() {
    const int value = co_await never.receive();
    co_return value;
  }
  int answer(int value) { return value; }
  int fail() { throw std::runtime_error("of the first run"); }
  void stop() {}
};

TEST(runs, a_pending_of_an_earlier_one_is_harmless_and_refused) {
  for (const options& settings : few_ways()) {
    SCOPED_TRACE(text_of(settings));
    std::optional<pending<int>> left;
    std::optional<pending<int>> awaited;
    std::optional<pending<int>> kept;
    std::optional<pending<int>> failed;
    const auto first = [&]() -> task<> {
      const auto all = make_array<waiting>(2);
      for (auto* const each : {&left, &awaited, &kept}) each->emplace(all[1].call<&waiting::wait>());
      failed.emplace(all[1].call<&waiting::fail>());
      co_await quiescence();
    };
    ASSERT_EQ(imbrex::run(settings, first), 0);
    left.reset();
    failed.reset();
    const auto second = [&]() -> task<> {
      const auto all = make_array<waiting>(2);
      auto five = all[1].call<&waiting::answer>(5);
      kept.reset();
      auto six = all[1].call<&waiting::answer>(6);
      EXPECT_TRUE(awaited->ready());
      const std::string error_text = co_await awaited_error_of<error>(*awaited);
      EXPECT_EQ(error_text,
                "the result of waiting::wait was awaited after its run had ended: await a pending "
                "within its run");
      const int of_six = co_await six;
      const int of_five = co_await five;
      EXPECT_EQ(of_five, 5);
      EXPECT_EQ(of_six, 6);
    };
    EXPECT_EQ(imbrex::run(settings, second), 0);
  }
}

TEST(runs, a_pending_may_end_on_another_thread) {
  const auto main = []() -> task<> {
    const auto all = make_array<waiting>(2);
    std::optional<pending<int>> unanswered(all[1].call<&waiting::wait>());
    std::optional<pending<int>> answered(all[1].call<&waiting::answer>(1));
    std::thread([&] {
      unanswered.reset();
      answered.reset();
    }).join();
    co_await all[1].call<&waiting::answer>(2);
  };
  EXPECT_EQ(imbrex::run(threads(2), main), 0);
}

TEST(runs, a_proxy_of_an_earlier_one_names_nothing_in_the_next) {
  for (const options& settings : few_ways()) {
    SCOPED_TRACE(text_of(settings));
    array<waiting> all;
    element<waiting> target;
    element<waiting> single;
    section<waiting> some;
    group<waiting> each;
    const auto first = [&]() -> task<> {
      all = make_array<waiting>(2);
      target = all[1];
      some = all.section({{0}, {1}});
      single = make_chare<waiting>();
      each = make_group<waiting>();
      co_await each.created();
    };
    ASSERT_EQ(imbrex::run(settings, first), 0);
    const auto second = [&]() -> task<> {
      const auto here = make_array<waiting>(2);
      const auto of_each = make_group<waiting>();
      make_chare<waiting>();
      co_await of_each.created();
      const auto refused = [](const auto& use) {
        const std::string error_text = error_of<error>(use);
        EXPECT_NE(error_text.find("earlier run"), std::string::npos) << error_text;
      };
      refused([&] { static_cast<void>(target.call<&waiting::answer>(1)); });
      refused([&] { send<&waiting::never>(target, 1); });
      refused([&] { static_cast<void>(single.call<&waiting::answer>(1)); });
      refused([&] { target.destroy(); });
      refused([&] { send<&waiting::stop>(all); });
      refused([&] { static_cast<void>(all.reduce<&waiting::answer>(sum, 1)); });
      refused([&] { static_cast<void>(all.created()); });
      refused([&] { static_cast<void>(all.section({{0}})); });
      refused([&] { all.insert(0); });
      refused([&] { send<&waiting::stop>(some); });
      refused([&] { each.local(); });
      const int sum_here = co_await here.reduce<&waiting::answer>(sum, 1);
      EXPECT_EQ(sum_here, 2);
    };
    EXPECT_EQ(imbrex::run(settings, second), 0);
  }
}

TEST(runs, an_error_that_is_told_is_what_the_run_comes_to) {
  for (int i = 0; i < 300; ++i) {
    ::testing::internal::CaptureStderr();
    const int status = imbrex::run(threads(3), []() -> task<> {
      const auto all = make_array<waiting>(3);
      for (int e = 0; e < 3; ++e) send<&waiting::fail>(all[e]);
      co_return;
    });
    const bool is_reported =
        ::testing::internal::GetCapturedStderr().find("of the first run") != std::string::npos;
    ASSERT_EQ(status, is_reported ? 1 : 0);
  }
}

}  // namespace imbrex::runs_test
