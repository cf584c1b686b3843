// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of a cell set that visit pairs of cells.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/cells/declaration.hpp>

namespace imbrex::cells {

template <int D, class T>
template <class Visit>
task<> cell_set<D, T>::for_each_pair(double distance, Visit visit, pairs which) {
  if (!has_halo_) [[unlikely]]
    detail::throw_no_halo();
  if (distance > copies_.within().distance * (1 + 1e-12)) [[unlikely]]
    detail::throw_narrow(distance, copies_.within().distance);
  if (pairs_.prepare(here_.domain, halo(), distance) || by_slot_.empty()) {
    by_slot_.clear();
    for (const auto& at : halo()) by_slot_.push_back(&(*this)[at]);
  }
  const auto are_complete_near = [this](std::size_t number) {
    return pairs_.for_each(halo(), here_.cell(number), [this](std::size_t slot) {
      const cell_type& c = *by_slot_[slot];
      return c.is_own() ? moves_.is_complete(c.number()) : copies_.has_cell(c.number());
    });
  };
  std::vector<std::uint32_t> rest(own_.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = static_cast<std::uint32_t>(i);
  std::size_t work = 0;  // pairs of elements
  while (true) {
    const std::int64_t seen = news_;
    std::size_t left = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const std::uint32_t number = rest[i];
      if ((moves_.is_active() || copies_.is_active()) && !are_complete_near(number)) {
        rest[left++] = number;
        continue;
      }
      auto& own = own_[number];
      if (own.empty()) continue;
      pairs_.for_each(halo(), here_.cell(number), [&](std::size_t slot) {
        cell_type& other = *by_slot_[slot];
        if (other.empty() || (which == pairs::once && other.is_own() && other.number() < number)) return true;
        work += own.size() * other.size();
        visit(own, other);
        return true;
      });
      if (work < turn) continue;
      work = 0;
      co_await give_way();
    }
    rest.resize(left);
    if (left == 0) break;
    co_await detail::plain_wait(*this, {condition::kind::news, seen, 0});
  }
  // The rest concerns no pair of this block, or only other blocks, and is still in flight.
  co_await detail::plain_wait(*this, {condition::kind::cached_all, copies_.phase(), 0});
}

}  // namespace imbrex::cells
