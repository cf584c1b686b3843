// SPDX-License-Identifier: Apache-2.0
#pragma once
// The class cell_set, whose functions are in moves.hpp, copies.hpp and visits.hpp.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/cells/cell.hpp>
#include <imbrex/cells/domain.hpp>
#include <imbrex/cells/errors.hpp>
#include <imbrex/cells/parcel.hpp>
#include <imbrex/cells/reach.hpp>
#include <imbrex/cells/waiting.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/message/member_traits.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/grid/decomposition.hpp>

namespace imbrex::cells {

template <int D, class T>
class cell_set;

}  // namespace imbrex::cells

namespace imbrex::detail {
template <int D, class T, class C>
struct member_traits<cells::cell_set<D, T> C::*> : port_traits<cells::detail::parcel<T>, C> {};
}  // namespace imbrex::detail

namespace imbrex::cells {

/// Which pairs of cells `for_each_pair` visits. An own cell is also a pair with itself.
enum class pairs : std::uint8_t {
  once,  ///< two own cells once, in either order; an own cell and a copy once
  both   ///< two own cells in both orders: who adds to the first alone does so in one order
};

/// An own element that another block has a copy of, and how many times around each dimension the copy lies.
template <int D>
struct copied_element {
  std::size_t number;
  index<D> wrap;
};

/// What a block and another have of each other's elements: those that it sends, in the order of the copies
/// there, and the numbers of the copies here.
template <int D>
struct copy_partner {
  index<D> block;
  std::vector<copied_element<D>> sent{};
  std::size_t first_copy = 0, copies = 0;
};

/// The cells of a domain, with the elements that lie in them, cut into blocks: a port of a chare, to which
/// each chare of the array connects itself in its constructor. Each has a block of cells, of any size, and
/// may be on any PE.
///
///   cells.connect<&block::cells>(*this, domain, cut);   // a decomposition of the domain's cells
///   auto moved = cells.migrate(move, most); // elements move, and go to the cells that they are in now
///   auto cached = cells.cache_halo(width);              // copies of what lies so close to the block come
///   co_await moved[cell];                               // one cell has all its elements
///   co_await cells.for_each_pair(width, interact);      // each pair of cells as soon as both have come
///
/// All blocks do the same, in the same order; they need not meet otherwise. Nothing waits for what it does
/// not need: a cell out of reach of other blocks is complete at once, and copies for a neighbour leave when
/// the cells in question are complete. Where more is to be waited for, `co_await` it before.
///
/// A cell set migrates with its chare: `serialize` names it. Tasks of `for_each_pair` must have ended then.
template <int D, class T>
class cell_set : detail::arrivals {
  static_assert(element<T, D>,
                "imbrex: an element of a cell set has a member `imbrex::cells::point<D> position`");
  using parcel = detail::parcel<T>;
  using letter = detail::parcel_letter<T>;
  using condition = detail::condition;

 public:
  using value_type = parcel;
  using element_type = T;
  using cell_type = cell<T>;

  cell_set() = default;

