// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of a cell set that send copies of elements to other blocks, and handle received parcels.

#include <algorithm>

#include <imbrex/cells/declaration.hpp>

namespace imbrex::cells {

template <int D, class T>
void cell_set<D, T>::prepare_copies(double width) {
  if (copies_.distance == width) return;
  copies_ = detail::make_reach(domain_, cut_, where_, width, detail::purpose::copies);
  halo_.clear();
  halo_.resize(copies_.region.size());
  for (std::size_t i = 0; i < halo_.size(); ++i) halo_[i].be(i, false);
  near_.distance = -1;
  find_needs();
}

template <int D, class T>
void cell_set<D, T>::find_needs() {
  const auto meet = [](const auto& some, const auto& others) {
    for (const auto& a : some)
      for (const auto& b : others)
        if (!detail::common(a.cells, b.cells).empty()) return true;
    return false;
  };
  needs_.assign(copies_.partners.size() + 1, {});
  for (std::size_t m = 0; m < moves_.partners.size(); ++m) {
    const auto& changed = moves_.partners[m].give;
    for (std::size_t p = 0; p < copies_.partners.size(); ++p)
      if (meet(changed, copies_.partners[p].give)) needs_[p].push_back(m);
    if (meet(changed, copies_.originals)) needs_.back().push_back(m);
  }
}

template <int D, class T>
void cell_set<D, T>::find_bounds(const grid::box<D>& of, double width, point<D>& from, point<D>& to) const {
  for (int d = 0; d < D; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const double w = domain_.cell_width()[k], tolerance = 1e-9 * w;
    from[k] = domain_.lower()[k] + of.origin[d] * w - width - tolerance;
    to[k] = domain_.lower()[k] + (of.origin[d] + of.extents[d]) * w + width + tolerance;
    if (domain_.is_periodic(d)) continue;
    if (of.origin[d] == 0) from[k] = -std::numeric_limits<double>::infinity();
    if (of.origin[d] + of.extents[d] == domain_.cells()[d]) to[k] = std::numeric_limits<double>::infinity();
  }
}

/// Selects those elements of the cells `of` that, shifted, lie in a box. Calls `take(cell, T&&)` for each
/// selected element, and `take(cell, count)` with their number in each cell.
template <int D, class T>
template <class Take>
void cell_set<D, T>::select_copies(const grid::box<D>& of, const point<D>& shift, const point<D>& from,
                                   const point<D>& to, copied& selection, Take take) const {
  for (const auto& at : of) {
    const std::size_t n = number_of(at);
    const auto& c = own_[n];
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      point<D> x = c.template position<D>(i);
      bool is_inside = true;
      for (std::size_t d = 0; d < x.size(); ++d) {
        x[d] += shift[d];
        is_inside &= x[d] >= from[d] && x[d] <= to[d];
      }
      if (!is_inside) continue;
      T e = c.get(i);
      e.position = x;
      take(at, std::move(e));
      selection.elements.push_back({static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(i)});
      ++count;
    }
    take(at, count);
  }
  selection.ends.push_back(selection.elements.size());
}

template <int D, class T>
auto cell_set<D, T>::copies_for(std::size_t partner) -> parcel {
  const auto& to = copies_.partners[partner];
  parcel p{.what = detail::activity::cache};
  point<D> lower, upper;
  find_bounds(cut_[to.where], copies_.distance, lower, upper);
  auto& selection = copied_[partner];
  selection.elements.clear();
  selection.ends.clear();
  for (const auto& part : to.give)
    select_copies(part.cells, shift_of(part.wrap), lower, upper, selection,
                  [&](const index<D>&, auto&& what) {
                    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(what)>, T>)
                      p.elements.push_back(std::move(what));
                    else
                      p.cells.push_back(what);
                  });
  return p;
}

template <int D, class T>
void cell_set<D, T>::copy_images() {
  images_.elements.clear();
  images_.ends.clear();
  point<D> lower, upper;
  find_bounds(own_box_, copies_.distance, lower, upper);
  for (const auto& part : copies_.originals) {
    index<D> around;
    for (int d = 0; d < D; ++d) around[d] = part.wrap[d] * domain_.cells()[d];
    select_copies(part.cells, shift_of(part.wrap), lower, upper, images_,
                  [&](const index<D>& at, auto&& what) {
                    const std::size_t slot = slot_of(at + around);
                    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(what)>, T>)
                      halo_[slot].push(std::move(what));
                    else
                      has_arrived_[slot] = 1;
                  });
  }
}

