// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/chare.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::chare_test {

class extensions : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, extensions, ::testing::ValuesIn(machines()), name_of_machine);

class pawn : public chare<pawn> {
 public:
  /// Marks all elements by messages of a front end's own kind.
  void mark_all(int by);
  void mark(int by) { marks_ += by; }
  int marks() { return marks_; }

  void go(int to) {
    migrate_to(to);
    EXPECT_EQ(extension::is_leaving(*this), to != pe());
  }
  /// The PEs of all elements, as this one's PE knows them.
  std::vector<int> places() {
    const extension::local_elements<pawn> here(*this);
    const auto same = extension::local_elements<pawn>::here(here.collection());
    EXPECT_TRUE(same);
    EXPECT_EQ(here.find(static_cast<std::uint64_t>(where()[0])), this);
    EXPECT_EQ(here.shape(), peers().shape());
    EXPECT_FALSE(here.is_group() || here.is_of_singles());
    std::vector<int> all;
    for (int e = 0; e < here.shape()[0]; ++e) {
      const auto key = static_cast<std::uint64_t>(e);
      all.push_back(here.place_of(key));
      EXPECT_EQ(same->find(key) != nullptr, all.back() == pe());
    }
    return all;
  }
  void serialize(auto& ar) { ar(marks_); }

 private:
  int marks_ = 0;
};

struct mark_request : extension::message_to<index<1>> {
  std::int32_t by = 0;

  static inline extension::message_kind type_record =
      extension::register_kind<mark_request>({"request to mark"});
  void serialize(auto& ar) { ar(key, by); }
  void deliver() {
    pawn* const receiver = extension::receiver_of<pawn>(*this);
    if (receiver == nullptr) return;
    const extension::message_guard guard(*this);
    receiver->mark(by);
  }
};

void pawn::mark_all(int by) {
  const extension::local_elements<pawn> here(*this);
  for (int e = 0; e < here.shape()[0]; ++e) {
    auto& m = extension::make_message<mark_request>();
    m.by = by;
    m.collection = here.collection();
    m.key = static_cast<std::uint64_t>(e);
    extension::send_to_element<pawn>(m);
  }
}

TEST_P(extensions, messages_of_own_kinds_follow_elements_that_move) {
  run([]() -> task<> {
    constexpr int pawns = 4;
    auto all = make_array<pawn>({pawns});
    int sent = 0;
    for (int round = 0; round < 6; ++round) {
      for (int e = 0; e < pawns; ++e) {
        send<&pawn::go>(all[e], (e + round) % num_pes());
        send<&pawn::mark_all>(all[e], round);
        auto& m = extension::make_message<mark_request>();
        m.by = 1;
        extension::send_to_element(all[e], m);
      }
      sent += pawns * round + 1;
    }
    co_await quiescence();
    for (int e = 0; e < pawns; ++e) {
      const int marks = co_await all[e].call<&pawn::marks>();
      EXPECT_EQ(marks, sent);
    }
  });
}

TEST_P(extensions, a_part_finds_the_elements_that_are_here) {
  run([]() -> task<> {
    auto all = make_array<pawn>({3});
    for (int e = 0; e < 3; ++e) {
      send<&pawn::go>(all[e], (e + 1) % num_pes());
      co_await quiescence();
    }
    const auto places = co_await all[0].call<&pawn::places>();
    EXPECT_EQ(places[0], 1 % num_pes());
  });
}

struct mark_by {
  void operator()(pawn& at, int by, int times) const { at.mark(by * times); }
};
struct marks_above {
  int operator()(pawn& at, const std::vector<int>& limits) const {
    if (limits.empty()) throw std::runtime_error("no limit");
    return at.marks() > limits[static_cast<std::size_t>(at.where()[0]) % limits.size()] ? 1 : 0;
  }
};
struct mark_later {
  task<int> operator()(pawn& at, int by) const { return wait_and_mark(at, by); }
  static task<int> wait_and_mark(pawn& at, int by) {
    co_await sleep_for(std::chrono::microseconds(1));
    at.mark(by);
    co_return at.marks();
  }
};

TEST_P(extensions, functions_visit_chares_as_entries) {
  run([]() -> task<> {
    auto all = make_array<pawn>({5});
    co_await all.call<extension::visit<pawn, mark_by, int, int>>(3, 2);
    co_await all[2].call<extension::visit<pawn, mark_by, int, int>>(1, 1);
    send<extension::visit<pawn, mark_by, int, int>>(all[4], 2, 5);
    co_await quiescence();
    constexpr auto above = extension::visit<pawn, marks_above, std::vector<int>>;
    EXPECT_EQ(co_await all.reduce<above>(sum, std::vector<int>{6}), 2);
    EXPECT_EQ(co_await all.reduce<above>(sum, std::vector<int>{5, 6}), 3);
    constexpr auto later = extension::visit<pawn, mark_later, int>;
    EXPECT_EQ(co_await all.reduce<later>(max, 4), 20);
    const auto why =
        co_await awaited_error_of<std::runtime_error>(all.reduce<above>(sum, std::vector<int>()));
    EXPECT_NE(why.find("no limit"), std::string::npos) << why;
  });
}

TEST_P(extensions, a_run_says_what_it_is) {
  run([]() -> task<> {
    const auto run = extension::run_handle::here();
    const extension::current_pe here;
    EXPECT_EQ(here.number(), pe());
    EXPECT_EQ(here.count(), num_pes());
    EXPECT_EQ(run.process(), 0);
    EXPECT_EQ(run.processes(), GetParam().processes);
    EXPECT_TRUE(run.holds(pe()));
    EXPECT_FALSE(run.is_traced());
    EXPECT_EQ(run.model() != nullptr, run.settings().machine == machine_kind::simulated);
    EXPECT_FALSE(extension::run_watch(run).has_ended());
    co_return;
  });
  EXPECT_FALSE(extension::run_handle::find_here());
  EXPECT_FALSE(extension::local_elements<pawn>::here(1));
  EXPECT_THROW(extension::run_handle::here(), error);
}

}  // namespace imbrex::chare_test
