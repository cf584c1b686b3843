// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/rendezvous.hpp>

#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/pe/failures.hpp>

namespace imbrex::extension {

namespace {

using detail::known_waits;
using detail::local_array;

/// The steps after which elements that do not meet go on: more than programs let elements run ahead.
constexpr int most_steps = 64;
/// The steps without a change after which they go on.
constexpr int most_steps_alike = 3;

/// True if the entry stands at a balance point, or has asked for the rendezvous.
bool stands(const scope& entry) {
  for (const suspension* w = entry.waits; w != nullptr; w = w->next())
    if (dynamic_cast<const detail::stopped_entry*>(w) == nullptr && w->description() != result_of_rendezvous)
      return false;
  return entry.waits != nullptr;
}

/// The rendezvous of a run, of which one takes place at a time. On PE 0.
struct turns {
  bool is_taken = false;
  std::vector<promise<>> waiting;
};

void look_at(const chare_header& element, standing_elements& all) {
  for (const scope* s = element.entries; s != nullptr; s = s->next) {
    if (stands(*s)) {
      ++all.standing;
      continue;
    }
    const std::string who =
        detail::describe_entry(element, static_cast<const detail::message*>(s->request)->shown_kind());
    all.waiting.add(
        who + " waits for " +
        (s->waits != nullptr ? s->waits->description() : "an awaitable that is not the runtime's"));
  }
}

}  // namespace

rendezvous_part::rendezvous_part() {
  stop_here().leave_out(detail::element_memory<rendezvous_part>::of(*this));
}

standing_elements rendezvous_part::look() const {
  standing_elements all;
  const auto& pe = detail::processor::running_here();
  all.have_executors = pe.executors().has_any();
  if (all.have_executors)
    all.waiting.add("PE " + std::to_string(pe.pe()) + " has an executor, by which threads may post to it");
  detail::for_each_array(pe, [&](const local_array& part) {
    if (stop_here().leaves_out(part)) return;
    part.describe_held(all.waiting.waits, known_waits::most_lines, true);
    for (const chare_header* const e : part.locals()) look_at(*e, all);
  });
  return all;
}

task<standing_elements> rendezvous::begin() {
  auto& all_turns = current_pe().local<turns>();
  while (std::exchange(all_turns.is_taken, true)) {
    auto [promise, turn] = make_promise<>();
    all_turns.waiting.push_back(promise);
    co_await turn;
  }
  send<&rendezvous_part::begin>(parts_);
  std::vector<std::string> before;
  for (int step = 0, alike = 0;; ++step) {
    co_await quiescence_of_stop();
    const auto parts = co_await parts_.reduce<&rendezvous_part::look>(gather);
    standing_elements all;
    for (standing_elements each : parts) {
      all.standing += each.standing;
      all.have_executors = all.have_executors || each.have_executors;
      all.waiting.join(std::move(each.waiting));
    }
    alike = all.waiting.waits == before ? alike + 1 : 0;
    if (all.are_all() || all.standing == 0 || alike == most_steps_alike || step == most_steps) co_return all;
    before = all.waiting.waits;
    send<&rendezvous_part::step>(parts_);
  }
}

task<> rendezvous::end() {
  co_await parts_.call<&rendezvous_part::end>();
  auto& all_turns = current_pe().local<turns>();
  all_turns.is_taken = false;
  for (const auto& each : std::exchange(all_turns.waiting, {})) each.set_value();
}

}  // namespace imbrex::extension
