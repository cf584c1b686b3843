// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <imbrex/resident/transport/mailbox.hpp>
#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// The operations on memory that blocks of one cluster share: on a device, from sm_90 on, each other's shared
/// memory. Barriers go from phase to phase: one to which `send` stores 16 bytes ends its phase when the bytes
/// have come that its owner lets it `expect`, and one that is `free`d ends it so. Who sees the first has the
/// 16 bytes, and who sees the second may store the next; nothing else is ordered by them. What other memory
/// hangs on an item its sender releases before `send`, and its receiver acquires when it `has_come`.
///
/// On a host the 16 bytes are one word, of whose stamp the upper half counts the phases, so that relaxed
/// loads and stores are enough: ThreadSanitizer sees no order that a device would not have, either.
struct cluster_memory {
  using wide = wide_word;
  struct alignas(8) barrier {
    std::uint32_t phase;     ///< on a device, both are its own
    std::uint32_t releases;  ///< on a host: the next `send` to it does
  };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ static std::uint32_t near(const void* p) {
    std::uint64_t at;
    asm("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(at) : "l"(p));
    return static_cast<std::uint32_t>(at);
  }
  /// Of this block, before anybody uses it: one arrival a phase.
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
  /// At the scope of a block, as CUTLASS does between blocks: what it orders is the load of the slot, in
  /// shared memory, whose value has been used. At that of the cluster it would wait for all stores to the
  /// GPU's memory as well (MEMBAR.ALL.GPU).
  __device__ static void free(barrier& of_other) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(near(&of_other)) : "memory");
  }
  /// Of this block. Parities tell a phase from the one before; nobody is further behind.
  __device__ static bool is_free(const barrier& b, std::uint32_t parity) {
    std::uint32_t over;
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(near(&b)), "r"(parity)
        : "memory");
    return over != 0;
  }
  /// If so, what has come.
  __device__ static bool has_come(const barrier& b, std::uint32_t parity, const wide& at, wide_word& v) {
    if (!is_free(b, parity)) return false;
    asm volatile("ld.shared::cta.v2.b64 {%0, %1}, [%2];" : "=l"(v.body), "=l"(v.stamp) : "r"(near(&at)));
    return true;
  }
  __device__ static void release_others(barrier&) { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
  __device__ static void acquire_others(const wide&) { native_memory::acquired(); }
#elif defined(__CUDA_ARCH__)  // most_pes says that there are no clusters
  __device__ static void prepare(barrier&) { __trap(); }
  __device__ static void expect(barrier&) { __trap(); }
  __device__ static void send(wide&, barrier&, wide_word) { __trap(); }
  __device__ static void free(barrier&) { __trap(); }
  __device__ static bool has_come(const barrier&, std::uint32_t, const wide&, wide_word&) { return false; }
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
  static bool has_come(const barrier&, std::uint32_t parity, const wide& at, wide_word& v) {
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

/// The way of items from one block to another of its cluster; bounded, nobody waits. A view: the memory is
/// another's.
///
/// The sender numbers its items. Item n is use n / size of slot n mod size, in the receiver's shared memory.
/// It goes there by one asynchronous store, which ends that phase of the slot's barrier `full`; the
/// receiver, who alone looks at it, then reads the slot, lets the barrier expect the next bytes, and ends a
/// phase of the barrier `empty`, in the sender's memory: the next use may begin. So the end of a phase of
/// `full` orders the store before the read, and that of `empty` the read, and what `full` expects, before
/// the next store.
///
/// Who finds the ring full keeps the item with its number, as for a mailbox (outbox.hpp), and may try later
/// numbers before: `uses`, the sender's alone, says for which use of a slot it is time, since a look at a
/// barrier tells a phase only from the one before. Numbers wrap; the
/// first is a multiple of 2 size, so that the first phase of a barrier is an even one.
template <class Memory>
struct near_ring {
  static constexpr std::uint32_t size = 4;

  typename Memory::wide* slots = nullptr;     ///< of the receiver
  typename Memory::barrier* full = nullptr;   ///< the receiver's
  typename Memory::barrier* empty = nullptr;  ///< the sender's
  std::uint32_t* uses = nullptr;              ///< the sender's, of each slot: which comes next

  /// Before anybody uses it, of the receiver.
  IMBREX_DEVICE void prepare_full() {
    for (std::uint32_t n = 0; n < size; ++n) {
      Memory::prepare(full[n]);
      Memory::expect(full[n]);
    }
  }
  /// And of the sender.
  IMBREX_DEVICE void prepare_empty(std::uint32_t first) {
    for (std::uint32_t n = 0; n < size; ++n) {
      Memory::prepare(empty[n]);
      uses[n] = first / size;
    }
  }
  /// Sends the item of that number; false if its slot is not free yet.
  IMBREX_DEVICE bool try_fill(std::uint32_t n, const item& i) {
    const std::uint32_t place = n % size;
    if (uses[place] != n / size || !Memory::is_free(empty[place], (n / size + 1) % 2)) return false;
    if ((i.meta & is_ordered) != 0) Memory::release_others(full[place]);
    Memory::send(slots[place], full[place], {i.body, i.meta});
    uses[place] = (n + size) / size;
    return true;
  }
  /// The receiver's: takes the item whose number is `head` and counts on; false if it has not come.
  IMBREX_DEVICE bool try_take(std::uint32_t& head, item& i) {
    const std::uint32_t place = head % size;
    wide_word seen;
    if (!Memory::has_come(full[place], head / size % 2, slots[place], seen)) return false;
    i = {seen.body, static_cast<std::uint32_t>(seen.stamp)};
    if ((i.meta & is_ordered) != 0) Memory::acquire_others(slots[place]);
    Memory::expect(full[place]);
    Memory::free(empty[place]);
    ++head;
    return true;
  }
};

}  // namespace imbrex::resident
