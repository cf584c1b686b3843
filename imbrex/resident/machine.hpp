// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <imbrex/resident/arguments.hpp>
#include <imbrex/resident/index.hpp>
#include <imbrex/resident/steps.hpp>
#include <imbrex/resident/transport/crossing.hpp>
#include <imbrex/resident/transport/mailbox.hpp>
#include <imbrex/resident/transport/memory.hpp>
#include <imbrex/resident/transport/near_ring.hpp>
#include <imbrex/resident/transport/outbox.hpp>
#include <imbrex/resident/transport/parcel_pool.hpp>
#include <imbrex/resident/transport/ring.hpp>
#include <imbrex/resident/transport/waves.hpp>

/// Memory that the PEs of a run share. It is one block of each GPU's memory, at the same offset of the
/// symmetric heap. The host lays it out (layout.hpp) and fills it with zeros and initial values. The PEs of a
/// GPU share its block. Into the blocks of other GPUs they write by stores only.
namespace imbrex::resident {

/// Placement of elements on PEs: consecutive elements on consecutive PEs, or equal shares of neighbouring
/// elements.
enum class placement : std::uint32_t { round_robin, blocks };

namespace detail {

using memory = native_memory;

/// Layout of an item's meta. Bit 31 is the ordered flag. The next 7 bits are the number of the entry or
/// reduction. The other 24 bits are the number of the element, or the round of a reduction.
inline constexpr std::uint32_t all_elements = 0xffffff;
inline constexpr std::uint32_t most_elements = all_elements;
IMBREX_DEVICE constexpr std::uint32_t meta_of(std::uint32_t entry, std::uint32_t element) {
  return entry << 24U | element;
}
IMBREX_DEVICE constexpr std::uint32_t entry_in(std::uint32_t meta) { return (meta & ~is_ordered) >> 24U; }
IMBREX_DEVICE constexpr std::uint32_t element_in(std::uint32_t meta) { return meta & 0xffffff; }

enum class stop_reason : std::uint32_t { none, exited, quiet, failed, abandoned };

enum class failure_kind : std::uint32_t {
  none,
  missing_element,
  missing_chare,
  missing_pe,
  wrong_entry,
  outbox_full,
  kept_full,
  no_parcel,
  no_parcel_to_tell,
  no_host_parcel,
  host_bytes,
  reduction_ahead,
  prepared_otherwise,
  not_prepared,
  trigger_elsewhere,
  not_one_pe,
  wrong_signals,
  missing_gpu,
  outside_heap,
  other_program,
  of_program
};

/// First failure of a run: location and details.
struct failure {
  failure_kind kind = failure_kind::none;
  std::uint32_t pe = 0, entry = no_number, element = 0;  ///< failing entry; `no_number`: outside of entries
  std::uint32_t about_entry = 0, about_place[3] = {};    ///< entry and element addressed; for missing_chare,
                                                         ///< the number of the array
  std::uint64_t value = 0;

  static constexpr std::uint32_t no_number = 0xffffffff;
};

/// End of a run. The first PE with a reason writes it and then notifies all others by `stop`. With several
/// GPUs, the first PE of each GPU sends its reason to GPU 0, which decides.
struct ending {
  alignas(128) memory::word stop = 0;  ///< a stop_reason
  alignas(128) memory::word claims = 0;
  std::uint64_t value = 0;
  failure first{};
};

/// Reason why a run shall end, or ends, sent from one GPU to another.
struct alignas(128) end_message {
  system_memory::word reason = 0;  ///< a stop_reason, stored after the other fields
  std::uint64_t value = 0;
  failure first{};
};

/// Words by which others notify the leader of a GPU, its first PE. `exited` and `started` are for its PEs.
struct link_words {
  alignas(128) system_memory::word wave = 0;  ///< last requested wave (waves.hpp)
  end_message decided;
  alignas(128) memory::word exited = 0;   ///< number of PEs that send no more
  alignas(128) memory::word started = 0;  ///< whether the run begins; 0 until that is known
};
/// Report of a GPU, in the memory of GPU 0.
struct alignas(128) gpu_report {
  wave_answer<system_memory> answer;
  std::uint32_t is_stuck = 0;  ///< sent with the reply: the host has a message, and no parcel for it
  end_message wish;
};

/// Array of one class.
struct array_layout {
  std::byte* elements = nullptr;
  std::uint32_t element_bytes = 0;
  std::uint32_t count = 0;
  std::uint32_t shape[3] = {1, 1, 1};
  placement placed = placement::round_robin;
  std::uint32_t share = 1;       ///< elements per PE, for `placement::blocks`
  std::uint32_t active_pes = 0;  ///< number of PEs that have elements: the first ones
  /// Computation of an element's PE. Round robin: element - element / pes * pes. In blocks: 0 - element /
  /// share * -1. Both have one form without a branch, since each message needs it.
  divisor to_pe;
  std::uint32_t kept_bits = 0, times = 0;
  std::uint32_t* accepted = nullptr;  ///< accepted number, by element and numbered entry
  std::uint32_t* rounds = nullptr;    ///< number of contributions, by element and reduction
  std::uint32_t numbered = 0, reductions = 0;

