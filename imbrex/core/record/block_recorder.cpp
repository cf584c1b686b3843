// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/block_recorder.hpp>

#include <algorithm>
#include <new>

namespace imbrex::detail {

block_tracks::set* block_tracks::take(std::uint32_t device, std::uint32_t blocks) {
  const std::lock_guard guard(lock_);
  if (recording_ == nullptr || device >= most_devices || blocks > most_blocks) return nullptr;
  std::uint32_t number = 0;
  set* found = nullptr;
  for (const auto& one : sets_) {
    if (one->device != device) continue;
    ++number;
    if (!one->is_used) found = one.get();
  }
  if (found == nullptr) {
    if (number == most_sets) return nullptr;
    found = sets_.emplace_back(std::make_unique<set>()).get();
    found->device = device;
    found->number = number;
  }
  found->is_used = true;
  while (found->tracks.size() < blocks) {
    const auto block = static_cast<std::uint32_t>(found->tracks.size());
    found->tracks.push_back(&recording_->add_track(
        trace::track_number(trace::track_class::block, device << 16U | found->number << 8U | block)));
  }
  return found;
}

void block_tracks::give_back(set& one) {
  const std::lock_guard guard(lock_);
  one.is_used = false;
}

void block_tracks::end() {
  const std::lock_guard guard(lock_);
  recording_ = nullptr;
}

void block_tracks::add(const set& to, std::span<const finished_entry> entries) {
  const std::lock_guard guard(lock_);
  if (recording_ == nullptr) return;
  for (const finished_entry& e : entries) {
    trace::track& track = *to.tracks[e.block];
    const auto end = static_cast<std::uint64_t>(e.end.count());
    if (!track.follow(end)) continue;
    trace::record r{end,
                    trace::record_kind::operation,
                    static_cast<std::uint8_t>(trace::operation_class::other),
                    trace::no_entry,
                    0,
                    static_cast<std::uint64_t>((e.end - e.begin).count()),
                    e.element};
    try {
      r.entry =
          static_cast<std::uint16_t>(std::min<std::uint32_t>(track.mark_number(e.name), trace::no_entry));
    } catch (const std::bad_alloc&) {  // out of memory: the entry has no name
    }
    track.add(r);
  }
}

void block_tracks::add_lost(const set& to, std::uint32_t block, std::uint64_t entries, nanoseconds now) {
  const std::lock_guard guard(lock_);
  if (recording_ == nullptr || !to.tracks[block]->is_on()) return;
  to.tracks[block]->add(
      {static_cast<std::uint64_t>(now.count()), trace::record_kind::dropped, 0, 0, 0, entries, 0});
}

}  // namespace imbrex::detail
