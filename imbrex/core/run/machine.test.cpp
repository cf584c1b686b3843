// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/machine.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/run/local_run.hpp>
#include <imbrex/core/run/make_machine.hpp>

namespace imbrex::machine_test {

/// PEs without a program; the test supplies their work.
class bare_run final : public detail::local_run {
 public:
  explicit bare_run(const options& settings) : local_run(settings) {
    pes_ = {0, how_.pes, how_.pes};
    machine_ = detail::make_machine(how_, *this);
    devices_ =
        std::make_unique<detail::run_devices>(how_, machine_->simulated_time(), machine_->model() != nullptr);
    for (int p = 0; p < how_.pes; ++p) {
      auto& pe = *processors_.emplace_back(
          std::make_unique<detail::processor>(*this, p, machine_->clock_of(p), std::nullopt));
      if (detail::local_clock* const charged = machine_->charged_clock_of(p)) pe.attach(*charged);
    }
    machine_->connect(false, nullptr);
    for (auto& p : processors_) p->connect(machine_->wire_of(p->pe()), machine_->rules(), pes_, nullptr);
  }
  ~bare_run() {
    finish([](detail::processor&) {});
    discard();
    processors_.clear();
  }

  int process() const override { return 0; }
  int processes() const override { return 1; }
  detail::run_recording* recording() const override { return nullptr; }
  bool quiet(const detail::network::counts&) override {
    when_quiet();
    return true;
  }

  void run() { machine_->run(); }
  void finish(const std::function<void(detail::processor&)>& last) { machine_->finish(last); }
  void discard() {
    machine_->discard();
    for (auto& p : processors_) p->discard_work();
  }
  detail::transport& wire_of(int pe) { return machine_->wire_of(pe); }
  detail::machine& get_machine() { return *machine_; }

  std::function<void()> when_quiet = [this] { exit(0); };

 private:
  void end_everywhere() override { machine_->stop(); }
};

/// Moves from PE to PE until it has made its hops.
struct token : detail::work {
  token(bare_run& r, std::uint64_t seed) : of(r), dice(seed) { type = &kind; }

  static void hop(detail::work& item) {
    auto& self = static_cast<token&>(item);
    const int here = detail::scheduler::current()->pe();
    if (self.hops-- == 0) {
      --under_way;
      return;
    }
    const auto pes = static_cast<std::uint64_t>(self.of.num_pes());
    self.of.wire_of(here).send(self, static_cast<int>(self.dice.below(pes)));
  }
  static void forget(detail::work&) noexcept { ++forgotten; }
  static constexpr detail::work_type kind{"token", &hop, &forget, nullptr, nullptr};

  static inline std::atomic<int> under_way = 0;
  static inline std::atomic<int> forgotten = 0;
  bare_run& of;
  random dice;
  int hops = 0;
};

class machines : public ::testing::TestWithParam<machine_kind> {
 protected:
  machines() : run({.pes = 3, .machine = GetParam()}) {
    token::under_way = 0;
    token::forgotten = 0;
    for (std::uint64_t t = 1; t <= 4; ++t) tokens.push_back(std::make_unique<token>(run, t));
  }
  /// On PE 0, or before any PE runs.
  void send_tokens(int hops) {
    const detail::scheduler::activation as(run.processor_at(0));
    for (auto& t : tokens) {
      ++token::under_way;
      t->hops = hops;
      run.wire_of(0).send(*t, static_cast<int>(t->dice.below(3)));
    }
  }

  std::vector<std::unique_ptr<token>> tokens;
  bare_run run;
};

TEST_P(machines, are_quiet_when_and_only_when_nothing_is_under_way) {
  constexpr int rounds = 50;
  int quiet = 0;
  int early = 0;
  run.when_quiet = [&] {
    early += token::under_way != 0 ? 1 : 0;
    if (++quiet == rounds) return run.exit(7);
    send_tokens(quiet % 20);
  };
  run.run();
  EXPECT_EQ(quiet, rounds);
  EXPECT_EQ(early, 0);
  EXPECT_EQ(run.status(), 7);
}

TEST_P(machines, finish_each_pe_on_the_thread_that_has_run_it) {
  struct note : detail::work {
    static void take(detail::work& item) { static_cast<note&>(item).thread = std::this_thread::get_id(); }
    static void forget(detail::work&) noexcept {}
    std::thread::id thread;
  };
  static constexpr detail::work_type kind{"note", &note::take, &note::forget, nullptr, nullptr};
  std::vector<note> notes(3);
  for (std::size_t p = 0; p < notes.size(); ++p) {
    notes[p].type = &kind;
    run.processor_at(static_cast<int>(p)).pe_inbox().post(notes[p]);
  }
  run.run();
  EXPECT_EQ(run.status(), 0);
  std::vector<int> finished;
  run.finish([&](detail::processor& pe) {
    EXPECT_EQ(detail::scheduler::current(), &pe);
    EXPECT_EQ(std::this_thread::get_id(), notes[static_cast<std::size_t>(pe.pe())].thread);
    finished.push_back(pe.pe());
  });
  EXPECT_EQ(finished, (std::vector{0, 1, 2}));
  const auto here = std::this_thread::get_id();
  run.finish([&](detail::processor& pe) {
    EXPECT_EQ(detail::scheduler::current(), &pe);
    EXPECT_EQ(std::this_thread::get_id(), here);
    finished.push_back(pe.pe());
  });
  EXPECT_EQ(finished, (std::vector{0, 1, 2, 0, 1, 2}));
}

TEST_P(machines, discard_what_has_not_arrived) {
  send_tokens(5);
  run.discard();
  EXPECT_EQ(token::forgotten, 4);
  EXPECT_EQ(token::under_way, 4) << "one has run";
}

TEST_P(machines, end_a_run_in_which_an_item_throws) {
  struct bad : detail::work {
    static void fail(detail::work&) { throw std::runtime_error("thrown by an item"); }
    static void forget(detail::work&) noexcept {}
  };
  static constexpr detail::work_type kind{"bad", &bad::fail, &bad::forget, nullptr, nullptr};
  bad item;
  item.type = &kind;
  run.processor_at(2).pe_inbox().post(item);
  ::testing::internal::CaptureStderr();
  run.run();
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(run.status(), 1);
  EXPECT_NE(text.find("on PE 2: std::runtime_error: thrown by an item"), std::string::npos) << text;
}

TEST_P(machines, give_each_pe_a_clock) {
  auto& machine = run.get_machine();
  EXPECT_EQ(machine.simulated_time() == nullptr, GetParam() == machine_kind::threads);
  EXPECT_EQ(machine.model() != nullptr, GetParam() == machine_kind::simulated);
  const auto before = machine.clock_of(1).now();
  run.processor_at(1).charge(std::chrono::hours(10));
  const auto after = machine.clock_of(1).now();
  EXPECT_GE(run.processor_at(1).now(), after);
  EXPECT_EQ(after - before >= std::chrono::hours(10), GetParam() == machine_kind::simulated);
  EXPECT_LT(machine.clock_of(2).now() - before, std::chrono::hours(10)) << "is charged for another";
}

INSTANTIATE_TEST_SUITE_P(kinds, machines,
                         ::testing::Values(machine_kind::threads, machine_kind::deterministic,
                                           machine_kind::simulated),
                         [](const auto& of) { return std::string(option_word(of.param)); });

}  // namespace imbrex::machine_test
