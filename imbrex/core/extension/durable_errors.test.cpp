// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/durable.test.hpp>

#include <imbrex/base/random.hpp>
#include <imbrex/core/pe/promise.hpp>

namespace imbrex::durable_errors_test {

using durable_test::memory;
using durable_test::restore_all;
using durable_test::save_all;

/// The text of the error with which all elements cannot be saved; empty if they can.
task<std::string> complaint() {
  memory::of_test().clear();
  const std::string text = co_await awaited_error_of<error>([]() -> task<> { co_await save_all(); });
  co_return text;
}

/// Runs a program on two PEs.
template <class Main>
void run_here(const Main& main) {
  EXPECT_EQ(testing::run_on({"deterministic", {seeded(2, 3)}}, main), 0);
}

class waiting : public chare<waiting> {
 public:
  mailbox<int> never;
  promise<int> answer;

  task<> wait() {
    const int value = co_await never.receive();
    static_cast<void>(value);
  }
  void give(promise<int> p) { answer = p; }
  task<> end_later() {
    co_await sleep_for(std::chrono::microseconds(1));
    answer.set_value(1);
  }
  void serialize(auto& ar) { ar(never, answer); }
};

class fixed : public chare<fixed> {
 public:
  int value() const { return value_; }

 private:
  int value_ = 0;
};

TEST(durable_errors, name_the_element_and_what_stands_in_the_way) {
  run_here([]() -> task<> {
    const auto all = make_array<waiting>(dense(2).named("all"));
    EXPECT_EQ(co_await complaint(), "");
    send<&waiting::wait>(all[1]);
    const std::string suspended = co_await complaint();
    EXPECT_NE(suspended.find("waiting(1) cannot be saved: its entry wait is suspended elsewhere than at a "
                             "balance point, and a frame cannot be saved"),
              std::string::npos)
        << suspended;
    send<&waiting::never>(all[1], 1);
    co_await quiescence();

    auto [to_give, result] = make_promise<int>();
    co_await all[0].call<&waiting::give>(to_give);
    const std::string promised = co_await complaint();
    EXPECT_NE(promised.find("waiting(0) cannot be saved: a value of type imbrex::promise<int> is among its "
                            "members, which stands for a result that somebody awaits in this run: set it "
                            "before, or leave it out of serialize"),
              std::string::npos)
        << promised;
    send<&waiting::end_later>(all[0]);
    co_await result;
  });
}

TEST(durable_errors, name_a_class_that_lacks_serialize) {
  run_here([]() -> task<> {
    make_array<fixed>(dense(1).named("all"));
    const std::string text = co_await complaint();
    EXPECT_NE(text.find("fixed(0) cannot be saved: its class needs a default constructor and `void "
                        "serialize(auto& ar)` with all members"),
              std::string::npos)
        << text;
  });
}

class pointer : public chare<pointer> {
 public:
  void take(array<waiting> all) { all_ = all; }
  void take_one(element<waiting> one) { one_ = one; }
  void serialize(auto& ar) { ar(all_, one_); }

 private:
  array<waiting> all_;
  element<waiting> one_;
};

TEST(durable_errors, name_the_remedy_for_an_array_without_a_name) {
  run_here([]() -> task<> {
    const auto pointers = make_array<pointer>(dense(2).named("pointers"));
    const auto without_name = make_array<waiting>({3});
    co_await pointers[1].call<&pointer::take>(without_name);
    const std::string text = co_await complaint();
    EXPECT_NE(text.find("pointer(1) cannot be saved: a proxy of an array of waiting is saved that has no "
                        "name: make that array with one, as in "
                        "imbrex::make_array<waiting>(imbrex::dense(shape).named(\"blocks\"))"),
              std::string::npos)
        << text;
    co_await without_name.destroy();
    EXPECT_EQ(co_await complaint(), "");
  });
}

TEST(durable_errors, name_messages_that_wait_for_an_element) {
  run_here([]() -> task<> {
    const auto some = make_array<waiting>(sparse(index<1>(10)).named("some"));
    send<&waiting::never>(some[4], 1);
    const std::string text = co_await complaint();
    EXPECT_NE(
        text.find("the elements of waiting cannot be saved: a message for waiting(4), entry never, sent "
                  "by PE 0: that element was never created"),
        std::string::npos)
        << text;
    some.insert(4);
    co_await quiescence();
    EXPECT_EQ(co_await complaint(), "");
  });
}

class counter : public chare<counter> {
 public:
  void add() {
    const auto sum_of_all = all_reduce(1, sum);
    ++calls_;
  }
  void serialize(auto& ar) { ar(calls_); }

