// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/short_message.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/run/job.test.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>

namespace imbrex::short_message_test {

class short_messages : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, short_messages, ::testing::ValuesIn(machines()), name_of_machine);

enum class colour : std::uint8_t { red, green, blue };
struct place3 {
  float x;
  std::int16_t n;
  double z;
};

std::uint64_t mixed(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15U;
  return h ^ (h >> 29U);
}
template <class E>
std::uint64_t mixed_all(std::uint64_t h, std::span<const E> values) {
  h = mixed(h, values.size());
  for (const E v : values) h = mixed(h, static_cast<std::uint64_t>(v));
  return h;
}

/// Hashes the arguments of each entry; the sender computes the expected value by the same functions.
std::uint64_t of_numbers(int a, bool b, colour c, const place3& p, double d) {
  std::uint64_t h = mixed(static_cast<std::uint64_t>(a), b ? 1 : 2);
  h = mixed(h, static_cast<std::uint64_t>(c));
  h = mixed(h, static_cast<std::uint64_t>(p.x) + static_cast<std::uint64_t>(p.n));
  return mixed(h, static_cast<std::uint64_t>(p.z) + static_cast<std::uint64_t>(d));
}
std::uint64_t of_spans(char pad, std::span<const double> values, std::span<const std::uint8_t> bytes,
                       std::uint64_t last) {
  return mixed_all(mixed_all(mixed(last, static_cast<std::uint64_t>(pad)), values), bytes);
}

/// Adds up the received arguments; sums do not depend on the order of messages.
class listener : public chare<listener> {
 public:
  mailbox<double> letters;

  void tell_nothing() { sum_ += 77; }
  void tell_numbers(int a, bool b, colour c, place3 p, const double& d) { sum_ += of_numbers(a, b, c, p, d); }
  void tell_spans(char pad, std::span<const double> values, std::span<const std::uint8_t> bytes,
                  std::uint64_t last) {
    aligned_ = aligned_ && reinterpret_cast<std::uintptr_t>(values.data()) % alignof(double) == 0;
    sum_ += of_spans(pad, values, bytes, last);
  }
  std::uint64_t tell_with_a_result(std::array<std::int32_t, 5> five) {
    return sum_ += mixed_all<std::int32_t>(5, five);
  }
  void move_on(int to) { migrate_to(to); }
  std::uint64_t received_sum() const { return sum_; }
  task<std::uint64_t> sum_with_letters(int letters_sent) {
    double all = 0;
    for (int i = 0; i < letters_sent; ++i) all += co_await letters.receive(i);
    EXPECT_TRUE(aligned_);
    co_return sum_ + static_cast<std::uint64_t>(all);
  }
  void serialize(auto& ar) { ar(letters, sum_, aligned_); }

 private:
  std::uint64_t sum_ = 0;
  bool aligned_ = true;
};

/// Sends random values to the elements of an array. Returns the expected sums.
std::vector<std::uint64_t> tell(const array<listener>& all, int messages, random& dice, int& letters) {
  std::vector<std::uint64_t> expected(all.size());
  std::vector<double> values;
  std::vector<std::uint8_t> bytes;
  for (int m = 0; m < messages; ++m) {
    const auto which = dice.below(all.size());
    std::uint64_t& sum = expected[which];
    const auto plain = all[static_cast<int>(which)];
    const auto to = dice.below(2) == 0 ? plain : plain.coalesced();
    const auto small = [&dice] { return static_cast<int>(dice.below(1000)); };
    switch (dice.below(5)) {
      case 0:
        send<&listener::tell_nothing>(to);
        sum += 77;
        break;
      case 1: {
        const int a = small();
        const bool b = a % 2 == 0;
        const place3 p{static_cast<float>(small()), static_cast<std::int16_t>(small()), 1.0 * small()};
        const short narrow = static_cast<short>(small());  // converted to a double when sent
        send<&listener::tell_numbers>(to, a, b, colour::blue, p, narrow);
        sum += of_numbers(a, b, colour::blue, p, narrow);
        break;
      }
      case 2: {
        values.assign(dice.below(dice.below(8) == 0 ? 400 : 32), 1.0 * small());
        bytes.assign(dice.below(dice.below(8) == 0 ? 3000 : 30), static_cast<std::uint8_t>(small()));
        const std::uint64_t last = dice();
        sum += of_spans('x', values, bytes, last);
        if (small() % 3 == 0)
          send<&listener::tell_spans>(to, 'x', std::make_shared<const std::vector<double>>(values), bytes,
                                      last);
        else
          send<&listener::tell_spans>(to, 'x', values, std::span<const std::uint8_t>(bytes), last);
        break;
      }
      case 3: {
        const std::array<std::int32_t, 5> five{small(), small(), -1, small(), 0};
        send<&listener::tell_with_a_result>(to, five);
        sum += mixed_all<std::int32_t>(5, five);
        break;
      }
      default:
        if (which != 0) break;
        send<&listener::letters>(to, letters, letters);
        sum += static_cast<std::uint64_t>(letters++);
    }
  }
  return expected;
}

