// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#ifdef __clang__  // ThreadSanitizer must not see a call that begins on one stack and ends on another
#define IMBREX_MPI_UNSEEN __attribute__((disable_sanitizer_instrumentation))
#else
#define IMBREX_MPI_UNSEEN
#endif

namespace imbrex::mpi {

/// A function on a stack of its own. The function can leave and be entered again, also by another thread. The
/// rounding mode (fesetround) belongs to the fiber and begins as the creator's. Inaccessible guard pages lie
/// below the stack, enough to catch an overflow by a large array.
class fiber {
 public:
  using function = void (*)(void* object);

  /// Whether the stack must be executable, as inner functions of Fortran and C require.
  enum class code_on_stack : bool { no, yes };

  /// Reserves `bytes` bytes of address space; the system provides pages on first use. Throws imbrex::error if
  /// the reservation fails.
  fiber(std::size_t bytes, function body, void* object, code_on_stack code = code_on_stack::no);
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

  bool has_ended() const { return ended_; }
  /// True if the address is in the stack or in its guard pages.
  bool holds(const void* address) const;
  /// True if the address is in the guard pages.
  bool is_below(const void* address) const;
  std::size_t bytes() const { return bytes_; }

 private:
  /// Exception state of a thread in the C++ library: two words, by its ABI.
  using exception_state = std::array<void*, 2>;
  static void exchange_exceptions(exception_state& kept);

  /// Floating-point rounding and traps that Boost.Context does not save: FPCR on aarch64. Boost.Context
  /// itself saves mxcsr and the x87 control word.
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
    IMBREX_MPI_UNSEEN void enter();
    IMBREX_MPI_UNSEEN void left();
    IMBREX_MPI_UNSEEN void leave(bool for_good);
    IMBREX_MPI_UNSEEN void entered();

    const void* bottom = nullptr;
    std::size_t size = 0;
    void* frames = nullptr;  ///< AddressSanitizer's frames of the fiber while it is left
    const void* callers_bottom = nullptr;
    std::size_t callers_size = 0;
    void* callers_frames = nullptr;
    void* thread = nullptr;  ///< ThreadSanitizer's handle of the fiber
    void* callers_thread = nullptr;
  };
  struct entry_point;

  std::size_t bytes_;
  std::byte* memory_;  ///< guard pages, and the stack above
  void* there_;        ///< context where the function left; while it runs, its caller's
  function body_;
  void* object_;
  exception_state exceptions_{};
  float_control floats_ = float_control::of_thread();
  bool ended_ = false;
  sanitizers seen_;
};

}  // namespace imbrex::mpi
