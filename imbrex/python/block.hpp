// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace imbrex::python {

/// Memory that is sent apart from a parcel's head: the elements of an array, or a buffer of pickle. Copies of
/// a block share it. Archives treat a block as a container of bytes. Received blocks are not zeroed before
/// they are filled, and are aligned to 64 bytes.
template <class Byte>
class block {
  static_assert(sizeof(Byte) == 1);

 public:
  using value_type = Byte;

  block() = default;
  explicit block(std::size_t size) : memory_(new_memory(size)), size_(size) {}
  /// Memory of another owner, which keeps it valid while the pointer lives.
  block(std::shared_ptr<Byte> memory, std::size_t size) : memory_(std::move(memory)), size_(size) {}

  Byte* data() { return memory_.get(); }
  const Byte* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  const Byte* begin() const { return data(); }
  const Byte* end() const { return data() + size_; }
  void clear() { *this = block(); }
  void resize(std::size_t size) { *this = block(size); }

  const std::shared_ptr<Byte>& memory() const { return memory_; }
  /// True if this block is the only owner. Accesses by former owners have then happened before: the acquire
  /// fence pairs with the release of the reference counts.
  bool is_sole() const {
    if (memory_.use_count() != 1) return false;
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }

 private:
  static std::shared_ptr<Byte> new_memory(std::size_t size) {
    constexpr std::size_t alignment = 64;
    void* const first = std::aligned_alloc(alignment, (size / alignment + 1) * alignment);
    if (first == nullptr) throw std::bad_alloc();
    return {static_cast<Byte*>(first), &std::free};
  }

  std::shared_ptr<Byte> memory_;
  std::size_t size_ = 0;
};

}  // namespace imbrex::python
