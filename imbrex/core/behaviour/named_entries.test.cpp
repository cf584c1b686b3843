// SPDX-License-Identifier: Apache-2.0
// Entries that are named at run time, as used by a front end of another language. One method stands for all
// of them, and finds by the name what to do.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/core/array/define_entries.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/trace/reader.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::named_entries_test {

class script;
using numbers = std::vector<std::int64_t>;
using script_function = std::function<task<std::int64_t>(script&, numbers)>;

/// A class of another language, as the runtime sees it.
class script : public chare<script> {
 public:
  mailbox<std::int64_t> rain;
  mailbox<std::int64_t> snow;

  static constexpr std::string_view shown_as = "a script";

  script() = default;
  explicit script(entry_name constructor) : constructor_(constructor) {
    if (constructor.definition().entry == "fail") throw foreign_error("KeyError: 'y'", {std::byte{7}});
  }

  entry_name constructor_name() const { return constructor_; }
  std::string_view shown_port_name(const void* port) const {
    return port == &rain ? "Script.rain" : "Script.snow";
  }

  task<std::int64_t> invoke(entry_name which, numbers arguments) {
    return (*static_cast<const script_function*>(which.target()))(*this, std::move(arguments));
  }
  /// An entry that does not suspend, with short arguments.
  std::int64_t add(entry_name which, std::int64_t a, std::int64_t b) {
    if (which.definition().entry == "explode") throw std::domain_error("it exploded at " + std::to_string(a));
    sum_ += a + b;
    return sum_ + (which.definition().entry == "add_one_more" ? 1 : 0);
  }
  /// Requests a migration.
  void go(entry_name, int pe) { migrate_to(pe); }
  int place(entry_name) const { return pe(); }

  void serialize(auto& ar) {
    if (constructor_.number != 0 && constructor_.definition().entry == "stay") throw std::logic_error("no");
    ar(constructor_, sum_);
  }

 private:
  entry_name constructor_;
  std::int64_t sum_ = 0;
};

entry_name defined(const std::string& entry, script_function function) {
  static std::deque<script_function> functions;
  const entry_name name = define_entry({"Script", entry, "(numbers) -> int"});
  if (name.target() == nullptr) name.set_target(&functions.emplace_back(std::move(function)));
  return name;
}

entry_name constructor(const std::string& chare = "Script") {
  return define_entry({chare, "construct", "()"});
}

entry_name product() {
  return defined("product", [](script&, numbers all) -> task<std::int64_t> {
    std::int64_t p = 1;
    for (const auto n : all) p *= n;
    co_return p;
  });
}
entry_name own_index() {
  return defined("own_index", [](script& self, numbers) -> task<std::int64_t> { co_return self.where()[0]; });
}
entry_name wait_for_rain() {
  return defined("wait_for_rain", [](script& self, numbers) -> task<std::int64_t> {
    const auto drops = co_await self.rain.receive(5);
    co_return drops;
  });
}
entry_name throw_foreign() {
  return defined("throw_foreign", [](script&, numbers) -> task<std::int64_t> {
    throw foreign_error("KeyError: 'x'", {std::byte{1}, std::byte{2}});
    co_return 0;
  });
}
entry_name explode_later() {
  return defined("explode_later", [](script&, numbers) -> task<std::int64_t> {
    co_await sleep_for(std::chrono::microseconds(1));
    throw std::domain_error("it exploded late");
  });
}