TEST_P(short_messages, arrive_as_they_were_sent) {
  run([]() -> task<> {
    random dice(3);
    for (const int elements :
         {1, 5, 300}) {  // with 300, some keys and the second array's number take two bytes
      const auto all = make_array<listener>(elements);
      int letters = 0;
      const auto expected = tell(all, 400, dice, letters);
      co_await quiescence();
      for (int e = 0; e < elements; ++e)
        EXPECT_EQ(co_await all[e].call<&listener::sum_with_letters>(e == 0 ? letters : 0),
                  expected[static_cast<std::size_t>(e)])
            << e << " of " << elements;
    }
  });
}

TEST_P(short_messages, find_elements_that_come_later_and_that_have_moved) {
  run([]() -> task<> {
    random dice(4);
    const auto all = make_array<listener>(sparse(7));
    int letters = 0;
    auto expected = tell(all, 100, dice, letters);
    for (int e = 0; e < 7; ++e) all.insert(e);
    for (int round = 0; round < 5; ++round) {
      for (int e = 0; e < 7; ++e)
        send<&listener::move_on>(all[e], static_cast<int>(dice.below(static_cast<std::uint64_t>(num_pes()))));
      const auto more = tell(all, 100, dice, letters);
      for (std::size_t e = 0; e < 7; ++e) expected[e] += more[e];
      if (round % 2 == 0) co_await quiescence();
    }
    co_await quiescence();
    for (int e = 0; e < 7; ++e)
      EXPECT_EQ(co_await all[e].call<&listener::sum_with_letters>(e == 0 ? letters : 0),
                expected[static_cast<std::size_t>(e)]);
  });
}

/// Sends messages that are alternately short or long, and coalesced or not.
class sequence : public chare<sequence> {
 public:
  void speak(int count) {
    const auto to = peers()[1];
    random dice(5);
    for (int i = 0; i < count; ++i) {
      const auto who = dice.below(2) == 0 ? to : to.coalesced();
      switch (dice.below(4)) {
        case 0: send<&sequence::hear>(who, i); break;
        case 1: send<&sequence::hear_with_text>(who, i, std::string(dice.below(400), 'a')); break;
        case 2: send<&sequence::hear_with_bytes>(who, std::vector<std::uint8_t>(dice.below(3000)), i); break;
        default:
          send<&sequence::hear_with_bytes>(
              who, std::span<const std::uint8_t>(bytes_).first(dice.below(bytes_.size())), i);
      }
    }
  }
  void hear(int i) {
    in_order_ = in_order_ && i == received_count_;
    ++received_count_;
  }
  void hear_with_text(int i, const std::string&) { hear(i); }
  void hear_with_bytes(std::span<const std::uint8_t>, int i) { hear(i); }
  int received_in_order() { return in_order_ ? received_count_ : -1; }

 private:
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(2500, 7);
  int received_count_ = 0;
  bool in_order_ = true;
};

TEST(short_messages_between_processes, keep_their_order_among_all) {
  if (!has_network()) GTEST_SKIP() << "this build connects no processes";
  options settings;
  settings.pes = 1;
  const int status = run_in_processes(2, settings, []() -> task<> {
    const auto two = make_array<sequence>(2);
    co_await two[0].call<&sequence::speak>(3000);
    co_await quiescence();
    EXPECT_EQ(co_await two[1].call<&sequence::received_in_order>(), 3000);
  });
  EXPECT_EQ(status, 0);
}

