// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/run_queue.hpp>

#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>

namespace imbrex::detail {

struct run_queue::bag {
  explicit bag(std::uint64_t seed) : generator(seed) {}
  random generator;
  std::vector<work*> items;
};

run_queue::run_queue(std::optional<std::uint64_t> shuffle) {
  if (shuffle) bag_ = make_owner<bag>(*shuffle);
}

run_queue::~run_queue() = default;

std::span<const work* const> run_queue::bag_items() const { return bag_->items; }

bool run_queue::is_bag_empty() const { return bag_->items.empty(); }

void run_queue::put_into_bag(work& item) { bag_->items.push_back(&item); }

work* run_queue::draw() {
  auto& items = bag_->items;
  if (items.empty()) return nullptr;
  std::swap(items[bag_->generator.below(items.size())], items.back());
  work* item = items.back();
  items.pop_back();
  return item;
}

}  // namespace imbrex::detail
