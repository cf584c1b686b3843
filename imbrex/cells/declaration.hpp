// SPDX-License-Identifier: Apache-2.0
#pragma once
// Class cell_set. Its functions are in moves.hpp, copies.hpp and visits.hpp.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/cells/block_geometry.hpp>
#include <imbrex/cells/cell.hpp>
#include <imbrex/cells/copy_phase.hpp>
#include <imbrex/cells/copy_store.hpp>
#include <imbrex/cells/domain.hpp>
#include <imbrex/cells/element_mover.hpp>
#include <imbrex/cells/errors.hpp>
#include <imbrex/cells/move_phase.hpp>
#include <imbrex/cells/pair_order.hpp>
#include <imbrex/cells/parcel.hpp>
#include <imbrex/cells/value_exchange.hpp>
#include <imbrex/cells/waiting.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/extension/index.hpp>
#include <imbrex/core/extension/port.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/grid/decomposition.hpp>

namespace imbrex::cells {

/// Pairs of cells that `for_each_pair` visits. An own cell is also a pair with itself.
enum class pairs : std::uint8_t {
  once,  ///< two own cells once, in either order; an own cell and a copy once
  both   ///< two own cells in both orders, so that a visit that adds only to the first adds in one fixed
         ///< order
};

/// An own element that another block has a copy of. `wrap` is the number of times around each dimension at
/// which the copy lies.
template <int D>
struct copied_element {
  std::size_t number;  ///< number of the element among those of its block
  index<D> wrap;       ///< times around each dimension
};

/// Elements that this block and another have copies of. `sent` is in the order of the copies there. The other
/// numbers are those of the copies here.
template <int D>
struct copy_partner {
  index<D> block;                          ///< block that has copies
  std::vector<copied_element<D>> sent{};   ///< own elements that the other block has copies of
  std::size_t first_copy = 0, copies = 0;  ///< first copy that is here, and their number
};

/// Cells of a domain and the elements in them, partitioned into blocks. It is a port of a chare, which each
/// chare of the array connects in its constructor. Each chare has a block of cells, of any size, and may be
/// on any PE.
///
///   cells.connect<&block::cells>(*this, domain, cut);   // a decomposition of the domain's cells
///   auto moved = cells.migrate(move, most);             // elements move, also to other cells
///   auto cached = cells.cache_halo(width);              // copies of elements this close to the block arrive
///   co_await moved[cell];                               // one cell has all its elements
///   co_await cells.for_each_pair(width, interact);      // each pair of cells as soon as both are complete
///
/// All blocks run the same phases in the same order; they need no other synchronisation. Nothing waits longer
/// than needed. A cell out of reach of other blocks is complete at once. Copies for a neighbour are sent when
/// their cells are complete. To wait for more, `co_await` it first.
///
/// A cell set migrates with its chare: `serialize` names it. Tasks of `for_each_pair` must have ended by
/// then.
template <int D, class T>
class cell_set : detail::arrivals {
  static_assert(element<T, D>,
                "imbrex: an element of a cell set has a member `imbrex::cells::point<D> position`");
  using parcel = detail::parcel<T>;
  using node = extension::port_node<parcel>;
  using condition = detail::condition;

 public:
  using value_type = parcel;
  using element_type = T;
  using cell_type = cell<T>;  ///< type of a cell with its elements

  cell_set() = default;

