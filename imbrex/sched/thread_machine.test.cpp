// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/thread_machine.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/net/endpoint.hpp>

namespace imbrex::detail {
namespace {

/// A token that PEs send to each other at random until it has made all its hops.
struct token : work {
  std::vector<std::unique_ptr<scheduler>>* pes = nullptr;
  std::atomic<int>* under_way = nullptr;
  int hops = 0;
  random dice{0};
};

void run_token(work& item) {
  auto& t = static_cast<token&>(item);
  if (t.hops-- == 0) {
    --*t.under_way;
    return;
  }
  (*t.pes)[t.dice.below(t.pes->size())]->pe_inbox().post(t);
}
void keep_token(work&) noexcept {}
void throw_token(work&) { throw std::runtime_error("thrown by an item"); }
constexpr work_type hop{"token", &run_token, &keep_token, nullptr, nullptr};
constexpr work_type thrower{"thrower", &throw_token, &keep_token, nullptr, nullptr};

class machine : public ::testing::TestWithParam<int>, protected thread_machine::listener {
 protected:
  machine() {
    for (int p = 0; p < GetParam(); ++p) pes_.push_back(std::make_unique<scheduler>(p, time_, std::nullopt));
    for (auto& p : pes_) pointers_.push_back(p.get());
    threads_.emplace(pointers_, thread_settings{}, GetParam(), static_cast<thread_machine::listener&>(*this));
  }
  bool quiet(const network::counts&) override {
    if (under_way_ != 0) ++wrong_;  // quiescence was reported while a token moved
    if (++rounds_ == limit_)
      threads_->stop();
    else
      start_tokens();
    return true;
  }
  void on_uncaught(int) noexcept override {
    ++escapes_;
    threads_->stop();
  }
  void start_tokens() {
    for (auto& t : tokens_) {
      t.type = &hop;
      t.pes = &pes_;
      t.under_way = &under_way_;
      t.hops = static_cast<int>(dice_.below(20));
      t.dice = random(dice_());
      ++under_way_;
    }
    for (auto& t : tokens_) pes_[dice_.below(pes_.size())]->pe_inbox().post(t);
  }

  real_clock time_;
  random dice_{5};
  std::vector<std::unique_ptr<scheduler>> pes_;
  std::vector<scheduler*> pointers_;
  std::vector<token> tokens_{3};
  std::atomic<int> under_way_ = 0;
  std::atomic<int> wrong_ = 0;
  int rounds_ = 0;
  int limit_ = 500;
  int escapes_ = 0;
  std::optional<thread_machine> threads_;
};

TEST_P(machine, is_quiet_when_and_only_when_nothing_is_under_way) {
  start_tokens();
  EXPECT_TRUE(threads_->run([] { return std::chrono::milliseconds(3000); }).empty());
  EXPECT_EQ(wrong_, 0);
  EXPECT_EQ(rounds_, limit_);
  EXPECT_EQ(escapes_, 0);
}

TEST_P(machine, tells_of_exceptions_that_escape) {
  work bad;
  bad.type = &thrower;
  pes_.back()->pe_inbox().post(bad);
  EXPECT_TRUE(threads_->run([] { return std::chrono::milliseconds(3000); }).empty());
  EXPECT_EQ(escapes_, 1);
}

/// An item that does not return until the test releases it.
struct stuck_item : work {
  std::atomic<bool> let_go = false;
};
void run_stuck(work& item) { static_cast<stuck_item&>(item).let_go.wait(false); }
constexpr work_type stuck_kind{"stuck", &run_stuck, &keep_token, nullptr, nullptr};

struct indifferent final : thread_machine::listener {
  bool quiet(const network::counts&) override { return false; }
  void on_uncaught(int) noexcept override {}
};

TEST(thread_machine, names_the_stuck_by_their_numbers_in_the_job) {
  // Never destroyed: the thread that does not end in time is abandoned and keeps using these objects.
  static const auto& time = *new real_clock;
  static auto& seventh = *new scheduler(7, time, std::nullopt);
  static auto& nobody = *new indifferent;
  static auto& pes = *new std::vector<scheduler*>{&seventh};
  static auto* const machine = new thread_machine(pes, thread_settings{}, true, nobody);
  static auto& item = *new stuck_item;
  item.type = &stuck_kind;
  seventh.pe_inbox().post(item);
  std::jthread stopper([] {
    while (seventh.running() == nullptr) std::this_thread::yield();
    machine->stop();
  });
  EXPECT_EQ(machine->run([] { return std::chrono::milliseconds(10); }), std::vector<int>{7});
  item.let_go = true;
  item.let_go.notify_one();
}

/// A network without room for its sends, which therefore cannot announce anything. It counts polls, and how
/// often the PE has yielded its processor by then.
struct full_endpoint final : endpoint {
  void send(work& item, int) override { item.type->destroy(item); }
  void notify(int, std::span<const std::byte>) override {}
  bool progress(std::size_t) override {
    if (++looks == last_look) {
      rusage used{};
      ::getrusage(RUSAGE_THREAD, &used);
      rests = used.ru_nvcsw;
      machine->stop();
    }
    return false;
  }
  bool arm() override { return false; }
  int descriptor() const override { return -1; }
  bool sending() const override { return true; }
  bool congested() const override { return true; }

  static constexpr int last_look = 2000;
  int looks = 0;
  long rests = 0;
  thread_machine* machine = nullptr;
};

TEST(thread_machine, leaves_the_processor_to_who_must_make_room) {
  const real_clock time;
  scheduler pe(0, time, std::nullopt);
  full_endpoint network;
  pe.attach(network);
  std::vector<scheduler*> pes{&pe};
  indifferent nobody;
  thread_machine machine(pes, thread_settings{}, false, nobody);
  network.machine = &machine;
  EXPECT_TRUE(machine.run([] { return std::chrono::milliseconds(3000); }).empty());
  // At most 16 polls with a yield before each rest; in each turn of a rest a step polls, too.
  EXPECT_GE(network.rests, full_endpoint::last_look / 50);
}

INSTANTIATE_TEST_SUITE_P(pes, machine, ::testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace imbrex::detail
