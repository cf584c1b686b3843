// SPDX-License-Identifier: Apache-2.0
#pragma once
// State of a halo that does not depend on the types of its fields. Its parcels are in the host's memory or in
// a device's.
//
// An exchange has a step. `begin` sends a parcel across each side that has a neighbour, and expects the
// neighbour's parcel across that side. A neighbour can end its exchange only when it has this block's parcel.
// So it is at most one exchange ahead: its parcel for the next step waits among the unread ones. When all
// parcels of a step have arrived, the awaiting coroutine goes on and unpacks them. Only the chare's PE
// touches any of this.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/narrowed.hpp>
#include <imbrex/core/extension/index.hpp>
#include <imbrex/core/extension/port.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/grid/boundaries.hpp>
#include <imbrex/grid/box.hpp>
#include <imbrex/grid/decomposition.hpp>
#include <imbrex/grid/parcel.hpp>
#include <imbrex/grid/regions.hpp>

namespace imbrex::grid::detail {

struct step_words {
  static constexpr const char* what = "the step of an exchange";
  static constexpr const char* remedy = "steps are signed: keep them under 2^63";
};
using step_number = imbrex::detail::narrowed<std::int64_t, step_words>;

// Errors of an exchange, built outside of inlined code.

[[noreturn]] void throw_not_connected();
[[noreturn]] void throw_other_port();
[[noreturn]] void throw_other_shape(const std::string& array, const std::string& decomposition);
[[noreturn]] void throw_half_periodic(int dimension);
[[noreturn]] void throw_still_begun(std::int64_t step, std::int64_t begun);
[[noreturn]] void throw_step_order(std::int64_t step, std::int64_t before);
[[noreturn]] void throw_not_begun();
[[noreturn]] void throw_awaited_twice(std::int64_t step);
[[noreturn]] void throw_no_function();
[[noreturn]] void throw_other_extents(int field, const std::string& extents, const std::string& block,
                                      const std::string& cells);
[[noreturn]] void throw_too_wide(int field, int width, int dimension, int most);
[[noreturn]] void throw_other_step(std::int64_t came, const std::string& from, std::int64_t step);
[[noreturn]] void throw_second_parcel(std::int64_t step, const std::string& from);
[[noreturn]] void throw_other_size(std::int64_t step, const std::string& from, std::size_t came,
                                   std::size_t expected);
[[noreturn]] void throw_no_such_side(std::int64_t step, int side);

/// Object across a side.
enum class across_side : std::uint8_t { nothing, itself, neighbour };

/// State of a side's parcel in the current step.
enum class expectation : std::uint8_t { none, expected, arrived };

struct link {
  std::uint64_t to = 0;  ///< number of the neighbour in the array
  across_side what = across_side::nothing;
  expectation parcel = expectation::none;
};

/// Coroutine that awaits the end of an exchange.
template <int N, class Parcel>
class waiting_end;

template <int N, class Parcel>
class halo_state {
 public:
  using node = extension::port_node<Parcel>;
  using unread = extension::unread_queue<Parcel>;

  halo_state() = default;
  halo_state(const halo_state&) = delete;
  halo_state& operator=(const halo_state&) = delete;

  /// Connects the halo, which is the port `Port` of the chare. `halo` is the halo's address, for a check.
  template <auto Port, class Chare>
  void connect(const void* halo, const Chare& chare, const decomposition<N>& cut, const boundaries<N>& ends,
               sides which) {
    constexpr bool fits = std::is_same_v<typename Chare::index_type, index<N>>;
    static_assert(fits, "imbrex: the index of a chare with a halo has as many dimensions as its fields");
    if constexpr (fits) {
      if (static_cast<const void*>(&(chare.*Port)) != halo) [[unlikely]]
        throw_other_port();
      const auto all = chare.peers();
      if (all.shape() != cut.shape()) [[unlikely]]
        throw_other_shape(to_string(all.shape()), to_string(cut.shape()));
      connect(extension::port_of_peers<Port>(chare), chare.where(), cut, ends, which);
    }
  }
  void connect(const extension::array_port<Parcel>& port, const index<N>& block, const decomposition<N>& cut,
               const boundaries<N>& ends, sides which) {
    port_ = port;
    shape_ = cut.shape();
    where_ = block;
    cells_ = cut[block];
    const index<N> least = cut.least();
    periodic<N> around{};
    for (int d = 0; d < N; ++d) {
      const side<N> lower(2 * d), upper(2 * d + 1);
      const bool is_periodic = ends[lower] == boundary::periodic;
      if (is_periodic != (ends[upper] == boundary::periodic)) throw_half_periodic(d);
      around[static_cast<std::size_t>(d)] = is_periodic;
      const bool needs_none =
          shape_[d] == 1 && ends[lower] == boundary::open && ends[upper] == boundary::open;
      most_[d] = needs_none ? std::numeric_limits<int>::max() : least[d];
      face_boundaries_[static_cast<std::size_t>(2 * d)] = block[d] == 0 ? ends[lower] : boundary::periodic;
      face_boundaries_[static_cast<std::size_t>(2 * d + 1)] =
          block[d] == shape_[d] - 1 ? ends[upper] : boundary::periodic;
    }
    needs_function_ = false;
    for (int s = 0; s < side<N>::faces; ++s) needs_function_ |= ends[side<N>(s)] == boundary::function;
    links_.assign(static_cast<std::size_t>(which == sides::all ? side<N>::count : side<N>::faces), {});
    for (const auto& [neighbour, side] : neighbours(block, shape_, which, around))
      links_[static_cast<std::size_t>(side.number())] = {
          extension::linear(shape_, neighbour),
          neighbour == block ? across_side::itself : across_side::neighbour};
  }

