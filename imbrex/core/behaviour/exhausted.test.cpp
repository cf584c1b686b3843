// SPDX-License-Identifier: Apache-2.0
// Out of memory, for each way in which an element is called.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <forward_list>
#include <new>
#include <string>

#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::exhausted_test {

/// Limits this process to `more` additional bytes from now on.
void limit_memory(std::size_t more) {
  std::size_t pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) std::_Exit(90);
  std::fclose(file);
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + more;
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(91);
}

class hungry : public chare<hungry> {
 public:
  void grow() { fill(); }
  int grow_to_an_end() {
    fill();
    return 1;
  }
  task<int> grow_later() {
    co_await sleep_for(std::chrono::milliseconds(1));
    fill();
    co_return 1;
  }
  void send_for_ever() {
    for (;;) send<&hungry::take>(self(), std::array<double, 100>{});
  }
  void take(const std::array<double, 100>&) {}

 private:
  void fill() {
    for (;;) eaten_.emplace_front();
  }

  std::forward_list<std::array<char, 40>> eaten_;
};

using main_function = task<int> (*)(array<hungry>);

/// Runs a program in this process with little memory; the exit status is the run's.
[[noreturn]] void run_in_little(int pes, main_function main, std::size_t bytes = std::size_t{400} << 20U) {
  ::setrlimit(RLIMIT_CORE, std::array<rlimit, 1>{}.data());
  limit_memory(bytes);
  std::_Exit(imbrex::run(threads(pes), [main]() -> task<int> {
    const auto all = make_array<hungry>(4);
    const int status = co_await main(all);
    co_return status;
  }));
}

struct way {
  const char* name;
  main_function main;
  const char* who;
};

class exhausted : public ::testing::TestWithParam<way> {};

TEST_P(exhausted, says_so_and_who_it_was) {
  if (test::memory_is_kept_back) GTEST_SKIP() << "a sanitizer ends the process by itself";
  // The awaiting entry names the thrower last.
  const std::string who = GetParam().who;
  const std::string why =
      "out of memory .*held [0-9.]+ [MG]iB of the machine's .* with a limit of addresses of ";
  for (const int pes : {1, 3})
    EXPECT_EXIT(run_in_little(pes, GetParam().main), ::testing::ExitedWithCode(1),
                "(" + who + ".*" + why + "|" + why + ".*" + who + ")")
        << pes;
}

INSTANTIATE_TEST_SUITE_P(by, exhausted,
                         ::testing::Values(way{"send",
                                               [](array<hungry> all) -> task<int> {
                                                 send<&hungry::grow>(all[3]);
                                                 co_await sleep_for(std::chrono::seconds(20));
                                                 co_return 0;
                                               },
                                               "hungry.3., entry grow"},
                                           way{"call",
                                               [](array<hungry> all) -> task<int> {
                                                 const int ended =
                                                     co_await all[3].call<&hungry::grow_to_an_end>();
                                                 co_return ended;
                                               },
                                               "hungry.3., entry grow_to_an_end"},
                                           way{"task",
                                               [](array<hungry> all) -> task<int> {
                                                 const int ended =
                                                     co_await all[3].call<&hungry::grow_later>();
                                                 co_return ended;
                                               },
                                               "hungry.3., entry grow_later"},
                                           way{"broadcast",
                                               [](array<hungry> all) -> task<int> {
                                                 const int ended =
                                                     co_await all.reduce<&hungry::grow_to_an_end>(sum);
                                                 co_return ended;
                                               },
                                               "hungry.*grow_to_an_end"},
                                           way{"messages",
                                               [](array<hungry> all) -> task<int> {
                                                 send<&hungry::send_for_ever>(all[3]);
                                                 co_await sleep_for(std::chrono::seconds(20));
                                                 co_return 0;
                                               },
                                               "hungry.3., entry send_for_ever"}),
                         [](const ::testing::TestParamInfo<way>& info) { return info.param.name; });

TEST(exhausted, can_be_caught) {
  if (test::memory_is_kept_back) GTEST_SKIP() << "a sanitizer ends the process by itself";
  EXPECT_EXIT(run_in_little(1,
                            [](array<hungry> all) -> task<int> {
                              try {
                                co_await all[3].call<&hungry::grow_to_an_end>();
                              } catch (const std::bad_alloc& e) {
                                std::fprintf(stderr, "caught: %s\n", e.what());
                                co_return 7;
                              }
                              co_return 0;
                            }),
              ::testing::ExitedWithCode(7), "caught: out of memory ");
}

/// Each thread needs a stack of some MB.
TEST(exhausted, threads_that_cannot_be_made_are_an_error_that_says_which) {
  if (test::memory_is_kept_back) GTEST_SKIP() << "a sanitizer ends the process by itself";
  EXPECT_EXIT(run_in_little(
                  64, [](array<hungry>) -> task<int> { co_return 0; }, std::size_t{100} << 20U),
              ::testing::ExitedWithCode(1),
              "cannot start the thread of PE [0-9]+: Resource temporarily unavailable; lower --pes, or ");
}

}  // namespace imbrex::exhausted_test