TEST(short_messages_between_processes, that_outrun_the_network_are_kept_until_it_takes_them) {
  if (!has_network()) GTEST_SKIP() << "this build connects no processes";
  options settings;
  settings.pes = 1;
  const int status = run_in_processes(2, settings, []() -> task<> {
    const auto two = make_array<listener>(2);
    constexpr int many = 100'000;  // in one batch: more than UCX can buffer
    for (int i = 0; i < many; ++i) send<&listener::tell_nothing>(two[1]);
    co_await quiescence();
    EXPECT_EQ(co_await two[1].call<&listener::sum_with_letters>(0), std::uint64_t{77} * many);
  });
  EXPECT_EQ(status, 0);
}

TEST(short_messages_between_processes, say_who_threw) {
  if (!has_network()) GTEST_SKIP() << "this build connects no processes";
  struct thrower : chare<thrower> {
    void tell(int value) { throw error("no " + std::to_string(value)); }
  };
  options settings;
  settings.pes = 1;
  ::testing::internal::CaptureStderr();
  const int status = run_in_processes(2, settings, []() -> task<> {
    const auto two = make_array<thrower>(2);
    send<&thrower::tell>(two[1], 17);
    co_await quiescence();
  });
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 1);
  EXPECT_NE(text.find("thrower(1), entry tell, on PE 1: no 17"), std::string::npos) << text;
}

/// A type that short messages must accept since ordinary messages do.
class mover {
 public:
  mover() = default;
  explicit mover(int n) : n_(n) {}
  mover(mover&&) = default;
  mover& operator=(mover&&) = default;
  int n() const { return n_; }

 private:
  int n_ = 0;
};
}  // namespace imbrex::short_message_test

template <>
inline constexpr bool imbrex::enable_bitwise<imbrex::short_message_test::mover> = true;

namespace imbrex::short_message_test {

class taker : public chare<taker> {
 public:
  void take(int n) { sum_ += n; }
  void take_colour(colour c) { sum_ += static_cast<int>(c); }
  void take_mover(mover m) { sum_ += m.n(); }
  int sum() const { return sum_; }

 private:
  int sum_ = 0;
};

TEST_P(short_messages, may_be_volatile_or_only_moved) {
  run([]() -> task<> {
    const auto all = make_array<taker>(3);
    const volatile int seven = 7;
    volatile colour blue = colour::blue;
    for (int e = 0; e < 3; ++e) {
      send<&taker::take>(all[e], seven);
      send<&taker::take_colour>(all[e], blue);
      send<&taker::take_mover>(all[e], mover(20));
    }
    co_await quiescence();
    for (int e = 0; e < 3; ++e) EXPECT_EQ(co_await all[e].call<&taker::sum>(), 29);
  });
}

/// Feeds items, as received from the network, to an element of a process; the test drives the process.
class short_items : public ::testing::Test {
 protected:
  static constexpr std::uint64_t number = 5;
  using bytes = std::vector<std::byte>;

  template <auto M, class... A>
  bytes message(std::uint64_t key, std::uint64_t collection, std::uint32_t origin, A&&... arguments) {
    auto& pe = here.run().processor_at(0);
    const detail::scheduler::activation as(pe);
    auto& m = detail::make_entry_message<listener, M>(pe, std::forward<A>(arguments)...);
    m.key = key;
    m.collection = collection;
    m.origin = origin;
    writer out;
    m.type->pack(m, out);
    m.type->destroy(m);
    return out.take();
  }
  bytes spans(std::uint64_t key, std::uint64_t collection = number, std::uint32_t origin = 1) {
    return message<&listener::tell_spans>(key, collection, origin, 'x', values, few, last);
  }
  void take(std::span<const std::byte> item) {
    if (!here.run_short(item)) here.take_item(item);
  }
  std::uint64_t received_sum() const {
    return detail::element_memory<listener>::object(*part.find(0)).received_sum();
  }