  bool has_begun() const { return has_begun_; }
  std::int64_t step() const { return step_.value_or(-1); }
  const box<N>& cells() const { return cells_; }
  bool needs_function() const { return needs_function_; }
  bool with_corners() const { return links_.size() > static_cast<std::size_t>(side<N>::faces); }
  /// Boundary beyond a face; `periodic` if another block, or this one, lies there.
  boundary face_boundary(int face) const { return face_boundaries_[static_cast<std::size_t>(face)]; }
  std::vector<link>& links() { return links_; }

  void check_begin(std::int64_t step) const {
    if (!port_) [[unlikely]]
      throw_not_connected();
    if (has_begun_) [[unlikely]]
      throw_still_begun(step, *step_);
    if (step_ && step <= *step_) [[unlikely]]
      throw_step_order(step, *step_);
  }
  void check_field(int number, const index<N>& extents, const index<N>& width) const {
    if (extents != cells_.extents) [[unlikely]]
      throw_other_extents(number, to_string(extents), to_string(where_), to_string(cells_.extents));
    for (int d = 0; d < N; ++d)
      if (width[d] > most_[d]) [[unlikely]]
        throw_too_wide(number, width[d], d, most_[d]);
  }
  void check_end() const {
    if (!has_begun_) [[unlikely]]
      throw_not_begun();
  }

  void send(const link& to, std::int64_t step, Parcel&& cells) const {
    port_.send(to.to, step, std::move(cells));
  }
  /// Records that `expected` parcels have been sent, and as many are expected.
  void begin(std::int64_t step, int expected) {
    step_ = step;
    has_begun_ = true;
    missing_ = expected;
    has_wrong_one_ = false;
    for (const auto* l = unread_.first(); l != nullptr; l = unread::after(*l)) count(*l);
  }
  /// Calls `check(across, cells)` for each parcel of the step. It may throw; the parcels stay.
  template <class Check>
  void check_each(Check check) {
    if (has_wrong_one_) [[unlikely]]
      check_parcels();
    for (auto* l = unread_.first(); l != nullptr; l = unread::after(*l))
      if (l->reference == *step_) check(side<N>(l->value.across), l->value.cells);
  }
  /// Calls `unpack(across, cells)` for each parcel of the step, and ends the exchange.
  template <class Unpack>
  void end(Unpack unpack) {
    if (has_wrong_one_) [[unlikely]]
      check_parcels();
    const auto* const observers = observer_list::here();
    for (auto* l = unread_.first(); l != nullptr;) {
      auto* const next = unread::after(*l);
      if (l->reference == *step_) {
        if (observers != nullptr) [[unlikely]]
          observers->received(*l->owner, l->reference);
        unpack(side<N>(l->value.across), l->value.cells);
        unread_.remove(*l);
      }
      l = next;
    }
    has_begun_ = false;
  }
  /// True if all parcels have arrived, or an unexpected one.
  bool is_complete() const { return missing_ == 0 || has_wrong_one_; }

  void put(node& l);

  /// Ghosts to fill beyond a face of the grid. With corners they include ghosts across other sides: in
  /// dimensions filled before, and where another block lies. Ghosts beyond open ends stay unchanged.
  box<N> outside(const index<N>& extents, const index<N>& width, int face) const {
    const int dimension = face / 2;
    auto all = ghost_box(extents, width, side<N>(face).offset());
    if (!with_corners()) return all;
    for (int d = 0; d < N; ++d) {
      if (d == dimension) continue;
      for (const int other : {2 * d, 2 * d + 1}) {
        const boundary there = face_boundary(other);
        if (there != boundary::periodic && (d > dimension || there == boundary::open)) continue;
        if (other == 2 * d) all.origin[d] -= width[d];
        all.extents[d] += width[d];
      }
    }
    return all;
  }

