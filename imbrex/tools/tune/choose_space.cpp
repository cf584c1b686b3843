// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/choose_space.hpp>

#include <algorithm>

#include <imbrex/base/number.hpp>
#include <imbrex/base/options.hpp>

namespace imbrex::tune {
namespace {

using values = std::vector<std::string>;

/// `poll-user` is there to compare with: `poll` does the same for less.
values completions() {
  values all;
  for (const auto method : {completion_method::polling, completion_method::callback, completion_method::flag,
                            completion_method::synchronous, completion_method::work_request})
    all.emplace_back(name(method));
  return all;
}

bool names_option(const std::string& help, const std::string& option) {
  for (std::size_t at = help.find(option); at != std::string::npos; at = help.find(option, at + 1)) {
    const std::size_t end = at + option.size();
    if (end == help.size() || std::string_view(" =\n,[").find(help[end]) != std::string_view::npos)
      return true;
  }
  return false;
}

std::vector<int> divisors(int number) {
  std::vector<int> all;
  for (int n = 1; n <= number; ++n)
    if (number % n == 0) all.push_back(n);
  return all;
}

/// Adds dimensions one after the other, each option once.
class space_builder {
 public:
  space_builder(const settings& asked, const program_facts& known) : asked_(asked), known_(known) {
    made_.rest = asked.given;
    made_.processes = asked.processes;
  }

  space build() {
    for (const variation& one : asked_.vary) vary(one.option, one.values);
    if (has_option(asked_.given, "--odf") || names_option(known_.help, "--odf"))
      vary("--odf", {"1", "2", "4", "8", "16"});
    if (known_.has_runtime) vary_runtime();
    return std::move(made_);
  }

 private:
  void vary(const std::string& option, const values& of, bool for_jobs = false) {
    if (std::ranges::find(made_.dimensions, option, &dimension::option) != made_.dimensions.end()) return;
    dimension made = take_dimension(made_.rest, option, of);
    made.for_jobs = for_jobs;
    if (made.alternatives.size() > 1) made_.dimensions.push_back(std::move(made));
  }

  void vary_runtime() {
    const auto machine =
        value_of(asked_.given, "--machine").value_or(std::string(name(machine_kind::threads)));
    if (has_option(asked_.given, "--device") || has_option(asked_.given, "--device-model"))
      vary("--completion", but_default("--completion", completions()));
    if (machine != name(machine_kind::threads)) return;
    vary_processes();
    vary("--comm-thread", {}, true);
    vary("--bind", but_default("--bind", {"none", "core"}));
  }

  /// Without the first of the values, which is what the runtime does unless the option is given.
  values but_default(const std::string& option, values all) const {
    if (!has_option(asked_.given, option)) all.erase(all.begin());
    return all;
  }

  void vary_processes() {
    const auto pes = parse_number<int>(value_of(asked_.given, "--pes").value_or(""));
    const bool own =
        std::ranges::find(made_.dimensions, "--pes", &dimension::option) != made_.dimensions.end();
    if (own) return;  // the user varies them
    const int each = pes ? *pes : std::max(1, known_.processors / asked_.processes);
    const int all = each * asked_.processes;
    dimension made = take_processes(made_.rest, asked_.processes, all,
                                    asked_.among.empty() ? divisors(all) : asked_.among);
    if (made.alternatives.size() > 1)
      made_.dimensions.push_back(std::move(made));
    else
      made_.rest = with_options(made_.rest, made.alternatives[0].words);
  }

  const settings& asked_;
  const program_facts& known_;
  space made_;
};

}  // namespace

space choose_space(const settings& asked, const program_facts& known) {
  return space_builder(asked, known).build();
}

}  // namespace imbrex::tune
