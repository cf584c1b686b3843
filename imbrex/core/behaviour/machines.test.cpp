// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/behaviour/machines.test.hpp>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <thread>

#include <imbrex/base/options/quantity.hpp>
#include <imbrex/core/run/runtime.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>

namespace imbrex {

std::string text_of(const options& settings) {
  std::string text = "--machine " + std::string(option_word(settings.machine));
  if (settings.machine == machine_kind::deterministic)
    text += " --seed " + std::to_string(settings.seed.value_or(1));
  text += " --pes " + std::to_string(settings.pes);
  if (settings.shuffle) text += " --shuffle " + std::to_string(*settings.shuffle);
  if (settings.serialize_always) text += " --serialize-always";
  if (settings.net_latency.count() != 0) text += " --net-latency " + duration_text(settings.net_latency);
  return text;
}

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

machine_under_test delayed_link() { return {"delayed_link", {delayed(), serializing(delayed())}}; }

machine_under_test in_simulated_time() {
  std::vector<options> ways;
  for (const int pes : {1, 3}) ways.push_back({.pes = pes, .machine = machine_kind::simulated});
  for (std::uint64_t s = 1; s <= 3; ++s)
    ways.push_back({.pes = static_cast<int>(s + 1),
                    .machine = machine_kind::simulated,
                    .shuffle = s,
                    .serialize_always = s == 2,
                    .net_latency = std::chrono::microseconds(20),
                    .net_bandwidth = 100'000'000});
  return {"simulated", std::move(ways)};
}

machine_under_test shuffled(std::uint64_t seeds) {
  std::vector<options> ways;
  for (std::uint64_t s = 1; s <= seeds; ++s)
    ways.push_back({.pes = static_cast<int>(s % 3 + 1), .shuffle = s, .serialize_always = s % 4 == 0});
  return {"shuffle", std::move(ways)};
}

machine_under_test deterministic_seeds(std::uint64_t seeds) {
  std::vector<options> ways;
  for (std::uint64_t s = 1; s <= seeds; ++s) ways.push_back(seeded(static_cast<int>((s + 2) % 5 + 1), s));
  return {"deterministic", std::move(ways)};
}

std::vector<machine_under_test> machines() {
  std::vector<machine_under_test> list{{"threads_1", {threads(1)}},
                                       {"threads_2", {threads(2)}},
                                       {"threads_5", {threads(5)}},
                                       {"serialize_always", {serializing(threads(2))}},
                                       delayed_link(),
                                       shuffled(5),
                                       deterministic_seeds(20),
                                       in_simulated_time()};
  if (!has_network()) return list;
  options with_thread = threads(2);
  with_thread.comm_thread = true;
  std::vector<options> shuffles;
  for (std::uint64_t s = 1; s <= 3; ++s) shuffles.push_back({.pes = 2, .shuffle = s});
  list.push_back({"ucx_2x1", {threads(1)}, 2});
  list.push_back({"ucx_3x2", {threads(2)}, 3});
  list.push_back({"ucx_7x1", {threads(1)}, 7});
  list.push_back({"ucx_2x2_comm_thread", {with_thread}, 2});
  list.push_back({"ucx_2x2_shuffle", std::move(shuffles), 2});
  list.push_back({"ucx_2x3_delayed_link", {delayed()}, 2});
  return list;
}

namespace {

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

}  // namespace

int run_in_processes(int processes, const options& settings, const std::function<task<int>()>& main) {
  meeting room(processes);
  std::vector<int> statuses(static_cast<std::size_t>(processes));
  {
    std::vector<std::jthread> threads;
    for (int p = 0; p < processes; ++p)
      threads.emplace_back([&, p] {
        meeting::member member(room, p);
        detail::runtime r(settings, member);
        statuses[static_cast<std::size_t>(p)] = r.run(main);
      });
  }
  for (const int status : statuses)
    EXPECT_EQ(status, statuses.front()) << "not all processes come to the same";
  return std::ranges::max(statuses);
}

int on_machine::run_so(const options& settings, const std::function<task<int>()>& main) {
  const int processes = GetParam().processes;
  return processes == 1 ? detail::run_with(settings, main) : run_in_processes(processes, settings, main);
}

void on_machine::run_all_ways(const std::function<task<int>()>& main) {
  for (const options& settings : GetParam().runs) {
    EXPECT_EQ(run_so(settings, main), 0);
    if (HasFailure()) {
      ADD_FAILURE() << "with " << text_of(settings);
      return;
    }
  }
}

std::string name_of_machine(const testing::TestParamInfo<machine_under_test>& m) { return m.param.name; }

}  // namespace imbrex
