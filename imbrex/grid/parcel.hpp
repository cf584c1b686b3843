// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <imbrex/base/pool.hpp>

namespace imbrex::grid::detail {

/// Memory of a PE's pool that travels with a message. For archives it is a container of bytes. It is aligned
/// for any cells, and not initialised.
template <class Byte>
class pooled {
  static_assert(sizeof(Byte) == 1);

 public:
  using value_type = Byte;

  pooled() = default;
  explicit pooled(std::size_t size)
      : first_(size == 0 ? nullptr : static_cast<Byte*>(imbrex::detail::pool::allocate(size))), size_(size) {}
  pooled(pooled&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  pooled& operator=(pooled&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~pooled() {
    if (first_ != nullptr) imbrex::detail::pool::release(first_, size_);
  }

  Byte* data() { return first_; }
  const Byte* data() const { return first_; }
  std::size_t size() const { return size_; }
  const Byte* begin() const { return first_; }
  const Byte* end() const { return first_ + size_; }
  void clear() { *this = pooled(); }
  void resize(std::size_t size) { *this = pooled(size); }

 private:
  Byte* first_ = nullptr;
  std::size_t size_ = 0;
};

/// Message of a block to a neighbour: the cells of all exchanged fields, one field after the other, each row
/// by row.
struct parcel {
  std::int32_t across = 0;  ///< side of the receiver across which the cells arrive
  pooled<std::byte> cells{};
};

}  // namespace imbrex::grid::detail
