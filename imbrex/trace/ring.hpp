// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <imbrex/trace/record.hpp>

namespace imbrex::trace {

/// The records of one track on their way to the file: one thread writes them, one reads them.
///
/// They lie in blocks, which go round: the writer fills one after the other, the reader gives back what it
/// has read, and the writer takes again the one that came back last. So as long as the reader keeps up, two
/// blocks do, which stay in the caches and whose pages the system has given; more are allocated when a burst
/// needs them.
///
/// Who may touch what: the slots before `written_` that are not yet released are the reader's, all others the
/// writer's. The writer moves that mark with release, the reader looks at it with acquire; a block goes back
/// the same way, by `free_`. Of that stack only the writer takes, so a block that it looks at cannot be gone
/// and be there again.
class ring {
 public:
  /// Room for that many records, rounded down to whole blocks, of which there are at least two.
  explicit ring(std::size_t records);
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  std::size_t capacity() const { return most_blocks_ * block_records_; }

  /// Where the next record goes, null if there is no room but for that of `push_last`; it is there from
  /// `publish` on. The writing thread, as all up to `push_last`.
  record* claim() {
    if (next_ == limit_ && !go_on()) [[unlikely]]
      return nullptr;
    return next_;
  }
  void publish() {
    ++next_;
    written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Both. False if there is no room.
  bool push(const record& r) {
    record* const slot = claim();
    if (slot == nullptr) return false;
    *slot = r;
    publish();
    return true;
  }
  /// Takes the last room, after `push` was refused: says that records are missing from then on. Once, until a
  /// `push` has found room again.
  void push_last(const record& r);

  /// The oldest records that lie in one piece, which the reader may change; empty if there are none. The
  /// reading thread, as all below.
  std::span<record> oldest();
  /// The first so many of `oldest` are no longer needed.
  void release(std::size_t records);
  /// How many records lie in it.
  std::size_t size() const {
    return static_cast<std::size_t>(written_.load(std::memory_order_acquire) - read_);
  }

 private:
  struct block {
    block* next = nullptr;  ///< that the writer fills after this one; of those in `free_`, the next there
    std::unique_ptr<record[]> slots;
  };

  bool go_on();
  block* take_block();
  record* end_of_block() const { return current_->slots.get() + block_records_; }

  const std::size_t block_records_;
  const std::size_t most_blocks_;

  // The writer's. In the last slot of a block it goes on only if it has the next block; so there is room for
  // `push_last`.
  alignas(64) std::vector<std::unique_ptr<block>> blocks_;
  block* current_ = nullptr;
  record* next_ = nullptr;
  record* limit_ = nullptr;
  std::atomic<std::uint64_t> written_ = 0;

  alignas(64) block* reading_ = nullptr;  // the reader's
  std::size_t read_of_block_ = 0;
  std::uint64_t read_ = 0;
  std::atomic<block*> free_ = nullptr;
};

}  // namespace imbrex::trace
