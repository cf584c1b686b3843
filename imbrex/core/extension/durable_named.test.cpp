// SPDX-License-Identifier: Apache-2.0
// Chares of classes that are named at run time, as a front end of another language has them.
#include <imbrex/core/extension/durable.test.hpp>

#include <algorithm>

#include <imbrex/core/extension/durable_names.hpp>

namespace imbrex::durable_named_test {

using durable_test::memory;
using durable_test::name_of_pair;
using durable_test::pairs_of_machines;
using durable_test::restore_all;
using durable_test::save_all;
using durable_test::two_runs;

entry_name defined(const std::string& chare, const std::string& entry) {
  return define_entry({chare, entry, "()"});
}
entry_name constructor(const std::string& chare) { return defined(chare, "construct"); }
entry_name add_once() { return defined("Account", "add_once"); }
entry_name add_twice() { return defined("Account", "add_twice"); }

class account : public chare<account> {
 public:
  static constexpr std::string_view shown_as = "an account";

  account() = default;
  explicit account(entry_name constructor, std::int64_t value = 0)
      : constructor_(constructor), value_(value) {}
  entry_name constructor_name() const { return constructor_; }
  std::string_view shown_port_name(const void* /*port*/) const { return {}; }

  void add(entry_name how, std::int64_t n) { value_ += how == add_twice() ? 2 * n : n; }
  void know(entry_name, element<account> other) { other_ = other; }
  std::int64_t value(entry_name) const { return value_; }
  task<std::int64_t> value_of_other(entry_name how) {
    const std::int64_t found = co_await other_.call<&account::value>(how);
    co_return found;
  }
  void serialize(auto& ar) {
    if (auto* const names = extension::names_of(ar))
      extension::archive_durably(*names, constructor_, ar);
    else
      ar(constructor_);
    ar(value_, other_);
  }

 private:
  entry_name constructor_;
  std::int64_t value_ = 0;
  element<account> other_;
};

class durable_named : public ::testing::TestWithParam<two_runs> {
 protected:
  void SetUp() override { memory::of_test().clear(); }
};
INSTANTIATE_TEST_SUITE_P(on, durable_named, ::testing::ValuesIn(pairs_of_machines()), name_of_pair);

bool is_in_tables(const extension::saved_name& name) {
  return std::ranges::any_of(memory::of_test().saved_parts(), [&](const durable_test::saved_part& part) {
    return std::ranges::find(part.table, name) != part.table.end();
  });
}

TEST_P(durable_named, classes_and_entries_are_found_by_name) {
  auto& kept = memory::of_test();
  kept.knows<account>();
  kept.restarts[std::string(type_name<account>())] = [](chare_header& e) -> detail::message* {
    if (static_cast<detail::collection_base&>(*e.home).is_of_singles()) return nullptr;
    auto& m = detail::make_entry_message<account, &account::add>(e.home->pe(), add_twice(), 100);
    static_cast<detail::collection_base&>(*e.home).chares().saving->address(
        static_cast<detail::collection_base&>(*e.home), m, e);
    return &m;
  };
  run_both(
      GetParam(),
      []() -> task<> {
        const auto accounts =
            make_array<account>(dense(4).named("accounts"), constructor("Account"), std::int64_t{1000});
        for (int i = 0; i < 4; ++i) {
          const auto other = make_chare<account>(constructor("Savings"), std::int64_t{i});
          co_await accounts[i].call<&account::know>(add_once(), other);
        }
        co_await save_all();
        for (const char* const name : {"Account::construct", "Account::add_twice", "Savings::construct"})
          EXPECT_TRUE(is_in_tables({detail::named_thing::entry, name})) << name;
        for (const extension::saved_array& each : memory::of_test().saved_parts().front().arrays)
          if (each.name == "accounts") {
            EXPECT_EQ(each.shown_class(), "Account");
          }
      },
      []() -> task<> {
        const auto of = co_await restore_all();
        const auto accounts = extension::proxy_of<account>(of.at("accounts"));
        co_await quiescence();
        const auto sum_of_all = co_await accounts.reduce<&account::value>(sum, add_once());
        EXPECT_EQ(sum_of_all, 4 * (1000 + 2 * 100));
        for (int i = 0; i < 4; ++i) {
          const auto value = co_await accounts[i].call<&account::value_of_other>(add_once());
          EXPECT_EQ(value, i);
        }
      });
}

TEST(durable_named_errors, name_what_the_program_has_not) {
  EXPECT_EQ(testing::run_on({"one", {seeded(1, 3)}},
                            []() -> task<> {
                              const std::map<std::string, std::uint64_t> numbers;
                              const extension::saved_numbers saved;
                              for (const auto what :
                                   {detail::named_thing::entry, detail::named_thing::singles_by_name}) {
                                const std::string text = error_of<serial_error>([&] {
                                  extension::names_to_read({{what, "Nobody::run"}}, numbers, saved);
                                });
                                EXPECT_EQ(text,
                                          "the checkpoint refers to Nobody::run, which this program has not: "
                                          "define its class in the program or in a module that it imports "
                                          "before the run");
                              }
                              static_cast<void>(add_once());
                              extension::names_to_read names(
                                  {{detail::named_thing::entry, "Account::add_once"}}, numbers, saved);
                              writer out;
                              detail::pack_number(1, out);
                              const auto bytes = out.take();
                              reader as_entry(bytes), as_array(bytes), as_kind(bytes);
                              EXPECT_EQ(names.read_entry(as_entry), add_once());
                              EXPECT_THROW(names.read_collection(as_array), serial_error);
                              EXPECT_THROW(names.read_kind(as_kind), serial_error);
                              co_return;
                            }),
            0);
}

TEST(durable_named_errors, name_a_class_that_is_missing) {
  extension::saved_array what;
  what.name = "accounts";
  what.chare = type_name<account>();
  what.of = "Nobody";
  what.placement = type_name<block_placement>();
  EXPECT_EQ(testing::run_on({"one", {seeded(1, 3)}},
                            [&]() -> task<> {
                              writer shape;
                              shape(index<1>(4));
                              what.shape = shape.take();
                              const std::string text =
                                  error_of<error>([&] { extension::part_to_fill::make<account>(77, what); });
                              EXPECT_EQ(text,
                                        "the array \"accounts\" of the checkpoint has elements of Nobody, a "
                                        "class that this program has not");
                              what.kind = extension::array_kind::singles;
                              what.name = "Nobody::construct";
                              const std::string of_singles =
                                  error_of<error>([&] { extension::part_to_fill::of_singles(what); });
                              EXPECT_EQ(of_singles,
                                        "a checkpoint has single chares of Nobody, a class that this program "
                                        "has not");
                              co_return;
                            }),
            0);
}

}  // namespace imbrex::durable_named_test
