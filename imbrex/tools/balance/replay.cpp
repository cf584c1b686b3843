// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/balance/replay.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <utility>

#include <imbrex/balance/quality.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/tools/balance/neighbours.hpp>

namespace imbrex::tools::balance {
namespace {

using imbrex::balance::object_name;
using imbrex::balance::record_reader;
using imbrex::balance::recorded_run;
using imbrex::balance::snapshot;
using imbrex::balance::strategy;

/// The PEs on the largest node of the run.
int largest_node(const recorded_run& run) {
  if (run.node.empty()) return run.pes;
  std::vector<int> pes(run.node.size());
  for (const int node : run.node) ++pes[static_cast<std::size_t>(node)];
  return *std::ranges::max_element(pes);
}

/// The machine to replay on, in the place of the run's.
class target_machine {
 public:
  target_machine(const recorded_run& run, const other_machine& requested)
      : pes_(requested.pes > 0 ? requested.pes : run.pes), is_other_(requested.pes > 0), node_(run.node) {
    const int node_pes = requested.node_pes > 0 ? requested.node_pes : largest_node(run);
    if (requested.node_pes > pes_)
      throw usage_error("--node-pes " + std::to_string(requested.node_pes) + ": the machine has " +
                        std::to_string(pes_) + " PEs; give no more, or more --pes");
    if (!is_other_ && requested.node_pes == 0) return;
    node_.resize(static_cast<std::size_t>(pes_));
    for (int pe = 0; pe < pes_; ++pe) node_[static_cast<std::size_t>(pe)] = pe / node_pes;
  }

  int pes() const { return pes_; }
  int nodes() const { return node_.empty() ? 1 : 1 + *std::ranges::max_element(node_); }

  /// Changes a problem of the run into one of this machine. A machine with other PEs has no devices.
  void take_over(snapshot& problem) const {
    problem.pes = pes_;
    problem.node = node_;
    if (!is_other_) return;
    problem.device.clear();
    problem.speed.clear();
    problem.free_memory.clear();
    problem.device_load.clear();
    problem.device_elapsed.clear();
    problem.device_bytes.clear();
    for (std::size_t k = 0; k < problem.curve.size(); ++k)
      problem.pe[problem.curve[k]] =
          static_cast<int>(k * static_cast<std::size_t>(pes_) / problem.curve.size());
  }

 private:
  int pes_;
  bool is_other_;
  std::vector<int> node_;
};

/// A period, as strategies see it and as it is judged.
struct posed_period {
  std::vector<object_name> names;
  snapshot problem;
  std::vector<double> measured;
};

posed_period pose(const record_reader& record, const target_machine& on) {
  const auto& from = record.period();
  posed_period posed{record.names(), from.problem, {from.measured.begin(), from.measured.end()}};
  on.take_over(posed.problem);
  return posed;
}

/// The PEs of the objects of a period: those that they had before. New objects are where the period has
/// them.
std::vector<int> carried_over(const posed_period& from, const std::vector<int>& pes, const posed_period& to) {
  if (from.names == to.names) return pes;
  std::vector<int> carried = to.problem.pe;
  std::size_t i = 0;
  for (std::size_t k = 0; k < to.names.size(); ++k) {
    while (i < from.names.size() && from.names[i] < to.names[k]) ++i;
    if (i < from.names.size() && from.names[i] == to.names[k]) carried[k] = pes[i];
  }
  return carried;
}

/// One strategy, and the PEs that it has given the objects.
class contestant {
 public:
  contestant(const std::string& name, const posed_period& first)
      : strategy_(imbrex::balance::find_strategy(name)), pes_(first.problem.pe) {
    results_.name = name;
  }

  void decide(posed_period& period) {
    period.problem.pe = pes_;
    const auto began = std::chrono::steady_clock::now();
    pes_ = strategy_.solve(period.problem.view());
    results_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    results_.moved += quality_of(period.problem.view(), pes_).moved;
  }

  /// Leaves the objects of a period that are in the next one where they are.
  void carry_over(const posed_period& before, const posed_period& period) {
    pes_ = carried_over(before, pes_, period);
  }

