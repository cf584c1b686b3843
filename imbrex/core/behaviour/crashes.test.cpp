// SPDX-License-Identifier: Apache-2.0
// The reports of crashes in a program.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>

namespace imbrex::crashes_test {

int* volatile nowhere_at_all = nullptr;

class fragile : public chare<fragile, index<2>> {
 public:
  mailbox<int> go;

  fragile() = default;
  explicit fragile(bool crashes) {
    if (crashes) *nowhere_at_all = 1;
  }
  void write() { *nowhere_at_all = 1; }
  void stop() { std::abort(); }
  void divide() { std::raise(SIGFPE); }
  int overflow(int depth) {
    volatile char room[10'000];
    room[0] = static_cast<char>(depth);
    return depth < 0 ? 0 : overflow(depth + 1) + room[0];  // the stack overflows before the depth does
  }
  task<> write_later() {
    const int value = co_await go.receive(3);
    *nowhere_at_all = value;
  }
  void serialize(auto& ar) { ar(go); }
};

class in_words : public chare<in_words, std::string> {
 public:
  void write() { *nowhere_at_all = 1; }
};

std::vector<options> few_ways() { return {threads(1), threads(3), serializing(threads(2)), seeded(3, 1)}; }

template <class Main>
void expect_crash(const Main& main, int signal, const std::string& text) {
  if (test::memory_is_kept_back) GTEST_SKIP() << "the sanitizer tells of crashes";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const options& settings : few_ways()) {
    SCOPED_TRACE(text_of(settings));
    EXPECT_EXIT(imbrex::run(settings, main), ::testing::KilledBySignal(signal), text);
  }
}

TEST(crashes_death_test, name_the_entry_that_is_called) {
  expect_crash(
      []() -> task<> { co_await make_array<fragile>({2, 3})[{1, 2}].call<&fragile::write>(); }, SIGSEGV,
      "imbrex: error: fragile.1, 2., entry write, on PE [0-2]: crash by SIGSEGV .segmentation fault. at the "
      "address 0x0, pid");
}

TEST(crashes_death_test, name_the_functions_on_the_stack) {
  expect_crash([]() -> task<> { co_await make_array<fragile>({2, 3})[{1, 2}].call<&fragile::stop>(); },
               SIGABRT, "entry stop, on PE [0-2]: crash by SIGABRT(.|\n)*fragile::stop");
}

TEST(crashes_death_test, name_the_entry_that_goes_on_after_a_wait) {
  expect_crash(
      []() -> task<> {
        const auto all = make_array<fragile>({2, 3});
        send<&fragile::write_later>(all);
        co_await quiescence();
        send<&fragile::go>(all[{0, 1}], 3, 1);
        co_await sleep_for(std::chrono::hours(1));
      },
      SIGSEGV, "fragile.0, 1., entry write_later, on PE");
}

TEST(crashes_death_test, name_the_element_that_has_its_turn_in_a_broadcast) {
  expect_crash(
      []() -> task<> {
        send<&fragile::divide>(make_array<fragile>({1, 1}));
        co_await sleep_for(std::chrono::hours(1));
      },
      SIGFPE, "fragile.0, 0., entry divide, on PE [0-2]: crash by SIGFPE");
}

TEST(crashes_death_test, name_the_element_that_is_made) {
  expect_crash([]() -> task<> { co_await make_array<fragile>({1, 1}, true).created(); }, SIGSEGV,
               "fragile.0, 0., outside of its entries: a constructor, a destructor or serialize, on PE");
}

TEST(crashes_death_test, name_who_has_overflown_the_stack) {
  expect_crash([]() -> task<> { co_await make_array<fragile>({2, 3})[{1, 0}].call<&fragile::overflow>(0); },
               SIGSEGV, "fragile.1, 0., entry overflow, on PE");
}

TEST(crashes_death_test, name_keys_single_chares_and_the_main_task) {
  expect_crash(
      []() -> task<> {
        const auto all = make_array<in_words>();
        all.insert("north");
        co_await all["north"].call<&in_words::write>();
      },
      SIGSEGV, "in_words.\"north\"., entry write, on PE");
  expect_crash(
      []() -> task<> {
        *nowhere_at_all = 1;
        co_return;
      },
      SIGSEGV, "imbrex: error: the main task, on PE 0: crash by SIGSEGV");
}

TEST(crashes_death_test, name_the_process) {
  if (test::memory_is_kept_back) GTEST_SKIP() << "the sanitizer tells of crashes";
  if (!has_network()) GTEST_SKIP() << "there is no network";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto main = []() -> task<> { co_await make_array<fragile>({2, 3})[{1, 2}].call<&fragile::write>(); };
  EXPECT_EXIT(run_in_processes(2, threads(1), main), ::testing::KilledBySignal(SIGSEGV),
              "fragile.1, 2., entry write, on PE 1 of process 1: crash by SIGSEGV");
}

TEST(crashes, are_left_to_a_handler_of_the_program) {
  const auto own = [](int) {};
  std::signal(SIGFPE, own);
  const auto main = []() -> task<> {
    std::raise(SIGFPE);
    co_return;
  };
  EXPECT_EQ(imbrex::run(threads(1), main), 0);
  EXPECT_EQ(std::signal(SIGFPE, SIG_DFL), +own);
}

TEST(crashes, are_nobodys_after_the_run) {
  struct sigaction before{};
  ::sigaction(SIGILL, nullptr, &before);
  EXPECT_EQ(imbrex::run(threads(2), []() -> task<> { co_return; }), 0);
  struct sigaction after{};
  ::sigaction(SIGILL, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace imbrex::crashes_test
