// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <imbrex/core/array/chare.hpp>
#include <imbrex/grid/boundaries.hpp>
#include <imbrex/grid/copy.hpp>
#include <imbrex/grid/decomposition.hpp>
#include <imbrex/grid/field.hpp>
#include <imbrex/grid/halo_state.hpp>

namespace imbrex::grid {

namespace detail {

/// Type in place of a function, for an exchange without one.
struct no_function {};

template <class T>
inline constexpr bool is_field = false;
template <class T, int N>
inline constexpr bool is_field<field<T, N>> = true;

template <class... Field>
inline constexpr int rank_of = 1;
template <class T, int N, class... Other>
inline constexpr int rank_of<field<T, N>, Other...> = N;

}  // namespace detail

/// A port of a chare by which the blocks of a grid fill their ghost cells: a public member, which each block
/// connects in its constructor.
///
///   halo.connect<&block::halo>(*this, cut);         // a decomposition for the array's shape
///   co_await halo.exchange(u, step);                // in an entry of each block
///
/// All blocks exchange the same steps, each larger than the one before. They need no other synchronisation: a
/// block that is a step ahead waits there. `halo<field<double, 3>, field<double, 3>>` exchanges two fields
/// with one message to each neighbour: `halo.exchange(u, v, step)`. The fields may have different types and
/// widths, but have the same decomposition.
///
/// A halo migrates with its chare, as do the fields, also between `begin` and `end`: `serialize` names them
/// all.
template <class... Field>
class halo : detail::halo_state<detail::rank_of<Field...>, detail::parcel> {
  static_assert(sizeof...(Field) > 0 && (detail::is_field<Field> && ...),
                "imbrex: say which fields the halo exchanges: halo<field<double, 3>>");
  static constexpr int N = detail::rank_of<Field...>;
  static_assert(((detail::rank_of<Field> == N) && ...),
                "imbrex: the fields of a halo have the same number of dimensions");
  using state = detail::halo_state<N, detail::parcel>;

 public:
  using value_type = detail::parcel;

  halo() = default;

  /// Connects the halo: it is the port `Port` of `chare`, and its neighbours are the adjacent elements. `cut`
  /// has the array's shape. `ends` are the boundaries of the grid. With `sides::all`, edges and corners get
  /// values as well, from 3^N - 1 neighbours. To be called once, in the constructor, but not on arrival after
  /// a migration. Throws imbrex::error if the shapes differ, or a dimension is periodic at one end only.
  /// O(blocks along the sides).
  template <auto Port, class Chare>
  void connect(const Chare& chare, const decomposition<N>& cut, const boundaries<N>& ends = {},
               sides which = sides::faces) {
    state::template connect<Port>(this, chare, cut, ends, which);
  }

  template <class Function>
  class arrival;

  /// Sends the border cells of the fields to the neighbours, and returns an awaitable. The exchange ends when
  /// the ghost cells have the values of the neighbours' border cells in their exchange of this step. Throws
  /// imbrex::error if a field's extents are not the block's, or if it has more ghost layers than some block
  /// has cells. Throws also if `step` is not greater than the last one. Mismatching exchanges of the
  /// neighbours are an imbrex::error at co_await.
  [[nodiscard("co_await the end of the exchange")]] arrival<detail::no_function> exchange(
      Field&... fields, detail::step_number step) {
    check_function<detail::no_function>();
    begin(fields..., step);
    return {*this, detail::no_function(), fields...};
  }
  /// Exchange for a grid with ends that are `boundary::function`. `function(outer, mirrored)` returns the
  /// value of a ghost cell there, `outer` (an `outer_cell`). `mirrored` is the value that the cell would have
  /// at a reflecting end.
  template <class Function>
  [[nodiscard("co_await the end of the exchange")]] arrival<std::decay_t<Function>> exchange(
      Field&... fields, detail::step_number step, Function&& function) {
    begin(fields..., step);
    return {*this, std::forward<Function>(function), fields...};
  }

  /// First half of an exchange: sends the current border cells. The block may then compute cells that need no
  /// ghosts, or migrate. The ghost cells are indeterminate until the end.
  void begin(Field&... fields, detail::step_number step) {
    state::check_begin(step);
    int number = 0;
    (state::check_field(number++, fields.extents(), fields.width()), ...);
    int expected = 0;
    auto& links = state::links();
    for (std::size_t s = 0; s < links.size(); ++s) {
      detail::link& to = links[s];
      if (to.what == detail::across_side::nothing) continue;
      const side<N> here(static_cast<int>(s));
      const index<N> offset = here.offset();
      if (to.what == detail::across_side::itself) {
        (copy_around(fields, offset), ...);
        continue;
      }
      std::size_t size = 0;
      ((size = detail::end_in_parcel(fields, offset, size)), ...);
      to.parcel = size != 0 ? detail::expectation::expected : detail::expectation::none;
      if (size == 0) continue;
      detail::parcel cells{opposite(here).number(), detail::pooled<std::byte>(size)};
      std::size_t place = 0;
      ((place = pack(fields, offset, cells.cells.data(), place)), ...);
      state::send(to, step, std::move(cells));
      ++expected;
    }
    state::begin(step, expected);
  }
  /// Second half of an exchange, with the same fields. If nothing awaits the result, or a `when_any` ends
  /// earlier, `end` can be called again.
  [[nodiscard("co_await the end of the exchange")]] arrival<detail::no_function> end(Field&... fields) {
    check_function<detail::no_function>();
    return {*this, detail::no_function(), fields...};
  }
  template <class Function>
  [[nodiscard("co_await the end of the exchange")]] arrival<std::decay_t<Function>> end(Field&... fields,
                                                                                        Function&& function) {
    return {*this, std::forward<Function>(function), fields...};
  }

