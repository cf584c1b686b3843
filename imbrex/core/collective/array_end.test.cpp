// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::array_end_test {

class array_end : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, array_end, ::testing::ValuesIn(machines()), name_of_machine);

class guest : public chare<guest> {
 public:
  mailbox<int> port;

  void move() { migrate_to((pe() + 1) % num_pes()); }
  void end() { destroy(); }
  int one() const { return 1; }
  task<int> wait() {
    const int value = co_await port.receive(1);
    co_return value;
  }
  task<int> total() {
    const int value = co_await all_reduce(1, sum);
    co_return value;
  }
  void serialize(auto& ar) { ar(port); }
};

/// Counts the data that its PE holds.
class auditor : public chare<auditor> {
 public:
  int parts() const {
    int n = 0;
    detail::processor::here().for_each_collection([&n](const detail::collection_part&) { ++n; });
    return n;
  }
};

bool reports_array_end(const std::string& text) {
  return text.find("ended") != text.npos || text.find("destroyed") != text.npos;
}

TEST_P(array_end, ends_entries_and_elements_on_their_way) {
  run([]() -> task<> {
    for (int round = 0; round < 3; ++round) {
      const auto all = make_array<guest>(5);
      const int five = co_await all.reduce<&guest::total>(max);
      EXPECT_EQ(five, 5);
      auto one_waits = all[2].call<&guest::wait>();
      auto all_wait = all.reduce<&guest::wait>(sum);
      for (int i = 0; i < 3; ++i) send<&guest::move>(all);
      co_await all.destroy();
      const std::string one = co_await awaited_error_of<error>(std::move(one_waits));
      EXPECT_TRUE(reports_array_end(one)) << one;
      const std::string every = co_await awaited_error_of<error>(std::move(all_wait));
      EXPECT_TRUE(reports_array_end(every)) << every;
      const std::string later = co_await awaited_error_of<error>(all[1].call<&guest::one>());
      EXPECT_TRUE(reports_array_end(later)) << later;
      const std::string later_all = co_await awaited_error_of<error>(all.reduce<&guest::one>(sum));
      EXPECT_TRUE(reports_array_end(later_all)) << later_all;
      co_await all.destroy();  // a second time
    }
  });
}

TEST_P(array_end, gives_back_groups_sparse_arrays_and_sections) {
  run([]() -> task<> {
    const auto auditors = make_group<auditor>();
    const int before = co_await auditors.reduce<&auditor::parts>(max);
    for (int round = 0; round < 20; ++round) {
      const auto some = make_array<guest>(sparse(9));
      some.insert(3);
      some.insert(7);
      const auto members = make_group<guest>();
      const auto both = some.section({3, 7});
      const int two = co_await both.reduce<&guest::one>(sum);
      EXPECT_EQ(two, 2);
      auto first = members.destroy();
      co_await some.destroy();
      co_await first;
    }
    co_await quiescence();
    const int after = co_await auditors.reduce<&auditor::parts>(max);
    EXPECT_EQ(after, before);
  });
}

TEST_P(array_end, comes_by_itself_when_many_have_no_elements) {
  run([]() -> task<> {
    const auto auditors = make_group<auditor>();
    constexpr int arrays = 900;
    std::vector<array<guest>> proxies;
    for (int i = 0; i < arrays; ++i) {
      proxies.push_back(make_array<guest>(2));
      send<&guest::end>(proxies.back());
      if (i % 300 == 299) co_await quiescence();
    }
    const int parts = co_await auditors.reduce<&auditor::parts>(max);
    EXPECT_LT(parts, arrays / 2);
    const auto last = make_array<guest>(2);
    send<&guest::end>(last);
    co_await quiescence();
    last.insert(1);  // a recently emptied array can be filled again
    co_await quiescence();
    const int one = co_await last[1].call<&guest::one>();
    EXPECT_EQ(one, 1);
    const std::string text = co_await awaited_error_of<error>(proxies.front()[0].call<&guest::one>());
    EXPECT_TRUE(reports_array_end(text)) << text;
  });
}

TEST_P(array_end, answers_each_member_of_a_section) {
  run([]() -> task<> {
    for (int round = 0; round < 20; ++round) {
      const auto all = make_array<guest>(8);
      auto answer = all.section({0, 2, 3, 5, 7}).reduce<&guest::one>(sum);
      co_await all.destroy();
      const std::string text = co_await awaited_error_of<error>(std::move(answer));
      EXPECT_TRUE(text.empty() || reports_array_end(text)) << text;
    }
  });
}

TEST_P(array_end, answers_what_waits_for_an_element_that_ends) {
  run([]() -> task<> {
    constexpr int arrays = 700;
    std::vector<array<guest>> proxies;
    for (int i = 0; i < arrays; ++i) {
      proxies.push_back(make_array<guest>(1));
      send<&guest::move>(proxies.back());
    }
    co_await quiescence();
    std::vector<pending<int>> calls;
    for (const auto& one : proxies) {
      send<&guest::end>(one);
      for (int j = 0; j < 2; ++j) calls.push_back(one[0].call<&guest::one>());
    }
    for (auto& call : calls) {
      const std::string text = co_await awaited_error_of<error>(std::move(call));
      EXPECT_TRUE(text.empty() || reports_array_end(text)) << text;
    }
  });
}

/// More elements end than the home remembers, before they get their copies of the broadcast.
TEST(array_end_shuffled, broadcasts_pass_over_keys_that_are_forgotten) {
  options settings;
  settings.pes = 1;
  settings.shuffle = 1;
  const int status = imbrex::run(settings, []() -> task<int> {
    constexpr int guests = 4 * 8192;
    const auto all = make_array<guest>(sparse(guests + 1));
    for (int i = 0; i <= guests; ++i) all.insert(i);
    co_await quiescence();
    for (int i = 0; i < guests; ++i) send<&guest::end>(all[i]);
    const int left = co_await all.reduce<&guest::one>(sum);
    EXPECT_GE(left, 1);
    co_return 0;
  });
  EXPECT_EQ(status, 0);
}

TEST_P(array_end, does_not_touch_a_default_constructed_proxy) {
  run([]() -> task<> { co_await array<guest>().destroy(); });
}

class keyed_guest : public chare<keyed_guest, int> {
 public:
  void end() { destroy(); }
  int one() const { return 1; }
  std::size_t places() const {
    return static_cast<const detail::element_map<int>&>(
               *detail::processor::here().collection(
                   detail::processor::here().number_of(self().collection())))
        .places_known();
  }
};

TEST(location, forgets_keys_whose_elements_ended_long_ago) {
  constexpr int keys = 40'000;
  static_assert(keys > 4 * static_cast<int>(detail::element_map<int>::places_remembered));
  EXPECT_EQ(run(threads(1),
                []() -> task<> {
                  const auto all = make_array<keyed_guest>();
                  all.insert(-1);
                  for (int k = 0; k < keys; ++k) {
                    all.insert(k);
                    send<&keyed_guest::end>(all[k]);
                    if (k % 1000 == 999) co_await quiescence();
                  }
                  const auto places = co_await all[-1].call<&keyed_guest::places>();
                  EXPECT_LE(places, 3 * detail::element_map<int>::places_remembered + 1);
                  const std::string text =
                      co_await awaited_error_of<error>(all[keys - 1].call<&keyed_guest::one>());
                  EXPECT_TRUE(reports_array_end(text)) << text;
                  all.insert(3);  // the home has long forgotten this key
                  const int one = co_await all[3].call<&keyed_guest::one>();
                  EXPECT_EQ(one, 1);
                }),
            0);
}

}  // namespace imbrex::array_end_test
