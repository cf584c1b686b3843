// SPDX-License-Identifier: Apache-2.0
// Task Bench (Slaughter et al., SC 2020) with its official core: a chare for each column of the task graph.
// It runs a task when the outputs of all tasks that it depends on have come. Options of the core are on the
// command line, those of the runtime in IMBREX_OPTIONS.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <core.h>

#include <imbrex/imbrex.hpp>

namespace {

using intervals = std::vector<std::pair<long, long>>;

/// The task graphs of the command line.
std::vector<TaskGraph> graphs;

/// One column of a task graph, which runs its tasks one after the other.
class column : public imbrex::chare<column> {
 public:
  explicit column(int graph)
      : graph_(graphs[static_cast<std::size_t>(graph)]),
        all_(peers()),
        point_(where()[0]),
        output_(graph_.output_bytes_per_task),
        scratch_(graph_.scratch_bytes_per_task) {
    if (!scratch_.empty()) TaskGraph::prepare_scratch(scratch_.data(), scratch_.size());
    for (long set = 0; set < graph_.max_dependence_sets(); ++set) {
      inputs_.push_back(points_of(graph_.dependencies(set, point_)));
      outputs_.push_back(points_of(graph_.reverse_dependencies(set, point_)));
    }
  }

  imbrex::mailbox<int> finished;

  /// Runs all tasks of the column.
  imbrex::task<> run() {
    step_ = 0;
    advance();
    co_await finished.receive();
  }

  /// The output of a task of step `step` - 1 has come.
  void take(long step, long from, std::span<const char> output) {
    if (keep(step, from, output) && step == step_) advance();
  }

 private:
  /// A task whose inputs have not all come.
  struct waiting {
    std::size_t missing = 0;
    std::vector<char> bytes;
  };

  static std::vector<long> points_of(const intervals& of) {
    std::vector<long> all;
    for (const auto& [first, last] : of)
      for (long point = first; point <= last; ++point) all.push_back(point);
    return all;
  }
  bool is_active(long point, long step) const {
    const long offset = graph_.offset_at_timestep(step);
    return point >= offset && point < offset + graph_.width_at_timestep(step);
  }
  bool was_active(long point, long step) const { return step > 0 && is_active(point, step - 1); }

  waiting& waiting_for(long step) {
    while (first_waiting_ + static_cast<long>(waiting_.size()) <= step) {
      const long next = first_waiting_ + static_cast<long>(waiting_.size());
      waiting added;
      if (next > 0 && is_active(point_, next))
        for (const long input : inputs_[set_of(next)])
          if (was_active(input, next)) ++added.missing;
      if (!spare_.empty()) {
        added.bytes = std::move(spare_.back());
        spare_.pop_back();
      }
      added.bytes.resize(added.missing * output_.size());
      waiting_.push_back(std::move(added));
    }
    return waiting_[static_cast<std::size_t>(step - first_waiting_)];
  }

  /// Runs the tasks whose inputs are here.
  void advance() {
    for (; step_ < graph_.timesteps; ++step_) {
      waiting& here = waiting_for(step_);
      if (here.missing > 0) return;
      if (is_active(point_, step_)) execute(here);
      spare_.push_back(std::move(here.bytes));
      waiting_.pop_front();
      ++first_waiting_;
      if (is_active(point_, step_)) send_output(step_ + 1);
    }
    first_waiting_ = 0;
    imbrex::send<&column::finished>(self(), 0);
  }
  void execute(waiting& here) {
    const std::size_t inputs = output_.empty() ? 0 : here.bytes.size() / output_.size();
    input_addresses_.resize(inputs);
    input_sizes_.assign(inputs, output_.size());
    for (std::size_t i = 0; i < inputs; ++i) input_addresses_[i] = here.bytes.data() + i * output_.size();
    graph_.execute_point(step_, point_, output_.data(), output_.size(), input_addresses_.data(),
                         input_sizes_.data(), inputs, scratch_.data(), scratch_.size());
  }
  void send_output(long step) {
    if (step >= graph_.timesteps) return;
    for (const long point : outputs_[set_of(step)]) {
      if (!is_active(point, step)) continue;
      if (point == point_)
        keep(step, point_, output_);
      else
        imbrex::send<&column::take>(all_[static_cast<int>(point)], step, point_,
                                    std::span<const char>(output_));
    }
  }
  /// Keeps an input of the task of step `step`. True if it was the last one.
  bool keep(long step, long from, std::span<const char> output) {
    waiting& here = waiting_for(step);
    std::size_t slot = 0;
    for (const long input : inputs_[set_of(step)]) {
      if (input == from) break;
      if (was_active(input, step)) ++slot;
    }
    std::copy(output.begin(), output.end(),
              here.bytes.begin() + static_cast<std::ptrdiff_t>(slot * output_.size()));
    return --here.missing == 0;
  }
  std::size_t set_of(long step) const {
    return static_cast<std::size_t>(graph_.dependence_set_at_timestep(step));
  }

  const TaskGraph graph_;
  const imbrex::array<column> all_;
  const long point_;
  std::vector<char> output_, scratch_;
  std::vector<std::vector<long>> inputs_, outputs_;  ///< points, by dependence set
  std::deque<waiting> waiting_;                      ///< from step `first_waiting_` on
  long first_waiting_ = 0;
  long step_ = 0;
  std::vector<std::vector<char>> spare_;
  std::vector<const char*> input_addresses_;
  std::vector<std::size_t> input_sizes_;
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

imbrex::task<double> run_all() {
  std::vector<imbrex::array<column>> columns;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    columns.push_back(
        imbrex::make_array<column>({static_cast<int>(graphs[g].max_width)}, static_cast<int>(g)));
    co_await columns.back().created();
  }
  double elapsed = 0;
  for (int round = 0; round < 2; ++round) {  // as the drivers of other systems, the first one warms up
    const double begin = seconds();
    std::vector<imbrex::pending<void>> running;
    for (const auto& each : columns) running.push_back(each.call<&column::run>());
    for (auto& each : running) co_await std::move(each);
    elapsed = seconds() - begin;
  }
  co_return elapsed;
}

}  // namespace

int main(int argc, char** argv) {
  const App application(argc, argv);
  graphs = application.graphs;
  if (imbrex::process() == 0) application.display();
  int own_words = 1;  // the others are the core's
  return imbrex::run(own_words, argv, [&]() -> imbrex::task<int> {
    application.report_timing(co_await run_all());
    co_return 0;
  });
}
