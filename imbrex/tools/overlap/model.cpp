// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace imbrex::overlap {
namespace {

/// `from` - `to`, but at least 0.
std::uint64_t above(std::uint64_t from, std::uint64_t to) { return from > to ? from - to : 0; }

std::uint64_t position_produced(const datum& of, std::uint64_t i) {
  const auto* const listed = std::get_if<listed_order>(&of.order);
  return listed == nullptr ? i : listed->production[i];
}

std::uint64_t position_consumed(const datum& of, std::uint64_t i) {
  if (const auto* const listed = std::get_if<listed_order>(&of.order)) return listed->consumption[i];
  return std::get<named_order>(of.order) == named_order::same ? i : above(of.consumed, i + 1);
}

bool first_consumed_is_last_produced(const datum& of) {
  if (of.sent < 2) return false;
  if (const auto* const named = std::get_if<named_order>(&of.order)) return *named == named_order::reverse;
  const auto& [production, consumption] = std::get<listed_order>(of.order);
  const auto first = std::ranges::min_element(consumption) - consumption.begin();
  const auto last = std::ranges::max_element(production) - production.begin();
  return first == last;
}

/// A part of the exposed time: max(0, at_none + each x) for x microseconds a byte.
struct hinge {
  double at_none;
  double each;
  double start() const { return std::max(0.0, -at_none / each); }
};

}  // namespace

microseconds usable(const datum& of, std::uint64_t i, transfer when) {
  const auto words = [](std::uint64_t n) { return static_cast<double>(n); };
  const microseconds independent = of.additional_produce + of.additional_consume;
  switch (when) {
    case transfer::while_producing:
      return of.produce_period * words(above(of.produced, position_produced(of, i) + 1));
    case transfer::between: return independent;
    case transfer::while_consuming: return independent + of.consume_period * words(position_consumed(of, i));
  }
  return microseconds(0);
}

double pace(const datum& of, microseconds gap) {
  return of.consume_period / std::max(of.produce_period, gap);
}

bool keeps_pace(const datum& of, microseconds gap) {
  return pace(of, gap) >= 1 && !first_consumed_is_last_produced(of);
}

microseconds available(const datum& of, std::uint64_t i, bool in_pace) {
  if (of.kind == execution::concurrent)
    return usable(of, i, transfer::while_producing) + usable(of, i, transfer::while_consuming);
  return in_pace ? of.consume_period * static_cast<double>(position_consumed(of, i)) : microseconds(0);
}

range available_range(const datum& of, const network& over) {
  const bool in_pace = of.kind == execution::pipelined && keeps_pace(of, over.gap);
  range found{available(of, 0, in_pace), available(of, 0, in_pace)};
  const auto see = [&](std::uint64_t i) {
    const microseconds time = available(of, i, in_pace);
    found.least = std::min(found.least, time);
    found.most = std::max(found.most, time);
  };
  if (std::holds_alternative<listed_order>(of.order)) {
    for (std::uint64_t i = 1; i < of.sent; ++i) see(i);
    return found;
  }
  // For the same order t(i) is linear, with a bend at the last produced element; in reverse order it falls.
  for (const std::uint64_t i : {of.sent, of.produced}) see(std::min(i, of.sent) - 1);
  return found;
}

microseconds independent_work::total() const {
  return additional_produce + additional_consume + loop_distribution + produce_loop_indexing +
         consume_loop_indexing + rearranged_subroutines + local_part;
}

independent_work independent(const datum& of) {
  if (of.kind == execution::pipelined) return {};
  const auto indexing = [&](microseconds period, std::uint64_t all) {
    return period * static_cast<double>(above(all, of.sent));
  };
  return {
      .additional_produce = of.additional_produce,
      .additional_consume = of.additional_consume,
      .loop_distribution = of.loop_distribution,
      .produce_loop_indexing = of.produce_loop_indexing.value_or(indexing(of.produce_period, of.produced)),
      .consume_loop_indexing = of.consume_loop_indexing.value_or(indexing(of.consume_period, of.consumed)),
      .rearranged_subroutines = of.rearranged_subroutines,
      .local_part = of.local_part};
}

