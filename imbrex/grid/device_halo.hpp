// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/extension/device.hpp>
#include <imbrex/device/shared_event.hpp>
#include <imbrex/grid/boundaries.hpp>
#include <imbrex/grid/box_mover.hpp>
#include <imbrex/grid/decomposition.hpp>
#include <imbrex/grid/device_field.hpp>
#include <imbrex/grid/halo_state.hpp>

namespace imbrex::grid {

namespace detail {

/// Message of a block to a neighbour, as `parcel`, in the memory of a device.
struct device_parcel {
  std::int32_t across = 0;
  device_buffer<std::byte> cells{};
};

template <class T>
inline constexpr int rank_of_device_field = 0;
template <class T, int N>
inline constexpr int rank_of_device_field<device_field<T, N>> = N;

[[noreturn]] void throw_function_on_device();
/// Throws imbrex::error unless the stream and the field's memory belong to this PE's device.
void check_on_device(int field, const void* device, const stream& work);

}  // namespace detail

/// A `halo` of fields in the memory of devices: `device_halo<device_field<double, 3>>`. Messages of device
/// memory bring the border cells to the neighbours. One kernel packs the cells for all neighbours. Another
/// unpacks the received cells; on one device it reads them from the neighbour's parcel. No thread of the host
/// waits for a stream.
///
///     halo.connect<&block::halo>(*this, cut);     // in the constructor
///     co_await halo.exchange(u, step, work);      // in an entry of each block
///     work.launch(sweep, u.view(), v.view());     // comes after the exchange
///
/// Ends of the grid are open, periodic or reflecting. At open ends a kernel of the program may set the
/// ghosts. The halo's state, and parcels received for the next step, migrate with its chare; fields do not.
template <class... Field>
class device_halo
    : detail::halo_state<detail::rank_of_device_field<std::tuple_element_t<0, std::tuple<Field..., void>>>,
                         detail::device_parcel> {
  static constexpr int N = detail::rank_of_device_field<std::tuple_element_t<0, std::tuple<Field..., void>>>;
  static_assert(N > 0 && ((detail::rank_of_device_field<Field> == N) && ...),
                "imbrex: say which fields the halo exchanges, of the same number of dimensions: "
                "device_halo<device_field<double, 3>>");
  using state = detail::halo_state<N, detail::device_parcel>;
  class arrival;

 public:
  using value_type = detail::device_parcel;

  device_halo() = default;

  /// Connects the halo as `halo::connect` does. Throws imbrex::error also for a `boundary::function`.
  template <auto Port, class Chare>
  void connect(const Chare& chare, const decomposition<N>& cut, const boundaries<N>& ends = {},
               sides which = sides::faces) {
    state::template connect<Port>(this, chare, cut, ends, which);
    if (state::needs_function()) [[unlikely]]
      detail::throw_function_on_device();
  }

  /// Sends the border cells as they are after the work submitted to the stream so far, and returns an
  /// awaitable. Work submitted to the stream after co_await sees the new ghost cells: values of the
  /// neighbours' exchange of this step. Throws as `halo::exchange`, and if the stream or a field is not of
  /// this PE's device. Throws `device_out_of_memory`.
  [[nodiscard("co_await the end of the exchange")]] arrival exchange(Field&... fields,
                                                                     detail::step_number step, stream& work) {
    begin(fields..., step, work);
    return {*this, work, fields...};
  }

  /// First half of an exchange. Work submitted to the stream from now on may change the border cells. The
  /// ghost cells are indeterminate until the end.
  void begin(Field&... fields, detail::step_number step, stream& work) {
    state::check_begin(step);
    int number = 0;
    (check_field(number++, fields, work), ...);
    std::array<device_buffer<std::byte>, static_cast<std::size_t>(side<N>::count)> leaving;
    detail::box_mover packing(work);
    auto& links = state::links();
    for (std::size_t s = 0; s < links.size(); ++s) {
      if (links[s].what == detail::across_side::nothing) continue;
      const index<N> offset = side<N>(static_cast<int>(s)).offset();
      if (links[s].what == detail::across_side::itself) {
        (copy_around(packing, fields, offset), ...);
        continue;
      }
      const std::size_t size = bytes_across(fields..., offset);
      links[s].parcel = size != 0 ? detail::expectation::expected : detail::expectation::none;
      if (size == 0) continue;
      leaving[s] = device_buffer<std::byte>(work.on(), size);
      std::size_t place = 0;
      ((place = pack(packing, fields, offset, leaving[s].span().data(), place)), ...);
    }
    packing.launch();
    packed_ = shared_event(work);
    int expected = 0;
    for (std::size_t s = 0; s < links.size(); ++s) {
      if (leaving[s].size() == 0) continue;
      leaving[s].part()->ready_at(packed_);
      state::send(links[s], step, {opposite(side<N>(static_cast<int>(s))).number(), std::move(leaving[s])});
      ++expected;
    }
    state::begin(step, expected);
  }
  /// Second half of an exchange, with the same fields. The stream may be another one.
  [[nodiscard("co_await the end of the exchange")]] arrival end(Field&... fields, stream& work) {
    return {*this, work, fields...};
  }

  /// True between `begin` and the end.
  using state::has_begun;
  /// Step of the exchange in progress, or else of the last one.
  using state::step;
  /// Cells of this block in the grid.
  using state::cells;

  /// For the runtime: receives a parcel.
  using state::collect_unread;
  using state::put;
  void serialize(auto& ar) { state::serialize(ar); }

 private:
  template <class T>
  void check_field(int number, const device_field<T, N>& f, const stream& work) const {
    state::check_field(number, f.extents(), f.width());
    detail::check_on_device(number, f.device(), work);
  }
  static std::size_t bytes_across(const Field&... fields, const index<N>& offset) {
    std::size_t size = 0;
    ((size = detail::end_in_parcel(fields, offset, size)), ...);
    return size;
  }
  template <class T>
  static std::size_t pack(detail::box_mover& by, const device_field<T, N>& f, const index<N>& offset,
                          std::byte* cells, std::size_t place) {
    const std::size_t end = detail::end_in_parcel(f, offset, place);
    if (end == place) return place;
    const auto from = detail::border_box(f.extents(), f.width(), offset);
    by.add(f.view().data() + f.mapping()(from.origin), f.mapping().strides(),
           reinterpret_cast<T*>(cells + detail::aligned<T>(place)), detail::dense_strides(from.extents),
           from.extents);
    return end;
  }
  template <class T>
  static std::size_t unpack(detail::box_mover& by, device_field<T, N>& f, const index<N>& offset,
                            const std::byte* cells, std::size_t place) {
    const std::size_t end = detail::end_in_parcel(f, offset, place);
    if (end == place) return place;
    const auto to = detail::ghost_box(f.extents(), f.width(), offset);
    by.add(reinterpret_cast<const T*>(cells + detail::aligned<T>(place)), detail::dense_strides(to.extents),
           f.view().data() + f.mapping()(to.origin), f.mapping().strides(), to.extents);
    return end;
  }
  /// Copies border cells to ghosts of a block that is its own neighbour.
  template <class T>
  static void copy_around(detail::box_mover& by, device_field<T, N>& f, const index<N>& offset) {
    const auto from = detail::border_box(f.extents(), f.width(), index<N>() - offset);
    const auto to = detail::ghost_box(f.extents(), f.width(), offset);
    by.add(std::as_const(f).view().data() + f.mapping()(from.origin), f.mapping().strides(),
           f.view().data() + f.mapping()(to.origin), f.mapping().strides(), to.extents);
  }
  /// Fills the ghosts beyond a reflecting end of the grid.
  template <class T>
  void reflect(detail::box_mover& by, device_field<T, N>& f, int face) const {
    if (state::face_boundary(face) != boundary::reflecting) return;
    const box<N> to = state::outside(f.extents(), f.width(), face);
    const int d = face / 2;
    index<N> from = to.origin;
    from[d] = detail::mirrored(f, face, to.origin[d]);
    auto backwards = f.mapping().strides();
    auto& back = backwards[static_cast<std::size_t>(d)];
    back = -back;
    by.add(std::as_const(f).view().data() + f.mapping()(from), backwards,
           f.view().data() + f.mapping()(to.origin), f.mapping().strides(), to.extents);
  }

  void finish(stream& work, Field&... fields) {
    int number = 0;
    (detail::check_on_device(number++, fields.device(), work), ...);
    work.wait(packed_);  // includes the copies of a block that is its own neighbour
    // Checks come first. If one throws, the exchange goes on as if its end had not been awaited.
    state::check_each([&](side<N> across, device_buffer<std::byte>& cells) {
      const std::size_t size = bytes_across(fields..., across.offset());
      if (cells.size() != size) [[unlikely]]
        detail::throw_other_size(state::step(), state::block_across(across.number()), cells.size(), size);
      extension::land_attachment(*cells.part());  // the chare may have moved since the cells arrived
    });
    std::vector<device_buffer<std::byte>> came;  // kept until the work that reads them has been submitted
    came.reserve(state::links().size());
    detail::box_mover unpacking(work);
    state::end([&](side<N> across, device_buffer<std::byte>& cells) {
      work.wait(cells);
      std::size_t place = 0;
      ((place = unpack(unpacking, fields, across.offset(), std::as_const(cells).span().data(), place)), ...);
      came.push_back(std::move(cells));
    });
    // With corners, a dimension mirrors ghosts that earlier dimensions have filled.
    for (int d = 0; d < N; ++d) {
      if (state::with_corners() && mirrors(d)) unpacking.launch();
      (reflect(unpacking, fields, 2 * d), ...);
      (reflect(unpacking, fields, 2 * d + 1), ...);
    }
    unpacking.launch();
  }
  bool mirrors(int dimension) const {
    return state::face_boundary(2 * dimension) == boundary::reflecting ||
           state::face_boundary(2 * dimension + 1) == boundary::reflecting;
  }

  shared_event packed_;  ///< end of the kernels launched by `begin`; it does not migrate, as fields do not
};

/// Awaitable of `exchange` and `end`: co_await it at once.
template <class... Field>
class [[nodiscard("co_await the end of the exchange")]] device_halo<Field...>::arrival final
    : public detail::waiting_end<N, detail::device_parcel> {
 public:
  /// For `halo::exchange`: receives into these fields in the order of `work`.
  arrival(device_halo& of, stream& work, Field&... fields)
      : detail::waiting_end<N, detail::device_parcel>(of), work_(work), fields_(fields...) {}
  /// Moves an awaitable that is not awaited yet, as when_all and when_any require.
  arrival(arrival&& other) noexcept = default;

  void await_resume() {
    suspension::end();
    std::apply([&](Field&... fields) { static_cast<device_halo&>(this->of()).finish(work_, fields...); },
               fields_);
  }

 private:
  stream& work_;
  std::tuple<Field&...> fields_;
};

}  // namespace imbrex::grid
