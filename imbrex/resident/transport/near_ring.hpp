// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <imbrex/resident/transport/mailbox.hpp>
#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Operations on memory that the blocks of one cluster share: on a device, from sm_90 on, each other's shared
/// memory. A barrier advances from phase to phase. `send` stores 16 bytes: a phase of its barrier ends once
/// the bytes have arrived that the barrier's owner lets it `expect`. `free` ends a phase at once. A block
/// that sees the end of the former phase has the 16 bytes. A block that sees the end of the latter may store
/// the next 16 bytes. Barriers order nothing else. For other memory that an item refers to, the sender calls
/// `release_others` before `send`. The receiver calls `acquire_others` after `has_arrived`.
///
/// On a host the 16 bytes are one word. The upper half of its stamp counts the phases, so relaxed loads and
/// stores are enough. ThreadSanitizer then sees no order that a device would not have.
struct cluster_memory {
  using wide = wide_word;
  struct alignas(8) barrier {
    std::uint32_t phase;     ///< on a device, both words are the hardware's barrier
    std::uint32_t releases;  ///< on a host: nonzero if the next `send` to this barrier releases
  };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ static std::uint32_t near(const void* p) {
    std::uint64_t at;
    asm("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(at) : "l"(p));
    return static_cast<std::uint32_t>(at);
  }
  /// Initialises a barrier of this block for one arrival per phase; to be called before any other use.
  __device__ static void prepare(barrier& b) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(near(&b)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __device__ static void expect(barrier& b) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(near(&b)) : "memory");
  }
  __device__ static void send(wide& to, barrier& there, wide_word v) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(near(&to)),
        "l"(v.body), "l"(v.stamp), "r"(near(&there))
        : "memory");
  }
  /// The arrival has the scope of a block, as in CUTLASS between blocks. It only has to order the load of the
  /// slot, in shared memory, whose value has been used. An arrival at the scope of the cluster would also
  /// wait for all stores to the GPU's memory (MEMBAR.ALL.GPU).
  __device__ static void free(barrier& of_other) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(near(&of_other)) : "memory");
  }
  /// True if the phase of that parity has ended, for a barrier of this block. A parity is enough, because no
  /// side is more than one phase behind.
  __device__ static bool is_free(const barrier& b, std::uint32_t parity) {
    std::uint32_t over;
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(near(&b)), "r"(parity)
        : "memory");
    return over != 0;
  }
  /// True if the phase has ended; `v` is then the received word.
  __device__ static bool has_arrived(const barrier& b, std::uint32_t parity, const wide& at, wide_word& v) {
    if (!is_free(b, parity)) return false;
    asm volatile("ld.shared::cta.v2.b64 {%0, %1}, [%2];" : "=l"(v.body), "=l"(v.stamp) : "r"(near(&at)));
    return true;
  }
  __device__ static void release_others(barrier&) { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
  __device__ static void acquire_others(const wide&) { native_memory::acquired(); }
#elif defined(__CUDA_ARCH__)  // unreachable: `most_pes` reports that there are no clusters
  __device__ static void prepare(barrier&) { __trap(); }
  __device__ static void expect(barrier&) { __trap(); }
  __device__ static void send(wide&, barrier&, wide_word) { __trap(); }
  __device__ static void free(barrier&) { __trap(); }
  __device__ static bool has_arrived(const barrier&, std::uint32_t, const wide&, wide_word&) { return false; }
  __device__ static bool is_free(const barrier&, std::uint32_t) { return false; }
  __device__ static void release_others(barrier&) {}
  __device__ static void acquire_others(const wide&) {}
#else
  static void prepare(barrier& b) { b = {}; }
  static void expect(barrier&) {}
  static void send(wide& to, barrier& there, wide_word v) {
    v.stamp = std::uint64_t{++there.phase} << 32U | static_cast<std::uint32_t>(v.stamp);
    std::exchange(there.releases, 0) != 0 ? native_memory::store_release(to, v) : native_memory::store(to, v);
  }
  static bool has_arrived(const barrier&, std::uint32_t parity, const wide& at, wide_word& v) {
    v = native_memory::load(at);
    return (v.stamp >> 32U & 1U) != parity;
  }
  static void free(barrier& of_other) { __atomic_fetch_add(&of_other.phase, 1, __ATOMIC_RELAXED); }
  static bool is_free(const barrier& b, std::uint32_t parity) {
    return (__atomic_load_n(&b.phase, __ATOMIC_RELAXED) & 1U) != parity;
  }
  static void release_others(barrier& there) { there.releases = 1; }
  static void acquire_others(const wide& at) { static_cast<void>(native_memory::poll(at)); }
#endif
};