  /// Connects the cell set: it is the port `Port` of `chare`. `cut` has the array's shape and the domain's
  /// cells. To be called once, in the constructor, but not on arrival after a migration. Throws imbrex::error
  /// if the shapes differ.
  template <auto Port, class Chare>
  void connect(const Chare& chare, const domain<D>& box, const grid::decomposition<D>& cut) {
    constexpr bool fits = std::is_same_v<typename Chare::index_type, index<D>>;
    static_assert(fits, "imbrex: the index of a chare with a cell set has as many dimensions as its cells");
    if constexpr (fits) {
      if (static_cast<const void*>(&(chare.*Port)) != static_cast<const void*>(this)) [[unlikely]]
        detail::throw_other_port();
      const auto all = chare.peers();
      if (all.shape() != cut.shape()) [[unlikely]]
        detail::throw_other_shape(imbrex::to_string(all.shape()), imbrex::to_string(cut.shape()));
      if (box.cells() != cut.extents()) [[unlikely]]
        detail::throw_other_grid(imbrex::to_string(box.cells()), imbrex::to_string(cut.extents()));
      port_ = extension::port_of_peers<Port>(chare);
      here_ = {chare.where(), box, cut, cut[chare.where()]};
      own_.resize(here_.own.size());
      for (std::size_t i = 0; i < own_.size(); ++i) own_[i].be(i, true);
      moves_.connect(own_.size());
    }
  }

  const cells::domain<D>& domain() const { return here_.domain; }  ///< Box of space and kinds of its sides.
  /// Cells of this block.
  const grid::box<D>& own() const { return here_.own; }
  /// Cells of this block, and the surrounding cells that the last `cache_halo` has copies of. Indices are not
  /// wrapped around periodic dimensions.
  const grid::box<D>& halo() const { return copies_.within().region; }

  /// One cell of `halo()`. Throws imbrex::error for any other index.
  cell_type& operator[](const index<D>& at) {
    if (here_.own.contains(at)) return own_[here_.number_of(at)];
    if (!copies_.is_prepared() || !halo().contains(at)) [[unlikely]]
      detail::throw_no_cell(imbrex::to_string(at), here_.here_text());
    return halo_[copies_.slot_of(at)];
  }
  /// Index of a cell, own or copied.
  index<D> place_of(const cell_type& of) const {
    return of.is_own() ? here_.cell(of.number())
                       : halo().origin + extension::from_linear(halo().extents, of.number());
  }
  std::span<cell_type> own_cells() { return own_; }  ///< Cells of the block itself, without copies of others.
  std::span<const cell_type> own_cells() const { return own_; }

  /// Number of elements in own cells. O(cells).
  std::uint64_t size() const {
    std::uint64_t n = 0;
    for (const auto& c : own_) n += c.size();
    return n;
  }
  /// True if an element at that position belongs to this block.
  bool owns(const point<D>& position) const { return here_.own.contains(here_.domain.cell_of(position)); }
  /// Adds an element, when no phase is in progress. Throws imbrex::error if it belongs to another block, lies
  /// outside of the domain, or has no finite position.
  void insert(T e) {
    check_idle("insert");
    if (!here_.may_insert(e.position)) [[unlikely]]
      here_.throw_not_inserted(detail::name_of(e, size()), e.position);
    own_[here_.number_of(here_.domain.cell_of(e.position))].push(std::move(e));
  }
  void clear() {
    check_idle("clear");
    for (auto& c : own_) c.clear();
  }

  class arrival;
  class phase;

  /// Moves all elements: `move(T&)` changes the position of each, by no more than `most`. Elements of a type
  /// with columns may also be moved by cell: `move(cell<T>&)`. Elements that leave the block are sent to
  /// their new block; all have left when `migrate` returns. `phase[cell]` is ready when all elements that may
  /// move to the cell have arrived. Throws imbrex::error, which names the element, if one moves too far or to
  /// no position. Throws also if a phase is in progress.
  template <class Move>
  phase migrate(Move&& move, double most);

  /// Moves elements over any distance, by one collective of all blocks: `self` is the chare. Slower than
  /// `migrate`.
  template <class Chare, class Move>
  task<> migrate_anywhere(Chare& self, Move move);

