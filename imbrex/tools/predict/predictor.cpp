// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/predict/predictor.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/tools/flow/evaluate.hpp>

namespace imbrex::predict {
namespace {

/// A better machine: changes of its numbers, for models with links between nodes, and for those without.
struct better_machine {
  std::string_view part;
  std::string_view change;
  std::string_view with_links;
  std::string_view without_links;
};

constexpr std::string_view fast_devices = "device.memory_bandwidth=x2,device.flops=x2";
constexpr std::string_view fast_copies =
    "copy.to_device=x2,copy.from_device=x2,copy.latency=x0.5,host.copy_bandwidth=x2";
constexpr std::string_view cheap_launches =
    "host.launch=x0.5,host.call=x0.5,host.graph_launch=x0.5,device.kernel_start=x0.5,"
    "device.graph_kernel_start=x0.5";

constexpr std::array<better_machine, 7> better_machines{
    {{"the devices' computation", "twice as fast devices", fast_devices, fast_devices},
     {"the network's rate", "twice the rate of the network", "link.card=x2,link.card_device=x2",
      "message.bandwidth=x2"},
     {"the network's latency", "half the latency of the network",
      "link.card_latency=x0.5,link.card_rendezvous=x0.5", "message.latency=x0.5"},
     {"the links in a node", "twice as fast links in a node",
      "link.device=x2,link.host=x2,link.socket=x2,message.bandwidth=x2,link.device_rendezvous=x0.5", ""},
     {"the copies between host and device", "twice as fast copies", fast_copies, fast_copies},
     {"the cost of messages for PEs", "half the cost of messages for PEs",
      "message.send=x0.5,message.receive=x0.5,step.envelope=x0.5,step.post=x0.5,step.channel=x0.5,"
      "step.notice=x0.5",
      "message.send=x0.5,message.receive=x0.5"},
     {"the cost of launches", "half the cost of launches", cheap_launches, cheap_launches}}};

/// Smaller gains are not worth a line.
constexpr double least_gain = 1.01;

std::string with_numbers(std::string word, const point& at) {
  const std::array<std::pair<std::string_view, int>, 4> numbers{
      {{"{nodes}", at.nodes},
       {"{pes}", at.pes},
       {"{odf}", std::max(1, at.odf)},
       {"{objects}", at.pes * std::max(1, at.odf)}}};
  for (const auto& [name, number] : numbers)
    for (std::size_t found = word.find(name); found != word.npos; found = word.find(name))
      word.replace(found, name.size(), std::to_string(number));
  return word;
}

bool has_word_with(const tune::arguments& words, std::string_view part) {
  return std::ranges::any_of(words, [&](const std::string& w) { return w.find(part) != w.npos; });
}

class predictor {
 public:
  predictor(settings request, simulated_program& program)
      : program_(program), has_links_(find_device_model(request.machine).has_links()) {
    result_.request = std::move(request);
  }

  prediction run() {
    choose_odf();
    for (const sweep& one : request().sweeps)
      for (const std::string& value : one.values) result_.sweeps.push_back({one.number, value, {}});
    for (const int nodes : request().nodes) {
      for (const int odf : request().odf) add_point(nodes, odf);
      if (request().asks_what_if) ask_what_if(nodes);
      vary_machine(nodes);
      best_flows_.reset();
    }
    const bool has_time =
        std::ranges::any_of(result_.points, [](const point& p) { return p.failure.empty(); });
    if (!has_time) throw error("the program cannot be predicted: " + result_.points.front().failure);
    result_.spent = time_since_begin();
    return std::move(result_);
  }

 private:
  using clock = std::chrono::steady_clock;

  const settings& request() const { return result_.request; }
  nanoseconds time_since_begin() const { return clock::now() - began_; }

  /// Programs without an ODF have one point for each number of nodes.
  void choose_odf() {
    const tune::arguments& words = request().program_arguments;
    has_odf_option_ = !has_word_with(words, "{odf}") && !has_word_with(words, "{objects}");
    if (!has_odf_option_) return;
    const std::string help = program_.help();
    if (!tune::has_option(words, "--odf") && help.find("--odf") == help.npos) result_.request.odf = {0};
  }

  /// The flows of the runs of a point, and the time of the point by their evaluation.
  struct recorded_flows {
    trace::flow one;
    std::optional<trace::flow> two;  ///< with twice the steps, if the request has steps
    double time = 0;                 ///< on the machine of the runs
  };

  void add_point(int nodes, int odf) {
    const point* const before = best_on(result_, nodes);
    const double least = before == nullptr ? std::numeric_limits<double>::max() : before->time;
    std::optional<recorded_flows> flows;
    result_.points.push_back(measured(nodes, odf, {}, &flows));
    const point& added = result_.points.back();
    if (added.failure.empty() && added.time < least) best_flows_ = std::move(flows);
  }