  /// Says which port this is, of which chare. `cut` has the array's shape and the domain's cells. To be
  /// called once, in the constructor; not when it arrives after a migration. Throws imbrex::error if the
  /// shapes differ.
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
      port_ = imbrex::detail::port_message<Chare, Port>::type_record.id;
      collection_ = all.collection();
      where_ = chare.where();
      domain_ = box;
      cut_ = cut;
      own_box_ = cut[where_];
      own_.resize(own_box_.size());
      for (std::size_t i = 0; i < own_.size(); ++i) own_[i].be(i, true);
      waiting_for_.assign(own_.size(), 0);
    }
  }

  const cells::domain<D>& domain() const { return domain_; }
  /// The cells of this block.
  const grid::box<D>& own() const { return own_box_; }
  /// These, and those around them that the last `cache_halo` has copies of; not wrapped around periodic
  /// dimensions.
  const grid::box<D>& halo() const { return copies_.region; }

  /// One of these cells. Throws imbrex::error if it is none.
  cell_type& operator[](const index<D>& at) {
    if (own_box_.contains(at)) return own_[number_of(at)];
    if (copies_.distance < 0 || !copies_.region.contains(at)) [[unlikely]]
      detail::throw_no_cell(imbrex::to_string(at), imbrex::to_string(where_));
    return halo_[slot_of(at)];
  }
  /// Where a cell is, of either kind.
  index<D> place_of(const cell_type& of) const {
    return of.is_own()
               ? own_box_.origin + imbrex::detail::from_linear(own_box_.extents, of.number())
               : copies_.region.origin + imbrex::detail::from_linear(copies_.region.extents, of.number());
  }
  std::span<cell_type> own_cells() { return own_; }
  std::span<const cell_type> own_cells() const { return own_; }

  /// Elements in own cells. O(cells).
  std::uint64_t size() const {
    std::uint64_t n = 0;
    for (const auto& c : own_) n += c.size();
    return n;
  }
  /// True if an element there belongs to this block.
  bool owns(const point<D>& position) const { return own_box_.contains(domain_.cell_of(position)); }
  /// Adds an element, when nothing is on its way. Throws imbrex::error if it belongs to another block, lies
  /// outside of the domain, or nowhere.
  void insert(T e) {
    check_idle("insert");
    check_inserted(e);
    own_[number_of(domain_.cell_of(e.position))].push(std::move(e));
  }
  void clear() {
    check_idle("clear");
    for (auto& c : own_) c.clear();
  }

  class arrival;
  class phase;

  /// Moves all elements: `move(T&)` changes the position of each, by no more than `most`. Elements of a type
  /// with columns may also be moved by cell: `move(cell<T>&)`. Those that leave the block are sent to where
  /// they are now; all have left when this returns, and `phase[cell]` is ready when all that may come to the
  /// cell have come. Throws imbrex::error, which names the element, if one moves too far or to no position;
  /// and if something is on its way.
  template <class Move>
  phase migrate(Move&& move, double most);

  /// The same where elements may move as far as they like, by one collective of all blocks: `self` is the
  /// chare. Slower.
  template <class Chare, class Move>
  task<> migrate_anywhere(Chare& self, Move move);

  /// Copies of what lies within `width` of each block go there, from the cells that are complete at once,
  /// from others when they are. `phase[cell]` of a cell of the halo is ready when its copies have come, of an
  /// own cell when that is complete. No more than `width` is sent; the copies of an image lie where the image
  /// does.
  phase cache_halo(double width) {
    begin_cache(width, nothing_else);
    return {*this, sequence_, condition::kind::cached_cell};
  }
  /// The same, but nothing is sent before all cells of that phase are complete.
  phase cache_halo(double width, const phase& after) {
    begin_cache(width, after.number());
    return {*this, sequence_, condition::kind::cached_cell};
  }
  /// The last phase of `cache_halo`, where the chare has migrated since.
  phase last_cache() { return {*this, caching_, condition::kind::cached_cell}; }
  /// The same as `cache_halo` by one collective of all blocks; all own cells are complete.
  template <class Chare>
  task<> cache_halo_together(Chare& self, double width);

  /// Calls `visit(cell<T>& own, cell<T>& other)` for each own cell and each cell within `distance` of it, as
  /// soon as both are complete. When it ends, so have the migration and the cache before it. It gives others
  /// of the PE a turn now and then, so messages do not wait long for computation. Cells of other blocks are
  /// copies: what is written to them is lost. Throws imbrex::error if the halo is narrower. The function is
  /// kept until the task ends.
  template <class Visit>
  task<> for_each_pair(double distance, Visit visit, pairs which = pairs::once);

  // Between two migrations, elements can change and their copies follow: values of any type are sent in the
  // order of the elements, which are numbered cell by cell. All cells have come.

  /// Elements of own cells, in the order of their numbers: `visit(const T&)`.
  template <class Visit>
  void for_each_own(Visit visit) const {
    for (const auto& c : own_)
      for (std::size_t i = 0; i < c.size(); ++i) visit(c.get(i));
  }
  /// Copies, in the order of theirs.
  template <class Visit>
  void for_each_copy(Visit visit) const {
    for_each_copied_cell([&](const cell_type& c) {
      for (std::size_t i = 0; i < c.size(); ++i) visit(c.get(i));
    });
  }
  /// Cells of copies, in that order.
  template <class Visit>
  void for_each_copied_cell(Visit visit) const {
    for (const auto& image : copies_.images)
      for (const auto& at : image.cells) visit(halo_[slot_of(at)]);
    for (const auto& p : copies_.partners)
      for (const auto& part : p.take)
        for (const auto& at : part.cells) visit(halo_[slot_of(at)]);
  }
  /// How many copies there are. Throws imbrex::error if something is on its way.
  std::size_t copies() {
    check_idle("the numbering of copies");
    number_elements();
    return number_of_copies_;
  }

  /// For programs that carry values themselves, such as from one device's memory to another's: what this
  /// block exchanges with each other. The first is the block itself, for its own images, if any. Throws
  /// imbrex::error if something is on its way, or no copies have come since the last migration. O(copies).
  std::vector<copy_partner<D>> copy_partners();

  template <class V, class Put>
  class refreshed;

  /// Sends `get(number, shift)` of elements that others have copies of, and calls `put(number of the copy,
  /// value)` for each copy here. `shift` is how far off the image lies. co_await it at once.
  template <class V, class Get, class Put>
  [[nodiscard("co_await the values")]] refreshed<V, Put> refresh(Get get, Put put);
  /// The other way: sends `get(number of the copy)` of each, and calls `put(number, value)` for each copy of
  /// an element that another block has, or this one as an image. Those of one block come in the same order
  /// each time.
  template <class V, class Get, class Put>
  [[nodiscard("co_await the values")]] refreshed<V, Put> give_back(Get get, Put put);

  /// For the runtime: a parcel has come.
  void put(letter& l);
  /// All cells, and what is on its way, migrate with the chare.
  void serialize(auto& ar);

 private:
  static constexpr std::uint32_t unconnected = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::int64_t nothing_else = -1;
  /// Pairs of elements between two turns of others: some 50 us.
  static constexpr std::size_t turn = std::size_t{1} << 15U;

  /// Where a copy was made of: an own cell, and the place in it.
  struct source {
    std::uint32_t cell = 0, place = 0;
  };
  /// What another block has copies of, by its parts.
  struct copied {
    std::vector<source> elements;
    std::vector<std::size_t> ends;
  };

  std::size_t number_of(const index<D>& own_cell) const {
    return static_cast<std::size_t>(imbrex::detail::linear(own_box_.extents, own_cell - own_box_.origin));
  }
  std::size_t slot_of(const index<D>& at) const {
    return static_cast<std::size_t>(
        imbrex::detail::linear(copies_.region.extents, at - copies_.region.origin));
  }
  std::string block_text(std::uint64_t number) const {
    return imbrex::to_string(imbrex::detail::from_linear(cut_.shape(), number));
  }
  static std::size_t partner_of(const detail::reach<D>& in, std::uint64_t block) {
    const auto found = std::ranges::lower_bound(in.partners, block, {}, &detail::partner<D>::block);
    if (found == in.partners.end() || found->block != block) return in.partners.size();
    return static_cast<std::size_t>(found - in.partners.begin());
  }
  void send(std::uint64_t to, parcel&& p, std::int64_t in) const {
    p.from = imbrex::detail::linear(cut_.shape(), where_);
    const auto& port = imbrex::detail::message_table::at(port_);
    reinterpret_cast<imbrex::detail::post_to_port<parcel>>(port.post)(collection_, to, in, std::move(p));
  }

  bool is_moving() const { return moves_missing_ != 0; }
  bool is_caching() const { return copies_missing_ != 0 || unsent_ != 0; }
  void check_idle(const char* what) const {
    if (port_ == unconnected) [[unlikely]]
      detail::throw_not_connected();
    check_problem();
    if (is_moving() || is_caching() || is_refreshing_) [[unlikely]]
      detail::throw_unfinished(what, sequence_);
  }
  void check_problem() const {
    if (!problem_.empty()) [[unlikely]]
      throw error(problem_);
  }
  void check_inserted(const T& e) const;
  detail::named_element named(const T& e, std::size_t place, std::size_t cell) const {
    return {detail::name_of(e, place),
            imbrex::to_string(own_box_.origin + imbrex::detail::from_linear(own_box_.extents, cell)),
            imbrex::to_string(where_), sequence_};
  }

  // Moves.

  /// An element, and the place of the cell that it goes to among those of its block.
  struct mover {
    std::uint32_t cell;
    T element;
  };

  void tidy();
  void prepare_moves(double most);
  template <class Leave>
  void settle(std::size_t number, std::size_t place, std::size_t& kept, const point<D>& before, double most,
              Leave& leave);
  bool all_stay(std::size_t number, double most);
  template <class Move, class Leave>
  void move_cell(std::size_t number, Move& move, double most, Leave& leave);
  template <class Move, class Leave>
  void move_all(Move& move, double most, Leave leave);
  static parcel parcel_of(std::vector<mover>& movers);
  void complete(std::size_t cell);
  void take_moved(std::size_t from, parcel&& p);

  // Copies.

  void prepare_copies(double width);
  void find_needs();
  void begin_cache(double width, std::int64_t after);
  parcel copies_for(std::size_t partner);
  template <class Take>
  void select_copies(const grid::box<D>& of, const point<D>& shift, const point<D>& from, const point<D>& to,
                     copied& made, Take take) const;
  void copy_images();
  void send_ready_copies();
  void take_copies(std::size_t from, parcel&& p);
  void number_elements();
  point<D> shift_of(const index<D>& wrap) const {
    point<D> shift;
    for (int d = 0; d < D; ++d) shift[static_cast<std::size_t>(d)] = wrap[d] * domain_.length(d);
    return shift;
  }
  /// What lies within `width` of a block's box; beyond open ends without a limit.
  void find_bounds(const grid::box<D>& of, double width, point<D>& from, point<D>& to) const;

  // Pairs.

  struct neighbourhood {
    double distance = -1;
    std::vector<index<D>> offsets;          ///< in order; (0, ..., 0) is one
    std::vector<std::ptrdiff_t> distances;  ///< between slots
    index<D> layers{};
  };
  void prepare_pairs(double distance);
  bool is_complete(const cell_type& c) const {
    return c.is_own() ? waiting_for_[c.number()] == 0 : has_come_[c.number()] != 0;
  }
  template <class Visit>
  std::size_t visit_pairs(std::size_t number, Visit& visit, pairs which);
  bool neighbours_are_complete(std::size_t number) const;
  template <class Function>
  bool for_each_neighbour(std::size_t number, Function function) const;

  // Refreshes.

  void begin_refresh(detail::activity what);
  template <class V>
  static void write(parcel& p, std::size_t i, const V& value) {
    std::memcpy(p.values.data() + i * sizeof(V), &value, sizeof(V));
  }
  template <class V, class Put>
  void finish_refresh(Put& put);

  void take(letter& l);
  void take_early();
  void tell();
  bool is_there(const condition& c) const final;
  std::string missing_text(const condition& c) const final;

  std::uint32_t port_ = unconnected;
  std::uint64_t collection_ = 0;
  index<D> where_{};
  cells::domain<D> domain_;
  grid::decomposition<D> cut_;
  grid::box<D> own_box_;
  std::vector<cell_type> own_;
  std::int64_t sequence_ = 0;  ///< the last phase that has begun
  std::int64_t news_ = 0;
  std::string problem_;  ///< what came and should not
  grid::detail::unread_parcels<parcel> unread_;

  detail::reach<D> moves_;
  std::vector<std::vector<std::uint32_t>> reachable_;  ///< own cells that a partner's elements can move to
  std::vector<std::uint16_t> senders_;      ///< of each own cell: how many partners have it in reach
  std::int64_t moving_ = 0;                 ///< the phase of the last migration
  std::vector<std::uint16_t> waiting_for_;  ///< of each own cell: partners that have not sent
  std::vector<parcel> moved_;               ///< by partner
  std::vector<std::uint8_t> has_moved_;     ///< by partner
  std::size_t moves_missing_ = 0;
  std::vector<mover> own_movers_;  ///< while cells are moved one after the other
  std::array<std::vector<double>, static_cast<std::size_t>(D)>
      before_;                   ///< positions of the elements of one cell
  std::vector<double> squared_;  ///< how far they have moved

  detail::reach<D> copies_;
  std::vector<cell_type> halo_;         ///< by slot of the region; those of own cells are empty
  std::vector<std::uint8_t> has_come_;  ///< by slot
  std::vector<std::vector<std::size_t>>
      needs_;  ///< by partner: whose moves must have come first; at last of images
  std::int64_t caching_ = 0;
  std::int64_t after_ = nothing_else;
  std::vector<std::uint8_t> is_sent_;   ///< by partner; at last images
  std::vector<std::uint8_t> is_taken_;  ///< by partner
  std::vector<copied> copied_;          ///< by partner
  copied images_;
  std::vector<std::size_t> first_copy_;  ///< by partner; known when all have come
  std::size_t number_of_copies_ = 0;
  std::vector<std::size_t> first_own_;  ///< by own cell
  std::size_t copies_missing_ = 0, unsent_ = 0;
  bool has_halo_ = false;

  neighbourhood near_;
  std::vector<cell_type*> by_slot_;

  detail::activity refreshing_ = detail::activity::none;
  bool is_refreshing_ = false;
  std::vector<parcel> refreshes_;
  std::vector<std::uint8_t> has_refreshed_;
  std::size_t refreshes_missing_ = 0;
};

