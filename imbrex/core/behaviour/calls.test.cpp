// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::calls_test {

class calls : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, calls, ::testing::ValuesIn(machines()), name_of_machine);

struct face {
  int side = 0;
  std::vector<double> cells;
};

class worker : public chare<worker> {
 public:
  mailbox<face> halo;
  mailbox<std::unique_ptr<int>> boxes;
  channel<int> left;
  channel<int> right;

  int add(int a, int b) const { return a + b; }
  std::unique_ptr<int> take(std::unique_ptr<int> p) { return std::make_unique<int>(*p + 1); }
  double total(std::span<const double> values) const {
    double t = 0;
    for (const double v : values) t += v;
    return t;
  }
  std::size_t letters(std::span<const std::string> words) const {
    std::size_t count = 0;
    for (const auto& w : words) count += w.size();
    return count;
  }
  bool shows(std::span<const double> values, std::uintptr_t first) const {
    return reinterpret_cast<std::uintptr_t>(values.data()) == first;
  }
  task<double> total_later(std::span<const double> values, std::string_view name, const std::string& other) {
    co_await sleep_for(std::chrono::microseconds(5));
    co_return total(values) + static_cast<double>(name.size() + other.size());
  }
  std::uintptr_t place_of(const std::vector<int>& v) const {
    return reinterpret_cast<std::uintptr_t>(v.data());
  }
  int by_reference(const std::vector<int>& v) noexcept { return static_cast<int>(v.size()); }
  void nothing_at_all() {}
  task<int> ask(element<worker> other, int depth) {
    if (depth == 0) co_return 0;
    const int below = co_await other.call<&worker::ask>(self(), depth - 1);
    co_return below + 1;
  }

  task<std::vector<int>> collect(std::vector<int> references) {
    std::vector<int> sides;
    for (const int r : references) {
      const face f = r < 0 ? co_await halo.receive_any() : co_await halo.receive(r);
      sides.push_back(f.side);
    }
    co_return sides;
  }
  task<int> loop(int n) {  // all results are ready: must not use more stack
    long sum_of_sides = 0;
    for (int i = 0; i < n; ++i) {
      const face f = co_await halo.receive(i);
      sum_of_sides += f.side;
      co_await return_at_once();
    }
    co_return static_cast<int>(sum_of_sides);
  }
  task<> return_at_once() { co_return; }
  task<int> open_box() {
    const auto box = co_await boxes.receive();
    co_return *box;
  }
  task<std::string> first_of(int reference) {
    const auto first =
        co_await when_any(halo.receive(reference), sleep_for(std::chrono::milliseconds(1)), boxes.receive(9));
    co_return std::to_string(first.index);
  }
  int unread() const { return static_cast<int>(halo.size()); }
  bool has(int reference) const { return halo.has(reference); }

  task<int> stream(int n) {
    const int all = peers().shape()[0];
    right.connect<&worker::left>(peers()[(where()[0] + 1) % all]);
    left.connect<&worker::right>(peers()[(where()[0] + all - 1) % all]);
    for (int i = 0; i < n; ++i) right.send(1000 * where()[0] + i);
    int good = 0;
    for (int i = 0; i < n; ++i) {
      const int got = co_await left.receive();
      good += got == 1000 * ((where()[0] + all - 1) % all) + i ? 1 : 0;
    }
    co_return good;
  }
  std::string send_unconnected() {
    return error_of<error>([&] { left.send(1); });
  }
};