  /// Sends other blocks copies of the elements within `width` of them: from complete cells at once, from
  /// others when they are complete. For a cell of the halo, `phase[cell]` is ready when its copies have
  /// arrived. For an own cell, it is ready when the cell is complete. Only elements within `width` are sent.
  /// Copies of an image have the image's position.
  phase cache_halo(double width) {
    begin_cache(width, detail::copy_phase<D>::nothing_else);
    return {*this, sequence_, condition::kind::cached_cell};
  }
  /// Sends copies as `cache_halo(width)` does, but only after all cells of that phase are complete.
  phase cache_halo(double width, const phase& after) {
    begin_cache(width, after.number());
    return {*this, sequence_, condition::kind::cached_cell};
  }
  /// Phase of the last `cache_halo`, for a chare that has migrated since.
  phase last_cache() { return {*this, copies_.phase(), condition::kind::cached_cell}; }
  /// Sends copies as `cache_halo` does, by one collective of all blocks; all own cells must be complete.
  template <class Chare>
  task<> cache_halo_together(Chare& self, double width);

  /// Calls `visit(cell<T>& own, cell<T>& other)` for each own cell and each cell within `distance` of it, as
  /// soon as both are complete. At its end the preceding migration and cache have ended, too. It yields to
  /// other work of the PE from time to time, so that messages do not wait long. Cells of other blocks are
  /// copies: writes to them are lost. Throws imbrex::error if the halo is narrower. The task keeps the
  /// function.
  template <class Visit>
  task<> for_each_pair(double distance, Visit visit, pairs which = pairs::once);

  // Between two migrations, elements can change and their copies be refreshed. Values of any type are sent in
  // the order of the elements, which are numbered cell by cell. All cells must be complete.

  /// Calls `visit(const T&)` for the elements of own cells, in the order of their numbers.
  template <class Visit>
  void for_each_own(Visit visit) const {
    for (const auto& c : own_)
      for (std::size_t i = 0; i < c.size(); ++i) visit(c.get(i));
  }
  /// Calls `visit(const T&)` for the copies, in the order of their numbers.
  template <class Visit>
  void for_each_copy(Visit visit) const {
    for_each_copied_cell([&](const cell_type& c) {
      for (std::size_t i = 0; i < c.size(); ++i) visit(c.get(i));
    });
  }
  /// Calls `visit` for the cells of copies, in the order of `for_each_copy`.
  template <class Visit>
  void for_each_copied_cell(Visit visit) const {
    for (const auto& image : copies_.within().images)
      for (const auto& at : image.cells) visit(halo_[copies_.slot_of(at)]);
    for (const auto& p : copies_.within().partners)
      for (const auto& part : p.take)
        for (const auto& at : part.cells) visit(halo_[copies_.slot_of(at)]);
  }
  /// Number of copies. Throws imbrex::error if a phase is in progress.
  std::size_t copies() {
    check_idle("the numbering of copies");
    halo_.number(own_, copies_);
    return halo_.numbers().copies();
  }

  /// Elements that this block exchanges with each other block, for programs that transfer values themselves,
  /// for example between devices. The first entry is the block itself, for its own images, if any. Throws
  /// imbrex::error if a phase is in progress, or no copies have arrived since the last migration. O(copies).
  std::vector<copy_partner<D>> copy_partners();

  template <class V, class Put>
  class refreshed;

  /// Sends `get(number, shift)` of elements that other blocks have copies of. Calls `put(number of the copy,
  /// value)` for each copy here. `shift` is the offset of the image's position. co_await it at once.
  template <class V, class Get, class Put>
  [[nodiscard("co_await the values")]] refreshed<V, Put> refresh(Get get, Put put);
  /// Sends values from copies to their elements: `get(number of the copy)` of each copy. Calls `put(number,
  /// value)` for each copy of an element that another block has, or this block as an image. Values of one
  /// block arrive in the same order each time.
  template <class V, class Get, class Put>
  [[nodiscard("co_await the values")]] refreshed<V, Put> give_back(Get get, Put put);

  /// For the runtime: receives a parcel.
  void put(node& l);
  /// Archives all cells, and phases in progress.
  void serialize(auto& ar);

 private:
  using moved_elements = std::vector<detail::moved_element<T>>;
  /// Pairs of elements between two yields: some 50 us.
  static constexpr std::size_t turn = std::size_t{1} << 15U;

