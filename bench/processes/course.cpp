// SPDX-License-Identifier: Apache-2.0
#include "bench/processes/course.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <CLI/CLI.hpp>

#include <imbrex/base/error.hpp>

namespace bench {
namespace {

constexpr std::int64_t most = 100'000'000;
constexpr std::int64_t largest_message = std::int64_t{1} << 30;

void declare(CLI::App& app, course& plan) {
  const CLI::Range bytes(std::int64_t{1}, largest_message);
  const CLI::Range count(std::int64_t{1}, most);
  app.add_option("--bench", plan.bench,
                 "pingpong (default): one message there and back; bandwidth, rate: a window of messages, "
                 "then a reply; broadcast (Imbrex alone): to all elements of an array, and a reduction back")
      ->check(CLI::IsMember({"pingpong", "bandwidth", "rate", "broadcast"}));
  app.add_option("--smallest", plan.smallest, "bytes of the smallest message (default 1)")->check(bytes);
  app.add_option("--largest", plan.largest, "bytes of the largest message (default 4194304, 4096 for rate)")
      ->check(bytes);
  app.add_option("--rounds", plan.rounds,
                 "number of timed rounds (default 10000, 1000 of windows, 200 of broadcasts)")
      ->check(count);
  app.add_option("--megabytes", plan.megabytes,
                 "amount of data that limits the rounds of large messages (default 512)")
      ->check(count);
  app.add_option("--window", plan.window, "messages in flight (default 64)")->check(count);
  app.add_option("--buffers", plan.buffers,
                 "number of buffers that UCX and MPI use in turn (default 1, as in OSU)")
      ->check(count);
  app.add_option("--payload", plan.payload,
                 "shared (default): one buffer, again and again, in Imbrex a vector that all messages share; "
                 "given: of pingpong, what has come; of Imbrex's windows, vectors, made while the clock "
                 "stands and moved into the messages; shown: one buffer, which Imbrex copies into each")
      ->check(CLI::IsMember({"shared", "given", "shown"}));
  app.add_flag("--coalesce", plan.coalesces,
               "lets short messages of Imbrex's windows wait for each other, and cross together");
  app.add_option("--elements", plan.elements, "number of elements that receive a broadcast (default 10000)")
      ->check(count);
  app.add_option("--real-time", plan.priority,
                 "priority of the measuring threads, so that other work does not disturb them (default 0, "
                 "none). Launchers keep theirs: ranks that wait for mpirun would not let it run")
      ->check(CLI::Range(0, 99));
}

}  // namespace

std::vector<std::size_t> course::sizes() const {
  std::vector<std::size_t> all;
  for (std::size_t s = smallest; s <= largest; s *= 2) all.push_back(s);
  return all;
}

std::int64_t course::rounds_of(std::size_t bytes) const {
  const auto of_a_round = static_cast<std::int64_t>(bytes) * (is_pingpong() ? 2 : window);
  const auto stretch = std::min(rounds, megabytes * 1'000'000 / of_a_round) / stretches;
  return std::max<std::int64_t>(stretch, 1) * stretches;
}

std::int64_t course::warm_up_of(std::size_t bytes) const { return rounds_of(bytes) / stretches + 1; }

course parse_course(int argc, const char* const* argv, const std::string& usage, bool has_broadcast) {
  course plan;
  CLI::App app("Messages between two processes, as the OSU benchmarks send them.\n" + usage);
  declare(app, plan);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    std::exit(0);
  } catch (const CLI::ParseError& e) {
    throw imbrex::usage_error(std::string(e.what()) + "; see --help");
  }
  if (plan.bench == "broadcast" && !has_broadcast)
    throw imbrex::usage_error("--bench broadcast: Imbrex alone has it; choose pingpong, bandwidth or rate");
  if (plan.largest == 0) plan.largest = plan.bench == "rate" ? 4096 : 4'194'304;
  if (plan.largest < plan.smallest)
    throw imbrex::usage_error("--largest " + std::to_string(plan.largest) + " is below --smallest " +
                              std::to_string(plan.smallest) + ": give a larger one");
  if (plan.rounds == 0) plan.rounds = plan.is_pingpong() ? 10'000 : plan.bench == "broadcast" ? 200 : 1000;
  return plan;
}

void check_two_processes(int processes, const std::string& usage) {
  if (processes != 2)
    throw imbrex::usage_error("this is one of " + std::to_string(processes) +
                              " processes, and it takes two: " + usage);
}

real_time::real_time(int priority) : changed_(priority > 0) {
  const sched_param parameters{.sched_priority = priority};
  if (changed_ && ::sched_setscheduler(0, SCHED_FIFO, &parameters) != 0)
    throw imbrex::error("--real-time " + std::to_string(priority) + ": " + std::strerror(errno) +
                        "; run as root or leave it out");
}

real_time::~real_time() {
  const sched_param none{};
  if (changed_) ::sched_setscheduler(0, SCHED_OTHER, &none);
}

}  // namespace bench
