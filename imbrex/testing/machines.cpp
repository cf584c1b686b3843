// SPDX-License-Identifier: Apache-2.0
#include <imbrex/testing/machines.hpp>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <regex>
#include <thread>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/core/run/runtime.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>

namespace imbrex::testing {

options threads(int pes) { return {.pes = pes}; }

options seeded(int pes, std::uint64_t seed) {
  return {.pes = pes, .machine = machine_kind::deterministic, .seed = seed};
}

options delayed() {
  options settings = threads(3);
  settings.net_latency = std::chrono::microseconds(20);
  settings.net_bandwidth = 100'000'000;
  settings.net_injection_gap = std::chrono::microseconds(1);
  return settings;
}

options serializing(options settings) {
  settings.serialize_always = true;
  return settings;
}

std::string text_of(const options& settings) {
  std::string text = "--machine " + std::string(option_word(settings.machine));
  if (settings.machine == machine_kind::deterministic)
    text += " --seed " + std::to_string(settings.seed.value_or(1));
  text += " --pes " + std::to_string(settings.pes);
  if (settings.shuffle) text += " --shuffle " + std::to_string(*settings.shuffle);
  if (settings.serialize_always) text += " --serialize-always";
  if (settings.net_latency.count() != 0) text += " --net-latency " + duration_text(settings.net_latency);
  if (!settings.balance.strategy.empty()) text += " --balance " + settings.balance.strategy;
  return text;
}

namespace {

std::vector<options> shuffled(std::uint64_t seeds) {
  std::vector<options> runs;
  for (std::uint64_t s = 1; s <= seeds; ++s)
    runs.push_back({.pes = static_cast<int>(s % 3 + 1), .shuffle = s, .serialize_always = s % 4 == 0});
  return runs;
}

std::vector<options> deterministic(std::uint64_t seeds) {
  std::vector<options> runs;
  for (std::uint64_t s = 1; s <= seeds; ++s) runs.push_back(seeded(static_cast<int>((s + 2) % 5 + 1), s));
  return runs;
}

/// Elements move at each balance point, and between entries where they have none.
std::vector<options> balanced(std::uint64_t seeds) {
  balance::enable();
  std::vector<options> runs;
  for (std::uint64_t s = 1; s <= seeds; ++s) {
    options settings = seeded(static_cast<int>(s % 4 + 2), s);
    if (s % 4 == 0) settings = {.pes = 3, .shuffle = s, .serialize_always = s % 8 == 0};
    settings.balance.strategy = s % 3 == 0 ? "rotate" : "random";
    settings.balance.every_points = 1;
    runs.push_back(settings);
  }
  return runs;
}

std::vector<options> simulated() {
  std::vector<options> runs;
  for (const int pes : {1, 3}) runs.push_back({.pes = pes, .machine = machine_kind::simulated});
  for (std::uint64_t s = 1; s <= 3; ++s)
    runs.push_back({.pes = static_cast<int>(s + 1),
                    .machine = machine_kind::simulated,
                    .shuffle = s,
                    .serialize_always = s == 2,
                    .net_latency = std::chrono::microseconds(20),
                    .net_bandwidth = 100'000'000});
  return runs;
}

/// Settings of each of several processes.
std::vector<options> in_processes(int pes, std::string_view kind) {
  std::vector<options> runs{kind == "_delayed" ? delayed() : threads(pes)};
  runs.front().pes = pes;
  runs.front().comm_thread = kind == "_comm_thread";
  if (kind != "_shuffled") return runs;
  runs.resize(3, runs.front());
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].shuffle = i + 1;
  return runs;
}

/// A job whose processes are threads of this process; the network treats them as processes.
class meeting {
 public:
  explicit meeting(int size) : texts_(static_cast<std::size_t>(size)), arrival_(size) {}