  IMBREX_DEVICE std::uint32_t pe_of(std::uint32_t element) const {
    return (element & kept_bits) - to_pe.quotient(element) * times;
  }
  /// Index of an element among those of its PE.
  IMBREX_DEVICE std::uint32_t local(std::uint32_t element) const {
    const std::uint32_t quotient = to_pe.quotient(element);
    return placed == placement::blocks ? element - quotient * share : quotient;
  }
  IMBREX_DEVICE std::uint32_t local_count(std::uint32_t pe) const {
    if (pe >= active_pes) return 0;
    if (placed == placement::blocks) return pe + 1 == active_pes ? count - pe * share : share;
    return to_pe.quotient(count - 1 - pe) + 1;
  }
  IMBREX_DEVICE std::uint32_t element(std::uint32_t pe, std::uint32_t local) const {
    return placed == placement::blocks ? pe * share + local : pe + local * pes;
  }
  std::uint32_t pes = 1;
};

/// Rounds of a reduction that may be in progress at once. A value of a later round ends the run with an
/// error.
inline constexpr std::uint32_t reduction_window = 4;

/// State of one round of a reduction on a PE: values of its own elements, which are stored elsewhere, and of
/// its two children in a tree. The slot is used again when the round is over.
struct reduction_round {
  std::uint32_t round = 0;  ///< round that uses the slot; at first the slot's index
  std::uint32_t own = 0;
  bool from_child[2] = {};
  std::uint64_t value_of_child[2] = {};
};

/// Receiving end of a PE for items from another GPU.
struct crossing_end {
  std::uint32_t head = 0;     ///< next ticket to take
  std::uint64_t trigger = 0;  ///< if not 0, the next item is the continuation of this signal: see signal_to
};

/// Offsets within the memory of each PE: of the part that is written before a run, and of the bulk, which is
/// not.
struct pe_layout {
  static constexpr std::uint32_t tail = 0, returned = 128, slots = 256;
  std::uint32_t next = 0, rounds = 0, values = 0, ends = 0, bytes = 0;
  std::uint32_t outbox = 0, kept = 0, pending_to_host = 0, state = 0,
                bulk_bytes = 0;   ///< offsets in the bulk, after
                                  ///< the parcels
  std::uint32_t values_each = 0;  ///< values of a round of a reduction: the largest number of elements of a
                                  ///< PE
};

inline constexpr std::uint32_t most_arrays = 4;
inline constexpr std::uint32_t most_gpus = 96;

/// Numbers of entries that the runtime itself handles, in items between GPUs. `parcel_returns` returns a
/// parcel. `signal_comes` is a signal, and the next item is its continuation. The low 24 bits of the signal's
/// body are the number of all signals. The bits above are the trigger's offset in the heap.
inline constexpr std::uint32_t parcel_returns = 127;
inline constexpr std::uint32_t signal_comes = 126;
inline constexpr std::uint32_t most_signals = (std::uint32_t{1} << 24U) - 1;
IMBREX_DEVICE constexpr std::uint64_t signal_to(std::uint64_t offset, std::uint32_t all) {
  return offset << 24U | all;
}

/// Header of a slot in the host's memory: for a message or a line to the host, or a message from it.
struct alignas(16) host_slot {
  std::uint64_t body = 0;  ///< up to 8 bytes of arguments
  std::uint32_t meta =
      0;  ///< to the host: meta of the sending entry; from the host: meta of the item that the PE makes
  std::uint32_t what = 0;   ///< to the host: see host_item; from the host: the PE of the item
  std::uint32_t bytes = 0;  ///< bytes that follow: a parcel, or the values of a line and its text
  std::uint32_t padding[3] = {};
};

/// Item that a PE sends to the host.
struct host_item {
  std::uint64_t body = 0;
  std::uint32_t meta = 0;
  std::uint32_t what = 0;  ///< number of an entry of the host, and flags

