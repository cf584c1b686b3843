// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/ring.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace imbrex::trace {

namespace {

/// Limit of a block, 32 kB: two blocks fit the nearest caches beside the program's own data, and a PE needs
/// some milliseconds to fill one.
constexpr std::size_t most_records_a_block = 1'024;

}  // namespace

ring::ring(std::size_t records)
    : block_records_(std::clamp<std::size_t>(records / 2, 2, most_records_a_block)),
      most_blocks_(std::max<std::size_t>(records / block_records_, 2)) {
  current_ = take_block();
  if (current_ == nullptr) throw std::bad_alloc();
  next_ = current_->slots.get();
  limit_ = end_of_block() - 1;
  reading_ = current_;
}

bool ring::go_on() {
  if (current_->next == nullptr) current_->next = take_block();
  if (current_->next == nullptr) return false;
  if (next_ == end_of_block()) {
    current_ = current_->next;
    next_ = current_->slots.get();
    limit_ = end_of_block() - 1;
  } else {
    limit_ = end_of_block();
  }
  return true;
}

void ring::push_last(const record& r) {
  *next_ = r;
  publish();
  limit_ = next_;
}

ring::block* ring::take_block() {
  block* last = free_.load(std::memory_order_acquire);
  while (last != nullptr && !free_.compare_exchange_weak(last, last->next, std::memory_order_acquire)) {
  }
  if (last != nullptr) {
    last->next = nullptr;
    return last;
  }
  if (blocks_.size() == most_blocks_) return nullptr;
  try {
    auto b =
        std::make_unique<block>(block{nullptr, std::make_unique_for_overwrite<record[]>(block_records_)});
    return blocks_.emplace_back(std::move(b)).get();
  } catch (const std::bad_alloc&) {  // treated as a full ring
    return nullptr;
  }
}

std::span<record> ring::oldest() {
  const std::size_t there = size();
  if (there == 0) return {};
  if (read_of_block_ == block_records_) {
    block* const done = std::exchange(reading_, reading_->next);
    read_of_block_ = 0;
    done->next = free_.load(std::memory_order_relaxed);
    while (!free_.compare_exchange_weak(done->next, done, std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
  }
  return {&reading_->slots[read_of_block_], std::min(there, block_records_ - read_of_block_)};
}

void ring::release(std::size_t records) {
  read_of_block_ += records;
  read_ += records;
}

}  // namespace imbrex::trace
