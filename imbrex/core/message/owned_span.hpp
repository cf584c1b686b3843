// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/pool.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/copy_bytes.hpp>

namespace imbrex::detail {

/// Stores the elements of a `std::span<const E>` parameter: a vector that the sender moved in or shares,
/// memory of another owner, or a copy of the elements.
template <class E>
class owned_span {
 public:
  owned_span() = default;
  owned_span(std::vector<E>&& vector) : elements_(std::move(vector)) {}
  owned_span(std::shared_ptr<const std::vector<E>> shared) : shared_(std::move(shared)) {}
  owned_span(std::span<const E> shown) : elements_(shown.begin(), shown.end()) {}
  operator std::span<const E>() const { return elements(); }
  void serialize(auto& ar) {
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading) {
      ar(elements_);
    } else {
      ar(elements());
    }
  }

 private:
  const std::vector<E>& elements() const { return shared_ ? *shared_ : elements_; }

  std::vector<E> elements_;
  std::shared_ptr<const std::vector<E>> shared_;  // used instead of `elements_` if not null
};

/// The specialisation for bitwise elements. Short spans lie in the message itself, longer ones in the PE's
/// pool, aligned. Received memory is not cleared before it is filled.
template <bitwise E>
  requires(alignof(E) <= pool::granule)
class owned_span<E> {
 public:
  using value_type = E;

  owned_span() noexcept : bytes_{} {}
  owned_span(std::vector<E>&& vector) noexcept
      : elements_(std::move(vector)), storage_(storage::vector), size_(elements_.size()) {}
  owned_span(std::shared_ptr<const std::vector<E>>&& shared) noexcept : owned_span() {
    if (shared) share(std::move(shared));
  }
  /// Shares `size` elements, which their owner keeps unchanged.
  owned_span(std::shared_ptr<const E> first, std::size_t size) noexcept : owned_span() {
    if (first) share(std::move(first), size);
  }
  /// Copies short vectors, which is cheaper than one more owner.
  owned_span(const std::shared_ptr<const std::vector<E>>& shared) : owned_span() {
    if (!shared) return;
    if (shared->size() * sizeof(E) <= most_inside)
      copy_in(*shared);
    else
      share(shared);
  }
  owned_span(std::span<const E> shown) : owned_span() { copy_in(shown); }
  owned_span(const owned_span& other) : owned_span() {
    if (other.storage_ == storage::shared)
      share(other.shared_, other.size_);
    else
      copy_in(other);
  }
  owned_span(owned_span&& other) noexcept : owned_span() { take(other); }
  owned_span& operator=(owned_span other) noexcept {
    free();
    take(other);
    return *this;
  }
  ~owned_span() { free(); }

  operator std::span<const E>() const { return {data(), size_}; }

  // The interface of a contiguous container, as the archives expect it.
  E* data() { return const_cast<E*>(std::as_const(*this).data()); }  // written to only after resize()
  const E* data() const {
    switch (storage_) {
      case storage::inside: return most_inside == 0 ? nullptr : reinterpret_cast<const E*>(bytes_);
      case storage::pool: return block_.first;
      case storage::vector: return elements_.data();
      case storage::shared: return shared_.get();
    }
    return nullptr;
  }
  std::size_t size() const { return size_; }
  E* begin() { return data(); }
  E* end() { return data() + size_; }
  void clear() { resize(0); }
  /// The elements are not initialised.
  void resize(std::size_t count) {
    if (count * sizeof(E) > most_inside || storage_ != storage::inside) make_room(count * sizeof(E));
    size_ = count;
  }

 private:
  /// Where the elements lie. No std::variant, which costs a program 30 ms to compile.
  enum class storage : std::uint8_t {
    inside,  ///< copied or received, in the object itself
    pool,    ///< copied or received
    vector,  ///< moved in
    shared
  };
  struct block {
    E* first;
    std::size_t bytes;
  };
  static constexpr std::size_t most_inside =
      alignof(E) <= alignof(std::vector<E>) ? sizeof(std::vector<E>) : 0;
  static_assert(most_inside < reader::shortest_pending, "what is still to come must stay where it is");

  /// Not inlined: short spans need no allocation, so the common path stays inline.
  [[gnu::noinline]] void make_room(std::size_t bytes) {
    if (bytes <= most_inside) return free();
    const block from_pool{static_cast<E*>(pool::allocate(bytes)), bytes};
    free();
    block_ = from_pool;
    storage_ = storage::pool;
  }
  /// Copies into an object that holds nothing yet.
  void copy_in(std::span<const E> shown) {
    size_ = shown.size();
    if (shown.size_bytes() > most_inside) return copy_much(shown);
    copy_bytes(bytes_, shown.data(), shown.size_bytes());
  }
  [[gnu::noinline]] void copy_much(std::span<const E> shown) {
    make_room(shown.size_bytes());
    std::memcpy(data(), shown.data(), shown.size_bytes());
  }
  /// Shares the vector; this object holds nothing yet.
  void share(std::shared_ptr<const std::vector<E>> with) noexcept {
    const std::vector<E>& vector = *with;
    share(std::shared_ptr<const E>(std::move(with), vector.data()), vector.size());
  }
  void share(std::shared_ptr<const E> first, std::size_t size) noexcept {
    size_ = size;
    std::construct_at(&shared_, std::move(first));
    storage_ = storage::shared;
  }
  /// Frees what lies elsewhere.
  void free() noexcept {
    if (storage_ != storage::inside) [[unlikely]]
      free_elsewhere();
  }
  [[gnu::noinline]] void free_elsewhere() noexcept {
    if (storage_ == storage::pool)
      pool::release(block_.first, block_.bytes);
    else if (storage_ == storage::vector)
      std::destroy_at(&elements_);
    else
      std::destroy_at(&shared_);
    storage_ = storage::inside;
  }
  /// Moves the elements of another object into this one, which holds nothing.
  void take(owned_span& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    if (other.storage_ == storage::inside) [[likely]]
      std::memcpy(bytes_, other.bytes_, sizeof bytes_);
    else
      take_elsewhere(other);
  }
  [[gnu::noinline]] void take_elsewhere(owned_span& other) noexcept {
    storage_ = other.storage_;
    if (storage_ == storage::pool)
      block_ = other.block_;
    else if (storage_ == storage::vector)
      std::construct_at(&elements_, std::move(other.elements_));
    else
      std::construct_at(&shared_, std::move(other.shared_));
    if (storage_ != storage::pool) return other.free_elsewhere();
    other.storage_ = storage::inside;
  }

  union {
    alignas(std::vector<E>) std::byte bytes_[sizeof(std::vector<E>)];
    block block_;
    std::vector<E> elements_;
    std::shared_ptr<const E> shared_;
  };
  storage storage_ = storage::inside;
  std::size_t size_ = 0;
};

extern template class owned_span<std::byte>;

template <bitwise E>
  requires(alignof(E) <= pool::granule)
void resize_to_fill(owned_span<E>& value, std::size_t count) {
  value.resize(count);
}

}  // namespace imbrex::detail
