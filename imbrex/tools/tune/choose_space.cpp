// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/choose_space.hpp>

#include <algorithm>
#include <cstdint>
#include <set>

#include <imbrex/base/error.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::tune {
namespace {

using values = std::vector<std::string>;

/// All completion methods to try. `poll-user` is for comparison only: `poll` does the same for less.
values completions() {
  values all;
  for (const auto method : {completion_method::polling, completion_method::callback, completion_method::flag,
                            completion_method::synchronous, completion_method::work_request})
    all.emplace_back(option_word(method));
  return all;
}

std::vector<int> divisors(std::int64_t number) {
  std::vector<int> all;
  for (int n = 1; n <= std::min<std::int64_t>(number, max_processes); ++n)
    if (number % n == 0) all.push_back(n);
  return all;
}

/// Adds dimensions to a space, each option once.
class space_builder {
 public:
  space_builder(const settings& request, const program_facts& known) : request_(request), known_(known) {
    space_.rest = request.program_arguments;
    space_.processes = request.processes;
  }

  space build() {
    for (const variation& one : request_.vary) {
      check_default(one);
      vary(one.option, one.values);
    }
    check_processes();
    if (has_option(request_.program_arguments, "--odf") || has_option(request_.brief, "--odf") ||
        names_option(known_.help, "--odf"))
      vary_odf();
    if (known_.has_runtime) vary_runtime();
    check_short();
    return std::move(space_);
  }

 private:
  /// Checks that the variation's default can equal the given arguments.
  void check_default(const variation& one) const {
    const std::string where = "--vary " + one.option + ": the program's arguments give " + one.option;
    const auto times =
        std::count_if(request_.program_arguments.begin(), std::ranges::find(request_.program_arguments, "--"),
                      [&](const std::string& word) { return has_option({word}, one.option); });
    if (times > 1)
      throw usage_error(where + " " + std::to_string(times) +
                        " times, and only one of these can be the default; leave the others out");
    const auto value = value_of(request_.program_arguments, one.option);
    if (times == 1 && !one.values.empty() && !value)
      throw usage_error(where + " without a value; write it as " + one.option +
                        "=VALUE there, or leave the values out of --vary");
    if (one.values.empty() && value)
      throw usage_error(where + " the value " + *value +
                        ", but --vary has no values; write values there, or, if that is not a value, " +
                        one.option + " as the last of the arguments");
  }

  /// Varies --odf among the usual values that have a chance, unless the user has named others.
  void vary_odf() {
    values all{"1", "2", "4", "8", "16"};
    if (!named_.contains("--odf")) {
      const auto preset = value_of(request_.program_arguments, "--odf");
      for (const std::string& value : pruned_values(known_.estimates))
        if (value != preset && std::erase(all, value) > 0) space_.pruned.push_back(value);
    }
    vary("--odf", all);
  }

  void vary(const std::string& option, const values& of, bool for_jobs = false) {
    if (!named_.insert(option).second) return;
    dimension new_dimension = take_dimension(space_.rest, option, of);
    new_dimension.for_jobs = for_jobs;
    add(std::move(new_dimension));
  }

  /// Adds a dimension; an option with only one value stays as given.
  void add(dimension new_dimension) {
    if (new_dimension.alternatives.size() > 1)
      space_.dimensions.push_back(std::move(new_dimension));
    else
      space_.rest = with_options(space_.rest, new_dimension.alternatives[0].words);
  }

  std::string machine() const {
    return value_of(request_.program_arguments, "--machine")
        .value_or(std::string(option_word(machine_kind::threads)));
  }

  /// The reason not to vary the number of processes; empty if it can be varied.
  std::string reason_for_processes() const {
    if (!known_.has_runtime) return "the program does not take the runtime's options, such as --trace";
    if (machine() != option_word(machine_kind::threads)) return "--machine " + machine() + " has one process";
    if (named_.contains("--pes")) return "--vary '--pes ...' varies the number of PEs of a process";
    if (value_of(request_.program_arguments, "--device") == "emulated")
      return "each process has emulated devices of its own, so their number would vary too";
    return "";
  }

  void check_processes() const {
    const std::string reason = reason_for_processes();
    if (!request_.among.empty() && !reason.empty())
      throw usage_error("--processes cannot be varied here: " + reason + "; leave --processes out");
  }

  /// Refuses --short for varied options: all trials would have the same value.
  void check_short() const {
    for (const std::string& option : named_)
      if (has_option(request_.brief, option))
        throw usage_error("--short names " + option + ", which is varied; leave it out of --short");
  }

  void vary_runtime() {
    if (has_option(request_.program_arguments, "--device") ||
        has_option(request_.program_arguments, "--device-model"))
      vary("--completion", but_default("--completion", completions()));
    if (machine() != option_word(machine_kind::threads)) return;
    vary_processes();
    if (has_jobs()) vary("--comm-thread", {}, true);
    vary("--bind", but_default("--bind", {"none", "core"}));
  }

  /// True if some trial has several processes.
  bool has_jobs() const {
    const auto has_job = [](const alternative& one) { return one.processes > 1; };
    return space_.processes > 1 || std::ranges::any_of(space_.dimensions, [&](const dimension& one) {
             return std::ranges::any_of(one.alternatives, has_job);
           });
  }

  /// The values without the first, the runtime's default, unless the option is given.
  values but_default(const std::string& option, values all) const {
    if (!has_option(request_.program_arguments, option)) all.erase(all.begin());
    return all;
  }

  void vary_processes() {
    space_.processes_stay = reason_for_processes();
    if (!space_.processes_stay.empty()) return;
    const auto program_arguments = value_of(request_.program_arguments, "--pes");
    const auto pes = program_arguments ? parse_number<int>(*program_arguments)
                                       : std::max(1, known_.processors / request_.processes);
    if (!pes || *pes < 1 || *pes > detail::max_pes) return;  // the program reports the error
    const auto all = std::int64_t{*pes} * request_.processes;
    add(take_processes(space_.rest, request_.processes, all,
                       request_.among.empty() ? divisors(all) : request_.among, known_.one_pe_a_process));
  }

  const settings& request_;
  const program_facts& known_;
  space space_;
  std::set<std::string> named_;  // options that are varied or have only one value
};

}  // namespace

bool names_option(const std::string& help, const std::string& option) {
  for (std::size_t at = help.find(option); at != std::string::npos; at = help.find(option, at + 1)) {
    const std::size_t end = at + option.size();
    if (end == help.size() || std::string_view(" =\n,[").find(help[end]) != std::string_view::npos)
      return true;
  }
  return false;
}

space choose_space(const settings& request, const program_facts& known) {
  return space_builder(request, known).build();
}

void check_request(const settings& request, int processors) {
  const bool must_have_runtime = !request.among.empty();  // otherwise unknown before the program has run
  choose_space(request, {"", must_have_runtime, processors});
}

}  // namespace imbrex::tune
