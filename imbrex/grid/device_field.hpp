// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/grid/box.hpp>
#include <imbrex/grid/device_view.hpp>
#include <imbrex/grid/field.hpp>

namespace imbrex::grid {

/// A `field` in the memory of this PE's device: the cells of one block of a grid, with layers of ghost cells
/// around them. Rows begin at multiples of 128 bytes, the unit in which devices read. Kernels take its
/// `view()`. `span()` is all of its memory; streams copy it to pinned memory and back. Not initialised.
///
///     imbrex::pinned_buffer<double> copy(imbrex::gpu(), u.span().size());
///     work.copy(copy.span(), std::as_const(u).span());
///     co_await work.done();
///     const double first = u.on_host(copy.span())(0, 0, 0);
template <class T, int N>
class device_field {
  static_assert(
      imbrex::detail::bitwise<T>,
      "imbrex: the cells of a field are numbers, or plain structs of numbers (a std::uint8_t instead "
      "of a bool)");
  static_assert(alignof(T) <= 64, "imbrex: the cells of a field are aligned to at most 64 bytes");
  static_assert(N >= 1 && N <= 3, "imbrex: fields in the memory of devices have one to three dimensions");

 public:
  using element_type = T;
  using value_type = T;
  using mapping_type = layout_rows::mapping<N>;

  /// A field of no cells: all extents are 0.
  device_field() = default;
  /// A field with `width` layers of ghost cells at both ends of each dimension. Throws imbrex::error if an
  /// extent is below 1, a width is below 0, or the PE has no device. Throws `device_out_of_memory`.
  explicit device_field(const index<N>& extents, const index<N>& width = everywhere(1))
      : device_field(extents, width, layout_of(extents, width)) {}
  /// A field with equal widths in all dimensions.
  device_field(const index<N>& extents, int width)
    requires(N > 1)
      : device_field(extents, everywhere(width)) {}

  static constexpr int rank() { return N; }
  /// Extents without ghosts.
  const index<N>& extents() const { return mapping_.extents(); }
  int extent(int dimension) const { return extents()[dimension]; }
  /// Number of ghost layers at each end of a dimension.
  const index<N>& width() const { return ghosts_; }
  std::ptrdiff_t stride(int dimension) const { return mapping_.stride(dimension); }
  /// Mapping of the block's own cells, by indices from 0.
  const mapping_type& mapping() const { return mapping_; }
  std::size_t size() const { return indices(extents()).size(); }
  /// The block's own cells; and these with the ghosts.
  box<N> cells() const { return {{}, extents()}; }
  /// All cells, also those of neighbours that the block has copies of.
  box<N> cells_with_ghosts() const {
    box<N> all = cells();
    for (int d = 0; d < N; ++d) {
      all.origin[d] = -ghosts_[d];
      all.extents[d] += 2 * ghosts_[d];
    }
    return all;
  }

  /// Views for kernels.
  device_view<T, N> view() { return view_of<T>(memory_.span()); }
  device_view<const T, N> view() const { return view_of<const T>(memory_.span()); }
  /// All of the field's memory, with ghosts and padding.
  device_span<T> span() { return memory_.span(); }
  device_span<const T> span() const { return memory_.span(); }
  /// Id of the device that has the field.
  const void* device() const { return memory_.device(); }

  /// View of the block's own cells, or of a box of its cells, in a copy of `span()` on the host.
  template <class U>
  grid::view<U, N> on_host(pinned_span<U> copy) const {
    return on_host(copy, cells());
  }
  template <class U>
  grid::view<U, N> on_host(pinned_span<U> copy, const box<N>& of) const {
    assert(copy.size() == memory_.size());
    return {copy.data() + static_cast<std::ptrdiff_t>(origin_) + mapping_(of.origin),
            {of.extents, mapping_.strides()}};
  }

  /// Archives the field with its memory, for a migration of its chare.
  void serialize(auto& ar) {
    index<N> extents = this->extents(), width = ghosts_;
    ar(extents, width, memory_);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) lay_out(extents, width);
  }

 private:
  static constexpr std::size_t line = 128;  // bytes

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
  device_field(const index<N>& extents, const index<N>& width, const detail::padded_layout& layout)
      : memory_(gpu(), layout.cells) {
    map(extents, width, layout);
  }
  void map(const index<N>& extents, const index<N>& width, const detail::padded_layout& layout) {
    typename mapping_type::strides_type strides;
    std::copy_n(layout.strides.begin(), strides.size(), strides.begin());
    mapping_ = mapping_type(extents, strides);
    ghosts_ = width;
    origin_ = layout.origin;
  }
  /// Maps the cells to memory that has been read.
  void lay_out(const index<N>& extents, const index<N>& width) {
    if (extents == index<N>()) {
      *this = device_field();
      return;
    }
    const detail::padded_layout layout = layout_of(extents, width);
    if (layout.cells != memory_.size()) detail::throw_other_memory(layout.cells, memory_.size());
    map(extents, width, layout);
  }
  template <class U>
  device_view<U, N> view_of(device_span<U> memory) const {
    std::array<int, static_cast<std::size_t>(N)> e;
    for (int d = 0; d < N; ++d) e[static_cast<std::size_t>(d)] = extent(d);
    return {memory.data() + origin_, e.data(), mapping_.strides().data(), memory.device()};
  }

  mapping_type mapping_;
  index<N> ghosts_{};
  std::size_t origin_ = 0;  ///< offset of the first cell that is no ghost
  device_buffer<T> memory_;
};

}  // namespace imbrex::grid

namespace imbrex::detail {
template <class T, int N>
inline constexpr bool stays_with_device<grid::device_field<T, N>> = true;
template <class T, int N>
inline constexpr bool migrates_with_chare<grid::device_field<T, N>> = true;
template <class T, int N>
inline constexpr bool stays_with_device<grid::device_view<T, N>> = true;
}  // namespace imbrex::detail