class named_entries : public on_machine {
 protected:
  template <class Main>
  void fails(const Main& main, const std::vector<std::string>& expected) {
    for (const options& settings : GetParam().runs) {
      SCOPED_TRACE(text_of(settings));
      ::testing::internal::CaptureStderr();
      EXPECT_EQ(run_once(settings, main), 1);
      const std::string text = ::testing::internal::GetCapturedStderr();
      for (const auto& e : expected)
        EXPECT_NE(text.find(e), std::string::npos) << e << "\nis not in\n" << text;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(on, named_entries, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(named_entries, are_sent_called_broadcast_and_reduced_as_all_others) {
  const auto add = define_entry({"Script", "add", "(int, int) -> int"});
  const auto add_one_more = define_entry({"Script", "add_one_more", "(int, int) -> int"});
  run([=]() -> task<> {
    auto all = make_array<script>({7}, constructor());
    const auto p = co_await all[3].call<&script::invoke>(product(), numbers{2, 3, 7});
    EXPECT_EQ(p, 42);
    const auto indices = co_await all.reduce<&script::invoke>(sum, own_index(), numbers{});
    EXPECT_EQ(indices, 21);
    for (int i = 0; i < 7; ++i) send<&script::add>(all[i], add, i, 100);
    co_await quiescence();
    send<&script::add>(all, add, 1, 1);
    co_await quiescence();
    const auto total = co_await all.reduce<&script::add>(sum, add_one_more, 0, 0);
    EXPECT_EQ(total, 21 + 700 + 14 + 7);
    auto some = all.section({index<1>(1), index<1>(5)});
    const auto of_some = co_await some.reduce<&script::add>(sum, add, 0, 0);
    EXPECT_EQ(of_some, 6 + 200 + 4);
  });
}

TEST_P(named_entries, are_named_in_errors) {
  const auto explode = define_entry({"Script", "explode", "(int, int) -> int"});
  fails(
      [=]() -> task<> {
        auto all = make_array<script>({3}, constructor());
        send<&script::add>(all[2], explode, 8, 0);
        co_await quiescence();
      },
      {"Script(2), entry explode, on PE", "it exploded at 8"});
  fails(
      []() -> task<> {
        auto all = make_array<script>({3}, constructor());
        co_await all[1].call<&script::invoke>(explode_later(), numbers{});
      },
      {"Script(1), entry explode_later, on PE", "it exploded late"});
  fails(
      [=]() -> task<> {
        auto all = make_array<script>({3}, constructor());
        send<&script::add>(all, explode, 9, 0);
        co_await quiescence();
      },
      {"entry explode, on PE", "it exploded at 9"});
}

TEST_P(named_entries, throw_what_travels_as_their_front_end_made_it) {
  fails(
      []() -> task<> {
        auto all = make_array<script>({3}, constructor());
        try {
          co_await all[2].call<&script::invoke>(throw_foreign(), numbers{});
          ADD_FAILURE() << "it did not throw";
        } catch (const foreign_error& e) {
          EXPECT_STREQ(e.what(), "KeyError: 'x'");
          EXPECT_EQ(e.form(), (std::vector<std::byte>{std::byte{1}, std::byte{2}}));
        }
        send<&script::invoke>(all[2], throw_foreign(), numbers{});
        co_await quiescence();
      },
      {"Script(2), entry throw_foreign, on PE", ": KeyError: 'x'\n"});
}

TEST_P(named_entries, are_named_in_the_report_of_a_deadlock) {
  fails(
      []() -> task<> {
        auto all = make_array<script>({3}, constructor());
        co_await all[1].call<&script::invoke>(wait_for_rain(), numbers{});
      },
      {"deadlock", "the main task waits for the result of Script::wait_for_rain",
       "Script(1), entry wait_for_rain, on PE", " waits for Script.rain with reference 5"});
  fails(
      []() -> task<> {
        auto all = make_array<script>(sparse(index<1>(3)), constructor());
        co_await all[1].call<&script::invoke>(wait_for_rain(), numbers{});
      },
      {"deadlock", "a message for Script(1), entry wait_for_rain", "never created"});
}

TEST_P(named_entries, show_the_class_of_each_array_and_single_chare) {
  const auto place = define_entry({"Script", "place", "() -> int"});
  const auto other = define_entry({"Other", "place", "() -> int"});
  fails(
      [=]() -> task<> {
        auto all = make_array<script>(sparse(index<1>(3)), constructor("Other"));
        co_await all[1].call<&script::place>(other);
      },
      {"deadlock", "a message for Other(1), entry place", "never created"});
  fails(
      [=]() -> task<> {
        const auto one = make_chare<script>(constructor("Other"));
        const auto two = make_chare<script>(constructor());
        co_await one.call<&script::place>(other);
        co_await two.call<&script::place>(place);
        one.destroy();
        co_await quiescence();
        send<&script::place>(one, other);
        co_await quiescence();
      },
      {"a message for Other #1 of PE 0, entry place", "Other #1 of PE 0 has been destroyed"});
  fails(
      []() -> task<> {
        make_array<script>(index<1>(-1), constructor("Other"));
        co_return;
      },
      {"an array of Other cannot have the shape -1"});
  fails(
      []() -> task<> {
        const auto none = make_array<script>(index<1>(0), constructor("Other"));
        co_await none.reduce<&script::place>(sum, entry_name{});
      },
      {"the array or section of Other is empty"});
  fails(
      [=]() -> task<> {
        const auto all = make_array<script>({3}, constructor("Other"));
        co_await all.destroy();
        co_await quiescence();
        send<&script::place>(all[1], other);
        co_await quiescence();
      },
      {"a message for an array of Other, entry place", "that array of Other has ended"});
  fails(
      [=]() -> task<> {
        const auto all = make_array<script>({3}, constructor("Other"));
        co_await all.destroy();
        co_await quiescence();
        co_await all.reduce<&script::place>(sum, other);
      },
      {"that array of Other has ended"});
}

TEST_P(named_entries, migrate_as_of_their_class) {
  const auto place = define_entry({"Script", "place", "() -> int"});
  const auto go = define_entry({"Script", "go", "(int)"});
  run([=]() -> task<> {
    const auto all = make_array<script>({2}, constructor());
    const auto single = make_chare_on<script>(0, constructor());
    for (int pe = num_pes() - 1; pe >= 0; --pe) {
      send<&script::go>(all[0], go, pe);
      send<&script::go>(single, go, pe);
      co_await quiescence();
      const auto now = co_await all[0].call<&script::place>(place);
      EXPECT_EQ(now, pe);
      const auto of_single = co_await single.call<&script::place>(place);
      EXPECT_EQ(of_single, pe);
    }
  });
}

TEST_P(named_entries, stay_what_their_constructor_throws) {
  run([]() -> task<> {
    const auto fails = define_entry({"Script", "fail", "()"});
    try {
      const auto all = make_array<script>({8}, fails);
      co_await all.created();
      ADD_FAILURE() << "it did not throw";
    } catch (const foreign_error& e) {
      EXPECT_EQ(e.form(), (std::vector<std::byte>{std::byte{7}}));
      EXPECT_TRUE(std::string(e.what()).starts_with("the constructor of Script("));
      EXPECT_TRUE(std::string(e.what()).ends_with("threw KeyError: 'y'"));
    }
  });
}

/// Reports the entries known to its process.
class entry_directory : public chare<entry_directory> {
 public:
  std::uint32_t number_of(const std::string& entry) const {
    const auto name = find_entry("Late", entry);
    return name ? name->number : 0;
  }
};

TEST_P(named_entries, can_be_defined_while_the_run_goes_on) {
  static int turn = 0;
  for (const options& settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    const std::string first = "first" + std::to_string(++turn);
    const std::string second = "second" + std::to_string(turn);
    const int status = run_once(settings, [&]() -> task<> {
      auto everywhere = make_group<entry_directory>();
      const auto before = co_await everywhere.members().reduce<&entry_directory::number_of>(max, first);
      EXPECT_EQ(before, 0);
      std::vector<entry_definition> definitions{{"Late", first, "()"}, {"Late", second, "()"}};
      const auto names = co_await define_entries(definitions);
      EXPECT_EQ(names.size(), 2);
      const auto least = co_await everywhere.members().reduce<&entry_directory::number_of>(min, second);
      const auto most = co_await everywhere.members().reduce<&entry_directory::number_of>(max, second);
      EXPECT_EQ(least, names[1].number);
      EXPECT_EQ(most, names[1].number);
      const auto again = co_await define_entries({{"Late", second, "()"}});
      EXPECT_EQ(again[0], names[1]);
      auto all = make_array<script>({4}, constructor());
      const auto total = co_await all.reduce<&script::add>(sum, names[0], 1, 2);
      EXPECT_EQ(total, 12);
      const std::string text =
          co_await awaited_error_of<error>([&] { return define_entries({{"Late", second, "(int)"}}); });
      EXPECT_NE(text.find("Late::" + second +
                          " is defined already, with the signature \"()\" instead of \"(int)\""),
                std::string::npos)
          << text;
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(named_entries, are_named_in_traces) {
  if (GetParam().processes > 1) GTEST_SKIP() << "each process has a file of its own";
  for (options settings : GetParam().runs) {
    const test::temporary_trace folder;
    settings.trace = folder.file();
    const int status = run_once(settings, []() -> task<> {
      auto all = make_array<script>({2}, constructor());
      const auto p = co_await all[1].call<&script::invoke>(product(), numbers{6, 7});
      EXPECT_EQ(p, 42);
      co_await all.reduce<&script::invoke>(sum, own_index(), numbers{});
      const auto others = make_array<script>(sparse(index<1>(9)), constructor("Other"));
      others.insert(8, constructor("Other"));
      co_await others[8].call<&script::invoke>(product(), numbers{6, 7});
      const auto single = make_chare_on<script>(num_pes() - 1, constructor("Third"));
      co_await single.call<&script::invoke>(product(), numbers{6, 7});
    });
    EXPECT_EQ(status, 0);
    std::set<std::string> names;
    std::set<std::string> classes;
    trace::reader source(settings.trace);
    for (auto piece = source.next(); !piece.records.empty(); piece = source.next()) {
      const auto& file = *source.files()[source.tracks()[piece.track].file];
      for (const auto& r : piece.records)
        if (r.kind == trace::record_kind::item_begin || r.kind == trace::record_kind::sent ||
            r.kind == trace::record_kind::entry_begin)
          names.emplace(file.name(trace::name_table::entries, r.entry));
      for (const auto& r : piece.records)
        if (r.kind == trace::record_kind::item_begin)
          classes.emplace(file.name(trace::name_table::collections, r.group));
    }
    EXPECT_TRUE(names.contains("Script::product"));
    EXPECT_TRUE(names.contains("Script::own_index"));
    EXPECT_TRUE(names.contains("broadcast of Script::own_index"));
    EXPECT_TRUE(names.contains("insertion of Other"));
    EXPECT_TRUE(classes.contains("Script\t2"));
    EXPECT_TRUE(classes.contains("Other\t9"));
    EXPECT_TRUE(classes.contains("Third"));
    for (const auto& n : names) EXPECT_EQ(n.find("script"), std::string::npos) << n;
  }
}

TEST(entry_definitions, are_found_by_name_and_differ_in_their_digest) {
  const auto before = detail::digest_of_entries();
  const auto name = define_entry({"Digested", "entry", "(a)"});
  EXPECT_NE(detail::digest_of_entries(), before);
  EXPECT_EQ(define_entry({"Digested", "entry", "(a)"}), name);
  EXPECT_EQ(find_entry("Digested", "entry"), name);
  EXPECT_EQ(find_entry("Digested", "exit"), std::nullopt);
  EXPECT_EQ(name.definition().signature, "(a)");
  EXPECT_EQ(name.target(), nullptr);
  EXPECT_THROW(static_cast<void>(entry_name{}.definition()), error);
  EXPECT_THROW(static_cast<void>(entry_name{1U << 30U}.definition()), error);
  EXPECT_THROW(define_entry({"Digested", "entry", "(b)"}), error);
  EXPECT_THROW(detail::place_entry(name, {"Digested", "other", "()"}), error);
  EXPECT_THROW(detail::place_entry({name.number + 100}, {"Digested", "entry", "(a)"}), error);
}

}  // namespace imbrex::named_entries_test
