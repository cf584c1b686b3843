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

/// The queue of one track's records to the file, with one writing and one reading thread.
///
/// Records lie in blocks, which circulate. The writer fills one after the other, and takes the block returned
/// last. The reader returns blocks that it has read. While the reader keeps up, two blocks suffice, which
/// stay in the caches and in mapped pages. A burst allocates more.
///
/// Access: slots before `written_` that are not released belong to the reader, all others to the writer. The
/// writer advances `written_` with release, and the reader loads it with acquire. Blocks return by `free_`
/// with the same orders. Only the writer takes from that stack, so a block that it inspects cannot be removed
/// and returned meanwhile (no ABA).
class ring {
 public:
  /// Makes room for that many records, rounded down to whole blocks, of which there are at least two.
  explicit ring(std::size_t records);
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  std::size_t capacity() const { return most_blocks_ * block_records_; }

  /// The slot of the next record, which the reader sees after `publish`. Null if only the slot for
  /// `push_last` is left. Only the writing thread, as all functions up to `push_last`.
  record* claim() {
    if (next_ == limit_ && !go_on()) [[unlikely]]
      return nullptr;
    return next_;
  }
  void publish() {
    ++next_;
    written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Claims a slot, fills and publishes it. False if there is no room.
  bool push(const record& r) {
    record* const slot = claim();
    if (slot == nullptr) return false;
    *slot = r;
    publish();
    return true;
  }
  /// Fills the last slot, after `push` has failed, with a record that others are missing from then on. Once,
  /// until a `push` has found room again.
  void push_last(const record& r);

  /// The oldest consecutive records, which the reader may change; empty if there are none. Only the reading
  /// thread, as all functions below.
  std::span<record> oldest();
  /// Frees the first `records` records of `oldest`.
  void release(std::size_t records);
  /// The number of records in the ring.
  std::size_t size() const {
    return static_cast<std::size_t>(written_.load(std::memory_order_acquire) - read_);
  }

 private:
  struct block {
    block* next = nullptr;  ///< the block that the writer fills next; within `free_`, the next free block
    std::unique_ptr<record[]> slots;
  };

  bool go_on();
  block* take_block();
  record* end_of_block() const { return current_->slots.get() + block_records_; }

  const std::size_t block_records_;
  const std::size_t most_blocks_;

  // Members of the writer. It fills the last slot of a block only once it has the next block, so that
  // `push_last` has room.
  alignas(64) std::vector<std::unique_ptr<block>> blocks_;
  block* current_ = nullptr;
  record* next_ = nullptr;
  record* limit_ = nullptr;
  std::atomic<std::uint64_t> written_ = 0;

  alignas(64) block* reading_ = nullptr;  // this and the next two belong to the reader
  std::size_t read_of_block_ = 0;
  std::uint64_t read_ = 0;
  std::atomic<block*> free_ = nullptr;
};

}  // namespace imbrex::trace