  /// Block that lies across a side: "(0, 1)".
  std::string block_across(int side) const {
    return to_string(extension::from_linear(shape_, links_[static_cast<std::size_t>(side)].to));
  }
  /// Text about missing parcels: "step 3, for cells of the blocks (0, 1), (1, 0)".
  std::string missing_text() const {
    std::string text = "step " + std::to_string(step()) + ", for cells of the ";
    text += missing_ == 1 ? "block " : "blocks ";
    bool is_first = true;
    for (std::size_t s = 0; s < links_.size(); ++s) {
      if (links_[s].parcel != expectation::expected) continue;
      text += (is_first ? "" : ", ") + block_across(static_cast<int>(s));
      is_first = false;
    }
    return text;
  }

  waiting_end<N, Parcel>* waiting = nullptr;

  void collect_unread(std::vector<imbrex::detail::attachment*>& parts) { unread_.collect(parts); }
  void serialize(auto& ar) {
    ar(port_, shape_, where_, cells_, most_, face_boundaries_, needs_function_, links_, step_, has_begun_,
       missing_, has_wrong_one_, unread_);
  }

 private:
  void count(const node& l) {
    if (l.reference > *step_) return;
    const auto across = static_cast<std::size_t>(l.value.across);
    if (l.reference < *step_ || across >= links_.size() || links_[across].parcel != expectation::expected)
        [[unlikely]] {
      has_wrong_one_ = true;
      return;
    }
    links_[across].parcel = expectation::arrived;
    --missing_;
  }
  /// Throws an error about the first wrong parcel.
  void check_parcels() const {
    std::vector<bool> has_arrived(links_.size());
    for (const auto* l = unread_.first(); l != nullptr; l = unread::after(*l)) {
      if (l->reference > *step_) continue;
      const auto across = static_cast<std::size_t>(l->value.across);
      if (across >= links_.size() || links_[across].what != across_side::neighbour)
        throw_no_such_side(l->reference, l->value.across);
      const std::string from = block_across(l->value.across);
      if (l->reference < *step_) throw_other_step(l->reference, from, *step_);
      if (links_[across].parcel == expectation::none)
        throw_other_size(l->reference, from, l->value.cells.size(), 0);
      if (has_arrived[across]) throw_second_parcel(l->reference, from);
      has_arrived[across] = true;
    }
  }

  extension::array_port<Parcel> port_;
  index<N> shape_{}, where_{};
  box<N> cells_{};
  index<N> most_{};  ///< maximum number of ghost layers
  std::array<boundary, static_cast<std::size_t>(2 * N)> face_boundaries_{};
  bool needs_function_ = false;
  std::vector<link> links_;           ///< by side
  std::optional<std::int64_t> step_;  ///< step of the last exchange that has begun
  bool has_begun_ = false;
  int missing_ = 0;             ///< parcels of the step that have not arrived
  bool has_wrong_one_ = false;  ///< true if a parcel is of an earlier step, or unexpected
  unread unread_;
};

template <int N, class Parcel>
class waiting_end : public suspension {
 public:
  explicit waiting_end(halo_state<N, Parcel>& of) : of_(&of) {}
  waiting_end(waiting_end&& other) noexcept : of_(other.of_) {}
  waiting_end& operator=(waiting_end&&) = delete;

  bool await_ready() const {
    if (of_->waiting != nullptr) [[unlikely]]
      throw_awaited_twice(of_->step());
    of_->check_end();
    return of_->is_complete();
  }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    waiter_ = who;
    begin(entry);
    of_->waiting = this;
    is_waiting_ = true;
    return true;
  }
  void resume() {
    leave();
    waiter_.resume();
  }

  std::string description() const final;
  awaited cause() const final { return {trace::wait_cause::mailbox, of_->step()}; }
  bool can_move() const final;

 protected:
  ~waiting_end() { leave(); }
  halo_state<N, Parcel>& of() const { return *of_; }

 private:
  void leave() {
    if (!is_waiting_) return;
    of_->waiting = nullptr;
    is_waiting_ = false;
  }

  halo_state<N, Parcel>* of_;
  bool is_waiting_ = false;
  waiter waiter_;
};

template <int N, class Parcel>
std::string waiting_end<N, Parcel>::description() const {
  return extension::describe_port(entry(), of_) + ", " + of_->missing_text();
}

/// Movable if the fields lie in the chare, too. A front end's stack that refers to others must not move.
template <int N, class Parcel>
bool waiting_end<N, Parcel>::can_move() const {
  return waiter_.object() == entry().body && extension::is_own_port(entry(), of_);
}

template <int N, class Parcel>
void halo_state<N, Parcel>::put(node& l) {
  unread_.add(l);
  if (!has_begun_) return;
  count(l);
  if (waiting != nullptr && is_complete()) waiting->resume();
}

}  // namespace imbrex::grid::detail
