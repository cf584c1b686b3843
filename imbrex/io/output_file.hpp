// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes members of chares into HDF5 files, and reads them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/chare.hpp>
#include <imbrex/io/layout.hpp>
#include <imbrex/io/member_numbers.hpp>
#include <imbrex/io/station.hpp>

namespace imbrex {
namespace io::detail {

/// The way of a data set's parts between elements and the file.
struct transfer {
  group<station> stations;
  std::string name;
  layout parts;
  std::uint64_t address = 0;  ///< where the data set begins in the file, to write it

  void serialize(auto& ar) { ar(stations, name, parts, address); }
};

/// Member M of a T, in a file.
template <class T, auto M>
struct member_in_file {
  using access = member_numbers<member_of<T, M>>;
  using numbers = numbers_of_value<typename access::value>;
  using number = typename numbers::number;
  static constexpr number_type type = number_type_of<number>();
  static constexpr bool is_field = access::is_field;
  static constexpr int dimensions = access::dimensions;

  /// Adds the dimension of values that are arrays.
  static lengths with_value(lengths shape) {
    if (numbers::is_array) shape.push_back(numbers::count);
    return shape;
  }
  static number_box with_value(number_box box) {
    if (numbers::is_array) box.first.push_back(0);
    box.count = with_value(std::move(box.count));
    return box;
  }
  static element_part part_of(const T& chare, const member_of<T, M>& member) {
    const auto extents = access::extents(member);
    return {lengths_of(chare.where()), lengths(extents.begin(), extents.end())};
  }
};

template <auto M>
struct measure {
  template <class T>
  auto operator()(T& chare) const {
    if constexpr (is_awaited<T, M>)
      return await_part(chare);
    else
      return member_in_file<T, M>::part_of(chare, std::invoke(M, chare));
  }

 private:
  template <class T>
  static task<element_part> await_part(T& chare) {
    const auto member = co_await std::invoke(M, chare);
    co_return member_in_file<T, M>::part_of(chare, member);
  }
};

/// A part of a data set that an element writes.
struct outgoing_part {
  station* here;
  std::string name;
  std::uint64_t address;
  lengths shape;
  number_box box;
};
[[noreturn]] void throw_changed(const std::string& name, const lengths& where);

template <auto M>
struct write_part {
  /// Copies the numbers now, so that the element may change them while they are written.
  template <class T>
  task<> operator()(T& chare, const transfer& how) const {
    outgoing_part out{how.stations.local(), how.name, how.address, how.parts.extents(),
                      how.parts.box_of(lengths_of(chare.where()))};
    if constexpr (is_awaited<T, M>)
      return await_member(chare, std::move(out));
    else
      return write_member(chare, std::move(out), std::invoke(M, chare));
  }

 private:
  template <class T>
  static task<> await_member(T& chare, outgoing_part out) {
    const auto member = co_await std::invoke(M, chare);
    co_await write_member(chare, std::move(out), member);
  }
  template <class T>
  static task<> write_member(T& chare, outgoing_part out, const member_of<T, M>& member) {
    using file = member_in_file<T, M>;
    const element_part part = file::part_of(chare, member);
    if (out.box.count != part.extents) throw_changed(out.name, part.where);
    out.box = file::with_value(std::move(out.box));
    out.shape = file::with_value(std::move(out.shape));
    auto packed =
        std::make_shared<std::vector<std::byte>>(volume_of(out.box.count) * sizeof(typename file::number));
    file::access::pack(member, packed->data());
    station& here = *out.here;
    return here.run([out = std::move(out), packed] {
      out.here->write(out.address, out.shape, out.box, sizeof(typename file::number), packed->data());
    });
  }
};

template <auto M>
struct read_part {
  template <class T>
  task<> operator()(T& chare, const transfer& how) const {
    using file = member_in_file<T, M>;
    const number_box box = file::with_value(how.parts.box_of(lengths_of(chare.where())));
    return fill(chare, *how.stations.local(), how.name, box);
  }