/// Bounded ring of items from one block to another of its cluster. No operation waits. A view: another object
/// owns the memory.
///
/// The sender numbers its items. Item n is use n / size of slot n mod size, in the receiver's shared memory.
/// One asynchronous store writes it and ends a phase of the slot's barrier `full`. Only the receiver polls
/// `full`. It then reads the slot and lets the barrier expect the next bytes. At last it ends a phase of the
/// barrier `empty`, in the sender's memory: the slot's next use may begin. So the end of a phase of `full`
/// orders the store before the read. The end of a phase of `empty` orders the read, and the expectation of
/// `full`, before the next store.
///
/// A sender that finds the ring full keeps the item with its number, as for a mailbox (outbox.hpp). It may
/// retry later numbers earlier. So `uses`, which only the sender touches, has the next use of each slot. A
/// barrier's parity alone distinguishes a phase only from the one before. Numbers wrap. The first is a
/// multiple of 2 size, so that the first phase of a barrier is an even one.
template <class Memory>
struct near_ring {
  static constexpr std::uint32_t size = 4;

  typename Memory::wide* slots = nullptr;     ///< in the receiver's memory
  typename Memory::barrier* full = nullptr;   ///< in the receiver's memory
  typename Memory::barrier* empty = nullptr;  ///< in the sender's memory
  std::uint32_t* uses = nullptr;              ///< next use of each slot; touched by the sender only

  /// Initialises the receiver's side; to be called before any other use.
  IMBREX_DEVICE void prepare_full() {
    for (std::uint32_t n = 0; n < size; ++n) {
      Memory::prepare(full[n]);
      Memory::expect(full[n]);
    }
  }
  /// Initialises the sender's side; to be called before any other use.
  IMBREX_DEVICE void prepare_empty(std::uint32_t first) {
    for (std::uint32_t n = 0; n < size; ++n) {
      Memory::prepare(empty[n]);
      uses[n] = first / size;
    }
  }
  /// Sends the item of number `n`. False if its slot is not free yet.
  IMBREX_DEVICE bool try_fill(std::uint32_t n, const item& i) {
    const std::uint32_t place = n % size;
    if (uses[place] != n / size || !Memory::is_free(empty[place], (n / size + 1) % 2)) return false;
    if ((i.meta & is_ordered) != 0) Memory::release_others(full[place]);
    Memory::send(slots[place], full[place], {i.body, i.meta});
    uses[place] = (n + size) / size;
    return true;
  }
  /// Receiver only. Takes the item of number `head` and advances `head`. False if the item has not arrived.
  IMBREX_DEVICE bool try_take(std::uint32_t& head, item& i) {
    const std::uint32_t place = head % size;
    wide_word seen;
    if (!Memory::has_arrived(full[place], head / size % 2, slots[place], seen)) return false;
    i = {seen.body, static_cast<std::uint32_t>(seen.stamp)};
    if ((i.meta & is_ordered) != 0) Memory::acquire_others(slots[place]);
    Memory::expect(full[place]);
    Memory::free(empty[place]);
    ++head;
    return true;
  }
};

}  // namespace imbrex::resident
