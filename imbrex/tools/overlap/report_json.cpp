// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/report.hpp>

namespace imbrex::overlap {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_elements = 100;

ordered_json json_of(const network& one) {
  return {{"latency_us", one.latency.count()}, {"bandwidth_MBs", one.bandwidth}, {"gap_us", one.gap.count()}};
}

ordered_json json_of(const independent_work& one) {
  return {{"additional_produce", one.additional_produce.count()},
          {"additional_consume", one.additional_consume.count()},
          {"loop_distribution", one.loop_distribution.count()},
          {"produce_loop_indexing", one.produce_loop_indexing.count()},
          {"consume_loop_indexing", one.consume_loop_indexing.count()},
          {"rearranged_subroutines", one.rearranged_subroutines.count()},
          {"local_part", one.local_part.count()},
          {"total", one.total().count()}};
}

ordered_json elements(const datum& of, const survey& over) {
  const bool in_pace = of.kind == execution::pipelined && keeps_pace(of, over.testbed.gap);
  ordered_json all = ordered_json::array();
  for (const std::uint64_t i : some_elements(of, most_elements)) {
    ordered_json one{{"element", i}, {"t_us", available(of, i, in_pace).count()}};
    if (of.kind == execution::concurrent) {
      one["while_producing_us"] = usable(of, i, transfer::while_producing).count();
      one["between_us"] = usable(of, i, transfer::between).count();
      one["while_consuming_us"] = usable(of, i, transfer::while_consuming).count();
    }
    all.push_back(std::move(one));
  }
  return all;
}

ordered_json json_of(const datum& of, const survey& over) {
  const range times = available_range(of, over.testbed);
  return {{"name", of.name},
          {"kind", of.kind == execution::concurrent ? "concurrent" : "pipelined"},
          {"dependent_work", of.dependent_work || of.kind == execution::pipelined},
          {"independent_work_us", json_of(independent(of))},
          {"pace", pace(of, over.testbed.gap)},
          {"keeps_pace", keeps_pace(of, over.testbed.gap)},
          {"least_t_us", times.least.count()},
          {"most_t_us", times.most.count()},
          {"elements", elements(of, over)}};
}

ordered_json json_of(const application& of, const network& over) {
  ordered_json data = ordered_json::array();
  for (const datum& one : of.data)
    data.push_back({{"name", one.name},
                    {"overlap_us", potential(one, over).count()},
                    {"transfer_us", transfer_time(one, over).count()},
                    {"normalised_overlap", normalised_overlap(one, over)}});
  const datum* const worst = hardest(of, over);
  const shares spent = breakdown(of, over);
  return {{"latency_us", over.latency.count()},
          {"bandwidth_MBs", over.bandwidth},
          {"data", std::move(data)},
          {"hardest", worst == nullptr ? ordered_json(nullptr) : ordered_json(worst->name)},
          {"normalised_overlap", worst == nullptr ? 0 : normalised_overlap(*worst, over)},
          {"point_to_point_us", point_to_point_time(of, over).count()},
          {"exposed_us", exposed_time(of, over).count()},
          {"collectives_us", collective_time(of, over.latency).count()},
          {"normalised_time", normalised_time(of, over)},
          {"normalised_time_overlapped", normalised_time_overlapped(of, over)},
          {"percent",
           {{"computation", spent.computation},
            {"point_to_point", spent.point_to_point},
            {"collectives", spent.collectives}}}};
}

ordered_json json_of(const application& of, const survey& over) {
  ordered_json data = ordered_json::array();
  for (const datum& one : of.data) data.push_back(json_of(one, over));
  ordered_json networks = ordered_json::array();
  ordered_json needs = ordered_json::array();
  for (const microseconds latency : over.latencies) {
    for (const double bandwidth : over.bandwidths)
      networks.push_back(json_of(of, over.at(latency, bandwidth)));
    const network best = over.at(latency, over.best_bandwidth());
    const auto hiding = smallest_bandwidth(of, best, microseconds(0));
    needs.push_back({{"latency_us", latency.count()},
                     {"equal_bandwidth_MBs", equal_bandwidth(of, best)},
                     {"hiding_bandwidth_MBs", hiding ? ordered_json(*hiding) : ordered_json(nullptr)}});
  }
  return {{"name", of.name},
          {"computation_time_us", of.computation.count()},
          {"processors", of.processors},
          {"collectives", of.collectives},
          {"collective_processors", of.collective_processors.value_or(of.processors)},
          {"data", std::move(data)},
          {"testbed", json_of(of, over.testbed)},
          {"networks", std::move(networks)},
          {"needs", std::move(needs)}};
}

}  // namespace

ordered_json report_json(std::span<const application> of, const survey& over) {
  ordered_json all = ordered_json::array();
  for (const application& one : of) all.push_back(json_of(one, over));
  return {{"testbed", json_of(over.testbed)},
          {"best_bandwidth_MBs", over.best_bandwidth()},
          {"applications", std::move(all)}};
}

}  // namespace imbrex::overlap
