// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/entries.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/pe_context.hpp>

namespace imbrex::resident::detail {

/// A reduction on one PE; first thread only. PE p sends its value to PE (p - 1) / 2. PEs without elements
/// take no part; they are the last.
template <class List, class Reduction>
class reducer {
  using traits = reduction_traits<Reduction>;
  using value = typename traits::value;
  using chare = typename traits_of<traits::entry>::chare;
  using own_context = pe_context<pe_kind<chare>>;

 public:
  IMBREX_DEVICE explicit reducer(own_context& c) : pe_(c) {}

  /// Adds the running element's value to its next round.
  IMBREX_DEVICE void contribute(const value& v) {
    constexpr std::uint32_t which = number() - table<List>::template first_reduction<chare>();
    const std::uint32_t round = array().rounds[pe_.element * array().reductions + which]++;
    reduction_round& here = at(round);
    if (here.round != round)
      return pe_.fail(failure_kind::reduction_ahead, 0, [](failure& f) { f.about_entry = number(); });
    values_of(round)[array().local(pe_.element)] = bits_of(v);
    ++here.own;
    advance(round);
  }
  /// Adds the value of a child. `place_and_side` has the slot of the round, and which of the two children it
  /// is.
  IMBREX_DEVICE void add_child(std::uint32_t place_and_side, std::uint64_t bits) {
    const std::uint32_t side = place_and_side % 2;
    reduction_round& here = at(place_and_side / 2);
    if (here.from_child[side]) {
      const std::uint32_t ahead = 2 * pe_.pe + 1 + side;
      return pe_.fail(failure_kind::reduction_ahead, 0, [ahead](failure& f) {
        f.about_entry = number();
        f.pe = ahead;
      });
    }
    here.from_child[side] = true;
    here.value_of_child[side] = bits;
    advance(here.round);
  }

 private:
  static IMBREX_DEVICE constexpr std::uint32_t number() {
    return table<List>::template reduction_number<Reduction>();
  }
  IMBREX_DEVICE const array_layout& array() const {
    return pe_.m.arrays[table<List>::template array<chare>()];
  }
  static IMBREX_DEVICE std::uint64_t bits_of(const value& v) {
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &v, sizeof(v));
    return bits;
  }
  static IMBREX_DEVICE value value_of(std::uint64_t bits) {
    value v;
    __builtin_memcpy(&v, &bits, sizeof(v));
    return v;
  }
  static IMBREX_DEVICE std::uint32_t place(std::uint32_t round) {
    return (number() - table<List>::entries) * reduction_window + round % reduction_window;
  }
  IMBREX_DEVICE reduction_round& at(std::uint32_t round) const {
    return reinterpret_cast<reduction_round*>(pe_.m.memory_of(pe_.place()) +
                                              pe_.m.parts.rounds)[place(round)];
  }
  IMBREX_DEVICE std::uint64_t* values_of(std::uint32_t round) const {
    return reinterpret_cast<std::uint64_t*>(pe_.m.memory_of(pe_.place()) + pe_.m.parts.values) +
           std::uint64_t{place(round)} * pe_.m.parts.values_each;
  }
  /// Passes the round's value on if it is complete.
  IMBREX_DEVICE void advance(std::uint32_t round) {
    reduction_round& here = at(round);
    const std::uint32_t local = array().local_count(pe_.pe);
    const std::uint32_t below = 2 * pe_.pe + 1;
    if (here.own != local) return;
    for (std::uint32_t side = 0; side < 2; ++side)
      if (below + side < array().active_pes && !here.from_child[side]) return;
    const typename traits::operation combine{};
    const std::uint64_t* const own = values_of(round);
    value all = value_of(own[0]);
    for (std::uint32_t n = 1; n < local; ++n) all = combine(all, value_of(own[n]));
    for (std::uint32_t side = 0; side < 2; ++side)
      if (here.from_child[side]) all = combine(all, value_of(here.value_of_child[side]));
    here = {};
    here.round = round + reduction_window;
    const std::uint32_t pe = pe_.pe;
    if (pe != 0)
      pe_.post((pe - 1) / 2, {bits_of(all), meta_of(number(), round % reduction_window * 2 + (pe - 1) % 2)});
    else
      pe_.post(0, {bits_of(all), meta_of(table<List>::template number<traits::entry>(),
                                         traits::to_all ? all_elements : 0)});
  }

  own_context& pe_;
};

}  // namespace imbrex::resident::detail
