// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/moment_heap.hpp>

namespace imbrex {
namespace {

bool is_before(const moment_heap::entry& a, const moment_heap::entry& b) {
  return a.when != b.when ? a.when < b.when : a.which < b.which;
}

}  // namespace

void moment_heap::put(std::size_t place, const entry& e) {
  heap_[place] = e;
  places_[static_cast<std::size_t>(e.which)] = place;
}

void moment_heap::up(std::size_t place) {
  const entry moved = heap_[place];
  for (; place > 0; place = (place - 1) / 2) {
    const entry& above = heap_[(place - 1) / 2];
    if (!is_before(moved, above)) break;
    put(place, above);
  }
  put(place, moved);
}

void moment_heap::down(std::size_t place) {
  const entry moved = heap_[place];
  for (;;) {
    std::size_t below = 2 * place + 1;
    if (below >= heap_.size()) break;
    if (below + 1 < heap_.size() && is_before(heap_[below + 1], heap_[below])) ++below;
    if (!is_before(heap_[below], moved)) break;
    put(place, heap_[below]);
    place = below;
  }
  put(place, moved);
}

void moment_heap::set(int which, nanoseconds when) {
  const auto number = static_cast<std::size_t>(which);
  if (number >= places_.size()) places_.resize(number + 1, nowhere);
  std::size_t place = places_[number];
  if (place == nowhere) {
    place = heap_.size();
    heap_.push_back({when, which});
    places_[number] = place;
  } else {
    heap_[place].when = when;
  }
  up(place);
  down(places_[number]);
}

void moment_heap::erase(int which) {
  const std::size_t place = place_of(which);
  if (place == nowhere) return;
  places_[static_cast<std::size_t>(which)] = nowhere;
  const entry last = heap_.back();
  heap_.pop_back();
  if (last.which == which) return;
  put(place, last);
  up(place);
  down(places_[static_cast<std::size_t>(last.which)]);
}

}  // namespace imbrex
