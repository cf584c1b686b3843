// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/behaviour/stack_entry.test.hpp>

#include <atomic>
#include <cstring>

#include <cxxabi.h>

#include <imbrex/core/pe/local_array.hpp>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define IMBREX_TEST_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define IMBREX_TEST_TSAN 1
#endif

namespace imbrex::stack_test {

namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10U;

std::atomic<int> stacks = 0;

}  // namespace

#ifdef IMBREX_TEST_ASAN
stack_for_sanitizers::stack_for_sanitizers() = default;
stack_for_sanitizers::~stack_for_sanitizers() = default;
void stack_for_sanitizers::enter() { __sanitizer_start_switch_fiber(&callers_frames, bottom, size); }
void stack_for_sanitizers::left() { __sanitizer_finish_switch_fiber(callers_frames, nullptr, nullptr); }
void stack_for_sanitizers::leave(bool for_good) {
  __sanitizer_start_switch_fiber(for_good ? nullptr : &frames, callers_bottom, callers_size);
}
void stack_for_sanitizers::entered() {
  __sanitizer_finish_switch_fiber(frames, &callers_bottom, &callers_size);
}
#elif defined(IMBREX_TEST_TSAN)
stack_for_sanitizers::stack_for_sanitizers() : thread(__tsan_create_fiber(0)) {}
stack_for_sanitizers::~stack_for_sanitizers() { __tsan_destroy_fiber(thread); }
void stack_for_sanitizers::enter() {
  callers_thread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(thread, 0);
}
void stack_for_sanitizers::left() {}
void stack_for_sanitizers::leave(bool) { __tsan_switch_to_fiber(callers_thread, 0); }
void stack_for_sanitizers::entered() {}
#else
stack_for_sanitizers::stack_for_sanitizers() = default;
stack_for_sanitizers::~stack_for_sanitizers() = default;
void stack_for_sanitizers::enter() {}
void stack_for_sanitizers::left() {}
void stack_for_sanitizers::leave(bool) {}
void stack_for_sanitizers::entered() {}
#endif

int stack::count() { return stacks; }

stack::stack(std::function<void(stack&)> run)
    : run_(std::move(run)),
      memory_(std::make_unique_for_overwrite<std::byte[]>(stack_bytes)),
      there_(boost::context::detail::make_fcontext(memory_.get() + stack_bytes, stack_bytes, &begin)) {
  ++stacks;
  seen_.bottom = memory_.get();
  seen_.size = stack_bytes;
}

void stack::begin(boost::context::detail::transfer_t from) {
  auto& its = *static_cast<stack*>(from.data);
  its.there_ = from.fctx;
  its.run_here();
  its.seen_.leave(true);
  boost::context::detail::jump_fcontext(its.there_, nullptr);  // the stack is never resumed
}

stack::~stack() {
  if (!ended_) {
    is_dropped_ = true;
    enter();
  }
  --stacks;
}

bool stack::start(scope& entry, const waiter& awaiter) {
  entry_ = &entry;
  awaiter_ = awaiter;
  enter();
  return ended_;
}

void stack::resume(void* self) {
  auto& its = *static_cast<stack*>(self);
  its.enter();
  if (its.ended_) return its.awaiter_.resume();  // resuming destroys the stack
  detail::retry_departure(*its.entry_);
}

void stack::exchange_exceptions(exception_state& kept) {
  void* const here = abi::__cxa_get_globals();
  exception_state before;
  std::memcpy(before.data(), here, sizeof before);
  std::memcpy(here, kept.data(), sizeof kept);
  kept = before;
}

void stack::enter() {
  exchange_exceptions(exceptions_);
  seen_.enter();
  there_ = boost::context::detail::jump_fcontext(there_, this).fctx;
  seen_.left();
  exchange_exceptions(exceptions_);
}

void stack::leave() {
  seen_.leave(false);
  there_ = boost::context::detail::jump_fcontext(there_, nullptr).fctx;
  seen_.entered();
  if (is_dropped_) throw dropped();
}

void stack::run_here() noexcept {
  seen_.entered();
  if (!is_dropped_) try {
      run_(*this);
    } catch (const dropped&) {
    } catch (...) {
      error_ = std::current_exception();
    }
  ended_ = true;
}

}  // namespace imbrex::stack_test
