// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Marks a function that runs on the host and, under the device's compiler, also on the device.
#if defined(__CUDACC__)
#define IMBREX_DEVICE __host__ __device__
#else
#define IMBREX_DEVICE
#endif

/// Marks a seldom called function. On a device it is not inlined, so that its callers pay neither registers
/// nor instruction fetches for it.
#if defined(__CUDA_ARCH__)
#define IMBREX_SELDOM __noinline__
#else
#define IMBREX_SELDOM
#endif

/// Device code in this folder's headers is C++17, as the devices' compilers require.
namespace imbrex::resident {

/// 16 bytes that are loaded and stored as one: a body, and a stamp that describes it.
struct alignas(16) wide_word {
  std::uint64_t body = 0;
  std::uint64_t stamp = 0;
};

/// Operations on memory that the PEs of one GPU share. On a device they are instructions at the scope of the
/// GPU. On a host they are atomic operations between the threads that stand for PEs. The name of an operation
/// states its memory order. An operation that names none is relaxed: it guarantees only the coherence of its
/// own location.
///
/// `poll` may be followed by `acquired`. Then everything written before the store that `poll` has seen
/// happens before later reads. So a poll that finds nothing pays for no order. For a wide word, call
/// `acquired` with the word while it still holds the polled value. For words, one `acquired` may follow
/// several polls. On a host `poll` itself acquires, because ThreadSanitizer does not model fences.
///
/// The structures beside this header take the memory as a template argument. Tests substitute a model of
/// memory that explores all interleavings (explorer.test.hpp).
struct native_memory {
  using word = std::uint32_t;
  using wide = wide_word;
  using plain = std::uint32_t;  ///< shared, but never accessed by two PEs at once

#if defined(__CUDA_ARCH__)
  __device__ static std::uint64_t global(const void* p) { return __cvta_generic_to_global(p); }

  __device__ static std::uint32_t load(const word& w) {
    std::uint32_t v;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(global(&w)) : "memory");
    return v;
  }
  __device__ static std::uint32_t poll(const word& w) {
    std::uint32_t v;
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(global(&w)) : "memory");
#else
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(global(&w)) : "memory");
#endif
    return v;
  }
  /// fence.acquire needs sm_90. For older targets nvcc 13.0 silently assembles it into an illegal
  /// instruction.
  __device__ static void acquired() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.acquire.gpu;" ::: "memory");
#endif
  }
  __device__ static void store(word& w, std::uint32_t v) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(global(&w)), "r"(v) : "memory");
  }
  __device__ static void store_release(word& w, std::uint32_t v) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(global(&w)), "r"(v) : "memory");
  }
  __device__ static std::uint32_t add(word& w, std::uint32_t v) {
    std::uint32_t old;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(global(&w)), "r"(v)
                 : "memory");
    return old;
  }
  /// Adds one without returning the old value.
  __device__ static void count(word& w) {
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(global(&w)) : "memory");
  }
  __device__ static std::uint32_t add_acquire_release(word& w, std::uint32_t v) {
    std::uint32_t old;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(global(&w)), "r"(v)
                 : "memory");
    return old;
  }
  __device__ static bool compare_exchange_release(word& w, std::uint32_t& expected, std::uint32_t v) {
    std::uint32_t old;
    asm volatile("atom.release.gpu.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(global(&w)), "r"(expected), "r"(v)
                 : "memory");
    const bool did = old == expected;
    expected = old;
    return did;
  }
  __device__ static std::uint32_t exchange_acquire(word& w, std::uint32_t v) {
    std::uint32_t old;
    asm volatile("atom.acquire.gpu.global.exch.b32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(global(&w)), "r"(v)
                 : "memory");
    return old;
  }
  __device__ static wide_word poll(const wide& w) {
    wide_word v;
    asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(v.body), "=l"(v.stamp)
                 : "l"(global(&w))
                 : "memory");
    return v;
  }
  /// Marks the first use of a polled value. The compiler cannot move parts of that use up to the poll, where
  /// they would wait for the load.
  __device__ static void use(wide_word& v) { asm volatile("" : "+l"(v.body), "+l"(v.stamp)); }
  __device__ static void store(wide& w, wide_word v) {
    asm volatile(
        "{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(global(&w)),
        "l"(v.body), "l"(v.stamp)
        : "memory");
  }
  __device__ static void store_release(wide& w, wide_word v) {
    asm volatile(
        "{ .reg .b128 t; mov.b128 t, {%1, %2}; st.release.gpu.global.b128 [%0], t; }" ::"l"(global(&w)),
        "l"(v.body), "l"(v.stamp)
        : "memory");
  }
  __device__ static void acquired(const wide& w) {
#if __CUDA_ARCH__ >= 900
    static_cast<void>(w);
    acquired();
#else
    poll(reinterpret_cast<const word*>(&w)[3]);
#endif
  }
  /// Pauses between two polls that find nothing.
  __device__ static void relax() { __nanosleep(20); }
  /// Clock shared by all PEs, in ns.
  __device__ static std::uint64_t now() {
    std::uint64_t t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
  }
