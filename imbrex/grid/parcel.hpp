// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/pool.hpp>
#include <imbrex/core/array/mailbox.hpp>

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

/// Received parcels that wait: for this step, and for later ones that neighbours have already sent.
template <class Parcel>
class unread_parcels {
 public:
  using mailbox_node = imbrex::detail::mailbox_node<Parcel>;

  unread_parcels() = default;
  unread_parcels(const unread_parcels&) = delete;
  unread_parcels& operator=(const unread_parcels&) = delete;
  ~unread_parcels() { discard(); }

  mailbox_node* first() const { return static_cast<mailbox_node*>(nodes_.first()); }
  static mailbox_node* after(const mailbox_node& l) { return static_cast<mailbox_node*>(l.later); }
  void add(mailbox_node& l) { nodes_.add(l); }
  /// Removes and destroys a parcel; `l` becomes invalid.
  void remove(mailbox_node& l) {
    nodes_.remove(l);
    l.owner->type->destroy(*l.owner);
  }

  void serialize(auto& ar) {
    std::uint64_t n = nodes_.size();
    ar(n);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      discard();
      for (; n > 0; --n) {
        auto& m = imbrex::detail::make_message<imbrex::detail::detached_node<Parcel>>();
        m.content.owner = &m;
        imbrex::detail::message_guard guard(m);
        m.serialize(ar);
        add(m.content);
        guard.release();
      }
    } else {
      for (auto* l = first(); l != nullptr; l = after(*l)) {
        ar(l->reference);
        imbrex::detail::process_in_message(ar, l->value);
      }
    }
  }
  /// Adds the parts of devices' memory that the parcels hold.
  void collect(std::vector<imbrex::detail::device_part*>& parts) {
    for (auto* l = first(); l != nullptr; l = after(*l))
      imbrex::detail::collect_device_parts(l->value, parts);
  }

 private:
  void discard() noexcept {
    while (auto* const l = first()) remove(*l);
  }

  imbrex::detail::unread_nodes nodes_;
};

}  // namespace imbrex::grid::detail
