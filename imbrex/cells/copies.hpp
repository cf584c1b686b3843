// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of a cell set that send copies of elements to other blocks, and handle received parcels.

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/cells/declaration.hpp>

namespace imbrex::cells {

template <int D, class T>
void cell_set<D, T>::prepare_copies(double width) {
  if (!copies_.prepare(here_, width)) return;
  halo_.prepare(copies_.within().region.size());
  pairs_.forget();
  copies_.find_needs(moves_);
}

template <int D, class T>
void cell_set<D, T>::begin_cache(double width, std::int64_t after) {
  if (!port_) [[unlikely]]
    detail::throw_not_connected();
  problem_.check();
  if (copies_.is_active() || refresh_.is_active()) [[unlikely]]
    detail::throw_unfinished("cache_halo", sequence_);
  prepare_copies(width);
  copies_.begin(++sequence_, after);
  halo_.begin(copies_.within().partners.size());
  has_halo_ = true;
  send_ready_copies();
  take_early();
}

template <int D, class T>
template <class Chare>
task<> cell_set<D, T>::cache_halo_together(Chare& self, double width) {
  check_idle("cache_halo_together");
  prepare_copies(width);
  const auto& partners = copies_.within().partners;
  ++sequence_;
  copies_.begin_together();
  halo_.begin(partners.size());
  std::vector<std::pair<index<D>, parcel>> outgoing_parcels;
  for (std::size_t p = 0; p < partners.size(); ++p) {
    parcel copies = halo_.copies_for(here_, own_, copies_, p);
    copies.from = here_.own_number();
    outgoing_parcels.emplace_back(partners[p].where, std::move(copies));
  }
  halo_.copy_images(here_, own_, copies_);
  auto incoming_parcels = co_await imbrex::exchange(self, std::move(outgoing_parcels));
  for (auto& [from, p] : incoming_parcels)
    take_copies(detail::partner_of(copies_.within(), p.from), std::move(p));
  problem_.check();
  halo_.number(own_, copies_);
  has_halo_ = true;
}

template <int D, class T>
void cell_set<D, T>::send_ready_copies() {
  const auto& partners = copies_.within().partners;
  copies_.send_ready(moves_, [&](std::size_t p) {
    if (p == partners.size())
      halo_.copy_images(here_, own_, copies_);
    else
      send(partners[p].block, halo_.copies_for(here_, own_, copies_, p), copies_.phase());
  });
}

template <int D, class T>
void cell_set<D, T>::take_copies(std::size_t from, parcel&& p) {
  const auto sender = p.from;
  const std::size_t cells = p.cells.size();
  const auto result = halo_.take(copies_, from, std::move(p));
  if (!result.is_valid)
    problem_.set(detail::other_count_text(copies_.phase(), here_.block_text(sender), cells, result.cells));
}

template <int D, class T>
std::vector<copy_partner<D>> cell_set<D, T>::copy_partners() {
  check_idle("copy_partners");
  if (!has_halo_) [[unlikely]]
    detail::throw_no_halo();
  halo_.number(own_, copies_);
  const detail::copy_numbers& numbers = halo_.numbers();
  std::vector<copy_partner<D>> all;
  const auto add = [&](const index<D>& block, const detail::copy_selection& selection, const auto& parts,
                       std::size_t first_copy, std::size_t copies) {
    auto& with = all.emplace_back(copy_partner<D>{block, {}, first_copy, copies});
    std::size_t i = 0;
    for (std::size_t k = 0; k < parts.size(); ++k)
      for (; i < selection.ends[k]; ++i)
        with.sent.push_back({numbers.number(selection.elements[i]), parts[k].wrap});
  };
  const detail::reach<D>& within = copies_.within();
  add(here_.where, numbers.images(), within.originals, 0, numbers.images().elements.size());
  for (std::size_t p = 0; p < within.partners.size(); ++p)
    add(within.partners[p].where, numbers.of(p), within.partners[p].give, numbers.first_copy(p),
        numbers.copies_of(p));
  return all;
}

template <int D, class T>
void cell_set<D, T>::begin_refresh(detail::activity what) {
  check_idle(what == detail::activity::refresh ? "refresh" : "give_back");
  if (!has_halo_) [[unlikely]]
    detail::throw_no_halo();
  halo_.number(own_, copies_);
  ++sequence_;
  refresh_.begin(what, copies_.within().partners.size());
}

template <int D, class T>
template <class V, class Get, class Put>
auto cell_set<D, T>::refresh(Get get, Put put) -> refreshed<V, Put> {
  static_assert(std::is_trivially_copyable_v<V>, "imbrex: values of a refresh are copied by their bytes");
  begin_refresh(detail::activity::refresh);
  const detail::copy_numbers& numbers = halo_.numbers();
  const auto for_each = [&](const detail::copy_selection& selection, const auto& parts, auto take) {
    std::size_t i = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const point<D> shift = here_.shift_of(parts[k].wrap);
      for (; i < selection.ends[k]; ++i) take(i, get(numbers.number(selection.elements[i]), shift));
    }
  };
  const detail::reach<D>& within = copies_.within();
  for (std::size_t p = 0; p < within.partners.size(); ++p) {
    parcel values{.what = detail::activity::refresh,
                  .values = grid::detail::pooled<std::byte>(numbers.of(p).elements.size() * sizeof(V))};
    for_each(numbers.of(p), within.partners[p].give,
             [&](std::size_t i, const V& value) { values.write(i, value); });
    send(within.partners[p].block, std::move(values), sequence_);
  }
  for_each(numbers.images(), within.originals, [&](std::size_t i, const V& value) { put(i, value); });
  take_early();
  return {*this, {condition::kind::refreshed, sequence_, 0}, std::move(put)};
}