#else
  static std::uint32_t load(const word& w) { return __atomic_load_n(&w, __ATOMIC_RELAXED); }
  static std::uint32_t poll(const word& w) { return __atomic_load_n(&w, __ATOMIC_ACQUIRE); }
  static void acquired() {}
  static void store(word& w, std::uint32_t v) { __atomic_store_n(&w, v, __ATOMIC_RELAXED); }
  static void store_release(word& w, std::uint32_t v) { __atomic_store_n(&w, v, __ATOMIC_RELEASE); }
  static std::uint32_t add(word& w, std::uint32_t v) { return __atomic_fetch_add(&w, v, __ATOMIC_RELAXED); }
  static void count(word& w) { __atomic_fetch_add(&w, 1, __ATOMIC_RELAXED); }
  static std::uint32_t add_acquire_release(word& w, std::uint32_t v) {
    return __atomic_fetch_add(&w, v, __ATOMIC_ACQ_REL);
  }
  static bool compare_exchange_release(word& w, std::uint32_t& expected, std::uint32_t v) {
    return __atomic_compare_exchange_n(&w, &expected, v, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  }
  static std::uint32_t exchange_acquire(word& w, std::uint32_t v) {
    return __atomic_exchange_n(&w, v, __ATOMIC_ACQUIRE);
  }
  // Defined in memory.cpp, where the compiler may use 16-byte instructions. Not all of a user's sources may
  // do so.
  static wide_word load(const wide& w);
  static wide_word poll(const wide& w);
  static void use(wide_word&) {}
  static void store(wide& w, wide_word v);
  static void store_release(wide& w, wide_word v);
  static void acquired(const wide&) {}
  static void relax();
  static std::uint64_t now();
#endif
};

/// Operations on memory shared by PEs of several GPUs, or by a PE and the host. They are as in
/// `native_memory`, at the scope of the system. On a host both are equal.
struct system_memory {
  using word = std::uint32_t;
  using wide = wide_word;
  using plain = std::uint32_t;

#if defined(__CUDA_ARCH__)
  __device__ static std::uint32_t load(const word& w) {
    std::uint32_t v;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(native_memory::global(&w)) : "memory");
    return v;
  }
  __device__ static std::uint32_t load_acquire(const word& w) {
    std::uint32_t v;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(native_memory::global(&w)) : "memory");
    return v;
  }
  __device__ static void store(word& w, std::uint32_t v) {
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(native_memory::global(&w)), "r"(v) : "memory");
  }
  __device__ static void store_release(word& w, std::uint32_t v) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(native_memory::global(&w)), "r"(v) : "memory");
  }
  __device__ static wide_word poll(const wide& w) {
    wide_word v;
    asm volatile("{ .reg .b128 t; ld.relaxed.sys.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(v.body), "=l"(v.stamp)
                 : "l"(native_memory::global(&w))
                 : "memory");
    return v;
  }
  __device__ static void store(wide& w, wide_word v) {
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.sys.global.b128 [%0], t; }" ::"l"(
                     native_memory::global(&w)),
                 "l"(v.body), "l"(v.stamp)
                 : "memory");
  }
  __device__ static void store_release(wide& w, wide_word v) {
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.release.sys.global.b128 [%0], t; }" ::"l"(
                     native_memory::global(&w)),
                 "l"(v.body), "l"(v.stamp)
                 : "memory");
  }
  __device__ static void acquired(const wide& w) {
#if __CUDA_ARCH__ >= 900
    static_cast<void>(w);
    asm volatile("fence.acquire.sys;" ::: "memory");
#else
    load_acquire(reinterpret_cast<const word*>(&w)[3]);
#endif
  }
#else
  static std::uint32_t load(const word& w) { return native_memory::load(w); }
  static std::uint32_t load_acquire(const word& w) { return native_memory::poll(w); }
  static void store(word& w, std::uint32_t v) { native_memory::store(w, v); }
  static void store_release(word& w, std::uint32_t v) { native_memory::store_release(w, v); }
  static wide_word poll(const wide& w) { return native_memory::poll(w); }
  static void store(wide& w, wide_word v) { native_memory::store(w, v); }
  static void store_release(wide& w, wide_word v) { native_memory::store_release(w, v); }
  static void acquired(const wide&) {}
#endif
};

}  // namespace imbrex::resident