  static constexpr std::uint32_t in_parcel = std::uint32_t{1} << 31U;
  /// Flag of a line. `what` then has the number of values from bit 16 on, and two bits for each value, its
  /// line_value.
  static constexpr std::uint32_t line = std::uint32_t{1} << 30U;
};
enum class line_value : std::uint32_t { is_signed, is_unsigned, is_floating, is_bool };
inline constexpr std::uint32_t most_line_values = 6, most_line_text = 128;
inline constexpr std::uint32_t line_values_bytes = most_line_values * sizeof(std::uint64_t);

/// Trace record of an entry that a PE has run.
struct alignas(32) entry_record {
  std::uint64_t begin = 0, end = 0;  ///< on the PE's clock
  std::uint32_t meta = 0;
  std::uint32_t lost = 0;  ///< records lost before this one because there was no room
};

/// Channel between PEs and host: rings in pinned memory of the host. Each PE of the process has a ring to the
/// host. One ring leads from the host to the first of these PEs, which forwards the messages. Only the host
/// writes `state`.
struct host_link {
  static constexpr std::uint32_t is_closed = 1, is_abandoned = 2;
  static constexpr std::uint32_t is_over = 4;  ///< no process is left that could agree on the end

  std::uint32_t first_pe = 0, pes = 0;  ///< PEs of the process
  std::byte* slots = nullptr;           ///< slots of each PE's ring, and then of the ring from the host
  std::uint32_t* filled = nullptr;
  std::uint32_t* emptied = nullptr;
  std::uint32_t* lost = nullptr;  ///< by PE, written at the end: lines that found the ring full
  std::uint32_t* state = nullptr;
  std::uint32_t slot_bytes = 0, size = 0;
  bool listens = false;  ///< the first PE polls the host
  bool open = false;     ///< the host may send messages: the run goes on when all is quiet

  // Records of entries in a traced run, by PE.
  entry_record* records = nullptr;
  std::uint32_t* recorded = nullptr;
  std::uint32_t* taken = nullptr;
  std::uint32_t* unrecorded = nullptr;  ///< written at the end: records lost after the last one
  std::uint64_t* clock = nullptr;       ///< clock of the first PE when the run begins
  std::uint32_t records_size = 0;       ///< 0: the run is not traced
  std::uint32_t* clock_is_set = nullptr;