template <int D, class T>
template <class V, class Get, class Put>
auto cell_set<D, T>::give_back(Get get, Put put) -> refreshed<V, Put> {
  static_assert(std::is_trivially_copyable_v<V>,
                "imbrex: values that are given back are copied by their bytes");
  begin_refresh(detail::activity::give_back);
  const detail::copy_numbers& numbers = halo_.numbers();
  const auto& partners = copies_.within().partners;
  for (std::size_t p = 0; p < partners.size(); ++p) {
    const std::size_t first = numbers.first_copy(p), n = numbers.copies_of(p);
    parcel values{.what = detail::activity::give_back,
                  .values = grid::detail::pooled<std::byte>(n * sizeof(V))};
    for (std::size_t i = 0; i < n; ++i) values.write(i, V(get(first + i)));
    send(partners[p].block, std::move(values), sequence_);
  }
  const auto& images = numbers.images().elements;
  for (std::size_t i = 0; i < images.size(); ++i) put(numbers.number(images[i]), get(i));
  take_early();
  return {*this, {condition::kind::refreshed, sequence_, 0}, std::move(put)};
}

template <int D, class T>
template <class V, class Put>
void cell_set<D, T>::finish_refresh(Put& put) {
  const bool forth = refresh_.what() == detail::activity::refresh;
  const detail::copy_numbers& numbers = halo_.numbers();
  for (std::size_t p = 0; p < refresh_.parcels().size(); ++p) {
    const auto& values = refresh_.parcels()[p].values;
    const std::size_t expected_count = forth ? numbers.copies_of(p) : numbers.of(p).elements.size();
    if (values.size() != expected_count * sizeof(V)) [[unlikely]]
      throw error(detail::other_count_text(sequence_, here_.block_text(copies_.within().partners[p].block),
                                           values.size() / sizeof(V), expected_count));
    for (std::size_t i = 0; i < expected_count; ++i) {
      V value;
      std::memcpy(&value, values.data() + i * sizeof(V), sizeof(V));
      put(forth ? numbers.first_copy(p) + i : numbers.number(numbers.of(p).elements[i]), value);
    }
  }
  refresh_.end();
}

template <int D, class T>
void cell_set<D, T>::put(node& l) {
  unread_.add(l);
  if (l.reference > sequence_) return;  // the sender is a phase ahead
  take(l);
  ++news_;
  wake();
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
  // The sender's index among the partners of an exchange, if it is one and has not sent before.
  const auto from = [&](const detail::reach<D>& in, auto& exchange) {
    const std::size_t partner = detail::partner_of(in, p.from);
    if (partner < in.partners.size() && exchange.arrive(partner)) return partner;
    problem_.set(detail::stranger_text(number, here_.block_text(p.from), here_.here_text()));
    return in.partners.size();
  };
  activity expected = activity::none;
  if (number == moves_.phase() && moves_.is_active())
    expected = activity::migrate;
  else if (number == copies_.phase() && !copies_.has_all_copies())
    expected = activity::cache;
  else if (refresh_.is_active() && number == sequence_)
    expected = refresh_.what();
  if (p.what != expected) {
    problem_.set(detail::other_kind_text(number, here_.block_text(p.from), here_.here_text()));
  } else if (expected == activity::migrate) {
    const std::size_t sender = from(moves_.within(), moves_);
    if (sender < moves_.within().partners.size()) take_moved(sender, std::move(p));
    send_ready_copies();
  } else if (expected == activity::cache) {
    const std::size_t sender = from(copies_.within(), copies_);
    if (sender == copies_.within().partners.size()) return;
    take_copies(sender, std::move(p));
    copies_.add();
  } else {
    const std::size_t sender = from(copies_.within(), refresh_);
    if (sender < copies_.within().partners.size()) refresh_.add(sender, std::move(p));
  }
}

template <int D, class T>
bool cell_set<D, T>::is_there(const condition& c) const {
  problem_.check();
  using kind = condition::kind;
  switch (c.what) {
    case kind::moved_cell: return c.phase != moves_.phase() || moves_.is_complete(c.cell);
    case kind::moved_all: return c.phase != moves_.phase() || !moves_.is_active();
    case kind::cached_cell: return c.phase != copies_.phase() || copies_.has_cell(c.cell);
    case kind::cached_all: return c.phase != copies_.phase() || (!copies_.is_active() && !moves_.is_active());
    case kind::refreshed: return !refresh_.is_missing_values();
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
  if (moves_.is_active()) list(", for elements of the blocks", moves_.within(), moves_.arrived());
  if (!copies_.has_all_copies()) list(", for copies of the blocks", copies_.within(), copies_.arrived());
  if (refresh_.is_active() && refresh_.is_missing_values())
    list(", for values of the blocks", copies_.within(), refresh_.arrived());
  return text;
}

template <int D, class T>
void cell_set<D, T>::serialize(auto& ar) {
  ar(port_, here_, own_, sequence_, news_, problem_, unread_);
  ar(moves_, moved_, copies_, halo_, has_halo_, refresh_);
}

}  // namespace imbrex::cells