  const std::vector<double> values{1, 2, 3};
  const std::vector<std::uint8_t> few{4, 5};
  const std::uint64_t last = 6;
  test::lone_process here{0};
  detail::collection<listener>& part = here.add_array<listener>(number);
};

TEST_F(short_items, run_as_they_came) {
  EXPECT_TRUE(here.run_short(spans(0)));
  EXPECT_EQ(received_sum(), of_spans('x', values, few, last));
  EXPECT_TRUE(here.run_short(message<&listener::tell_nothing>(0, number, 2)));
  EXPECT_EQ(received_sum(), of_spans('x', values, few, last) + 77);
}

TEST_F(short_items, for_others_go_on_as_messages) {
  EXPECT_TRUE(here.run_short(spans(1)));       // for another PE
  EXPECT_TRUE(here.run_short(spans(300)));     // with a key that takes two bytes
  EXPECT_TRUE(here.run_short(spans(0, 700)));  // for an array that is not here yet
  EXPECT_EQ(here.run().processor_at(0).held().size(), 1U);
  EXPECT_EQ(received_sum(), 0U);
}

TEST_F(short_items, are_not_sent_to_places_that_there_are_not) {
  auto& pe = here.run().processor_at(0);
  const detail::scheduler::activation as(pe);
  EXPECT_EQ(pe.endpoint_for_written(2), &here.wire());
  for (const int place : {0, -1, -2'000'000, 3}) EXPECT_EQ(pe.endpoint_for_written(place), nullptr);
}

TEST_F(short_items, for_single_chares_of_another_class_are_refused) {
  for (const std::uint64_t number : {0U, 0x0fff'ffffU, 0xffff'ffffU})
    EXPECT_THROW(here.run_short(spans(0, detail::singles_bit | number)), serial_error);
}

TEST_F(short_items, are_not_those_that_have_to_be_unpacked) {
  EXPECT_FALSE(here.run_short({}));
  EXPECT_FALSE(here.run_short(message<&listener::letters>(0, number, 1, 1.0)));
  EXPECT_FALSE(here.run_short(message<&listener::sum_with_letters>(0, number, 1, 1)));
  EXPECT_FALSE(here.run_short(spans(0, number, 3))) << "there is no PE 3";
  const std::size_t others = spans(0).size() - few.size();
  for (const std::size_t over : {0, 1}) {
    const std::vector<std::uint8_t> many(detail::endpoint::longest_written - others + over);
    EXPECT_EQ(here.run_short(message<&listener::tell_spans>(0, number, 1, 'x', values, many, last)),
              over == 0);
  }
  bytes no_kind = spans(0);
  no_kind[1] = std::byte{0x7f};
  EXPECT_FALSE(here.run_short(no_kind));
}

TEST_F(short_items, that_are_cut_off_or_too_long_are_refused) {
  const bytes good = spans(0);
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(take(std::span(good).first(length)), serial_error) << length;
  bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_THROW(take(longer), serial_error);
  EXPECT_EQ(received_sum(), 0U);
}

TEST_F(short_items, with_impossible_values_are_refused) {
  const bytes good = spans(0);
  const std::size_t count_of_few = good.size() - sizeof last - few.size() - sizeof(std::uint64_t);
  const std::size_t count_of_values = count_of_few - values.size() * sizeof(double) - sizeof(std::uint64_t);
  for (const std::size_t count : {count_of_few, count_of_values})
    for (const std::byte highest : {std::byte{0x20}, std::byte{0x80}}) {  // eight times 0x20 in the top byte
                                                                          // overflows to 0
      bytes endless = good;
      endless[count + sizeof(std::uint64_t) - 1] = highest;
      EXPECT_THROW(take(endless), serial_error) << count;
    }
  bytes two = message<&listener::tell_numbers>(0, number, 1, 1, true, colour::red, place3{}, 1.0);
  EXPECT_TRUE(here.run_short(two));
  const auto before = received_sum();
  two[two.size() - sizeof(double) - sizeof(place3) - sizeof(colour) - 1] = std::byte{2};  // the bool
  EXPECT_THROW(take(two), serial_error);
  bytes long_key = good;
  long_key.insert(long_key.begin() + static_cast<std::ptrdiff_t>(count_of_values) - 2, 10, std::byte{0xff});
  EXPECT_THROW(take(long_key), serial_error) << "a key of more than 64 bits";
  EXPECT_EQ(received_sum(), before);
}

}  // namespace imbrex::short_message_test