  IMBREX_DEVICE ring<system_memory> records_of(std::uint32_t pe) const {
    return {recorded + (pe - first_pe), taken + (pe - first_pe), records_size};
  }
  IMBREX_DEVICE ring<system_memory> ring_of(std::uint32_t pe) const {
    return {filled + (pe - first_pe), emptied + (pe - first_pe), size};
  }
  IMBREX_DEVICE host_slot* slot(std::uint32_t pe, std::uint32_t place) const {
    return reinterpret_cast<host_slot*>(slots + (std::uint64_t{pe - first_pe} * size + place) * slot_bytes);
  }
  /// Number of the ring from the host among the rings of PEs.
  IMBREX_DEVICE std::uint32_t from_host() const { return first_pe + pes; }
};

/// Capacities of the queues of each PE.
struct queue_sizes {
  std::uint32_t mailbox = 0, outbox = 0, kept = 0, parcels = 0, parcel_bytes = 0;
};
struct launch_shape {
  std::uint32_t blocks = 1, threads = 1;  ///< blocks per PE, and threads per block
};

/// Words by which the watchdog and the search for quiescence follow the PEs here.
struct progress_words {
  /// Words for the watchdog, by PE here. Lower half of the body: entries that the PE has begun. Upper half:
  /// items that it keeps for full mailboxes of this process. Stamp: the meta of the running entry, with bit
  /// 32 set; or the GPU whose start it awaits, with bit 33 set.
  memory::wide* watched = nullptr;
  /// Tickets up to which each PE here has finished its mailbox. With clusters, a second block counts the
  /// items from cluster peers that each PE has run.
  memory::word* finished = nullptr;
  std::uint32_t* seen = nullptr;  ///< scratch memory of the search for quiescence, by count in `finished`
};
/// Messages whose number was not accepted, by PE of all GPUs. Written at the end, equally on each GPU.
struct unaccepted_messages {
  std::uint32_t* counts = nullptr;
  item* first = nullptr;  ///< by PE that has some
};
struct cluster_layout {
  memory::word* tails = nullptr;  ///< by PE here: items that others of its cluster have sent it
  std::uint32_t pes = 1;          ///< PEs per cluster
};

/// Agreement of the GPUs of a run that they begin and end it.
struct meeting_words {
  std::uint32_t run = 0;     ///< number of the run
  std::uint32_t digest = 0;  ///< digest of the program and its first message, which must be equal on all GPUs
  system_memory::word* digests = nullptr;  ///< by GPU
  system_memory::word* ready = nullptr;    ///< by GPU: the last run in which it may be written to
  system_memory::word* left = nullptr;     ///< by GPU: the last run in which it writes no more
};
/// Crossings between PEs of different GPUs.
struct crossing_memory {
  memory::word* run = nullptr;    ///< by PE here: items of other GPUs that it has run
  memory::word* tails = nullptr;  ///< tails of the crossings to each PE
  system_memory::word* taken = nullptr;
  system_memory::wide* slots = nullptr;  ///< by PE here and sending GPU
  std::uint32_t size = 0;
};
struct gpu_heaps {
  std::uint64_t bytes = 0;
  std::byte* at[most_gpus] = {};  ///< address of each GPU's heap as mapped here
};
/// Memory by which the GPUs of a run communicate.
struct gpu_links {
  divisor to_gpu;  ///< GPU of a PE
  link_words* words = nullptr;
  gpu_report* reports = nullptr;  ///< by GPU
  meeting_words meeting;
  crossing_memory crossings;
  system_memory::wide* gathered = nullptr;  ///< by GPU, twice, used alternately: values that it sends to all
  gpu_heaps heaps;
};

/// Addresses and sizes of everything, as one GPU sees it. They are equal for all its PEs, and constant during
/// a run. PEs are numbered through all GPUs. Within a GPU's memory a PE has the index of its number among the
/// GPU's PEs. The memory at index `pes_here`, one past the last PE, holds the host's send parcels.
struct machine {
  std::byte* pe_memory = nullptr;
  std::byte* pe_bulk = nullptr;
  pe_layout parts;
  std::uint32_t pes = 0;
  queue_sizes sizes;
  launch_shape shape;
  std::uint32_t gpu = 0, gpus = 1, first_pe = 0, pes_here = 0;  ///< GPU whose view this is, and its PEs
  std::uint32_t gpus_of_process = 1;  ///< number of the process's GPUs, from `gpu` on; for `run_on_threads`
  std::uint32_t first_ticket = 0;
  ending* end = nullptr;
  progress_words progress;
  unaccepted_messages unaccepted;
  cluster_layout cluster;
  array_layout arrays[most_arrays]{};
  host_link host;
  stepping* steps = nullptr;  ///< null unless time is simulated
  gpu_links links;            ///< used with several GPUs

