// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/section_tree.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/collective/reductions.hpp>
#include <imbrex/core/collective/section_table.hpp>
#include <imbrex/core/pe/pe_tree.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

/// The parent of PE `of` in the section's tree; -1 for the PE that has the section's list.
int parent_in_section(const processor& pe, int of, std::uint64_t section_id) {
  return place_in_tree(of, root_of_section(pe, section_id), pe.num_pes(), pe.run().host_starts()).parent;
}

/// Joins names as in "a, b and 3 others"; names no more than three.
std::string join_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    const bool is_last = i + 1 == names.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + names[i];
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " others";
  return text;
}

}  // namespace

int child_in_section(const processor& pe, int towards, std::uint64_t section_id) {
  for (;;) {
    const int above = parent_in_section(pe, towards, section_id);
    if (above == pe.pe()) return towards;
    towards = above;
  }
}

/// One all_reduce over the section.
struct section_tree::open_reduction {
  std::vector<owned_contribution> contributions;
  std::size_t members = 0;       ///< number of contributions from known members
  std::vector<int> reported_by;  ///< child PEs
  gathered_reports reports;
};

struct section_tree::table {
  std::vector<int> asking;  ///< child PEs whose requests wait for this PE's own place
  std::map<std::uint64_t, open_reduction> reductions;
};

section_tree::section_tree(local_array& part, std::uint64_t id)
    : tree_reduction(part, id),
      id_(id),
      parent_(parent_in_section(part.pe(), part.pe().pe(), id)),
      table_(make_owner<table>()) {}

section_tree::~section_tree() = default;

void section_tree::request_place(int child) {
  if (!is_known_) {
    table_->asking.push_back(child);
    look_for_place();
  } else if (std::ranges::find(children_, child) == children_.end()) {
    tell_none(child);
  }
}

std::vector<int> section_tree::take_asking() { return std::exchange(table_->asking, {}); }

void section_tree::set_known(std::vector<int> children) {
  is_known_ = true;
  children_ = std::move(children);
}

void section_tree::lack(int from) {
  if (std::exchange(lacks_member_, true)) return;
  if (parent_ >= 0 && parent_ != from) tell_of_lack(parent_);
  for (const int child : children_)
    if (child != from) tell_of_lack(child);
  check_all();
}

void section_tree::describe_missing(std::vector<std::string>& lines, std::size_t most) const {
  describe_members(lines, most);
  for (const auto& [number, open] : table_->reductions) {
    if (lines.size() >= most || !is_known_) return;
    lines.push_back("an all_reduce over a section of the array of " +
                    std::string(short_name(part_.shown_name())) + " waits for " + missing(open) +
                    ": each call of section makes another section, so make one, and send its proxy to all "
                    "members");
  }
}

std::string section_tree::missing(const open_reduction& of) const {
  std::vector<std::string> names = names_missing(of.contributions);
  for (const int child : children_)
    if (std::ranges::find(of.reported_by, child) == of.reported_by.end())
      names.push_back("members whose home is PE " + std::to_string(child));
  return names.empty() ? "its result" : join_names(names);
}

void section_tree::check_all() {
  std::vector<std::uint64_t> waiting;
  for (const auto& [number, open] : table_->reductions) waiting.push_back(number);
  for (const std::uint64_t number : waiting) check(number);
}

void section_tree::contribute(section_contribution& m) {
  const std::uint64_t number = m.number;
  table_->reductions[number].contributions.emplace_back(&m);
  check(number);
}

void section_tree::add(partial_result& part) {
  const std::uint64_t number = part.number;
  auto& open = table_->reductions[number];
  open.reported_by.push_back(static_cast<int>(part.origin));
  if (!open.reports.add(part)) return fail_reduction_types(part_);
  check(number);
}

void section_tree::check(std::uint64_t number) {
  if (lacks_member_) return take_failure(number, part_.why_missing({}));
  if (!is_known_) return look_for_place();
  auto& open = table_->reductions.at(number);
  refuse_others(open);
  if (members_here() == 0 && children_.empty()) {  // then this PE has no part in the reduction
    table_->reductions.erase(number);
  } else if (open.contributions.size() == members_here() && open.reported_by.size() == children_.size()) {
    report(number, open);
  }
}

void section_tree::refuse_others(open_reduction& of) {
  while (of.members < of.contributions.size()) {
    const auto& c = *of.contributions[of.members];
    if (is_member(c)) {
      ++of.members;
      continue;
    }
    send_failure(c.origin, c.reply, "all_reduce",
                 carried_exception(
                     std::make_exception_ptr(error(member_name(c) + " is not a member of that section"))));
    of.contributions.erase(of.contributions.begin() + static_cast<std::ptrdiff_t>(of.members));
  }
}

void section_tree::report(std::uint64_t number, open_reduction& of) {
  if (members_here() > 0 && !add_own(of)) return fail_reduction_types(part_);
  if (!is_root()) return report_up(number, std::move(of.reports));
  send_to_members(*of.reports.values.combine(), number);
}

bool section_tree::add_own(open_reduction& of) {
  section_contribution* failed = nullptr;
  for (const auto& c : of.contributions) {
    if (c->kind().id != of.contributions.front()->kind().id) return false;
    if (c->thrown && (failed == nullptr || precedes(*c, *failed))) failed = c.get();
  }
  owner<contributions_base> own;
  for (const auto& c : of.contributions)
    if (failed == nullptr || failed == c.get()) c->add_to(own);
  auto& all = own->combine(part_.id());
  if (failed != nullptr) all.error = failed->thrown;
  return of.reports.add(all);
}

void section_tree::take_result(const shared_result& result) {
  const auto ended = table_->reductions.extract(result.number);
  if (!ended) return;
  for (const auto& c : ended.mapped().contributions) {
    carried_exception thrown;
    try {
      message& m = *result.reply_to_member();
      m.reply = c->reply;
      part_.pe().dispatch(m, static_cast<int>(c->origin));
    } catch (...) {
      thrown = thrown_by_reduction(part_.id());
    }
    if (thrown) send_failure(c->origin, c->reply, "a reduction", std::move(thrown));
  }
}

void section_tree::take_failure(std::uint64_t number, const carried_exception& error) {
  const auto ended = table_->reductions.extract(number);
  if (!ended) return;
  for (const auto& c : ended.mapped().contributions) send_failure(c->origin, c->reply, "a reduction", error);
}
}  // namespace imbrex::detail
