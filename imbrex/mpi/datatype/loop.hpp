// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace imbrex::mpi {

class loop;
using loop_ref = std::shared_ptr<const loop>;

/// The memory layout of a datatype's bytes in packing order: runs of bytes, repetitions of a loop, and lists
/// of loops. Adjacent bytes are merged into one run, and equal distances into one repetition, so a regular
/// type takes O(1) memory. Finding a position among the packed bytes takes O(depth * log(entries)).
class loop {
 public:
  enum class form : std::uint8_t { empty, run, strided, list };

  /// A run of `bytes` bytes that starts at `offset`.
  static loop_ref run(std::int64_t offset, std::int64_t bytes);
  /// `count` copies of a loop: the first shifted by `offset`, each next one by `stride` more.
  static loop_ref repeat(std::int64_t offset, std::int64_t count, std::int64_t stride, const loop_ref& of);

  /// Concatenates loops.
  class builder {
   public:
    void add(std::int64_t offset, const loop_ref& part);
    loop_ref build();

   private:
    friend class loop;
    void add_run(std::int64_t offset, std::int64_t bytes);
    struct part {
      std::int64_t offset;
      std::int64_t bytes;
      loop_ref of;  ///< null for a run
    };
    std::vector<part> parts_;
  };

  form kind() const { return form_; }
  /// Packed bytes.
  std::int64_t size() const { return size_; }
  /// Whether the layout is a single run; the offset of its first byte.
  bool is_run() const { return form_ == form::run; }
  std::int64_t offset() const { return offset_; }
  /// Number of numbers that describe the layout; for tests.
  std::int64_t cost() const;

  /// Visits the packed bytes begin to end, in order, with the loop's origin at address `at`. Calls
  /// visit.run(address, bytes) and visit.strided(address, bytes per part, stride, count).
  template <typename Visitor>
  void walk(std::uintptr_t at, std::int64_t begin, std::int64_t end, Visitor& visit) const;

 private:
  struct entry {
    std::int64_t offset;
    std::int64_t packed;  ///< bytes of all entries before this one
    const loop* of;       ///< null for a run
  };
  template <typename Visitor>
  void walk_list(std::uintptr_t at, std::int64_t begin, std::int64_t end, Visitor& visit) const;

  form form_ = form::empty;
  std::int64_t size_ = 0;
  std::int64_t offset_ = 0;  ///< for runs and repetitions
  std::int64_t count_ = 0;   ///< this and the next three: for repetitions
  std::int64_t stride_ = 0;
  std::int64_t part_ = 0;  ///< packed bytes per repetition
  loop_ref of_;            ///< null for runs of `part_` bytes
  std::vector<entry> entries_;
  std::vector<loop_ref> parts_;  ///< owners of the entries' loops
};

template <typename Visitor>
void loop::walk(std::uintptr_t at, std::int64_t begin, std::int64_t end, Visitor& visit) const {
  if (begin >= end) return;
  switch (form_) {
    case form::empty: return;
    case form::run: visit.run(at + std::uintptr_t(offset_ + begin), end - begin); return;
    case form::list: walk_list(at, begin, end, visit); return;
    case form::strided: break;
  }
  std::int64_t first = begin / part_;
  std::uintptr_t p = at + std::uintptr_t(offset_) + std::uintptr_t(first) * std::uintptr_t(stride_);
  begin -= first * part_, end -= first * part_;
  if (of_) {
    for (; end > 0; p += std::uintptr_t(stride_), begin = 0, end -= part_)
      of_->walk(p, begin, std::min(part_, end), visit);
    return;
  }
  if (begin > 0) {
    const std::int64_t last = std::min(part_, end);
    visit.run(p + std::uintptr_t(begin), last - begin);
    p += std::uintptr_t(stride_), end -= last;
  }
  if (const std::int64_t whole = end / part_; whole > 0) {
    visit.strided(p, part_, stride_, whole);
    p += std::uintptr_t(whole) * std::uintptr_t(stride_), end -= whole * part_;
  }
  if (end > 0) visit.run(p, end);
}

template <typename Visitor>
void loop::walk_list(std::uintptr_t at, std::int64_t begin, std::int64_t end, Visitor& visit) const {
  auto e = std::upper_bound(entries_.begin(), entries_.end(), begin,
                            [](std::int64_t position, const entry& o) { return position < o.packed; }) -
           1;
  for (; e != entries_.end() && e->packed < end; ++e) {
    const std::int64_t next = e + 1 == entries_.end() ? size_ : (e + 1)->packed;
    const std::int64_t from = std::max(begin, e->packed) - e->packed;
    const std::int64_t to = std::min(end, next) - e->packed;
    const std::uintptr_t p = at + std::uintptr_t(e->offset);
    if (e->of)
      e->of->walk(p, from, to, visit);
    else
      visit.run(p + std::uintptr_t(from), to - from);
  }
}

}  // namespace imbrex::mpi
