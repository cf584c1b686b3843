// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/chare_header.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/pool.hpp>
#include <imbrex/base/work.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex {

chare_header::chare_header() = default;
chare_header::~chare_header() = default;

static_assert(std::is_trivially_copyable_v<measured_load>, "it migrates as its bytes");

void chare_header::serialize_state(writer& out) const {
  out(reductions, broadcasts, epoch, born);
  out.bytes(&load, sizeof load);
  out(load.is_apart);
  section_reductions.serialize(out);
}

void chare_header::serialize_state(reader& in) {
  in(reductions, broadcasts, epoch, born);
  in.bytes(&load, sizeof load);
  load.has_stayed = false;
  in(load.is_apart);  // no byte of the message is taken for a bool unchecked
  section_reductions.serialize(in);
}

namespace detail {

struct section_counts::list {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;
};

section_counts::section_counts() = default;
section_counts::~section_counts() = default;

std::uint64_t section_counts::count(std::uint64_t section_id) {
  if (!list_) list_ = make_owner<list>();
  auto& counts = list_->counts;
  auto at = std::find_if(counts.begin(), counts.end(), [&](auto& c) { return c.first == section_id; });
  if (at == counts.end()) at = counts.insert(counts.end(), {section_id, 0});
  return at->second++;
}

void section_counts::serialize(writer& out) const {
  out(bool(list_));
  if (list_) out(list_->counts);
}

void section_counts::serialize(reader& in) {
  bool has_counts = false;
  in(has_counts);
  if (!has_counts) return;
  list_ = make_owner<list>();
  in(list_->counts);
}

void end_scope(scope& s) {
  auto& e = *static_cast<chare_header*>(s.chare);
  (s.previous != nullptr ? s.previous->next : e.entries) = s.next;
  if (s.next != nullptr) s.next->previous = s.previous;
  s.kind->destroy(s.body);
  s.request->type->destroy(*s.request);
  s.~scope();
  pool::release(&s, sizeof s);
}

}  // namespace detail
}  // namespace imbrex