microseconds transfer_time(const datum& of, const network& over) {
  return over.latency + microseconds(word_bytes * static_cast<double>(of.sent) / over.bandwidth);
}

microseconds potential(const datum& of, const network& over) {
  if (of.kind == execution::pipelined) {
    if (!keeps_pace(of, over.gap)) return microseconds(0);
    const microseconds each = std::min(of.consume_period, microseconds(word_bytes / over.bandwidth));
    return each * static_cast<double>(of.sent - 1);
  }
  if (!of.dependent_work) return independent(of).total();
  return available_range(of, over).least + of.loop_distribution + of.rearranged_subroutines + of.local_part;
}

double normalised_overlap(const datum& of, const network& over) {
  return potential(of, over) / transfer_time(of, over);
}

const datum* hardest(const application& of, const network& over) {
  const datum* found = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const datum& one : of.data) {
    const double overlap = normalised_overlap(one, over);
    if (overlap <= 0 || overlap >= least) continue;
    least = overlap;
    found = &one;
  }
  return found;
}

microseconds collective_time(const application& of, microseconds latency) {
  const int members = of.collective_processors.value_or(of.processors);
  return of.collectives * 2 * std::log2(members) * latency;
}

microseconds point_to_point_time(const application& of, const network& over) {
  microseconds sum{0};
  for (const datum& one : of.data) sum += transfer_time(one, over);
  return sum;
}

microseconds exposed_time(const application& of, const network& over) {
  microseconds sum{0};
  for (const datum& one : of.data)
    sum += std::max(microseconds(0), transfer_time(one, over) - potential(one, over));
  return sum;
}

double normalised_time(const application& of, const network& over) {
  return (of.computation + point_to_point_time(of, over) + collective_time(of, over.latency)) /
         of.computation;
}

double normalised_time_overlapped(const application& of, const network& over) {
  return (of.computation + exposed_time(of, over) + collective_time(of, over.latency)) / of.computation;
}

shares breakdown(const application& of, const network& over) {
  const microseconds points = point_to_point_time(of, over);
  const microseconds collectives = collective_time(of, over.latency);
  const microseconds all = of.computation + points + collectives;
  return {.computation = 100 * (of.computation / all),
          .point_to_point = 100 * (points / all),
          .collectives = 100 * (collectives / all)};
}

std::optional<double> smallest_bandwidth(const application& of, const network& over, microseconds limit) {
  // The exposed time that is not in the hinges: at_none + each x for x microseconds a byte.
  double at_none = 0;
  double each = 0;
  std::vector<hinge> hinges;
  for (const datum& one : of.data) {
    const double words = static_cast<double>(one.sent);
    if (one.kind == execution::pipelined && keeps_pace(one, over.gap)) {
      at_none += over.latency.count();
      each += word_bytes;
      if (one.sent > 1)
        hinges.push_back({-(words - 1) * one.consume_period.count(), (words - 1) * word_bytes});
    } else {
      hinges.push_back({(over.latency - potential(one, over)).count(), words * word_bytes});
    }
  }
  std::ranges::sort(hinges, {}, &hinge::start);
  const double most = limit.count();
  for (const hinge& next : hinges) {
    if (each > 0 && (most - at_none) / each <= next.start()) break;
    at_none += next.at_none;
    each += next.each;
  }
  if (each == 0) return 0;
  const double x = (most - at_none) / each;
  return x > 0 ? std::optional(1 / x) : std::nullopt;
}

double equal_bandwidth(const application& of, const network& over) {
  // With the same bandwidth overlap is never slower; the minimum removes rounding errors.
  const auto found = smallest_bandwidth(of, over, point_to_point_time(of, over));
  return std::min(found.value_or(over.bandwidth), over.bandwidth);
}

}  // namespace imbrex::overlap