  /// The point by runs. `change`: other numbers of the machine, "link.card=x2,...". `flows`: set to the runs'
  /// flows, if they have some; or null.
  point measured(int nodes, int odf, std::string_view change, std::optional<recorded_flows>* flows) {
    point at{.nodes = nodes, .pes = nodes * request().node_pes, .odf = odf};
    const auto one = observed(at, change, request().steps);
    if (!one.failure.empty()) {
      at.failure = one.failure;
      return at;
    }
    at.time = static_cast<double>(one.time.count());
    at.shares = one.seen;
    std::optional<trace::flow> flow = flows == nullptr ? std::nullopt : program_.take_flow();
    std::optional<trace::flow> longer;
    if (request().steps > 0) {
      const auto two = observed(at, change, 2 * request().steps);
      at.failure = two.failure;
      at.shares = two.seen;
      at.time = static_cast<double>((two.time - one.time).count()) / request().steps;
      if (at.failure.empty() && at.time <= 0)
        at.failure = "takes no longer with " + request().step_option + " " +
                     std::to_string(2 * request().steps) + " than with " + std::to_string(request().steps) +
                     "; is this the option for its steps?";
      if (flow) longer = program_.take_flow();
      if (!longer) flow.reset();
    }
    if (at.failure.empty() && flow) {
      recorded_flows found{std::move(*flow), std::move(longer)};
      if (is_like_its_run(found.one) && (!found.two || is_like_its_run(*found.two))) {
        found.time = time_of(found, find_device_model(request().machine));
        if (found.time > 0) *flows = std::move(found);
      }
    }
    return at;
  }

  /// True if the evaluation of a flow on its machine gives the time of the run.
  static bool is_like_its_run(const trace::flow& recorded) {
    constexpr double most_difference = 0.001;
    const auto ran = static_cast<double>(recorded.facts.time);
    const auto evaluated = tools::evaluate(recorded, find_device_model(recorded.machine)).time.count();
    return std::abs(static_cast<double>(evaluated) - ran) <= most_difference * ran;
  }

  /// The time of a step, or of the run, by evaluation.
  double time_of(const recorded_flows& of, const device_model& machine) const {
    const auto one = tools::evaluate(of.one, machine).time;
    if (!of.two) return static_cast<double>(one.count());
    return static_cast<double>((tools::evaluate(*of.two, machine).time - one).count()) / request().steps;
  }

  /// The time of the best point of its number of nodes on a changed machine: by evaluation, or else by runs.
  double changed(const point& best, std::string_view change) {
    if (best_flows_) {
      const device_model machine = find_device_model(request().machine + "," + std::string(change));
      ++result_.runs.evaluated;
      return best.time * time_of(*best_flows_, machine) / best_flows_->time;
    }
    const point other = measured(best.nodes, best.odf, change, nullptr);
    return other.failure.empty() ? other.time : 0;
  }

  tune::observation observed(const point& at, std::string_view change, int steps) {
    const nanoseconds left = request().budget - time_since_begin();
    if (left.count() <= 0) {
      result_.is_out_of_time = true;
      return {.failure = "no time was left; raise --seconds"};
    }
    const std::string machine = request().machine + (change.empty() ? "" : "," + std::string(change));
    const tune::arguments options{"--machine", "simulated", "--device-model",
                                  machine,     "--pes",     std::to_string(at.pes)};
    ++result_.runs.executed;
    return program_.run(options, words_of(at, steps), left);
  }

  tune::arguments words_of(const point& at, int steps) const {
    tune::arguments words = request().program_arguments;
    for (const arguments_at& one : request().at)
      if (one.nodes == at.nodes) words = tune::with_replaced(words, one.words);
    if (has_odf_option_ && at.odf > 0) words = tune::with_replaced(words, {"--odf", std::to_string(at.odf)});
    if (steps > 0) words = tune::with_replaced(words, {request().step_option, std::to_string(steps)});
    for (std::string& word : words) word = with_numbers(std::move(word), at);
    return words;
  }

  /// Asks what better parts of the machine would bring.
  void ask_what_if(int nodes) {
    const point* const best = best_on(result_, nodes);
    if (best == nullptr) return;
    auto& gains = result_.what_ifs[nodes];
    for (const better_machine& each : better_machines) {
      const std::string_view change = has_links_ ? each.with_links : each.without_links;
      if (change.empty()) continue;
      const double time = changed(*best, change);
      if (time > 0 && best->time / time >= least_gain)
        gains.push_back({std::string(each.part), std::string(each.change), best->time / time});
    }
    std::ranges::sort(gains, std::ranges::greater(), &what_if::gain);
  }

  void vary_machine(int nodes) {
    const point* const best = best_on(result_, nodes);
    for (sweep_row& row : result_.sweeps)
      row.times.push_back(best == nullptr ? 0 : changed(*best, row.number + "=" + row.value));
  }

  simulated_program& program_;
  const bool has_links_;
  const clock::time_point began_ = clock::now();
  bool has_odf_option_ = true;
  prediction result_;
  std::optional<recorded_flows> best_flows_;  ///< flows of the best point on the present number of nodes
};

}  // namespace

const point* best_on(const prediction& of, int nodes) {
  const point* best = nullptr;
  for (const point& each : of.points)
    if (each.nodes == nodes && each.failure.empty() && (best == nullptr || each.time < best->time))
      best = &each;
  return best;
}

prediction predict_all(settings request, simulated_program& program) {
  return predictor(std::move(request), program).run();
}

}  // namespace imbrex::predict