 private:
  template <class T>
  static task<> fill(T& chare, station& here, std::string name, number_box box) {
    using file = member_in_file<T, M>;
    const auto packed =
        std::make_shared<std::vector<std::byte>>(volume_of(box.count) * sizeof(typename file::number));
    co_await here.run(
        [packed, name, box, from = &here] { from->read(name, file::type, box, packed->data()); });
    auto& member = std::invoke(M, chare);
    if constexpr (!file::is_field) member.resize(box.count[0]);
    if constexpr (file::is_field)
      file::access::unpack(member, packed->data());
    else if (!packed->empty())
      std::memcpy(member.data(), packed->data(), packed->size());
  }
};

/// A file that is being written, in the process that has begun it.
class output_state {
 public:
  explicit output_state(const std::string& file);
  output_state(const output_state&) = delete;
  output_state& operator=(const output_state&) = delete;
  /// Removes what was written if `finish` was not called.
  ~output_state();

  const std::string& written_path() const { return partial_; }
  /// Adds a data set; returns its address in the file.
  std::uint64_t add(const std::string& name, number_type type, const lengths& shape, bool is_grid,
                    bool has_vectors);
  void add_starts(const std::string& name, const std::vector<std::uint64_t>& starts);
  /// Stores the file under its name, and a description of its grids beside it.
  void finish();

 private:
  struct grid_set {
    std::string name;
    number_type type;
    lengths shape;
    bool has_vectors;
  };

  void describe_grids() const;

  const std::string path_;
  const std::string partial_;
  hdf5_file file_;
  std::vector<grid_set> grids_;
  bool is_finished_ = false;
};

/// A file to read, in the process that reads its description.
struct input_set {
  number_type type;
  lengths shape;
  std::vector<std::uint64_t> starts;  ///< places of the writing elements; empty if the file lacks them

  static input_set of(const std::string& file, const std::string& name);
  /// Throws imbrex::error unless the data set has such numbers.
  void check(const std::string& file, const std::string& name, number_type expected, std::size_t dimensions,
             std::uint64_t numbers_of_value) const;
};
/// Throws imbrex::error: the elements together have another shape than the data set.
[[noreturn]] void throw_other_shape(const std::string& file, const std::string& name, const lengths& in_file,
                                    const lengths& of_elements);
/// The path of a file as all processes of a host can open it.
std::string absolute(const std::string& file);

template <auto M, class T>
consteval bool can_be_in_file() {
  if constexpr (!has_numbers<T, M>()) {
    return false;
  } else {
    constexpr bool is_numbered = dimensions_of<typename T::index_type> > 0;
    static_assert(is_numbered, "imbrex: files take arrays whose elements are numbered, by imbrex::index");
    using access = member_numbers<member_of<T, M>>;
    if constexpr (is_numbered && access::is_field) {
      constexpr bool fits = dimensions_of<typename T::index_type> == access::dimensions;
      static_assert(fits, "imbrex: blocks of a grid lie in an array with as many dimensions as the grid");
      return fits;
    }
    return is_numbered;
  }
}

}  // namespace io::detail

/// An HDF5 file that is being written. It has its name after `commit`, and then all that was written. If the
/// run ends before, a former file of that name stays. Several hosts need a file system that all of them
/// share.
///
///     imbrex::output_file out("heat.h5");
///     co_await out.write<&block::heat>("heat", blocks);
///     co_await out.write<&block::wind>("weather/wind", blocks);
///     co_await out.commit();
///
/// Use it in the entry or main task that has made it.
class output_file {
 public:
  /// Throws the errors of the constructor; also outside a run, so that a program can look before it computes.
  static void check(const std::string& file);