TEST_P(calls, take_values_move_only_objects_and_views) {
  run([]() -> task<> {
    auto all = make_array<worker>({3});
    for (int i = 0; i < 3; ++i) {
      const int five = co_await all[i].call<&worker::add>(2, 3);
      EXPECT_EQ(five, 5);
      const auto box = co_await all[i].call<&worker::take>(std::make_unique<int>(7));
      EXPECT_EQ(*box, 8);
      const std::vector<double> values{1, 2, 3};
      const double six = co_await all[i].call<&worker::total>(values);
      EXPECT_EQ(six, 6);
      const double result = co_await all[i].call<&worker::total>(std::vector<double>{4, 5});
      EXPECT_EQ(result, 9);
      const auto shared = std::make_shared<std::vector<double>>(1000, 0.5);
      const double five_hundred = co_await all[i].call<&worker::total>(shared);
      EXPECT_EQ(five_hundred, 500);
      const double none = co_await all[i].call<&worker::total>(std::shared_ptr<const std::vector<double>>());
      EXPECT_EQ(none, 0);
      const auto words = std::make_shared<const std::vector<std::string>>(10, "four");
      const std::size_t letters = co_await all[i].call<&worker::letters>(words);
      EXPECT_EQ(letters, 40U);
      const double later = co_await all[i].call<&worker::total_later>(values, "four", std::string("five!"));
      EXPECT_EQ(later, 15);
      const int size = co_await all[i].call<&worker::by_reference>(std::vector<int>(4));
      EXPECT_EQ(size, 4);
      co_await all[i].call<&worker::nothing_at_all>();
      const int depth = co_await all[i].call<&worker::ask>(all[(i + 1) % 3], 20);
      EXPECT_EQ(depth, 20);
    }
  });
}

TEST(calls_on_threads, a_vector_that_is_shared_is_not_copied) {
  const int status = imbrex::run(threads(2), []() -> task<> {
    auto all = make_array<worker>({4});
    const auto shared = std::make_shared<const std::vector<double>>(1000, 0.5);
    const auto first = reinterpret_cast<std::uintptr_t>(shared->data());
    EXPECT_TRUE(co_await all.reduce<&worker::shows>(imbrex::all, shared, first));
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(co_await all[i].call<&worker::shows>(shared, first));
    EXPECT_FALSE(co_await all[1].call<&worker::shows>(std::span(*shared), first));
    co_await quiescence();
    EXPECT_EQ(shared.use_count(), 1);
  });
  EXPECT_EQ(status, 0);
}

TEST(calls_on_threads, members_of_a_section_share_what_they_only_read) {
  const int status = imbrex::run(threads(2), []() -> task<> {
    constexpr int elements = 100;
    auto all = make_array<worker>(elements);
    std::vector<index<1>> members;
    for (int i = 0; i < elements; ++i) members.push_back(i);
    auto places = co_await all.section(members).reduce<&worker::place_of>(gather, std::vector<int>(1000));
    EXPECT_EQ(places.size(), 100U);
    const std::set<std::uintptr_t> different(places.begin(), places.end());
    EXPECT_LE(different.size(), 2U);  // one for each PE
  });
  EXPECT_EQ(status, 0);
}

TEST_P(calls, are_sent_at_once_and_awaited_in_any_order) {
  run([]() -> task<> {
    auto all = make_array<worker>({3});
    auto a = all[2].call<&worker::add>(1, 1);
    auto b = all[1].call<&worker::add>(2, 2);
    auto c = all[0].call<&worker::total_later>(std::vector<double>{1}, "", "");
    const double one = co_await c;
    const int four = co_await b;
    const int two = co_await a;
    EXPECT_EQ(one, 1);
    EXPECT_EQ(four, 4);
    EXPECT_EQ(two, 2);
  });
}

TEST_P(calls, are_awaited_once) {
  run([]() -> task<> {
    auto all = make_array<worker>({3});
    auto sum = all[2].call<&worker::add>(1, 1);
    co_await sum;
    const std::string text = co_await awaited_error_of<error>(sum);
    EXPECT_EQ(text, "the result of worker::add was awaited twice: keep what the first co_await gave");
  });
}

