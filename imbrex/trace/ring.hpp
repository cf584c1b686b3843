// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <imbrex/trace/record.hpp>

namespace imbrex::trace {

/// The records of one track on their way to the file: one thread writes them, one reads them.
///
/// Who may touch what: the slots from `read_` to `written_` are the reader's, the others the writer's. Each side moves
/// its own mark with release when it has done with the slots, and looks at the other's with acquire. The writer looks
/// only when the ring seems full by what it saw last (Lamport's queue, with the cached index of FastForward's kin).
class ring {
 public:
  /// Room for that many records, rounded down to a power of two, at least 4. The last is that of `push_last`.
  explicit ring(std::size_t records)
      : slots_(std::make_unique_for_overwrite<record[]>(capacity_for(records))),
        mask_(capacity_for(records) - 1) {}
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  std::size_t capacity() const { return mask_ + 1; }

  /// Where the next record goes, null if there is no room but for the last; it is there from `publish` on. The writing
  /// thread, as all up to `push_last`.
  record* claim() {
    const std::uint64_t at = written_.load(std::memory_order_relaxed);
    if (at - seen_read_ >= mask_) [[unlikely]] {
      seen_read_ = read_.load(std::memory_order_acquire);
      if (at - seen_read_ >= mask_) return nullptr;
    }
    return &slots_[at & mask_];
  }
  void publish() { written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  /// Both. False if there is no room.
  bool push(const record& r) {
    record* const slot = claim();
    if (slot == nullptr) return false;
    *slot = r;
    publish();
    return true;
  }
  /// Takes the last room, after `push` was refused: says that records are missing from then on. Once, until a `push` has
  /// found room again.
  void push_last(const record& r) {
    slots_[written_.load(std::memory_order_relaxed) & mask_] = r;
    publish();
  }

  /// The oldest records that lie in one piece; empty if there are none. The reading thread, as `release`.
  std::span<const record> oldest() const {
    const std::uint64_t from = read_.load(std::memory_order_relaxed);
    const std::uint64_t until = written_.load(std::memory_order_acquire);
    const std::uint64_t in_one_piece = mask_ + 1 - (from & mask_);
    return {&slots_[from & mask_], static_cast<std::size_t>(std::min(until - from, in_one_piece))};
  }
  /// The first so many of `oldest` are no longer needed.
  void release(std::size_t records) {
    read_.store(read_.load(std::memory_order_relaxed) + records, std::memory_order_release);
  }

  /// How many records lie in it, about; any thread.
  std::size_t size() const {
    return static_cast<std::size_t>(written_.load(std::memory_order_relaxed) -
                                    read_.load(std::memory_order_relaxed));
  }

 private:
  static std::size_t capacity_for(std::size_t records) {
    return std::bit_floor(records < 4 ? std::size_t{4} : records);
  }

  const std::unique_ptr<record[]> slots_;
  const std::size_t mask_;
  alignas(64) std::atomic<std::uint64_t> written_ = 0;
  std::uint64_t seen_read_ = 0;  // the writer's
  alignas(64) std::atomic<std::uint64_t> read_ = 0;
};

}  // namespace imbrex::trace
