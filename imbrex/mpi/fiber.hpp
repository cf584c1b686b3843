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

/// A function on a stack of its own, which can be left and entered again, also by another thread. How it
/// rounds (fesetround) goes with it; it begins as its maker does. Below the stack lie pages that cannot be
/// touched, as many as an array may have that does not fit.
class fiber {
 public:
  using function = void (*)(void* object);

  /// Whether code may lie on the stack, as inner functions of Fortran and C put it there.
  enum class code_on_stack : bool { no, yes };

  /// Reserves that many bytes; the system provides them as they are used. Throws imbrex::error if it has none
  /// to reserve.
  fiber(std::size_t bytes, function body, void* object, code_on_stack code = code_on_stack::no);
  /// Drops the stack as it is, without the destructors of what lies on it.
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// On the caller's stack: goes on with the function until it leaves its stack or ends.
  void enter();
  /// On the fiber's own stack: back to the caller. Returns when the fiber is entered again.
  void leave();
  /// The same for good.
  [[noreturn]] void end();

  bool has_ended() const { return ended_; }
  /// True if the address is in the stack, or in the pages below.
  bool holds(const void* address) const;
  /// True if it is in the pages below.
  bool is_below(const void* address) const;
  std::size_t bytes() const { return bytes_; }

 private:
  /// What the C++ library keeps of the exceptions that a stack handles: two words, by its ABI.
  using exception_state = std::array<void*, 2>;
  static void exchange_exceptions(exception_state& kept);

  /// How the processor rounds and traps in floating point, where Boost.Context leaves it as it is: in
  /// aarch64's FPCR. It saves mxcsr and the control word of the x87 itself.
  struct float_control {
    std::uint64_t word = 0;
    static float_control of_thread();
    void apply() const;
  };

  /// What sanitizers must know of a stack that is switched to.
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
    void* frames = nullptr;  ///< kept by AddressSanitizer while it waits
    const void* callers_bottom = nullptr;
    std::size_t callers_size = 0;
    void* callers_frames = nullptr;
    void* thread = nullptr;  ///< what ThreadSanitizer takes it for
    void* callers_thread = nullptr;
  };
  struct entry_point;

  std::size_t bytes_;
  std::byte* memory_;  ///< the pages that cannot be touched, and the stack above
  void* there_;        ///< where it was left; while it runs, where its caller was
  function body_;
  void* object_;
  exception_state exceptions_{};
  float_control floats_ = float_control::of_thread();
  bool ended_ = false;
  sanitizers seen_;
};

}  // namespace imbrex::mpi
