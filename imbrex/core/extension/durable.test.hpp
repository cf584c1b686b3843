// SPDX-License-Identifier: Apache-2.0
#pragma once
// A checkpoint in memory: one run saves what its PEs hold, and another goes on from it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/extension/durable.hpp>

namespace imbrex::durable_test {

/// The content of one PE.
struct saved_part {
  struct element {
    std::size_t array;
    std::vector<std::byte> key;
    std::vector<std::byte> state;
  };

  int pe = 0;
  std::vector<extension::saved_name> table{};
  std::vector<extension::saved_array> arrays{};
  std::vector<element> elements{};
  std::vector<std::pair<std::string, extension::saved_single>> singles{};
  struct section_list {
    std::size_t array;
    std::vector<std::uint64_t> numbers;
    std::vector<std::byte> bytes;
  };
  std::vector<section_list> sections{};
};

/// All that a run has saved. Its PEs add to it from several threads.
class memory {
 public:
  using make_function = std::function<extension::part_to_fill(std::uint64_t, const extension::saved_array&)>;
  using restart_function = std::function<detail::message*(chare_header&)>;

  static memory& of_test() {
    static memory only;
    return only;
  }

  void clear() {
    parts.clear();
    restarts.clear();
    makes.clear();
    groups.clear();
    scatters = false;
  }
  /// Processes of a test are threads of one program, which only the lock orders.
  void drop_parts() {
    const std::lock_guard hold(lock_);
    parts.clear();
  }
  void add(saved_part part) {
    const std::lock_guard hold(lock_);
    parts.push_back(std::move(part));
  }
  /// The parts that have been added, after all that added them have.
  std::vector<saved_part>& saved_parts() {
    const std::lock_guard hold(lock_);
    return parts;
  }
  /// Arrays of Ts are restored.
  template <class T, class... Placement>
  void knows() {
    makes[std::string(type_name<T>())] = [](std::uint64_t number, const extension::saved_array& what) {
      return extension::part_to_fill::make<T, Placement...>(number, what);
    };
  }
  /// Each T is saved as if it waited at a balance point, and had to call `Entry` again with the result of
  /// `argument`.
  template <class T, auto Entry>
  void restarts_by(std::function<int(const T&)> argument) {
    restarts[std::string(type_name<T>())] = [argument](chare_header& e) -> detail::message* {
      auto& chare = detail::element_memory<T>::object(e);
      auto& m = detail::make_entry_message<T, Entry>(e.home->pe(), argument(chare));
      const auto& part = static_cast<detail::collection_base&>(*e.home);
      part.chares().saving->address(part, m, e);
      return &m;
    };
  }

  bool scatters = false;         ///< elements are restored on other PEs than their homes
  std::set<std::string> groups;  ///< classes of groups whose state is saved
  std::vector<saved_part> parts;
  std::map<std::string, make_function> makes;
  std::map<std::string, restart_function> restarts;

 private:
  std::mutex lock_;
};

/// On each PE: saves and restores what the PE holds.
class keeper : public chare<keeper> {
 public:
  using numbers = std::map<std::string, std::uint64_t>;

  void save();
  void reserve(const numbers& of) {
    for (const auto& [name, number] : of) extension::reserve_number(name, number);
  }
  /// Gives the chare of this PE in the group of a class the state of the group's chare that PE `from` has
  /// saved.
  void refill(const numbers& of, const std::string& chare, int from);
  /// Returns the number of elements read here.
  int restore(const numbers& of);
};

/// In the main task: saves all that is in the run.
task<> save_all();
/// In the main task: restores the arrays that `memory` knows. Returns their numbers by name.
task<keeper::numbers> restore_all();

/// The settings of two runs: the first saves, the second goes on.
struct two_runs {
  std::string name;
  testing::machine first;
  testing::machine second;
};
inline void PrintTo(const two_runs& p, std::ostream* out) { *out << p.name; }
std::vector<two_runs> pairs_of_machines();
std::string name_of_pair(const ::testing::TestParamInfo<two_runs>& p);

/// Runs a program that saves, and then one that restores.
template <class First, class Second>
void run_both(const two_runs& on, const First& first, const Second& second) {
  ASSERT_EQ(testing::run_on(on.first, first), 0);
  ASSERT_EQ(testing::run_on(on.second, second), 0);
}

}  // namespace imbrex::durable_test
