// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cells that lie in memory at equal distances, in the words of std::mdspan.

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <imbrex/core/name/indices.hpp>
#include <imbrex/grid/box.hpp>

namespace imbrex::grid {

/// Rows in one piece each, at any distances: as std::layout_stride, where the last stride is 1.
struct layout_rows {
  /// From an index of N dimensions to the offset of the cell, in cells.
  template <int N>
  class mapping {
   public:
    using extents_type = index<N>;
    using index_type = std::ptrdiff_t;
    using strides_type = std::array<index_type, static_cast<std::size_t>(N)>;
    using layout_type = layout_rows;

    constexpr mapping() = default;
    constexpr mapping(const index<N>& extents, const strides_type& strides)
        : extents_(extents), strides_(strides) {
      assert(strides.back() == 1);
    }

    static constexpr int rank() { return N; }
    constexpr const index<N>& extents() const { return extents_; }
    constexpr const strides_type& strides() const { return strides_; }
    constexpr index_type stride(int dimension) const { return strides_[static_cast<std::size_t>(dimension)]; }

    template <std::integral... I>
      requires(sizeof...(I) == static_cast<std::size_t>(N))
    constexpr index_type operator()(I... i) const {
      const strides_type at{static_cast<index_type>(i)...};
      index_type offset =
          at.back();  // not times 1, which no compiler would know: it could not vectorise a row
      for (std::size_t d = 0; d + 1 < at.size(); ++d) offset += at[d] * strides_[d];
      return offset;
    }
    constexpr index_type operator()(const index<N>& i) const {
      index_type offset = i[N - 1];
      for (int d = 0; d + 1 < N; ++d) offset += i[d] * stride(d);
      return offset;
    }

    /// Cells from the first to behind the last, with those between that do not belong to it; 0 if there are
    /// none.
    constexpr std::size_t required_span_size() const {
      if (indices(extents_).empty()) return 0;
      index_type last = 0;
      for (int d = 0; d < N; ++d) last += (extents_[d] - 1) * stride(d);
      return static_cast<std::size_t>(last) + 1;
    }
    /// True if no other cells lie between: they are one piece of memory.
    constexpr bool is_exhaustive() const { return required_span_size() == indices(extents_).size(); }

    constexpr bool operator==(const mapping&) const = default;

   private:
    index<N> extents_{};
    strides_type strides_ = [] {
      strides_type none{};
      none.back() = 1;
      return none;
    }();
  };
};

/// Some cells of a field, not copied: as std::mdspan, with the layout `layout_rows`. Its indices begin at 0.
/// It is valid as long as the field has its memory: until it is destroyed, assigned to or moved from.
template <class T, int N>
class view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using extents_type = index<N>;
  using layout_type = layout_rows;
  using mapping_type = layout_rows::mapping<N>;
  using index_type = typename mapping_type::index_type;
  using size_type = std::size_t;
  using data_handle_type = T*;
  using reference = T&;

  constexpr view() = default;
  constexpr view(T* first, const mapping_type& mapping) : first_(first), mapping_(mapping) {}
  /// Cells that may be written to are shown as ones that may not.
  template <class Other>
    requires(std::is_same_v<const Other, T>)
  constexpr view(const view<Other, N>& other) : view(other.data_handle(), other.mapping()) {}

  static constexpr int rank() { return N; }
  constexpr const index<N>& extents() const { return mapping_.extents(); }
  constexpr int extent(int dimension) const { return extents()[dimension]; }
  constexpr index_type stride(int dimension) const { return mapping_.stride(dimension); }
  constexpr const mapping_type& mapping() const { return mapping_; }
  constexpr T* data_handle() const { return first_; }
  constexpr std::size_t size() const { return indices(extents()).size(); }
  constexpr bool empty() const { return size() == 0; }
  constexpr bool is_exhaustive() const { return mapping_.is_exhaustive(); }

  template <std::integral... I>
    requires(sizeof...(I) == static_cast<std::size_t>(N))
  constexpr T& operator()(I... i) const {
    assert(contains(extents(), index<N>(i...)));
    return first_[mapping_(i...)];
  }
  constexpr T& operator[](const index<N>& i) const {
    assert(contains(extents(), i));
    return first_[mapping_(i)];
  }

  /// The cells of a box of it, which must lie inside.
  constexpr view part(const box<N>& of) const {
    assert(of.empty() || (contains(extents(), of.origin) && imbrex::contains(extents(), last_of(of))));
    return {first_ + mapping_(of.origin), {of.extents, mapping_.strides()}};
  }

  /// All of its cells as they lie in memory, which must be one piece (`is_exhaustive`).
  constexpr std::span<T> span() const {
    assert(is_exhaustive());
    return {first_, size()};
  }

  /// Gives each cell that value.
  constexpr void fill(const value_type& value) const
    requires(!std::is_const_v<T>)
  {
    for (const auto& i : indices(extents())) first_[mapping_(i)] = value;
  }

 private:
  static constexpr index<N> last_of(const box<N>& of) {
    index<N> last = of.origin + of.extents;
    for (int d = 0; d < N; ++d) --last[d];
    return last;
  }

  T* first_ = nullptr;
  mapping_type mapping_;
};

}  // namespace imbrex::grid