template <int D, class T>
void cell_set<D, T>::begin_cache(double width, std::int64_t after) {
  if (!port_) [[unlikely]]
    detail::throw_not_connected();
  check_problem();
  if (is_caching() || is_refreshing_) [[unlikely]]
    detail::throw_unfinished("cache_halo", sequence_);
  prepare_copies(width);
  const std::size_t partners = copies_.partners.size();
  caching_ = ++sequence_;
  after_ = after;
  for (auto& c : halo_) c.clear();
  has_arrived_.assign(halo_.size(), 0);
  is_sent_.assign(partners + 1, 0);
  is_taken_.assign(partners, 0);
  copied_.resize(partners);
  first_copy_.clear();
  number_of_copies_ = 0;
  copies_missing_ = partners;
  unsent_ = partners + 1;
  has_halo_ = true;
  send_ready_copies();
  take_early();
}

template <int D, class T>
template <class Chare>
task<> cell_set<D, T>::cache_halo_together(Chare& self, double width) {
  check_idle("cache_halo_together");
  prepare_copies(width);
  const std::size_t partners = copies_.partners.size();
  ++sequence_;
  for (auto& c : halo_) c.clear();
  has_arrived_.assign(halo_.size(), 0);
  copied_.resize(partners);
  first_copy_.clear();
  number_of_copies_ = 0;
  std::vector<std::pair<index<D>, parcel>> outgoing_parcels;
  for (std::size_t p = 0; p < partners; ++p) {
    parcel copies = copies_for(p);
    copies.from = extension::linear(cut_.shape(), where_);
    outgoing_parcels.emplace_back(copies_.partners[p].where, std::move(copies));
  }
  copy_images();
  auto incoming_parcels = co_await imbrex::exchange(self, std::move(outgoing_parcels));
  for (auto& [from, p] : incoming_parcels) take_copies(partner_of(copies_, p.from), std::move(p));
  check_problem();
  number_elements();
  has_halo_ = true;
}

template <int D, class T>
void cell_set<D, T>::send_ready_copies() {
  if (unsent_ == 0) return;
  if (moves_missing_ != 0 && after_ == moving_) return;
  for (std::size_t p = 0; p < is_sent_.size(); ++p) {
    if (is_sent_[p] != 0) continue;
    const bool is_ready = moves_missing_ == 0 ||
                          std::ranges::all_of(needs_[p], [&](std::size_t m) { return has_moved_[m] != 0; });
    if (!is_ready) continue;
    is_sent_[p] = 1;
    --unsent_;
    if (p + 1 == is_sent_.size())
      copy_images();
    else
      send(copies_.partners[p].block, copies_for(p), caching_);
  }
}

template <int D, class T>
void cell_set<D, T>::take_copies(std::size_t from, parcel&& p) {
  std::size_t cell = 0, at = 0;
  for (const auto& part : copies_.partners[from].take)
    for (const auto& c : part.cells) {
      const std::size_t n = cell < p.cells.size() ? p.cells[cell] : 0;
      ++cell;
      const std::size_t slot = slot_of(c);
      for (std::size_t i = 0; i < n && at < p.elements.size(); ++i)
        halo_[slot].push(std::move(p.elements[at++]));
      has_arrived_[slot] = 1;
    }
  if (cell != p.cells.size() || at != p.elements.size())
    problem_ = detail::other_count_text(caching_, block_text(p.from), p.cells.size(), cell);
}

template <int D, class T>
void cell_set<D, T>::number_elements() {
  if (!first_copy_.empty()) return;
  first_own_.resize(own_.size());
  std::size_t n = 0;
  for (std::size_t c = 0; c < own_.size(); ++c) {
    first_own_[c] = n;
    n += own_[c].size();
  }
  n = images_.elements.size();
  for (const auto& p : copies_.partners) {
    first_copy_.push_back(n);
    for (const auto& part : p.take)
      for (const auto& at : part.cells) n += halo_[slot_of(at)].size();
  }
  first_copy_.push_back(n);
  number_of_copies_ = n;
}

