// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/fiber.hpp>

#include <cerrno>
#include <cstring>
#include <functional>
#include <new>
#include <string>

#include <cxxabi.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <imbrex/base/error.hpp>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define IMBREX_HAS_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define IMBREX_HAS_TSAN 1
#endif

namespace imbrex::extension {

#ifdef IMBREX_HAS_ASAN
fiber::sanitizers::sanitizers() = default;
fiber::sanitizers::~sanitizers() = default;
void fiber::sanitizers::enter() { __sanitizer_start_switch_fiber(&callers_frames, bottom, size); }
void fiber::sanitizers::left() { __sanitizer_finish_switch_fiber(callers_frames, nullptr, nullptr); }
void fiber::sanitizers::leave(bool for_good) {
  __sanitizer_start_switch_fiber(for_good ? nullptr : &frames, callers_bottom, callers_size);
}
void fiber::sanitizers::entered() { __sanitizer_finish_switch_fiber(frames, &callers_bottom, &callers_size); }
#elif defined(IMBREX_HAS_TSAN)
fiber::sanitizers::sanitizers() : thread(__tsan_create_fiber(0)) {}
fiber::sanitizers::~sanitizers() { __tsan_destroy_fiber(thread); }
void fiber::sanitizers::enter() {
  callers_thread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(thread, 0);
}
void fiber::sanitizers::left() {}
void fiber::sanitizers::leave(bool) { __tsan_switch_to_fiber(callers_thread, 0); }
void fiber::sanitizers::entered() {}
#else
fiber::sanitizers::sanitizers() = default;
fiber::sanitizers::~sanitizers() = default;
void fiber::sanitizers::enter() {}
void fiber::sanitizers::left() {}
void fiber::sanitizers::leave(bool) {}
void fiber::sanitizers::entered() {}
#endif

namespace {

// Size of the guard area: addresses without memory.
constexpr std::size_t bytes_below = std::size_t{64} << 20U;

std::size_t page() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}
std::size_t whole_pages(std::size_t bytes) { return (bytes + page() - 1) / page() * page(); }

/// A context of the C library, on the stack that it belongs to.
struct system_context {
  ucontext_t registers;
  stack_switch::arrival arrived;
};

IMBREX_UNSEEN_BY_SANITIZERS stack_switch::arrival jump_by_system(void* to, void* data) {
  system_context here;
  auto& next = *static_cast<system_context*>(to);
  next.arrived = {&here, data};
  ::swapcontext(&here.registers, &next.registers);
  return here.arrived;
}

IMBREX_UNSEEN_BY_SANITIZERS void begin_by_system(unsigned low, unsigned high) {
  const std::uintptr_t address = std::uintptr_t{high} << 32U | low;         // makecontext passes integers
  fiber::begin(reinterpret_cast<const system_context*>(address)->arrived);  // NOLINT
}

void* make_by_system(std::byte* top, std::size_t bytes) {
  auto* const context = ::new (top - whole_pages(sizeof(system_context))) system_context{};
  ::getcontext(&context->registers);
  context->registers.uc_stack.ss_sp = top - bytes;
  context->registers.uc_stack.ss_size = bytes - whole_pages(sizeof(system_context));
  const auto self = reinterpret_cast<std::uintptr_t>(context);
  ::makecontext(&context->registers, reinterpret_cast<void (*)()>(&begin_by_system), 2,
                static_cast<unsigned>(self), static_cast<unsigned>(self >> 32U));
  return context;
}

}  // namespace

const stack_switch system_switch{&make_by_system, &jump_by_system};

void fiber::begin(stack_switch::arrival arrived) {
  auto& its = *static_cast<fiber*>(arrived.data);
  its.there_ = arrived.from;
  its.seen_.entered();
  its.body_(its.object_);
  its.end();
}

std::size_t fiber::reserved(std::size_t bytes) { return bytes_below + whole_pages(bytes); }

fiber::fiber(std::size_t bytes, function body, void* object, code_on_stack code, const stack_switch& by,
             std::byte* place)
    : bytes_(whole_pages(bytes)), jump_(by.jump), body_(body), object_(object) {
  constexpr int of_stack = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* const memory =
      ::mmap(place, bytes_below + bytes_, PROT_NONE, of_stack | (place == nullptr ? 0 : MAP_FIXED), -1, 0);
  const int access = PROT_READ | PROT_WRITE | (code == code_on_stack::yes ? PROT_EXEC : 0);
  if (memory == MAP_FAILED ||
      ::mprotect(static_cast<std::byte*>(memory) + bytes_below, bytes_, access) != 0) {
    const std::string why = std::strerror(errno);
    if (memory != MAP_FAILED) ::munmap(memory, bytes_below + bytes_);
    throw error("a stack of " + std::to_string(bytes_) + " bytes cannot be mapped: " + why +
                "; take fewer or smaller ones, or raise vm.max_map_count");
  }
  memory_ = static_cast<std::byte*>(memory);
  std::byte* const bottom = memory_ + bytes_below;
  seen_.bottom = bottom;
  seen_.size = bytes_;
  there_ = by.make(bottom + bytes_, bytes_);
}

fiber::~fiber() {
#ifdef IMBREX_HAS_ASAN
  __asan_unpoison_memory_region(memory_ + bytes_below, bytes_);  // frames may remain on the stack
#endif
  ::munmap(memory_, bytes_below + bytes_);
}

void fiber::exchange_exceptions(exception_state& kept) {
  void* const here = abi::__cxa_get_globals();
  exception_state before;
  std::memcpy(before.data(), here, sizeof before);
  std::memcpy(here, kept.data(), sizeof kept);
  kept = before;
}

#ifdef __aarch64__
fiber::float_control fiber::float_control::of_thread() {
  float_control now;
  asm volatile("mrs %0, fpcr" : "=r"(now.word));
  return now;
}
void fiber::float_control::apply() const { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
fiber::float_control fiber::float_control::of_thread() { return {}; }
void fiber::float_control::apply() const {}
#endif

void fiber::enter() {
  exchange_exceptions(exceptions_);
  const float_control callers = float_control::of_thread();
  floats_.apply();
  seen_.enter();
  there_ = jump_(there_, this).from;
  seen_.left();
  floats_ = float_control::of_thread();
  callers.apply();
  exchange_exceptions(exceptions_);
}

/// The stack may come to another fiber meanwhile: the one that `enter` passes.
void fiber::leave() {
  seen_.leave(false);
  const stack_switch::arrival arrived = jump_(there_, nullptr);
  fiber& now = *static_cast<fiber*>(arrived.data);
  now.there_ = arrived.from;
  now.seen_.entered();
}

void fiber::go_on_with(const left_state& left) {
  there_ = left.context;
  exceptions_ = left.exceptions;
  floats_.word = left.floats;
}

std::byte* fiber::top() const { return memory_ + bytes_below + bytes_; }

void fiber::end() {
  ended_ = true;
  seen_.leave(true);
  jump_(there_, nullptr);
  __builtin_unreachable();
}

bool fiber::holds(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  return std::greater_equal<>()(at, memory_) && std::less<>()(at, memory_ + bytes_below + bytes_);
}

bool fiber::is_below(const void* address) const {
  return holds(address) && std::less<>()(static_cast<const std::byte*>(address), memory_ + bytes_below);
}

}  // namespace imbrex::extension