/// What `phase[cell]` gives: co_await it at once, for the cell.
template <int D, class T>
class [[nodiscard("co_await the cell")]] cell_set<D, T>::arrival final : public detail::wait {
 public:
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

/// What `migrate` and `cache_halo` return: what each cell waits for. co_await a cell, or all by `all()`. It
/// may be dropped, and must not be kept in a chare that migrates.
template <int D, class T>
class cell_set<D, T>::phase {
 public:
  phase(cell_set& of, std::int64_t number, condition::kind what) : of_(of), number_(number), what_(what) {}

  std::int64_t number() const { return number_; }
  /// Throws imbrex::error if there is no such cell.
  arrival operator[](const index<D>& cell) const {
    const auto& c = of_[cell];
    if (c.is_own()) return {of_, {condition::kind::moved_cell, of_.moving_, c.number()}, cell};
    return {of_, {what_, number_, c.number()}, cell};
  }
  /// All of them; of `cache_halo` also that what others want has been sent.
  [[nodiscard("co_await the cells")]] detail::plain_wait all() const {
    const bool moves = what_ == condition::kind::moved_cell;
    return {of_, {moves ? condition::kind::moved_all : condition::kind::cached_all, number_, 0}};
  }

 private:
  cell_set& of_;
  std::int64_t number_;
  condition::kind what_;
};

/// What `refresh` and `give_back` return.
template <int D, class T>
template <class V, class Put>
class [[nodiscard("co_await the values")]] cell_set<D, T>::refreshed final : public detail::wait {
 public:
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