template <int D, class T>
std::vector<copy_partner<D>> cell_set<D, T>::copy_partners() {
  check_idle("copy_partners");
  if (!has_halo_) [[unlikely]]
    detail::throw_no_halo();
  number_elements();
  std::vector<copy_partner<D>> all;
  const auto add = [&](const index<D>& block, const copied& selection, const auto& parts,
                       std::size_t first_copy, std::size_t end) {
    auto& with = all.emplace_back(copy_partner<D>{block, {}, first_copy, end - first_copy});
    std::size_t i = 0;
    for (std::size_t k = 0; k < parts.size(); ++k)
      for (; i < selection.ends[k]; ++i)
        with.sent.push_back(
            {first_own_[selection.elements[i].cell] + selection.elements[i].place, parts[k].wrap});
  };
  add(where_, images_, copies_.originals, 0, images_.elements.size());
  for (std::size_t p = 0; p < copies_.partners.size(); ++p)
    add(copies_.partners[p].where, copied_[p], copies_.partners[p].give, first_copy_[p], first_copy_[p + 1]);
  return all;
}

template <int D, class T>
void cell_set<D, T>::begin_refresh(detail::activity what) {
  check_idle(what == detail::activity::refresh ? "refresh" : "give_back");
  if (!has_halo_) [[unlikely]]
    detail::throw_no_halo();
  number_elements();
  ++sequence_;
  refreshing_ = what;
  is_refreshing_ = true;
  const std::size_t partners = copies_.partners.size();
  refreshes_.clear();
  refreshes_.resize(partners);
  has_refreshed_.assign(partners, 0);
  refreshes_missing_ = partners;
}

template <int D, class T>
template <class V, class Get, class Put>
auto cell_set<D, T>::refresh(Get get, Put put) -> refreshed<V, Put> {
  static_assert(std::is_trivially_copyable_v<V>, "imbrex: values of a refresh are copied by their bytes");
  begin_refresh(detail::activity::refresh);
  const auto for_each = [&](const copied& selection, const auto& parts, auto take) {
    std::size_t i = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const point<D> shift = shift_of(parts[k].wrap);
      for (; i < selection.ends[k]; ++i) {
        const auto& [cell, place] = selection.elements[i];
        take(i, get(first_own_[cell] + place, shift));
      }
    }
  };
  for (std::size_t p = 0; p < copies_.partners.size(); ++p) {
    parcel values{.what = detail::activity::refresh,
                  .values = grid::detail::pooled<std::byte>(copied_[p].elements.size() * sizeof(V))};
    for_each(copied_[p], copies_.partners[p].give,
             [&](std::size_t i, const V& value) { write(values, i, value); });
    send(copies_.partners[p].block, std::move(values), sequence_);
  }
  for_each(images_, copies_.originals, [&](std::size_t i, const V& value) { put(i, value); });
  take_early();
  return {*this, {condition::kind::refreshed, sequence_, 0}, std::move(put)};
}

template <int D, class T>
template <class V, class Get, class Put>
auto cell_set<D, T>::give_back(Get get, Put put) -> refreshed<V, Put> {
  static_assert(std::is_trivially_copyable_v<V>,
                "imbrex: values that are given back are copied by their bytes");
  begin_refresh(detail::activity::give_back);
  for (std::size_t p = 0; p < copies_.partners.size(); ++p) {
    const std::size_t first = first_copy_[p], n = first_copy_[p + 1] - first;
    parcel values{.what = detail::activity::give_back,
                  .values = grid::detail::pooled<std::byte>(n * sizeof(V))};
    for (std::size_t i = 0; i < n; ++i) write<V>(values, i, get(first + i));
    send(copies_.partners[p].block, std::move(values), sequence_);
  }
  for (std::size_t i = 0; i < images_.elements.size(); ++i) {
    const auto& [cell, place] = images_.elements[i];
    put(first_own_[cell] + place, get(i));
  }
  take_early();
  return {*this, {condition::kind::refreshed, sequence_, 0}, std::move(put)};
}

template <int D, class T>
template <class V, class Put>
void cell_set<D, T>::finish_refresh(Put& put) {
  const bool forth = refreshing_ == detail::activity::refresh;
  for (std::size_t p = 0; p < refreshes_.size(); ++p) {
    const auto& values = refreshes_[p].values;
    const std::size_t expected_count =
        forth ? first_copy_[p + 1] - first_copy_[p] : copied_[p].elements.size();
    if (values.size() != expected_count * sizeof(V)) [[unlikely]]
      throw error(detail::other_count_text(sequence_, block_text(copies_.partners[p].block),
                                           values.size() / sizeof(V), expected_count));
    for (std::size_t i = 0; i < expected_count; ++i) {
      V value;
      std::memcpy(&value, values.data() + i * sizeof(V), sizeof(V));
      if (forth) {
        put(first_copy_[p] + i, value);
      } else {
        const auto& [cell, place] = copied_[p].elements[i];
        put(first_own_[cell] + place, value);
      }
    }
  }
  refreshes_.clear();
  is_refreshing_ = false;
}