  IMBREX_DEVICE std::uint32_t gpu_of(std::uint32_t pe) const {
    return gpus == 1 ? 0 : links.to_gpu.quotient(pe);
  }
  IMBREX_DEVICE bool is_here(std::uint32_t pe) const { return pe - first_pe < pes_here; }
  /// Address in another GPU's heap that corresponds to `own` in this GPU's.
  template <class T>
  IMBREX_DEVICE T* on(std::uint32_t other, T* own) const {
    return reinterpret_cast<T*>(links.heaps.at[other] +
                                (reinterpret_cast<std::byte*>(own) - links.heaps.at[gpu]));
  }
  /// Crossing to a PE of another GPU.
  IMBREX_DEVICE crossing<memory, system_memory> crossing_to(std::uint32_t pe) const {
    const std::uint32_t other = gpu_of(pe);
    const std::uint64_t ring = std::uint64_t{pe - other * pes_here} * gpus + gpu;
    return {links.crossings.tails + pe, links.crossings.taken + pe,
            on(other, links.crossings.slots + ring * links.crossings.size), links.crossings.size};
  }
  /// Crossing from another GPU to a PE here.
  IMBREX_DEVICE crossing<memory, system_memory> crossing_from(std::uint32_t other, std::uint32_t pe) const {
    const std::uint64_t ring = std::uint64_t{pe - first_pe} * gpus + other;
    return {nullptr, on(other, links.crossings.taken + pe),
            links.crossings.slots + ring * links.crossings.size, links.crossings.size};
  }

  /// Number of counts in `finished` that quiescence compares. `sent` is the number of sent items for one of
  /// them.
  IMBREX_DEVICE std::uint32_t counts() const { return cluster.pes == 1 ? pes_here : 2 * pes_here; }
  IMBREX_DEVICE memory::word& sent(std::uint32_t of) const {
    return of < pes_here ? *mailbox_of(first_pe + of).tail : cluster.tails[of - pes_here];
  }

  /// Memory of a PE by its index within the GPU; the index after the last PE is the host's.
  IMBREX_DEVICE std::byte* memory_of(std::uint32_t place) const {
    return pe_memory + static_cast<std::uint64_t>(place) * parts.bytes;
  }
  IMBREX_DEVICE std::byte* bulk_of(std::uint32_t place) const {
    return pe_bulk + static_cast<std::uint64_t>(place) * parts.bulk_bytes;
  }
  IMBREX_DEVICE mailbox<memory> mailbox_of(std::uint32_t pe) const {
    std::byte* const at = memory_of(pe - first_pe);
    return {reinterpret_cast<memory::word*>(at + pe_layout::tail),
            reinterpret_cast<memory::wide*>(at + pe_layout::slots), sizes.mailbox};
  }
  IMBREX_DEVICE parcel_pool<memory> parcels_of(std::uint32_t place) const {
    std::byte* const at = memory_of(place);
    return {reinterpret_cast<memory::word*>(at + pe_layout::returned),
            reinterpret_cast<memory::plain*>(at + parts.next), sizes.parcels};
  }
  /// Memory of a parcel, by its owner, on any GPU, and number: see parcel_name.
  IMBREX_DEVICE std::byte* parcel(std::uint64_t name) const {
    std::byte* const own =
        bulk_of(static_cast<std::uint32_t>(name >> 32U) & 0xffffU) +
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(name) - 1) * sizes.parcel_bytes;
    return gpus == 1 ? own : on(static_cast<std::uint32_t>(name >> 48U), own);
  }
  IMBREX_DEVICE std::uint64_t parcel_name(std::uint32_t place, std::uint32_t number) const {
    return std::uint64_t{gpu} << 48U | std::uint64_t{place} << 32U | number;
  }
  static IMBREX_DEVICE std::uint32_t gpu_of_parcel(std::uint64_t name) {
    return static_cast<std::uint32_t>(name >> 48U);
  }
  /// Returns a parcel of this GPU to its owner.
  IMBREX_DEVICE void give_back(std::uint64_t name) const {
    parcels_of(static_cast<std::uint32_t>(name >> 32U) & 0xffffU).give_back(static_cast<std::uint32_t>(name));
  }

