// SPDX-License-Identifier: Apache-2.0
#pragma once
// The switch of stacks, for front ends whose entries are no coroutines.

#include <array>
#include <cstddef>
#include <cstdint>

#ifdef __clang__  // ThreadSanitizer must not see a call that begins on one stack and ends on another
#define IMBREX_UNSEEN_BY_SANITIZERS __attribute__((disable_sanitizer_instrumentation))
#else
#define IMBREX_UNSEEN_BY_SANITIZERS
#endif

namespace imbrex::extension {

/// The functions that save the registers of one stack and load those of another. A context is the address of
/// saved registers, which lie on the stack that was left.
struct stack_switch {
  /// The context that was left, and the data that came with the switch.
  struct arrival {
    void* from;  ///< context of the stack that was left
    void* data;
  };

  /// Makes the context of a new stack of `bytes` bytes that ends at `top`. The first switch to it calls
  /// `fiber::begin`.
  void* (*make)(std::byte* top, std::size_t bytes);
  /// Leaves this stack for a context. Returns when somebody switches back.
  arrival (*jump)(void* to, void* data);
};

/// The switch of the C library. It makes a system call each time; `imbrex/mpi` has a faster one.
extern const stack_switch system_switch;

/// A function on a stack of its own. The function can leave and be entered again, also by another thread. The
/// rounding mode (fesetround) belongs to the fiber and begins as the creator's. Inaccessible guard pages lie
/// below the stack, enough to catch an overflow by a large array. Sanitizers are told of the switches.
class fiber {
 public:
  using function = void (*)(void* object);  ///< Work of a fiber; its end is the fiber's end.

  /// Whether the stack must be executable, as inner functions of Fortran and C require.
  enum class code_on_stack : bool { no, yes };

  /// Reserves `bytes` bytes of address space; the system provides pages on first use. `place`: addresses that
  /// the caller has reserved for it, `reserved(bytes)` many; null: anywhere. Throws imbrex::error if the
  /// reservation fails.
  fiber(std::size_t bytes, function body, void* object, code_on_stack code = code_on_stack::no,
        const stack_switch& by = system_switch, std::byte* place = nullptr);
  /// The addresses that a stack of `bytes` bytes takes, with its guard pages.
  static std::size_t reserved(std::size_t bytes);
  /// Frees the stack without running destructors of objects on it.
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Runs the function until it leaves its stack or ends. Called on the caller's stack.
  void enter();
  /// Returns to the caller of `enter`. Called on the fiber's stack; returns when the fiber is entered again.
  void leave();
  /// Like `leave`, for good.
  [[noreturn]] void end();

  /// State of a fiber that has left its stack, beside the stack. Another fiber goes on with it if the stack's
  /// bytes are at the same addresses, also in another process. There `leave` returns; functions below must
  /// not use objects of the former process, and the last one calls `end` of the new fiber.
  struct left_state {
    void* context = nullptr;            ///< also the lowest used address of the stack
    std::array<void*, 2> exceptions{};  ///< exceptions that the fiber handles
    std::uint64_t floats = 0;           ///< rounding and traps of floating-point numbers
  };
  /// State with which another fiber can go on; only while the fiber is left.
  left_state state() const { return {there_, exceptions_, floats_.word}; }
  void go_on_with(const left_state& left);  ///< Takes over a state, in place of beginning the function.
  /// The end of the stack, which grows down from there.
  std::byte* top() const;

  bool has_ended() const { return ended_; }  ///< True if the function has returned, or `end` was called.
  /// True if the address is in the stack or in its guard pages.
  bool holds(const void* address) const;
  /// True if the address is in the guard pages.
  bool is_below(const void* address) const;
  std::size_t bytes() const { return bytes_; }  ///< Size of the stack without its guard pages.

  /// For a `stack_switch`: the first function on the new stack; `data` is the fiber.
  [[noreturn]] IMBREX_UNSEEN_BY_SANITIZERS static void begin(stack_switch::arrival arrived);

 private:
  /// Exception state of a thread in the C++ library: two words, by its ABI.
  using exception_state = std::array<void*, 2>;
  static void exchange_exceptions(exception_state& kept);

  /// Floating-point rounding and traps that a switch does not save: FPCR on aarch64. On x86-64 it saves mxcsr
  /// and the x87 control word.
  struct float_control {
    std::uint64_t word = 0;
    static float_control of_thread();
    void apply() const;
  };

  /// Notifies sanitizers of stack switches.
  struct sanitizers {
    sanitizers();
    ~sanitizers();
    sanitizers(const sanitizers&) = delete;
    sanitizers& operator=(const sanitizers&) = delete;
    IMBREX_UNSEEN_BY_SANITIZERS void enter();
    IMBREX_UNSEEN_BY_SANITIZERS void left();
    IMBREX_UNSEEN_BY_SANITIZERS void leave(bool for_good);
    IMBREX_UNSEEN_BY_SANITIZERS void entered();

    const void* bottom = nullptr;
    std::size_t size = 0;
    void* frames = nullptr;  ///< AddressSanitizer's frames of the fiber while it is left
    const void* callers_bottom = nullptr;
    std::size_t callers_size = 0;
    void* callers_frames = nullptr;
    void* thread = nullptr;  ///< ThreadSanitizer's handle of the fiber
    void* callers_thread = nullptr;
  };

  std::size_t bytes_;
  stack_switch::arrival (*jump_)(void* to, void* data);
  std::byte* memory_;  ///< guard pages, and the stack above
  void* there_;        ///< context where the function left; while it runs, its caller's
  function body_;
  void* object_;
  exception_state exceptions_{};
  float_control floats_ = float_control::of_thread();
  bool ended_ = false;
  sanitizers seen_;
};

}  // namespace imbrex::extension
