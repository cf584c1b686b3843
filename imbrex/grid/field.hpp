// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <imbrex/core/name/indices.hpp>
#include <imbrex/grid/box.hpp>
#include <imbrex/grid/regions.hpp>
#include <imbrex/grid/view.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::grid {
namespace detail {

/// Memory layout of a block with ghost layers. The distance of rows is a multiple of a cache line. The first
/// cell of each row that is no ghost begins a line. The ghosts behind a row and those before the next lie in
/// the padding between them.
struct padded_layout {
  std::array<std::ptrdiff_t, 6> strides{};
  std::size_t cells = 0;   ///< cells to be allocated; 0 if there are no dimensions
  std::size_t origin = 0;  ///< offset of the first cell that is no ghost

  /// Layout for `dimensions` extents and ghost widths; `line` cells are a cache line. Throws imbrex::error if
  /// an extent is below 1, a width is below 0, or the bytes exceed the address space.
  padded_layout(int dimensions, const int* extents, const int* ghosts, std::size_t line,
                std::size_t bytes_each);
};

/// Throws serial_error: a field of so many cells was read with memory for another number.
[[noreturn]] void throw_other_memory(std::size_t cells, std::size_t in_memory);
[[noreturn]] void throw_too_shallow(const std::string& extents, const std::string& width, int dimension);

}  // namespace detail

/// Cells of one block of a grid, with layers of ghost cells around them. Row-major: the last dimension is
/// contiguous, and rows are padded so that each begins a cache line. `f(i, j, k)` is a cell. Indices 0 to
/// extent - 1 are the block's own cells; below 0 and from extent on lie the ghosts. T is a number, or a plain
/// struct of numbers.
template <class T, int N>
class field {
  static_assert(
      imbrex::detail::bitwise<T>,
      "imbrex: the cells of a field are numbers, or plain structs of numbers (a std::uint8_t instead "
      "of a bool)");
  static_assert(alignof(T) <= 64, "imbrex: the cells of a field are aligned to at most 64 bytes");

 public:
  using element_type = T;
  using value_type = T;
  using extents_type = index<N>;
  using layout_type = layout_rows;
  using mapping_type = layout_rows::mapping<N>;
  using index_type = typename mapping_type::index_type;
  using size_type = std::size_t;

  /// A field of no cells: all extents are 0.
  field() = default;
  /// A field with `width` layers of ghost cells at both ends of each dimension. All cells get `value`. Throws
  /// imbrex::error if an extent is below 1 or a width below 0. O(cells).
  explicit field(const index<N>& extents, const index<N>& width = everywhere(1), const T& value = T())
      : field(extents, width, layout_of(extents, width)) {
    std::fill_n(storage_.get(), cells_, value);
  }
  /// A field with equal widths in all dimensions.
  field(const index<N>& extents, int width, const T& value = T())
    requires(N > 1)
      : field(extents, everywhere(width), value) {}

  field(const field& other) : field() {
    if (other.cells_ == 0) return;
    field copy(other.extents(), other.ghosts_, layout_of(other.extents(), other.ghosts_));
    std::copy_n(other.storage_.get(), other.cells_, copy.storage_.get());
    swap(*this, copy);
  }
  field(field&& other) noexcept : field() { swap(*this, other); }
  field& operator=(field other) noexcept {
    swap(*this, other);
    return *this;
  }
  ~field() = default;
  friend void swap(field& a, field& b) noexcept {
    std::swap(a.mapping_, b.mapping_);
    std::swap(a.ghosts_, b.ghosts_);
    std::swap(a.cells_, b.cells_);
    std::swap(a.storage_, b.storage_);
    std::swap(a.first_, b.first_);
  }

  static constexpr int rank() { return N; }
  /// Extents without ghosts.
  const index<N>& extents() const { return mapping_.extents(); }
  int extent(int dimension) const { return extents()[dimension]; }
  /// Number of ghost layers at each end of a dimension.
  const index<N>& width() const { return ghosts_; }
  index_type stride(int dimension) const { return mapping_.stride(dimension); }
  /// Mapping of the block's own cells, by indices from 0.
  const mapping_type& mapping() const { return mapping_; }
  /// Address of the cell (0, ..., 0).
  T* data_handle() { return first_; }
  const T* data_handle() const { return first_; }
  /// Number of the block's own cells.
  std::size_t size() const { return indices(extents()).size(); }
  bool empty() const { return size() == 0; }

