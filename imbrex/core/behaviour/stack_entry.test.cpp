// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/behaviour/stack_entry.test.hpp>

#include <atomic>
#include <cstddef>

#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::stack_test {

namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10U;

std::atomic<int> stacks = 0;

}  // namespace

int stack::count() { return stacks; }

stack::stack(std::function<void(stack&)> run)
    : run_(std::move(run)),
      fiber_(stack_bytes, [](void* self) { static_cast<stack*>(self)->run_here(); }, this) {
  ++stacks;
}

stack::~stack() {
  if (!fiber_.has_ended()) {
    is_dropped_ = true;
    fiber_.enter();
  }
  --stacks;
}

bool stack::start(scope& entry, const waiter& awaiter) {
  entry_ = &entry;
  awaiter_ = awaiter;
  fiber_.enter();
  return fiber_.has_ended();
}

void stack::resume(void* self) {
  auto& its = *static_cast<stack*>(self);
  its.fiber_.enter();
  if (its.fiber_.has_ended()) return its.awaiter_.resume();  // resuming destroys the stack
  detail::retry_departure(*its.entry_);
}

void stack::leave() {
  fiber_.leave();
  if (is_dropped_) throw dropped();
}

void stack::run_here() noexcept {
  if (!is_dropped_) try {
      run_(*this);
    } catch (const dropped&) {
    } catch (...) {
      error_ = std::current_exception();
    }
}

}  // namespace imbrex::stack_test