  /// Host only. Moves all pointers to memory of the machine's own GPU.
  void shift(std::uintptr_t by) {
    const auto move = [by](auto*& at) {
      at = reinterpret_cast<std::remove_reference_t<decltype(at)>>(reinterpret_cast<std::uintptr_t>(at) + by);
    };
    move(pe_memory);
    move(pe_bulk);
    move(end);
    move(progress.watched);
    move(unaccepted.counts);
    move(unaccepted.first);
    move(progress.finished);
    move(progress.seen);
    move(cluster.tails);
    for (array_layout& a : arrays) {
      move(a.elements);
      move(a.accepted);
      move(a.rounds);
    }
    move(links.words);
    move(links.reports);
    move(links.crossings.run);
    move(links.crossings.tails);
    move(links.crossings.taken);
    move(links.crossings.slots);
    move(links.gathered);
  }
  /// Host only. The view of another GPU of the process. Only one of the process's GPUs listens to the host.
  machine seen_by(std::uint32_t other) const {
    machine m = *this;
    m.shift(reinterpret_cast<std::uintptr_t>(links.heaps.at[other]) -
            reinterpret_cast<std::uintptr_t>(links.heaps.at[gpu]));
    m.links.meeting.ready = on(other, links.meeting.ready);
    m.links.meeting.left = on(other, links.meeting.left);
    m.links.meeting.digests = on(other, links.meeting.digests);
    m.gpu = other;
    m.first_pe = other * pes_here;
    if (other != gpu) m.host.listens = m.host.open = false;
    return m;
  }
};

/// Next action of a PE: run a message, pause until all threads have left the last entry, or end.
enum class turn : std::uint32_t { works, rests, ends };
struct alignas(16) decision {
  std::uint64_t body = 0;
  std::uint32_t meta = 0;
  turn kind = turn::rests;
};

inline constexpr std::uint32_t most_neighbours = 8;
/// Memory of a PE for each other PE of its cluster, by index in the cluster. It is in the block's shared
/// memory.
struct near_part {
  using ring = near_ring<cluster_memory>;
  cluster_memory::wide slots[most_neighbours][ring::size];
  cluster_memory::barrier full[most_neighbours][ring::size];
  cluster_memory::barrier empty[most_neighbours][ring::size];  ///< for items that this PE sends
  std::uint32_t uses[most_neighbours][ring::size];             ///< for items that this PE sends
  std::uint32_t sent[most_neighbours];
  std::uint32_t heads[most_neighbours];  ///< next item to take

  /// Initialises the memory; to be called before any other use.
  IMBREX_DEVICE void prepare(std::uint32_t first_ticket) {
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (std::uint32_t p = 0; p < most_neighbours; ++p) {
      sent[p] = heads[p] = first_ticket & ~(2 * ring::size - 1);
      ring here{slots[p], full[p], empty[p], uses[p]};
      here.prepare_full();
      here.prepare_empty(sent[p]);
    }
  }
};

/// Messages with a number that is not accepted yet.
struct kept_messages {
  item* first = nullptr;
  std::uint32_t count = 0;
  bool revisits = false;  ///< one of them may be accepted now
};

/// Messages of a PE to itself. They bypass the mailbox while there is room and the mailbox has none of them.
struct local_queue {
  static constexpr std::uint32_t most = 16;
  item items[most];
  std::uint32_t begin = 0, end = 0;
};

/// A PE's end of the channel to the host.
struct host_end {
  host_item* pending = nullptr;  ///< items that found the ring full: a queue of outbox_size
  std::uint32_t pending_begin = 0, pending_end = 0;
  std::uint32_t sent = 0, emptied = 0;  ///< slots filled, and slots emptied by the cached count
  std::uint32_t lost_lines = 0;
  bool listens = false, is_open = false;  ///< first PE only
  std::uint32_t received = 0;             ///< slots emptied
  parcel_pool<memory>::owned parcels;
  bool lacks_parcel = false;  ///< the host's next message waits for a parcel
  item item_from;
  std::uint32_t item_to = 0;
};

/// A PE's end of the ring of trace records.
struct record_end {
  std::uint32_t filled = 0, taken = 0, lost = 0;
  std::uint64_t entry_began = 0;
};

/// A PE's view of its cluster; without PEs if there is none.
struct cluster_end {
  near_part* parts[most_neighbours] = {};  ///< by PE of the cluster
  std::uint32_t first_pe = 0;
  std::uint32_t count = 0, place = 0;
  std::uint32_t next = 0;            ///< next PE to poll
  std::uint32_t run = 0, shown = 0;  ///< items of other PEs that this one has run, and the published number