  template <std::integral... I>
    requires(sizeof...(I) == static_cast<std::size_t>(N))
  T& operator()(I... i) {
    assert(has(index<N>(i...)));
    return first_[mapping_(i...)];
  }
  template <std::integral... I>
    requires(sizeof...(I) == static_cast<std::size_t>(N))
  const T& operator()(I... i) const {
    assert(has(index<N>(i...)));
    return first_[mapping_(i...)];
  }
  T& operator[](const index<N>& i) {
    assert(has(i));
    return first_[mapping_(i)];
  }
  const T& operator[](const index<N>& i) const {
    assert(has(i));
    return first_[mapping_(i)];
  }

  /// Indices of the block's own cells.
  box<N> cells() const { return {{}, extents()}; }
  /// Indices of the block's own cells and the ghosts.
  box<N> cells_with_ghosts() const { return {index<N>() - ghosts_, extents() + ghosts_ + ghosts_}; }

  /// Cells of a box, which may include ghosts.
  view<T, N> part(const box<N>& of) { return {first_ + mapping_(of.origin), part_mapping(of)}; }
  view<const T, N> part(const box<N>& of) const { return {first_ + mapping_(of.origin), part_mapping(of)}; }
  view<T, N> interior() { return part(cells()); }  ///< Own cells, without ghost cells.
  view<const T, N> interior() const { return part(cells()); }
  /// Ghosts beyond a face, an edge or a corner.
  view<T, N> ghosts(side<N> across) { return part(detail::ghost_box(extents(), ghosts_, across.offset())); }
  view<const T, N> ghosts(side<N> across) const {
    return part(detail::ghost_box(extents(), ghosts_, across.offset()));
  }
  /// The block's own cells at a face, an edge or a corner, as deep as the ghosts beyond it. They are the
  /// ghosts of the neighbour there. Throws imbrex::error if the block is less deep.
  view<T, N> border(side<N> at) { return part(border_box(at)); }
  view<const T, N> border(side<N> at) const { return part(border_box(at)); }

  /// Archives the cells with the ghosts.
  void serialize(auto& ar) {
    index<N> extents = this->extents(), width = ghosts_;
    ar(extents, width);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      if (extents == index<N>()) {
        *this = field();
      } else {
        const auto layout = layout_of(extents, width);
        if (layout.cells > ar.remaining() / sizeof(T)) [[unlikely]]
          imbrex::detail::throw_oversized(layout.cells, sizeof(T), ar.remaining());
        *this = field(extents, width, layout);
      }
    }
    if (cells_ != 0) ar.bytes(storage_.get(), cells_ * sizeof(T));
  }

 private:
  static constexpr std::size_t line = 64;  // bytes

  struct release {
    void operator()(T* cells) const noexcept { ::operator delete(cells, std::align_val_t{line}); }
  };

  static index<N> everywhere(int width) {
    index<N> all;
    for (int d = 0; d < N; ++d) all[d] = width;
    return all;
  }
  static detail::padded_layout layout_of(const index<N>& extents, const index<N>& width) {
    std::array<int, static_cast<std::size_t>(N)> e, w;
    for (int d = 0; d < N; ++d) {
      e[static_cast<std::size_t>(d)] = extents[d];
      w[static_cast<std::size_t>(d)] = width[d];
    }
    return {N, e.data(), w.data(), line % sizeof(T) == 0 ? line / sizeof(T) : 1, sizeof(T)};
  }
  /// A field of cells without values.
  field(const index<N>& extents, const index<N>& width, const detail::padded_layout& layout)
      : ghosts_(width),
        cells_(layout.cells),
        storage_(static_cast<T*>(::operator new(layout.cells * sizeof(T), std::align_val_t{line}))),
        first_(storage_.get() + layout.origin) {
    typename mapping_type::strides_type strides;
    std::copy_n(layout.strides.begin(), strides.size(), strides.begin());
    mapping_ = mapping_type(extents, strides);
  }
  bool has(const index<N>& cell) const { return cells_with_ghosts().contains(cell); }
  mapping_type part_mapping(const box<N>& of) const { return {of.extents, mapping_.strides()}; }
  box<N> border_box(side<N> at) const {
    const index<N> offset = at.offset();
    for (int d = 0; d < N; ++d)
      if (offset[d] != 0 && ghosts_[d] > extent(d)) [[unlikely]]
        detail::throw_too_shallow(to_string(extents()), to_string(ghosts_), d);
    return detail::border_box(extents(), ghosts_, offset);
  }

  mapping_type mapping_;
  index<N> ghosts_{};
  std::size_t cells_ = 0;  ///< number of allocated cells
  std::unique_ptr<T, release> storage_;
  T* first_ = nullptr;
};

}  // namespace imbrex::grid
