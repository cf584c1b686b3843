// SPDX-License-Identifier: Apache-2.0
// The most valuable load of a knapsack by branch and bound: a farm with one searcher on each PE, and a
// message for each branch of the search. Shows: a group, priorities, messages that may wait for each other,
// quiescence.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <imbrex/imbrex.hpp>
#include <imbrex/random.hpp>

#include "arguments.hpp"

namespace {

struct item {
  int weight = 0;
  int value = 0;
};

constexpr int capacity = 500;

/// Items in the order of value by weight, the best first.
std::vector<item> make_items(int count) {
  imbrex::random random(1);
  std::vector<item> items;
  for (int i = 0; i < count; ++i) {
    const int weight = 20 + static_cast<int>(random.below(80));
    items.push_back({weight, weight + 10 + static_cast<int>(random.below(20))});
  }
  std::ranges::sort(items, [](auto& a, auto& b) { return a.value * b.weight > b.value * a.weight; });
  return items;
}

/// A branch: a choice among the first `decided` items.
struct branch {
  int decided = 0;
  int weight = 0;
  int value = 0;
};

/// An upper bound of the branch's loads: the next items that fit, and a part of the first that does not.
int bound(const branch& b, const std::vector<item>& items) {
  int value = b.value;
  int room = capacity - b.weight;
  for (auto i = items.begin() + b.decided; i != items.end(); ++i) {
    if (i->weight > room) return value + room * i->value / i->weight;
    room -= i->weight;
    value += i->value;
  }
  return value;
}

/// The best value by dynamic programming: a table of the best value for each weight.
int best_by_table(const std::vector<item>& items) {
  std::vector<int> best(capacity + 1);
  for (const auto& i : items)
    for (std::size_t w = capacity; w >= static_cast<std::size_t>(i.weight); --w)
      best[w] = std::max(best[w], best[w - static_cast<std::size_t>(i.weight)] + i.value);
  return best.back();
}

}  // namespace

class searcher : public imbrex::chare<searcher> {
 public:
  void learn(const std::vector<item>& items) { items_ = items; }

  void search(const branch& b) { search_to(b, b.decided + 4); }

  void hear(int value) { best_ = std::max(best_, value); }

  int best() const { return best_; }

 private:
  // Searches the branches up to `decided` decided items itself, and distributes the remaining ones to all
  // PEs.
  void search_to(const branch& b, int decided) {
    if (b.value > best_) tell(b.value);
    if (bound(b, items_) <= best_) return;
    if (b.decided == decided) {
      // Branches with the most decided items go first: so good loads are found early, and few branches wait.
      const auto next = peers()[next_++ % num_pes()].with_priority(-std::min(decided, 32));
      return imbrex::send<&searcher::search>(next, b);
    }
    const item& i = items_[static_cast<std::size_t>(b.decided)];
    if (b.weight + i.weight <= capacity)
      search_to({b.decided + 1, b.weight + i.weight, b.value + i.value}, decided);
    search_to({b.decided + 1, b.weight, b.value}, decided);
  }

  // No chare waits for this message; it only saves work. So it may be coalesced with others to another
  // process.
  void tell(int value) {
    hear(value);
    for (int p = 0; p < num_pes(); ++p)
      if (p != pe()) imbrex::send<&searcher::hear>(peers()[p].coalesced(), value);
  }

  std::vector<item> items_;
  int best_ = 0;
  int next_ = 0;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "knapsack [ITEMS]");
    const auto items = make_items(command_line.next("ITEMS", 30, 60));
    command_line.finish();

    const auto searchers = imbrex::make_group<searcher>();
    co_await searchers.call<&searcher::learn>(items);  // no branch reaches a searcher without items
    imbrex::send<&searcher::search>(searchers[0], branch{});
    co_await imbrex::quiescence();  // no branch is left, and none is in flight
    const int best = co_await searchers.reduce<&searcher::best>(imbrex::max);

    const bool right = best == best_by_table(items);
    std::printf("the best load is worth %d: %s\n", best, right ? "as by a table" : "not as by a table");
    co_return right ? 0 : 1;
  });
}
