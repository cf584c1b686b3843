// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/section_reduction.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <imbrex/core/pe/pe_tree.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

int parent_in_section(const processor& pe, int of, std::uint64_t section_id) {
  return place_in_tree(of, root_of_section(pe, section_id), pe.num_pes(), pe.run().host_starts()).parent;
}

int child_in_section(const processor& pe, int towards, std::uint64_t section_id) {
  for (;;) {
    const int above = parent_in_section(pe, towards, section_id);
    if (above == pe.pe()) return towards;
    towards = above;
  }
}

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

struct section_tree_place::table {
  std::vector<int> asking;  ///< child PEs whose requests wait for this PE's own place
  std::map<std::uint64_t, owner<section_reduction_base>> reductions;
};

section_tree_place::section_tree_place(local_array& part, std::uint64_t id)
    : array_(part), id_(id), table_(make_owner<table>()) {}

section_tree_place::~section_tree_place() = default;

void section_tree_place::request_place(int child) {
  if (!is_known_) {
    table_->asking.push_back(child);
    look_for_place();
  } else if (std::find(children_.begin(), children_.end(), child) == children_.end()) {
    tell_none(child);
  }
}

std::vector<int> section_tree_place::take_asking() { return std::exchange(table_->asking, {}); }

void section_tree_place::add_child(int child) { children_.push_back(child); }

void section_tree_place::lack(int from) {
  if (std::exchange(lacks_member_, true)) return;
  if (const int above = parent(); above >= 0 && above != from) tell_of_lack(above);
  for (const int child : children_)
    if (child != from) tell_of_lack(child);
  check_all();
}

void section_tree_place::describe_missing(std::vector<std::string>& lines, std::size_t most) const {
  describe_members(lines, most);
  for (const auto& [number, reduction] : table_->reductions) {
    if (lines.size() >= most || !is_known_) return;
    lines.push_back("an all_reduce over a section of the array of " +
                    std::string(short_name(array_.shown_name())) + " waits for " + reduction->missing() +
                    ": each call of section makes another section, so make one, and send its proxy to all "
                    "members");
  }
}

owner<section_reduction_base>& section_tree_place::reduction(std::uint64_t number) {
  return table_->reductions[number];
}

owner<section_reduction_base> section_tree_place::take(std::uint64_t number) {
  auto node = table_->reductions.extract(number);
  return std::move(node.mapped());
}

void section_tree_place::check_all() {
  std::vector<std::uint64_t> waiting;
  for (const auto& [number, reduction] : table_->reductions) waiting.push_back(number);
  for (const std::uint64_t number : waiting) table_->reductions.at(number)->check();
}

}  // namespace imbrex::detail