  /// True between `begin` and the end.
  using state::has_begun;
  /// Step of the exchange in progress, or else of the last one.
  using state::step;
  /// Cells of this block in the grid.
  using state::cells;

  /// For the runtime: receives a parcel.
  using state::put;
  /// Archives the connection, and the parcels that have arrived early.
  void serialize(auto& ar) { state::serialize(ar); }

 private:
  template <class Function>
  void check_function() const {
    if (state::needs_function()) [[unlikely]]
      detail::throw_no_function();
  }

  template <class T>
  static std::size_t pack(const field<T, N>& f, const index<N>& offset, std::byte* cells, std::size_t place) {
    const std::size_t end = detail::end_in_parcel(f, offset, place);
    if (end == place) return place;
    const auto from = detail::border_box(f.extents(), f.width(), offset);
    detail::copy_cells(f.data_handle() + f.mapping()(from.origin), f.mapping().strides(),
                       reinterpret_cast<T*>(cells + detail::aligned<T>(place)),
                       detail::dense_strides(from.extents), from.extents);
    return end;
  }
  template <class T>
  static std::size_t unpack(field<T, N>& f, const index<N>& offset, const std::byte* cells,
                            std::size_t place) {
    const std::size_t end = detail::end_in_parcel(f, offset, place);
    if (end == place) return place;
    const auto to = detail::ghost_box(f.extents(), f.width(), offset);
    detail::copy_cells(reinterpret_cast<const T*>(cells + detail::aligned<T>(place)),
                       detail::dense_strides(to.extents), f.data_handle() + f.mapping()(to.origin),
                       f.mapping().strides(), to.extents);
    return end;
  }
  /// Copies border cells to ghosts of a block that is its own neighbour.
  template <class T>
  static void copy_around(field<T, N>& f, const index<N>& offset) {
    const auto from = detail::border_box(f.extents(), f.width(), index<N>() - offset);
    const auto to = detail::ghost_box(f.extents(), f.width(), offset);
    detail::copy_cells(f.data_handle() + f.mapping()(from.origin), f.mapping().strides(),
                       f.data_handle() + f.mapping()(to.origin), f.mapping().strides(), to.extents);
  }

  template <class Function>
  void finish(Function& function, Field&... fields) {
    state::end([&](side<N> across, const detail::pooled<std::byte>& cells) {
      const index<N> offset = across.offset();
      std::size_t size = 0;
      ((size = detail::end_in_parcel(fields, offset, size)), ...);
      if (cells.size() != size) [[unlikely]]
        detail::throw_other_size(state::step(), state::block_across(across.number()), cells.size(), size);
      std::size_t place = 0;
      ((place = unpack(fields, offset, cells.data(), place)), ...);
    });
    int number = 0;
    (fill_ends(function, fields, number++), ...);
  }

  template <class Function, class T>
  void fill_ends(Function& function, field<T, N>& f, int number) const {
    for (int face = 0; face < side<N>::faces; ++face) {
      const boundary face_boundary = state::face_boundary(face);
      if (face_boundary == boundary::reflecting)
        reflect(f, face);
      else if (face_boundary == boundary::function)
        apply(function, f, number, face);
    }
  }
  template <class T>
  void reflect(field<T, N>& f, int face) const {
    const int d = face / 2;
    const box<N> all = state::outside(f.extents(), f.width(), face);
    for (int layer = all.origin[d]; layer < all.origin[d] + all.extents[d]; ++layer) {
      box<N> to = all;
      to.origin[d] = layer;
      to.extents[d] = 1;
      index<N> from = to.origin;
      from[d] = detail::mirrored(f, face, layer);
      detail::copy_cells(f.data_handle() + f.mapping()(from), f.mapping().strides(),
                         f.data_handle() + f.mapping()(to.origin), f.mapping().strides(), to.extents);
    }
  }
  template <class Function, class T>
  void apply(Function& function, field<T, N>& f, int number, int face) const {
    if constexpr (!std::is_same_v<Function, detail::no_function>) {
      for (const auto& cell : state::outside(f.extents(), f.width(), face)) {
        index<N> mirror = cell;
        mirror[face / 2] = detail::mirrored(f, face, cell[face / 2]);
        f[cell] = function(outer_cell<N>{state::cells().origin + cell, side<N>(face), number},
                           std::as_const(f)[mirror]);
      }
    }
  }
};

/// Awaitable of `exchange` and `end`: co_await it at once.
template <class... Field>
template <class Function>
class [[nodiscard("co_await the end of the exchange")]] halo<Field...>::arrival final
    : public detail::waiting_end<N, detail::parcel> {
 public:
  /// For `exchange`: receives into these fields, and calls `function` for each side.
  arrival(halo& of, Function function, Field&... fields)
      : detail::waiting_end<N, detail::parcel>(of), function_(std::move(function)), fields_(fields...) {}
  /// Moves an awaitable that is not awaited yet, as when_all and when_any require.
  arrival(arrival&& other) noexcept = default;

  void await_resume() {
    suspension::end();
    std::apply([&](Field&... fields) { static_cast<halo&>(this->of()).finish(function_, fields...); },
               fields_);
  }

 private:
  [[no_unique_address]] Function function_;
  std::tuple<Field&...> fields_;
};

}  // namespace imbrex::grid