  class member final : public bootstrap {
   public:
    member(meeting& of, int rank) : of_(of), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(of_.texts_.size()); }
    std::vector<std::string> all_gather(const std::string& text) override {
      of_.texts_[static_cast<std::size_t>(rank_)] = text;
      of_.arrival_.arrive_and_wait();
      auto texts = of_.texts_;
      of_.arrival_.arrive_and_wait();
      return texts;
    }

   private:
    meeting& of_;
    int rank_;
  };

 private:
  std::vector<std::string> texts_;
  std::barrier<> arrival_;
};

std::string text_of(const std::vector<int>& statuses) {
  std::string text;
  for (const int status : statuses) text += (text.empty() ? "" : ", ") + std::to_string(status);
  return text;
}

}  // namespace

machine machine_by_name(std::string_view name_view) {
  const std::string name(name_view);
  if (name == "serialized") return {name, {serializing(threads(2))}};
  if (name == "delayed") return {name, {delayed(), serializing(delayed())}};
  if (name == "simulated") return {name, simulated()};
  static const std::regex several("processes_([1-9]\\d?)(?:x([1-9]\\d?))?(_comm_thread|_shuffled|_delayed)?");
  static const std::regex counted("(threads|shuffled|deterministic|balanced)(?:_([1-9]\\d?))?");
  std::smatch parts;
  const auto number = [&](std::size_t part, int otherwise) {
    return parts[part].matched ? std::stoi(parts[part]) : otherwise;
  };
  if (std::regex_match(name, parts, several))
    return {name, in_processes(number(2, 1), parts.str(3)), number(1, 1)};
  if (std::regex_match(name, parts, counted)) {
    if (parts[1] == "shuffled") return {name, shuffled(static_cast<std::uint64_t>(number(2, 5)))};
    if (parts[1] == "deterministic") return {name, deterministic(static_cast<std::uint64_t>(number(2, 20)))};
    if (parts[1] == "balanced") return {name, balanced(static_cast<std::uint64_t>(number(2, 10)))};
    if (parts[2].matched) return {name, {threads(number(2, 1))}};
  }
  throw error("there is no machine \"" + name +
              "\" for tests: take threads_N, serialized, delayed, shuffled, shuffled_N, deterministic, "
              "deterministic_N, balanced, balanced_N, simulated, or processes_N or processes_NxM with or "
              "without _comm_thread, "
              "_shuffled or "
              "_delayed");
}

std::vector<machine> machines(std::initializer_list<std::string_view> names) {
  std::vector<machine> list;
  for (const std::string_view name : names)
    if (machine m = machine_by_name(name); m.processes == 1 || has_network()) list.push_back(std::move(m));
  return list;
}

std::vector<machine> machines() {
  return machines({"threads_1", "threads_2", "threads_5", "serialized", "delayed", "shuffled",
                   "deterministic", "simulated", "processes_2", "processes_3x2", "processes_7",
                   "processes_2x2_comm_thread", "processes_2x2_shuffled", "processes_2x3_delayed"});
}

int run_in_processes(int processes, const options& settings, const std::function<task<int>()>& main) {
  if (processes == 1) return imbrex::detail::run_with(settings, main);
  meeting room(processes);
  std::vector<int> statuses(static_cast<std::size_t>(processes));
  {
    std::vector<std::jthread> threads;
    for (int p = 0; p < processes; ++p)
      threads.emplace_back([&, p] {
        meeting::member member(room, p);
        imbrex::detail::runtime r(settings, member);
        statuses[static_cast<std::size_t>(p)] = r.run(main);
      });
  }
  if (std::ranges::adjacent_find(statuses, std::not_equal_to()) != statuses.end())
    throw error("the processes of a run returned different exit statuses: " + text_of(statuses));
  return statuses.front();
}

int run_on(const machine& on, const std::function<task<int>()>& main) {
  for (const options& settings : on.runs) {
    const int status = run_in_processes(on.processes, settings, main);
    if (status == 0) continue;
    std::fprintf(stderr, "status %d on machine %s with %s\n", status, on.name.c_str(),
                 text_of(settings).c_str());
    return status;
  }
  return 0;
}

}  // namespace imbrex::testing
