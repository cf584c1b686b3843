// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/parameters.hpp>

#include <fmt/format.h>

#include <imbrex/tools/trace/table.hpp>

namespace imbrex::overlap {
namespace {

using nlohmann::ordered_json;

double nanoseconds_of(microseconds time) { return 1000 * time.count(); }

void put(ordered_json& into, const char* key, microseconds time) {
  if (time.count() != 0) into[key] = time.count();
}

void put_order(ordered_json& into, const datum& of) {
  if (const auto* const listed = std::get_if<listed_order>(&of.order)) {
    into["production_order"] = listed->production;
    into["consumption_order"] = listed->consumption;
  } else if (std::get<named_order>(of.order) == named_order::reverse) {
    into["order"] = "reverse";
  }
}

ordered_json json_of(const datum& of) {
  ordered_json result{{"name", of.name},
                      {"kind", of.kind == execution::concurrent ? "concurrent" : "pipelined"},
                      {"produce_period_ns", nanoseconds_of(of.produce_period)},
                      {"consume_period_ns", nanoseconds_of(of.consume_period)},
                      {"produced_words", of.produced},
                      {"consumed_words", of.consumed},
                      {"sent_words", of.sent}};
  put_order(result, of);
  put(result, "additional_produce_us", of.additional_produce);
  put(result, "additional_consume_us", of.additional_consume);
  put(result, "loop_distribution_us", of.loop_distribution);
  if (of.produce_loop_indexing) result["produce_loop_indexing_us"] = of.produce_loop_indexing->count();
  if (of.consume_loop_indexing) result["consume_loop_indexing_us"] = of.consume_loop_indexing->count();
  put(result, "rearranged_subroutines_us", of.rearranged_subroutines);
  put(result, "local_part_us", of.local_part);
  if (of.dependent_work) result["dependent_work"] = true;
  return result;
}

std::string order_text(const datum& of) {
  if (std::holds_alternative<listed_order>(of.order)) return "as listed";
  return std::get<named_order>(of.order) == named_order::same ? "same order" : "reverse order";
}

}  // namespace

ordered_json parameters_json(std::span<const application> of) {
  auto all = ordered_json::array();
  for (const application& program : of) {
    ordered_json one{{"name", program.name},
                     {"computation_time_us", program.computation.count()},
                     {"processors", program.processors}};
    if (program.collectives != 0) one["collectives"] = program.collectives;
    if (program.collective_processors) one["collective_processors"] = *program.collective_processors;
    one["data"] = ordered_json::array();
    for (const datum& each : program.data) one["data"].push_back(json_of(each));
    all.push_back(std::move(one));
  }
  return {{"applications", std::move(all)}};
}

std::string parameters_text(std::span<const application> of) {
  const auto cell = [](double number) { return fmt::format("{:.5g}", number); };
  tools::table result({"T_P, ns", "T_C, ns", "N_P, words", "N_C, words", "N_S, words", "T_AP, us", "T_AC, us",
                       "consumed in", "kind", "datum"});
  for (const application& program : of)
    for (const datum& one : program.data)
      result.row({cell(nanoseconds_of(one.produce_period)), cell(nanoseconds_of(one.consume_period)),
                  std::to_string(one.produced), std::to_string(one.consumed), std::to_string(one.sent),
                  cell(one.additional_produce.count()), cell(one.additional_consume.count()), order_text(one),
                  one.kind == execution::concurrent ? "concurrent" : "pipelined", one.name});
  return "Parameters of an iteration (table 2)\n\n" + result.text() + "\n";
}

}  // namespace imbrex::overlap