 private:
  int calls_ = 0;
};

TEST(durable_errors, name_a_collective_that_has_not_ended) {
  run_here([]() -> task<> {
    const auto all = make_array<counter>(dense(4).named("all"));
    send<&counter::add>(all[2]);
    const std::string text = co_await complaint();
    EXPECT_NE(text.find("counter(2) cannot be saved: an all_reduce of its array has begun and not ended: "
                        "await it before the next balance point"),
              std::string::npos)
        << text;
    for (const int i : {0, 1, 3}) send<&counter::add>(all[i]);
    co_await quiescence();
    EXPECT_EQ(co_await complaint(), "");
  });
}

TEST(durable_errors, name_two_arrays_of_one_name) {
  run_here([]() -> task<> {
    const auto first = make_array<counter>(dense(4).named("all"));
    const std::string twice = error_of<error>([] { make_array<waiting>(dense(2).named("all")); });
    EXPECT_EQ(twice,
              "there are two arrays named \"all\", of counter and of waiting: a name stands for one array of "
              "the run, so give one of them another");
    co_await first.destroy();
    const auto second = make_array<waiting>(dense(2).named("all"));
    co_await second.created();
    EXPECT_EQ(error_of<error>([] { dense(2).named(""); }),
              "named: the name of an array is empty; give one that no other array of the run has");
  });
}

TEST(durable_errors, free_the_name_of_an_array_whose_destruction_has_been_awaited) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    EXPECT_EQ(testing::run_on({"deterministic", {seeded(1 + static_cast<int>(seed % 4), seed)}},
                              []() -> task<> {
                                for (int i = 0; i < 5; ++i) {
                                  const auto all = make_array<counter>(dense(2).named("all"));
                                  co_await all.created();
                                  co_await all.destroy();
                                }
                              }),
              0)
        << "seed " << seed;
}

class cell : public chare<cell, index<2>> {
 public:
  mailbox<std::string> notes;

  cell() = default;
  void fill(array<cell> all) {
    next_ = all[{where()[0], 0}];
    values_ = {1.5, 2.5, double(where()[1])};
    names_["one"] = {all[{0, 1}]};
    flag_ = true;
  }
  task<int> run(int limit) {
    co_await balance_point<&cell::run>(limit);
    co_return limit;
  }
  void serialize(auto& ar) { ar(notes, next_, values_, names_, flag_); }

 private:
  element<cell> next_;
  std::vector<double> values_;
  std::map<std::string, std::vector<element<cell>>> names_;
  bool flag_ = false;
};

/// Reads the elements in the main task, each from bytes that `change` has changed. Returns how many it read.
template <class Change>
int read_changed(const Change& change) {
  const auto& saved = memory::of_test().saved_parts().front();
  const std::map<std::string, std::uint64_t> numbers{{"cells", 4711}};
  extension::saved_numbers none;
  none.number(num_pes());
  int read = 0;
  for (const auto& each : saved.elements) {
    if (saved.arrays[each.array].name != "cells") continue;
    change(each.state, [&](const std::vector<std::byte>& bytes) {
      const auto part = extension::part_to_fill::make<cell>(4711, saved.arrays[each.array]);
      try {
        extension::names_to_read names(saved.table, numbers, none);
        reader in(bytes);
        const auto element = part.read(names, in);
        in.finish();
        ++read;
      } catch (const std::exception& e) {
        EXPECT_NE(std::string(e.what()), "");
      }
    });
  }
  return read;
}

TEST(durable_errors, tell_foreign_bytes_in_words) {
  run_here([]() -> task<> {
    memory::of_test().clear();
    memory::of_test().restarts_by<cell, &cell::run>([](const cell&) { return 7; });
    const auto all = make_array<cell>(dense(index<2>{2, 2}).named("cells"));
    co_await all.call<&cell::fill>(all);
    send<&cell::notes>(all, "a note");
    co_await save_all();
    const int whole = read_changed([](const auto& bytes, const auto& read) { read(bytes); });
    EXPECT_GT(whole, 0);
    const int cut = read_changed([](const auto& bytes, const auto& read) {
      for (std::size_t n = 0; n < bytes.size(); ++n)
        read(std::vector<std::byte>(bytes.begin(), bytes.begin() + std::ptrdiff_t(n)));
    });
    EXPECT_EQ(cut, 0);
    read_changed([](auto bytes, const auto& read) {
      for (auto& b : bytes)
        for (const int bit : {0, 3, 7}) {
          b ^= std::byte(1 << bit);
          read(bytes);
          b ^= std::byte(1 << bit);
        }
    });
    random dice(5);
    read_changed([&](auto bytes, const auto& read) {
      for (int i = 0; i < 300; ++i) {
        for (auto& b : bytes)
          if (dice.below(8) == 0) b = std::byte(dice.below(256));
        read(bytes);
      }
    });
  });
}

TEST(durable_errors, name_an_array_of_another_class) {
  run_here([]() -> task<> {
    extension::saved_array what{.name = "cells",
                                .chare = std::string(type_name<cell>()),
                                .placement = "lambda in main",
                                .shape = {},
                                .elements = 4};
    EXPECT_EQ(
        error_of<error>([&] { extension::part_to_fill::make<waiting>(5, what); }),
        "the array \"cells\" of the checkpoint has elements of imbrex::durable_errors_test::cell, not of "
        "imbrex::durable_errors_test::waiting");
    EXPECT_EQ(error_of<error>([&] { extension::part_to_fill::make<cell>(5, what); }),
              "the array \"cells\" of the checkpoint is placed by lambda in main, a function that cannot be "
              "found again: use imbrex::in_blocks, imbrex::in_bricks, imbrex::round_robin, or a function "
              "object with a name");
    co_return;
  });
}

}  // namespace imbrex::durable_errors_test
