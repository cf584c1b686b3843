// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <imbrex/base/pool.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/copy_bytes.hpp>

namespace imbrex::detail {

/// Stores the elements of a `std::span<const E>` parameter: a vector that the sender moved in or shares, or a
/// copy of the elements.
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

  owned_span() = default;
  owned_span(std::vector<E>&& vector) : size_(vector.size()) { held_ = std::move(vector); }
  owned_span(std::shared_ptr<const std::vector<E>>&& shared) : size_(shared ? shared->size() : 0) {
    if (shared) held_ = std::move(shared);
  }
  /// Copies short vectors, which is cheaper than one more owner.
  owned_span(const std::shared_ptr<const std::vector<E>>& shared) {
    if (!shared) return;
    if (shared->size() * sizeof(E) <= most_inside) {
      copy_in(*shared);
    } else {
      held_ = shared;
      size_ = shared->size();
    }
  }
  owned_span(std::span<const E> shown) { copy_in(shown); }
  owned_span(const owned_span& other) : owned_span(other.copy()) {}
  owned_span(owned_span&& other) noexcept
      : held_(std::exchange(other.held_, inside{})), size_(std::exchange(other.size_, 0)) {}
  owned_span& operator=(owned_span other) noexcept {
    held_ = std::move(other.held_);
    size_ = other.size_;
    return *this;
  }
  ~owned_span() = default;

  operator std::span<const E>() const { return {data(), size_}; }

  // The interface of a contiguous container, as the archives expect it.
  E* data() { return const_cast<E*>(std::as_const(*this).data()); }  // written to only after resize()
  const E* data() const {
    if (const auto* few = std::get_if<inside>(&held_))
      return most_inside == 0 ? nullptr : reinterpret_cast<const E*>(few->bytes);
    if (const auto* block = std::get_if<pooled>(&held_)) return block->get();
    if (const auto* vector = std::get_if<std::vector<E>>(&held_)) return vector->data();
    return std::get<shared_vector>(held_)->data();
  }
  std::size_t size() const { return size_; }
  E* begin() { return data(); }
  E* end() { return data() + size_; }
  void clear() { resize(0); }
  /// The elements are not initialised.
  void resize(std::size_t count) {
    if (count * sizeof(E) > most_inside || !std::holds_alternative<inside>(held_))
      make_room(count * sizeof(E));
    size_ = count;
  }

 private:
  /// Storage inside the message, no larger than the other alternatives.
  struct inside {
    alignas(std::vector<E>) std::byte bytes[sizeof(std::vector<E>)];
  };
  static constexpr std::size_t most_inside = alignof(E) <= alignof(inside) ? sizeof(inside) : 0;
  static_assert(most_inside < reader::shortest_pending, "what is still to come must stay where it is");
  struct to_pool {
    std::size_t bytes;
    void operator()(E* first) const noexcept { pool::release(first, bytes); }
  };
  using pooled = std::unique_ptr<E[], to_pool>;
  using shared_vector = std::shared_ptr<const std::vector<E>>;

  /// Not inlined: short spans need no allocation, so the common path stays inline.
  [[gnu::noinline]] void make_room(std::size_t bytes) {
    if (bytes > most_inside)
      held_.template emplace<pooled>(static_cast<E*>(pool::allocate(bytes)), to_pool{bytes});
    else
      held_.template emplace<inside>();
  }
  /// Copies into an object that holds nothing yet.
  void copy_in(std::span<const E> shown) {
    size_ = shown.size();
    if (shown.size_bytes() > most_inside) return copy_much(shown);
    copy_bytes(std::get_if<inside>(&held_)->bytes, shown.data(), shown.size_bytes());
  }
  [[gnu::noinline]] void copy_much(std::span<const E> shown) {
    make_room(shown.size_bytes());
    std::memcpy(data(), shown.data(), shown.size_bytes());
  }
  owned_span copy() const {
    const auto* shared = std::get_if<shared_vector>(&held_);
    return shared != nullptr ? owned_span(*shared) : owned_span(std::span<const E>(*this));
  }

  std::variant<inside, pooled, std::vector<E>, shared_vector>
      held_;  ///< copied or received (inside, pooled), moved in, or shared
  std::size_t size_ = 0;
};

template <bitwise E>
  requires(alignof(E) <= pool::granule)
void resize_to_fill(owned_span<E>& value, std::size_t count) {
  value.resize(count);
}

}  // namespace imbrex::detail
