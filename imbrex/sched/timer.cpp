// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/timer.hpp>

#include <utility>

namespace imbrex::detail {

void timer_heap::add(timer& t) {
  t.place = heap_.size();
  heap_.push_back(&t);
  up(t.place);
}

void timer_heap::remove(timer& t) {
  const std::size_t hole = t.place;
  exchange(hole, heap_.size() - 1);
  heap_.pop_back();
  t.place = timer::nowhere;
  if (hole == heap_.size()) return;
  up(hole);
  down(hole);
}

timer* timer_heap::take_due(nanoseconds now) {
  if (heap_.empty() || heap_.front()->deadline > now) return nullptr;
  timer* first = heap_.front();
  remove(*first);
  return first;
}

void timer_heap::exchange(std::size_t a, std::size_t b) {
  std::swap(heap_[a], heap_[b]);
  heap_[a]->place = a;
  heap_[b]->place = b;
}

void timer_heap::up(std::size_t at) {
  while (at > 0 && before(at, (at - 1) / 2)) {
    exchange(at, (at - 1) / 2);
    at = (at - 1) / 2;
  }
}

void timer_heap::down(std::size_t at) {
  for (;;) {
    std::size_t least = at;
    for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child)
      if (before(child, least)) least = child;
    if (least == at) return;
    exchange(at, least);
    at = least;
  }
}

}  // namespace imbrex::detail
