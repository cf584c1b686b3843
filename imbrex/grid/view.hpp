// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cells that lie in memory at equal distances, with the interface of std::mdspan.

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <imbrex/core/name/indices.hpp>
#include <imbrex/grid/box.hpp>

namespace imbrex::grid {

/// Contiguous rows, at any distances: as std::layout_stride, with a last stride of 1.
struct layout_rows {
  /// Maps an index of N dimensions to the offset of the cell, in cells.
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
          at.back();  // without a factor of 1, which compilers do not know, so that rows vectorise
      for (std::size_t d = 0; d + 1 < at.size(); ++d) offset += at[d] * strides_[d];
      return offset;
    }
    constexpr index_type operator()(const index<N>& i) const {
      index_type offset = i[N - 1];
      for (int d = 0; d + 1 < N; ++d) offset += i[d] * stride(d);
      return offset;
    }

    /// Number of cells from the first to behind the last, including cells between that do not belong to the
    /// view; 0 if there are none.
    constexpr std::size_t required_span_size() const {
      if (indices(extents_).empty()) return 0;
      index_type last = 0;
      for (int d = 0; d < N; ++d) last += (extents_[d] - 1) * stride(d);
      return static_cast<std::size_t>(last) + 1;
    }
    /// True if no other cells lie between: the cells are one piece of memory.
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

/// Cells of a field, not copied: as std::mdspan, with the layout `layout_rows`. Indices begin at 0. A view is
/// valid as long as the field keeps its memory: until the field is destroyed, assigned to or moved from.
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
  /// Converts a view of writable cells to one of const cells.
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

  /// View of a box of cells, which must lie inside.
  constexpr view part(const box<N>& of) const {
    assert(of.empty() || (contains(extents(), of.origin) && imbrex::contains(extents(), last_of(of))));
    return {first_ + mapping_(of.origin), {of.extents, mapping_.strides()}};
  }

  /// All cells as they lie in memory, which must be one piece (`is_exhaustive`).
  constexpr std::span<T> span() const {
    assert(is_exhaustive());
    return {first_, size()};
  }

  /// Assigns a value to each cell.
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
