// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/processor.hpp>

#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/collection_base.hpp>
#include <imbrex/core/recorder.hpp>
#include <imbrex/core/run_marks.hpp>
#include <imbrex/core/runtime.hpp>

namespace imbrex::detail {

processor::processor(runtime& owner, int pe, const clock& time, std::optional<std::uint64_t> shuffle)
    : scheduler(pe, time, shuffle), owner_(owner), shuffles_(shuffle.has_value()) {}

processor::~processor() = default;

void processor::throw_no_pe() {
  throw error(
      "no PE runs on this thread: send, call, make_array and the like are for the main task and for entry "
      "methods, inside "
      "imbrex::run");
}

void processor::note_sent(message& m, int to) { pe_watch::of(*this)->sent(m, to); }

std::uint32_t processor::new_collection() { return owner_.new_collection(); }

void processor::install(std::unique_ptr<collection_base> part) {
  const std::uint32_t id = part->id();
  if (recorder* const r = recorder::of(*this)) r->came(*part);
  auto& of_kind = (id & singles_bit) != 0 ? singles_ : arrays_;
  const std::size_t place = id & ~singles_bit;
  of_kind.reach(place);
  run_marks::note_number(static_cast<std::uint32_t>(place));
  of_kind.parts[place] = std::move(part);
  for (auto& m : std::exchange(held_, {})) {
    if (m->collection == id) {
      announce(*m, pe());
      push(*m);
    } else {
      held_.push_back(m);
    }
  }
}

void processor::part_table::reach(std::size_t place) {
  if (place < parts.size()) return;
  parts.resize(place + 1);
  first = parts.data();
  count = static_cast<std::uint32_t>(parts.size());
}

std::uint64_t processor::add_section(std::unique_ptr<section_base> members) {
  sections_.push_back(std::move(members));
  return (static_cast<std::uint64_t>(pe()) << 32U) | (sections_.size() - 1);
}

int processor::root_of_section(std::uint64_t id) const {
  const std::uint64_t root = id >> 32U;
  if (root >= static_cast<std::uint64_t>(num_pes_)) throw_of_another_run("section", root);
  return static_cast<int>(root);
}

const section_base& processor::section(std::uint32_t collection, std::uint64_t id) const {
  const std::size_t place = id & 0xffffffffU;
  if (place >= sections_.size() || sections_[place]->collection != collection)
    throw_of_another_run("section", static_cast<std::uint64_t>(pe()));
  return *sections_[place];
}

void throw_of_another_run(const char* what, std::uint64_t pe) {
  throw error("a " + std::string(what) + " was used that PE " + std::to_string(pe) +
              " has not made in this run: a " + what + " does not outlive its run");
}

void processor::hold(message& m) {
  message_guard mine(m);
  check_run(m.collection, m.kind().chare_name, m.kind().entry_name);
  held_.push_back(&m);
  mine.release();
}

void processor::check_run(std::uint32_t number, std::string_view chare_name,
                          std::string_view entry_name) const {
  if (in_proxy(number) == nothing_created) throw_names_nothing(chare_name, entry_name);
  if (run_marks::is_of_another(in_proxy(number), mark_)) throw_proxy_of_another_run(chare_name, entry_name);
}

namespace {

std::string description_of_use(std::string_view chare_name, std::string_view entry_name) {
  std::string whose;
  if (!entry_name.empty()) whose += " for the entry " + std::string(short_name(entry_name));
  if (!chare_name.empty()) whose += " of " + std::string(short_name(chare_name));
  return whose;
}

}  // namespace

void throw_proxy_of_another_run(std::string_view chare_name, std::string_view entry_name) {
  throw error("a proxy was used" + description_of_use(chare_name, entry_name) +
              " that is of an earlier run of this process, or of another beside this one: proxies end with "
              "their run");
}

void throw_names_nothing(std::string_view chare_name, std::string_view entry_name) {
  throw error("a default-constructed proxy was used" + description_of_use(chare_name, entry_name) +
              ": it names nothing until it is assigned what make_array, make_group, make_chare, self() or "
              "peers() returns");
}

void processor::clear() noexcept {
  end_items();
  for (auto* of_kind : {&arrays_, &singles_})
    for (auto& c : of_kind->parts)
      if (c) c->clear();
  replies_.abandon_all();
  for (auto* m : std::exchange(held_, {})) m->type->destroy(*m);
  discard_work();
}

void processor::clear_parts() noexcept {
  replies_.abandon_all();  // what destructors have asked for
  for (auto* of_kind : {&arrays_, &singles_}) {
    of_kind->count = 0;
    of_kind->parts.clear();
  }
}

}  // namespace imbrex::detail