  /// Begins the file. Throws imbrex::error if it cannot be created there, or if the HDF5 library is missing.
  explicit output_file(const std::string& file);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  /// Adds a data set with member M of each element: a data member, or a member function without parameters,
  /// which may return a task. Each element copies its numbers when the request reaches it, between two
  /// entries; they are written while other chares run. A member function is called twice, for the size first.
  /// The member may be
  ///
  /// - a `grid::field` or `packed_cells` of N dimensions, in an array of N dimensions: the blocks of a grid,
  ///   which planes have cut. The data set has the grid's extents, without ghosts, for any number of blocks;
  /// - a std::vector: the data set has the values one after the other, in the order of the elements. A second
  ///   one, whose name ends in `_starts`, has the place of the first value of each element, and the end.
  ///
  /// Values are numbers, or std::arrays of numbers, which are a further dimension. Throws imbrex::error if
  /// the blocks do not fit together, if the file has the data set, and if it cannot be written. O(elements)
  /// on the caller's PE.
  template <auto M, class T>
  task<> write(std::string name, array<T> from) {
    static_assert(io::detail::can_be_in_file<M, T>());
    using namespace io::detail;
    using in_file = member_in_file<T, M>;
    co_await stations_.created();
    const auto parts = co_await from.template reduce<extension::visit<T, measure<M>>>(gather);
    const lengths shape = lengths_of(from.shape());
    transfer how{
        stations_, name,
        in_file::is_field ? layout::of_blocks(name, shape, parts) : layout::in_a_row(name, shape, parts)};
    how.address = state_->add(name, in_file::type, in_file::with_value(how.parts.extents()),
                              in_file::is_field, in_file::numbers::is_array);
    if (!in_file::is_field) state_->add_starts(name + "_starts", how.parts.starts(0));
    co_await from.template call<extension::visit<T, write_part<M>, transfer>>(how);
  }

  /// Waits until all is on the disk, and gives the file its name. Grids of two or three dimensions are
  /// described for ParaView in a file beside it, with the ending .xmf. Throws imbrex::error if the disk is
  /// full.
  task<> commit();

 private:
  std::unique_ptr<io::detail::output_state> state_;
  group<io::detail::station> stations_;
};

/// Writes a file with one data set; see `output_file::write`.
///
///     co_await imbrex::write<&block::heat>("heat.h5", "heat", blocks);
template <auto M, class T>
task<> write(std::string file, std::string name, array<T> from) {
  output_file out(file);
  co_await out.write<M>(std::move(name), from);
  co_await out.commit();
}

/// Fills data member M of each element from a data set of an HDF5 file, which any program may have written.
/// Blocks of a grid have their extents before, and may be others than those that have written. A std::vector
/// gets the values that the element with its number has written, if as many elements as now have; else an
/// equal part of the values. Throws imbrex::error if the data set has another shape or another type of
/// number.
template <auto M, class T>
task<> read(std::string file, std::string name, array<T> into) {
  static_assert(io::detail::can_be_in_file<M, T>());
  static_assert(std::is_member_object_pointer_v<decltype(M)>, "imbrex: numbers are read into a data member");
  using namespace io::detail;
  using in_file = member_in_file<T, M>;
  file = absolute(file);
  const input_set found = input_set::of(file, name);
  found.check(file, name, in_file::type, in_file::dimensions,
              in_file::numbers::is_array ? in_file::numbers::count : 0);
  const lengths shape = lengths_of(into.shape());
  layout parts;
  if constexpr (in_file::is_field) {
    parts = layout::of_blocks(name, shape,
                              co_await into.template reduce<extension::visit<T, measure<M>>>(gather));
    if (const lengths together = in_file::with_value(parts.extents()); together != found.shape)
      throw_other_shape(file, name, found.shape, together);
  } else {
    const bool has_equal_elements = found.starts.size() == volume_of(shape) + 1;
    parts = has_equal_elements ? layout::at(shape, found.starts) : layout::equal_parts(shape, found.shape[0]);
  }
  const auto stations = make_group<station>(file);
  co_await stations.created();
  std::exception_ptr why;
  try {
    co_await into.template call<extension::visit<T, read_part<M>, transfer>>(
        transfer{stations, std::move(name), std::move(parts)});
  } catch (...) {
    why = std::current_exception();
  }
  co_await stations.destroy();
  if (why) std::rethrow_exception(why);
}

}  // namespace imbrex