template <int D, class T>
void cell_set<D, T>::put(node& l) {
  unread_.add(l);
  if (l.reference > sequence_) return;  // the sender is a phase ahead
  take(l);
  tell();
}

template <int D, class T>
void cell_set<D, T>::take_early() {
  for (auto* l = unread_.first(); l != nullptr;) {
    auto* const next = unread_.after(*l);
    if (l->reference <= sequence_) take(*l);
    l = next;
  }
}

template <int D, class T>
void cell_set<D, T>::take(node& l) {
  using detail::activity;
  parcel p = std::move(l.value);
  const std::int64_t number = l.reference;
  if (const auto* const observers = observer_list::here()) [[unlikely]]
    observers->received(*l.owner, number);
  unread_.remove(l);
  const auto is_of = [&](const detail::reach<D>& in, std::vector<std::uint8_t>& have) {
    const std::size_t from = partner_of(in, p.from);
    if (from < in.partners.size() && have[from] == 0) {
      have[from] = 1;
      return from;
    }
    problem_ = detail::stranger_text(number, block_text(p.from), imbrex::to_string(where_));
    return in.partners.size();
  };
  activity expected = activity::none;
  if (number == moving_ && moves_missing_ != 0)
    expected = activity::migrate;
  else if (number == caching_ && copies_missing_ != 0)
    expected = activity::cache;
  else if (is_refreshing_ && number == sequence_)
    expected = refreshing_;
  if (p.what != expected) {
    problem_ = detail::other_kind_text(number, block_text(p.from), imbrex::to_string(where_));
  } else if (expected == activity::migrate) {
    const std::size_t from = is_of(moves_, has_moved_);
    if (from < moves_.partners.size()) take_moved(from, std::move(p));
    send_ready_copies();
  } else if (expected == activity::cache) {
    const std::size_t from = is_of(copies_, is_taken_);
    if (from == copies_.partners.size()) return;
    take_copies(from, std::move(p));
    --copies_missing_;
  } else {
    const std::size_t from = is_of(copies_, has_refreshed_);
    if (from == copies_.partners.size()) return;
    refreshes_[from] = std::move(p);
    --refreshes_missing_;
  }
}

template <int D, class T>
void cell_set<D, T>::tell() {
  ++news_;
  wake();
}

template <int D, class T>
bool cell_set<D, T>::is_there(const condition& c) const {
  check_problem();
  using kind = condition::kind;
  switch (c.what) {
    case kind::moved_cell: return c.phase != moving_ || waiting_for_[c.cell] == 0;
    case kind::moved_all: return c.phase != moving_ || !is_moving();
    case kind::cached_cell: return c.phase != caching_ || has_arrived_[c.cell] != 0;
    case kind::cached_all: return c.phase != caching_ || (!is_caching() && !is_moving());
    case kind::refreshed: return refreshes_missing_ == 0;
    case kind::news: return news_ != c.phase;
  }
  return true;
}

template <int D, class T>
std::string cell_set<D, T>::missing_text(const condition&) const {
  std::string text = "phase " + std::to_string(sequence_);
  const auto list = [&](const char* what, const detail::reach<D>& in, const std::vector<std::uint8_t>& have) {
    text += what;
    const char* between = " ";
    for (std::size_t p = 0; p < in.partners.size(); ++p) {
      if (have[p] != 0) continue;
      text += between + imbrex::to_string(in.partners[p].where);
      between = ", ";
    }
  };
  if (moves_missing_ != 0) list(", for elements of the blocks", moves_, has_moved_);
  if (copies_missing_ != 0) list(", for copies of the blocks", copies_, is_taken_);
  if (is_refreshing_ && refreshes_missing_ != 0) list(", for values of the blocks", copies_, has_refreshed_);
  return text;
}

template <int D, class T>
void cell_set<D, T>::serialize(auto& ar) {
  ar(port_, where_, domain_, cut_, own_box_, own_, sequence_, news_, problem_, unread_);
  ar(moves_, reachable_, senders_, moving_, waiting_for_, moved_, has_moved_, moves_missing_);
  ar(copies_, halo_, has_arrived_, needs_, caching_, after_, is_sent_, is_taken_, copied_, images_,
     first_copy_, number_of_copies_, first_own_, copies_missing_, unsent_, has_halo_);
  ar(refreshing_, is_refreshing_, refreshes_, has_refreshed_, refreshes_missing_);
}

}  // namespace imbrex::cells