  /// Host only, before a run. `part_of(pe)` is that PE's memory for its cluster.
  template <class PartOf>
  void join(const machine& m, std::uint32_t pe, PartOf&& part_of) {
    count = m.cluster.pes == 1 ? 0 : m.cluster.pes;
    place = pe % m.cluster.pes;
    first_pe = pe - place;
    for (std::uint32_t p = 0; p < count; ++p) parts[p] = part_of(first_pe + p);
  }
  /// True for another PE of the cluster. `ring_to` and `ring_from` are the rings to and from it.
  IMBREX_DEVICE bool holds(std::uint32_t pe) const { return pe - first_pe < count && pe - first_pe != place; }
  IMBREX_DEVICE near_part::ring ring_to(std::uint32_t other) const {
    near_part& own = *parts[place];
    return {parts[other]->slots[place], parts[other]->full[place], own.empty[other], own.uses[other]};
  }
  IMBREX_DEVICE near_part::ring ring_from(std::uint32_t other) const {
    near_part& own = *parts[place];
    return {own.slots[other], own.full[other], parts[other]->empty[place], nullptr};
  }
};

/// A PE's ends of the crossings from other GPUs.
struct gpu_end {
  crossing_end* ends = nullptr;  ///< by sending GPU
  std::uint32_t next = 0;        ///< next GPU to poll
  item item_from;
  std::uint32_t run = 0, shown = 0;  ///< items of other GPUs that this PE has run, and the published number
  std::uint32_t gathers = 0;         ///< number of gathers begun
};

/// The search for quiescence among GPUs, by their leaders.
struct leader_state {
  std::uint32_t answered = 0;       ///< the last wave with a reply
  waves asks;                       ///< GPU 0's leader only
  std::uint32_t run_of_others = 0;  ///< items of other GPUs that this GPU has run; for the next reply
};

/// State that the threads of one PE share and no other PE sees. On a device it is in the block's shared
/// memory. Only the first thread touches it, except `scratch`, `reduced` and `now`.
struct pe_state {
  outbox<memory> out;
  parcel_pool<memory>::owned parcels;
  kept_messages kept;
  std::uint32_t finished = 0;        ///< published value of `progress_words::finished`
  std::uint32_t* tickets = nullptr;  ///< by PE here: the next expected ticket of its mailbox
  local_queue local;
  std::uint32_t own_end = 0;  ///< the ticket after the last one that the PE has drawn from its own mailbox
  host_end host;
  record_end records;
  cluster_end cluster;
  gpu_end gpus;
  leader_state leader;
  failure wrong;  ///< failure that is being reported; stored here to need no stack

  std::uint64_t scratch[2] = {};
  std::uint64_t reduced = 0;  ///< result of a reduction over all GPUs
  decision now[2];

  /// Initialises the state; first thread only, before the PE's other threads begin. `tickets_here` has room
  /// for one number per PE of the GPU.
  IMBREX_DEVICE void prepare(const machine& m, std::uint32_t pe, std::uint32_t* tickets_here) {
    const std::uint32_t place = pe - m.first_pe;
    std::byte* const bulk = m.bulk_of(place);
    out = {reinterpret_cast<kept_item<>*>(bulk + m.parts.outbox), m.sizes.outbox};
    parcels = {};
    kept.first = reinterpret_cast<item*>(bulk + m.parts.kept);
    kept.count = 0;
    kept.revisits = false;
    finished = own_end = memory::load(m.progress.finished[place]);
    local.begin = local.end = 0;
    host.pending = reinterpret_cast<host_item*>(bulk + m.parts.pending_to_host);
    host.pending_begin = host.pending_end = host.sent = host.emptied = host.lost_lines = host.received = 0;
    records.filled = records.taken = records.lost = 0;
    host.listens = pe == m.host.first_pe && m.host.listens;
    host.is_open = pe == m.host.first_pe && m.host.open;
    host.parcels = {};
    host.lacks_parcel = false;
    gpus.ends = reinterpret_cast<crossing_end*>(m.memory_of(place) + m.parts.ends);
    gpus.next = gpus.run = gpus.shown = leader.answered = gpus.gathers = 0;
    leader.asks = {};
    cluster.first_pe = cluster.count = cluster.place = cluster.next = cluster.run = cluster.shown = 0;
    tickets = tickets_here;
    for (std::uint32_t p = 0; p < m.pes_here; ++p) tickets[p] = finished;
  }
};

}  // namespace detail
}  // namespace imbrex::resident
