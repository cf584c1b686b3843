// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/strategy.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>

#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/placement.hpp>
#include <imbrex/balance/two_levels.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::balance {
namespace {

/// All strategies that live: those of programs, which are registered before main() and when libraries are
/// loaded, and the library's.
class registry {
 public:
  void add(const strategy* one) {
    const std::scoped_lock lock(mutex_);
    all_.push_back(one);
  }
  void remove(const strategy* one) {
    const std::scoped_lock lock(mutex_);
    std::erase(all_, one);
  }
  std::vector<const strategy*> all() {
    const std::scoped_lock lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::vector<const strategy*> all_;
};

registry& registered() {
  static registry all;
  return all;
}

const auto& library() {
  using needs = strategy::needs;
  constexpr needs by_curve{.coordinates = true, .most_at_once = objects_of_two_levels};
  static const std::array<strategy, 11> all{
      strategy("auto", detail::automatic, by_curve),
      strategy("none", detail::none),
      strategy("segments", detail::segments, by_curve),
      strategy("curve", detail::curve, by_curve),
      strategy("bisect", detail::bisect, by_curve),
      strategy("graph", detail::graph, needs{.edges = true}),
      strategy("refine", detail::refine, needs{.most_at_once = objects_of_two_levels}),
      strategy("greedy", detail::greedy),
      strategy("gossip", detail::gossip),
      strategy("random", detail::scatter),
      strategy("rotate", detail::rotate)};
  return all;
}

[[noreturn]] void throw_unknown(std::string_view name) {
  const std::vector<std::string> names = strategy_names();
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw usage_error("there is no strategy '" + printable(std::string(name.substr(0, 60))) +
                    "'; there are: " + all + std::string(question_of(name, known, "")));
}

[[noreturn]] void throw_too_many(const std::string& name, std::size_t answered, std::size_t objects) {
  throw error("the strategy '" + name + "' returned " + std::to_string(answered) + " PEs for " +
              std::to_string(objects) + " objects: let it return one for each");
}

[[noreturn]] void throw_no_pe(const std::string& name, std::size_t object, int pe, int pes) {
  throw error("the strategy '" + name + "' moved object " + std::to_string(object) + " to PE " +
              std::to_string(pe) + ": the machine has PEs 0 to " + std::to_string(pes - 1));
}

/// Where two arrays differ. Most are equal in long stretches, which are compared by vectors.
std::vector<std::size_t> differences(std::span<const int> a, std::span<const int> b) {
  constexpr std::size_t stretch = 64;
  std::vector<std::size_t> found;
  for (std::size_t first = 0; first < a.size(); first += stretch) {
    const std::size_t last = std::min(first + stretch, a.size());
    int different = 0;
    for (std::size_t i = first; i < last; ++i) different |= a[i] ^ b[i];
    for (std::size_t i = first; i < last && different != 0; ++i)
      if (a[i] != b[i]) found.push_back(i);
  }
  return found;
}

/// True if devices have loads, which are balanced first, over the whole machine.
bool has_device_loads(const problem& p) {
  return std::ranges::any_of(p.device_load, [](double load) { return load > 0; });
}

}  // namespace

strategy::strategy(std::string name, function solve, needs required)
    : name_(std::move(name)), solve_(std::move(solve)), wants_(required) {
  registered().add(this);
}

strategy::~strategy() { registered().remove(this); }

std::vector<int> strategy::solve(const problem& p) const {
  const bool may_be_grouped = p.size() > wants_.most_at_once && !has_device_loads(p);
  const pe_groups groups = may_be_grouped ? groups_of(p.on.pes, p.on.node) : pe_groups{};
  return checked(p, groups.empty() ? solve_(p)
                                   : solve_in_two_levels([this](const problem& part) { return solve(part); },
                                                         groups, p));
}

std::vector<int> strategy::solve_at_once(const problem& p) const { return checked(p, solve_(p)); }

/// The answer, where objects stay that must.
std::vector<int> strategy::checked(const problem& p, std::vector<int> answer) const {
  if (answer.size() != p.size()) throw_too_many(name_, answer.size(), p.size());
  const std::vector<std::size_t> moved = differences(answer, p.pe);
  for (const std::size_t i : moved)
    if (answer[i] < 0 || answer[i] >= p.on.pes) throw_no_pe(name_, i, answer[i], p.on.pes);
  if (p.movable.empty() && p.device_bytes.empty()) return answer;
  detail::placement places(p);
  for (const std::size_t i : moved)
    if (p.is_movable(i)) places.move(i, answer[i]);
  return std::move(places).take();
}

const strategy& find_strategy(std::string_view name) {
  library();
  const strategy* found = nullptr;
  for (const strategy* const one : registered().all()) {
    if (one->name() != name) continue;
    if (found != nullptr)
      throw usage_error("two strategies have the name '" + std::string(name) + "': rename the program's own");
    found = one;
  }
  if (found == nullptr) throw_unknown(name);
  return *found;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names, others;
  for (const strategy& one : library()) names.push_back(one.name());
  for (const strategy* const one : registered().all())
    if (std::ranges::find(names, one->name()) == names.end()) others.push_back(one->name());
  std::ranges::sort(others);
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

}  // namespace imbrex::balance
