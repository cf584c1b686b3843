// SPDX-License-Identifier: Apache-2.0
// Notifications of PE observers, several at a time.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/run/pe_attachment.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex::observers_test {

/// Records the notifications of one PE.
class witness final : public observer {
 public:
  int begins = 0;
  int ends = 0;
  int items = 0;
  int sent_messages = 0;
  int created_elements = 0;
  int destroyed_elements = 0;
  int departures = 0;
  int arrivals = 0;
  int waits = 0;
  int resumptions = 0;
  int faults = 0;  ///< notifications out of order
  std::thread::id thread;

  void thread_begins() override {
    thread = std::this_thread::get_id();
    ++begins;
    expect(ends == 0);
  }
  void thread_ends() override {
    expect(!in_item_ && !parked_);
    ++ends;
  }
  void parks() override {
    expect(!in_item_ && !parked_);
    parked_ = true;
  }
  void wakes() override {
    expect(parked_);
    parked_ = false;
  }
  void item_begins(const detail::work&) override {
    expect(!in_item_ && !parked_);
    in_item_ = true;
    ++items;
  }
  void item_ends() override {
    expect(in_item_ && turns_ == 0);
    in_item_ = false;
  }
  void turn_begins(const detail::local_array& part, const chare_header& element, const detail::work_type&,
                   const detail::work&) override {
    expect(element.home == &part);
    ++turns_;
  }
  void turn_ends() override { --turns_; }
  void sent(const departing_message& what) override {
    faults += what.bytes() > 0 ? 0 : 1;
    ++sent_messages;
  }
  void suspended(const suspension&) override { ++waits; }
  void resumed(const suspension&) override { ++resumptions; }
  void created(const detail::local_array&, const chare_header&) override { ++created_elements; }
  void destroyed(const detail::local_array&, const chare_header&) override { ++destroyed_elements; }
  void departs(const detail::local_array&, const chare_header&, int) override { ++departures; }
  void arrives(const detail::local_array&, const chare_header&) override { ++arrivals; }

 private:
  void expect(bool holds) {
    faults += holds ? 0 : 1;
    if (begins > 0) faults += std::this_thread::get_id() == thread ? 0 : 1;
  }

  bool in_item_ = false;
  bool parked_ = false;
  int turns_ = 0;
};

/// One observer for each PE of a run.
template <class Observer>
class observers_of_run {
 public:
  explicit observers_of_run(observed what = observed::everything)
      : attachment_([this, what](detail::scheduler& pe) {
          if (pe.pe() == detail::scheduler::no_pe) return;
          const std::lock_guard hold(lock_);
          auto& its = all[pe.pe()];
          if constexpr (std::is_constructible_v<Observer, const detail::processor&>)
            its = std::make_unique<Observer>(static_cast<const detail::processor&>(pe));
          else
            its = std::make_unique<Observer>();
          pe.attach(*its, what);
        }) {}

  std::map<int, std::unique_ptr<Observer>> all;

 private:
  std::mutex lock_;
  pe_attachment attachment_;
};

class observers : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, observers, ::testing::ValuesIn(machines()), name_of_machine);

class speaker : public chare<speaker> {
 public:
  mailbox<int> answers;

  void go(int to) { migrate_to(to); }
  void hear(int from) { send<&speaker::answers>(peers()[from], where()[0], 1); }
  task<int> ask_all() {
    int sum = 0;
    for (int i = 0; i < peers().shape()[0]; ++i) send<&speaker::hear>(peers()[i], where()[0]);
    for (int i = 0; i < peers().shape()[0]; ++i) sum += co_await answers.receive(i);
    co_return sum;
  }
  void serialize(auto& ar) { ar(answers); }
};

TEST_P(observers, hear_the_same_each_of_all_that_happens) {
  for (options settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    observers_of_run<witness> first;
    observers_of_run<witness> second;
    observers_of_run<witness> of_threads(observed::thread);
    const int status = run_once(settings, []() -> task<> {
      auto all = make_array<speaker>({6});
      const int sum_of_all = co_await all.reduce<&speaker::ask_all>(sum);
      EXPECT_EQ(sum_of_all, 36);
      for (const int to : {0, num_pes() - 1}) {
        send<&speaker::go>(all, to);
        co_await quiescence();
      }
    });
    EXPECT_EQ(status, 0);
    witness total;
    for (const auto& [pe, w] : first.all) {
      const auto& other = *second.all.at(pe);
      EXPECT_EQ(w->items, other.items);
      EXPECT_EQ(w->sent_messages, other.sent_messages);
      EXPECT_EQ(w->begins, 1);
      EXPECT_EQ(w->ends, 1);
      EXPECT_EQ(w->faults, 0);
      EXPECT_EQ(of_threads.all.at(pe)->begins, 1);
      EXPECT_EQ(of_threads.all.at(pe)->ends, 1);
      EXPECT_EQ(of_threads.all.at(pe)->items, 0);
      EXPECT_EQ(of_threads.all.at(pe)->faults, 0);
      total.created_elements += w->created_elements;
      total.destroyed_elements += w->destroyed_elements;
      total.departures += w->departures;
      total.arrivals += w->arrivals;
      total.waits += w->waits;
      total.resumptions += w->resumptions;
    }
    EXPECT_EQ(total.created_elements, 6);
    EXPECT_EQ(total.destroyed_elements, 6);
    EXPECT_EQ(total.departures, total.arrivals);
    EXPECT_EQ(total.departures > 0, settings.pes * GetParam().processes > 1);
    EXPECT_EQ(total.waits, total.resumptions);
    EXPECT_GE(total.waits, 6);
  }
}

}  // namespace imbrex::observers_test
