// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/durable.test.hpp>

#include <imbrex/core/collective/waits.hpp>

namespace imbrex::durable_test {

namespace {

std::map<std::string, extension::saved_array> sum_of_arrays() {
  std::map<std::string, extension::saved_array> all;
  for (const auto& part : memory::of_test().saved_parts())
    for (const auto& each : part.arrays) {
      const auto [at, is_new] = all.try_emplace(each.name, each);
      if (!is_new) at->second.elements += each.elements;
    }
  return all;
}

bool is_group(const extension::saved_array& what) {
  return what.kind == extension::array_kind::group || what.kind == extension::array_kind::process_group;
}

extension::saved_numbers all_numbers(int pes) {
  extension::saved_numbers all;
  for (const auto& part : memory::of_test().saved_parts()) {
    for (const auto& [of, one] : part.singles) all.add_single(of, one);
    for (const auto& each : part.sections)
      for (const std::uint64_t number : each.numbers) all.add_section(part.arrays[each.array].name, number);
  }
  all.number(pes);
  return all;
}

}  // namespace

void keeper::save() {
  saved_part own;
  own.pe = pe();
  extension::names_to_write names;
  auto& kept = memory::of_test();
  for (const auto& part : extension::parts_here()) {
    const auto what = part.description();
    if (what.name.empty()) continue;
    own.arrays.push_back(what);
    if (is_group(what) && !kept.groups.contains(what.chare)) continue;
    part.check_at_rest();
    writer sections;
    auto numbers = part.write_sections(names, sections);
    own.sections.push_back({own.arrays.size() - 1, std::move(numbers), sections.take()});
    const auto restart = kept.restarts.find(what.chare);
    for (chare_header* const e : part.elements()) {
      if (what.kind == extension::array_kind::singles) own.singles.emplace_back(what.name, part.single(*e));
      detail::owner<detail::message, detail::message_deleter> m(
          restart != kept.restarts.end() ? restart->second(*e) : nullptr);
      writer key, state;
      part.write_key(*e, names, key);
      part.write(*e, m.get(), names, state);
      own.elements.push_back({own.arrays.size() - 1, key.take(), state.take()});
    }
  }
  own.table = names.table();
  kept.add(std::move(own));
}

int keeper::restore(const numbers& of) {
  auto& kept = memory::of_test();
  const auto all = all_numbers(num_pes());
  std::map<std::string, extension::part_to_fill> parts;
  std::vector<extension::saved_element> elements;
  for (const auto& [name, what] : sum_of_arrays())
    if (!is_group(what))
      parts.emplace(name, what.kind == extension::array_kind::singles
                              ? extension::part_to_fill::of_singles(what)
                              : kept.makes.at(what.chare)(of.at(name), what));
  for (const auto& saved : kept.saved_parts()) {
    extension::names_to_read names(saved.table, of, all);
    for (const auto& each : saved.sections) {
      if (is_group(saved.arrays[each.array])) continue;
      reader in(each.bytes);
      in.carry_by(names);
      parts.at(saved.arrays[each.array].name).read_sections(names, in);
      in.finish();
    }
    for (const auto& each : saved.elements) {
      if (is_group(saved.arrays[each.array])) continue;
      const auto& into = parts.at(saved.arrays[each.array].name);
      reader key(each.key);
      key.carry_by(names);
      const int home = into.home_of(names, key);
      const int place = kept.scatters ? (home + static_cast<int>(each.key[4]) % 3) % num_pes() : home;
      if (home == pe() && place != home) {
        reader again(each.key);
        again.carry_by(names);
        into.note_elsewhere(names, again, place);
      }
      if (place != pe()) continue;
      reader state(each.state);
      elements.push_back(into.read(names, state));
      state.finish();
    }
  }
  for (auto& [name, part] : parts) part.install();
  for (auto& each : elements) extension::go_on(each);
  return static_cast<int>(elements.size());
}

void keeper::refill(const numbers& of, const std::string& chare, int from) {
  const auto all = all_numbers(num_pes());
  for (const auto& part : extension::parts_here()) {
    if (part.description().chare != chare) continue;
    for (const auto& saved : memory::of_test().saved_parts()) {
      extension::names_to_read names(saved.table, of, all);
      for (const auto& each : saved.elements) {
        if (saved.arrays[each.array].chare != chare) continue;
        reader copied(each.state);
        const auto copy = part.copy_of(names, copied);
        copied.finish();
        EXPECT_EQ(copy.header().home->pe().pe(), pe());
        if (saved.pe != from) continue;
        reader in(each.state);
        part.refill(names, in);
        in.finish();
      }
    }
  }
}

task<> save_all() {
  co_await quiescence();
  memory::of_test().drop_parts();
  const auto keepers = make_group<keeper>();
  const pending<void> end = keepers.call<&keeper::save>();
  co_await end;
}

task<keeper::numbers> restore_all() {
  const auto keepers = make_group<keeper>();
  keeper::numbers numbers;
  for (const auto& [name, what] : sum_of_arrays())
    if (what.kind != extension::array_kind::singles) numbers[name] = extension::number_for(name);
  co_await keepers.call<&keeper::reserve>(numbers);
  co_await keepers.reduce<&keeper::restore>(sum, numbers);
  co_return numbers;
}

std::vector<two_runs> pairs_of_machines() {
  using testing::machine;
  const machine one{"threads_1", {threads(1)}};
  const machine two{"threads_2", {threads(2)}};
  const machine four{"threads_4", {threads(4)}};
  const machine steps_3{"deterministic_3", {seeded(3, 7)}};
  const machine modelled = testing::machine_by_name("simulated");
  std::vector<two_runs> all{{"1_to_4", one, four},
                            {"4_to_1", four, one},
                            {"2_to_3", two, steps_3},
                            {"3_to_2", steps_3, two},
                            {"4_to_4", four, four},
                            {"simulated_to_2", modelled, two},
                            {"2_to_simulated", two, modelled}};
  for (const auto& each : testing::machines({"processes_2x2"})) {
    all.push_back({"2x2_to_3", each, steps_3});
    all.push_back({"3_to_2x2", steps_3, each});
  }
  return all;
}

std::string name_of_pair(const ::testing::TestParamInfo<two_runs>& p) { return p.param.name; }

}  // namespace imbrex::durable_test