  void send(std::uint64_t to, parcel&& p, std::int64_t in) const {
    p.from = here_.own_number();
    port_.send(to, in, std::move(p));
  }
  void check_idle(const char* what) const {
    if (!port_) [[unlikely]]
      detail::throw_not_connected();
    problem_.check();
    if (moves_.is_active() || copies_.is_active() || refresh_.is_active()) [[unlikely]]
      detail::throw_unfinished(what, sequence_);
  }
  void take_moved(std::size_t from, parcel&& p);
  void prepare_copies(double width);
  void begin_cache(double width, std::int64_t after);
  void send_ready_copies();
  void take_copies(std::size_t from, parcel&& p);
  void begin_refresh(detail::activity what);
  template <class V, class Put>
  void finish_refresh(Put& put);
  void take(node& l);
  void take_early();
  bool is_there(const condition& c) const final;
  std::string missing_text(const condition& c) const final;

  extension::array_port<parcel> port_;
  detail::block_geometry<D> here_;
  std::vector<cell_type> own_;
  std::int64_t sequence_ = 0;  ///< last phase that has begun
  std::int64_t news_ = 0;
  detail::invalid_message problem_;
  extension::unread_queue<parcel> unread_;

  detail::move_phase<D> moves_;
  std::vector<parcel> moved_;  ///< by partner: received elements
  detail::move_scratch<D, T> scratch_;

  detail::copy_phase<D> copies_;
  detail::copy_store<D, T> halo_;
  bool has_halo_ = false;

  detail::pair_order<D> pairs_;
  std::vector<cell_type*> by_slot_;
  detail::value_exchange<T> refresh_;
};

/// Awaitable of `phase[cell]`, with the cell as result: co_await it at once.
template <int D, class T>
class [[nodiscard("co_await the cell")]] cell_set<D, T>::arrival final : public detail::wait {
 public:
  /// For `cell_set`: a wait for the elements of other blocks.
  arrival(cell_set& set, const condition& c, const index<D>& at) : wait(set, c), set_(set), at_(at) {}
  arrival(arrival&& other) noexcept = default;

  cell_type& await_resume() {
    wait::await_resume();
    return set_[at_];
  }

 private:
  cell_set& set_;
  index<D> at_;
};

/// Handle of the phase that `migrate` or `cache_halo` has begun. co_await a cell, or all cells by `all()`. It
/// may be dropped, but must not be kept in a chare that migrates.
template <int D, class T>
class cell_set<D, T>::phase {
 public:
  /// For `cell_set`: a phase that other blocks take part in.
  phase(cell_set& of, std::int64_t number, condition::kind what) : of_(of), number_(number), what_(what) {}

  /// Number of the phase since the start, the same in all blocks.
  std::int64_t number() const { return number_; }
  /// Awaitable of one cell. Throws imbrex::error if there is no such cell.
  arrival operator[](const index<D>& cell) const {
    const auto& c = of_[cell];
    if (c.is_own()) return {of_, {condition::kind::moved_cell, of_.moves_.phase(), c.number()}, cell};
    return {of_, {what_, number_, c.number()}, cell};
  }
  /// Awaitable of all cells. For `cache_halo` it also waits until all copies for other blocks are sent.
  [[nodiscard("co_await the cells")]] detail::plain_wait all() const {
    const bool moves = what_ == condition::kind::moved_cell;
    return {of_, {moves ? condition::kind::moved_all : condition::kind::cached_all, number_, 0}};
  }

 private:
  cell_set& of_;
  std::int64_t number_;
  condition::kind what_;
};

/// Awaitable of `refresh` and `give_back`.
template <int D, class T>
template <class V, class Put>
class [[nodiscard("co_await the values")]] cell_set<D, T>::refreshed final : public detail::wait {
 public:
  /// For `cell_set`: a wait for new values of the copies.
  refreshed(cell_set& set, const condition& c, Put put) : wait(set, c), set_(set), put_(std::move(put)) {}
  refreshed(refreshed&& other) noexcept = default;

  void await_resume() {
    wait::await_resume();
    set_.template finish_refresh<V>(put_);
  }

 private:
  cell_set& set_;
  Put put_;
};

}  // namespace imbrex::cells