TEST_P(calls, mailboxes_match_by_reference) {
  run([]() -> task<> {
    auto all = make_array<worker>({2});
    auto collected = all[1].call<&worker::collect>(std::vector<int>{3, 1, 2, -1});
    send<&worker::halo>(all[1], 2, face{20, {1, 2}});
    send<&worker::halo>(all[1], 1, face{10, {}});
    send<&worker::halo>(all[1], 4, face{40, {}});
    send<&worker::halo>(all[1], 3, face{30, {}});
    const auto sides = co_await collected;
    EXPECT_EQ(sides, (std::vector<int>{30, 10, 20, 40}));
    send<&worker::boxes>(all[1], std::make_unique<int>(5));
    const int five = co_await all[1].call<&worker::open_box>();
    EXPECT_EQ(five, 5);
    const auto timer = co_await all[0].call<&worker::first_of>(1);
    EXPECT_EQ(timer, "1");
    send<&worker::halo>(all[0], 2, face{});
    co_await quiescence();
    const auto other = co_await all[0].call<&worker::first_of>(3);
    EXPECT_EQ(other, "1");
    const int unread = co_await all[0].call<&worker::unread>();
    EXPECT_EQ(unread, 1);
    const auto text = co_await all[0].call<&worker::first_of>(2);
    EXPECT_EQ(text, "0");
  });
}

TEST_P(calls, thousands_of_early_letters_need_no_stack) {
  run([]() -> task<> {
    constexpr int n = 3000;
    auto all = make_array<worker>({2});
    for (int i = n - 1; i >= 0; --i) send<&worker::halo>(all[1], i, face{1, {}});
    co_await quiescence();
    const bool has = co_await all[1].call<&worker::has>(n - 1);
    EXPECT_TRUE(has);
    const int got = co_await all[1].call<&worker::loop>(n);
    EXPECT_EQ(got, n);
    const int unread = co_await all[1].call<&worker::unread>();
    EXPECT_EQ(unread, 0);
  });
}

TEST_P(calls, channels_keep_their_order) {
  run([]() -> task<> {
    auto all = make_array<worker>({4});
    const int good = co_await all.reduce<&worker::stream>(imbrex::min, 50);
    EXPECT_EQ(good, 50);
    auto other = make_array<worker>({1});
    const auto text = co_await other[0].call<&worker::send_unconnected>();
    EXPECT_NE(text.find("not connected"), std::string::npos) << text;
  });
}

task<int> fails_after(std::chrono::microseconds time) {
  co_await sleep_for(time);
  throw std::runtime_error("after " + std::to_string(time.count()));
}

TEST_P(calls, when_all_and_when_any_combine_what_can_be_awaited) {
  run([]() -> task<> {
    auto all = make_array<worker>({3});
    const auto both =
        co_await when_all(all[0].call<&worker::add>(1, 2), sleep_for(std::chrono::microseconds(3)),
                          all[2].call<&worker::add>(3, 4));
    EXPECT_EQ(both, std::make_tuple(3, detail::nothing{}, 7));
    const auto none = co_await when_all(std::vector<pending<int>>{});
    EXPECT_TRUE(none.empty());

    std::vector<pending<int>> many;
    for (int i = 0; i < 3; ++i) many.push_back(all[i].call<&worker::add>(i, i));
    const auto first = co_await when_any(std::move(many));
    EXPECT_EQ(first.value, 2 * static_cast<int>(first.index));

    std::string text = co_await awaited_error_of<std::runtime_error>(
        when_all(fails_after(std::chrono::microseconds(9)), fails_after(std::chrono::microseconds(4))));
    EXPECT_EQ(text, "after 9");
    text = co_await awaited_error_of<std::runtime_error>(
        when_any(fails_after(std::chrono::hours(9)), fails_after(std::chrono::microseconds(4))));
    EXPECT_EQ(text, "after 4");
    const auto before_ever =
        co_await when_any(sleep_for(std::chrono::nanoseconds::max()), sleep_for(std::chrono::hours::max()),
                          sleep_for(std::chrono::duration<double>(0.002)));
    EXPECT_EQ(before_ever.index, 2U);
    co_await sleep_for(std::chrono::hours::min());
    EXPECT_THROW(static_cast<void>(when_any(std::vector<pending<int>>{})), std::invalid_argument);
  });
}

TEST_P(calls, quiescence_comes_when_nothing_is_left_to_do) {
  run([]() -> task<> {
    auto all = make_array<worker>({3});
    co_await quiescence();
    auto later = all[1].call<&worker::total_later>(std::vector<double>{1}, "", "");
    co_await quiescence();
    EXPECT_TRUE(later.ready());
    auto a = quiescence();
    auto b = quiescence();
    co_await a;
    co_await b;
  });
}

}  // namespace imbrex::calls_test