  void judge(const posed_period& before, const posed_period& period, const snapshot& judged) {
    carry_over(before, period);
    const auto found = quality_of(judged.view(), pes_);
    results_.imbalance.push_back(found.after.pes);
    results_.cut += found.cut;
    results_.node_cut += found.node_cut;
  }

  strategy_results results() const {
    strategy_results all = results_;
    const auto periods = static_cast<double>(std::max<std::size_t>(all.imbalance.size(), 1));
    for (double* const sum : {&all.moved, &all.cut, &all.node_cut, &all.seconds}) *sum /= periods;
    return all;
  }

 private:
  const strategy& strategy_;
  std::vector<int> pes_;
  strategy_results results_;
};

/// Makes the problems by which solutions are judged.
class judges {
 public:
  snapshot problem_of(const posed_period& period) {
    snapshot judged = period.problem;
    judged.load = period.measured;
    if (!judged.edge_to.empty()) {
      edges_ = cut_edges::recorded;
    } else if (judged.dimensions > 0 && edges_ != cut_edges::recorded) {
      edges_ = cut_edges::neighbours;
      connect(period, judged);
    }
    return judged;
  }
  cut_edges edges() const { return edges_; }

 private:
  /// Neighbours stay while the objects do.
  void connect(const posed_period& period, snapshot& judged) {
    if (names_ != period.names) {
      names_ = period.names;
      connect_neighbours(judged, names_);
      first_edge_ = judged.first_edge;
      edge_to_ = judged.edge_to;
    }
    judged.first_edge = first_edge_;
    judged.edge_to = edge_to_;
  }

  cut_edges edges_ = cut_edges::none;
  std::vector<object_name> names_;
  std::vector<std::uint32_t> first_edge_, edge_to_;
};

}  // namespace

double strategy_results::mean() const {
  return std::accumulate(imbalance.begin(), imbalance.end(), 0.0) / static_cast<double>(imbalance.size());
}

double strategy_results::worst() const { return *std::ranges::max_element(imbalance); }

replayed_record replay(record_reader& record, std::span<const std::string> strategies,
                       const other_machine& on) {
  const target_machine machine(record.run(), on);
  for (const std::string& name : strategies) static_cast<void>(imbrex::balance::find_strategy(name));
  std::vector<contestant> contestants;
  judges judged;
  posed_period before;
  bool is_next = false;  // the period after `before`
  std::uint64_t decisions = 0;
  double sent_bytes = 0, sent_messages = 0;
  while (record.next()) {
    if (!record.period().is_measured) {
      is_next = false;
      continue;
    }
    const posed_period period = pose(record, machine);
    if (contestants.empty())
      for (const std::string& name : strategies) contestants.emplace_back(name, period);
    if (is_next) {
      const snapshot problem = judged.problem_of(period);
      for (contestant& each : contestants) {
        each.decide(before);
        each.judge(before, period, problem);
      }
      ++decisions;
      for (const imbrex::balance::sent_amount& each : period.problem.sent) {
        sent_bytes += each.bytes;
        sent_messages += each.messages;
      }
    } else {
      for (contestant& each : contestants) each.carry_over(before, period);
    }
    before = period;
    is_next = true;
  }
  if (decisions == 0)
    throw usage_error(
        "none of the " + std::to_string(record.number()) +
        " periods of the record with measured loads follows another, as a decision is judged by "
        "the next period; record a longer run, or with a smaller --balance-every");
  replayed_record all{.recorded_with = record.run().strategy,
                      .pes = machine.pes(),
                      .nodes = machine.nodes(),
                      .objects = before.names.size(),
                      .decisions = decisions,
                      .sent_bytes = sent_bytes / static_cast<double>(decisions),
                      .sent_messages = sent_messages / static_cast<double>(decisions),
                      .edges = judged.edges(),
                      .strategies = {}};
  for (const contestant& each : contestants) all.strategies.push_back(each.results());
  return all;
}

}  // namespace imbrex::tools::balance
