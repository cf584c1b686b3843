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

/// What the PEs of a run share, and where it lies. All of it is one piece of each GPU's memory, at the same
/// place in the symmetric heap, laid out by the host (layout.hpp), of zeros but for what it writes there. PEs
/// of a GPU share its piece; to those of others they write by stores alone.
namespace imbrex::resident {

/// How elements are placed on PEs: the next element on the next PE, or equal shares of neighbours.
enum class placement : std::uint32_t { round_robin, blocks };

namespace detail {

using memory = native_memory;

/// An item's meta: whether it is ordered (bit 31), the number of its entry or reduction, and that of the
/// element, or the round of a reduction.
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

/// What went wrong first: where, and what about.
struct failure {
  failure_kind kind = failure_kind::none;
  std::uint32_t pe = 0, entry = no_number, element = 0;  ///< of whom; of none: outside of entries
  std::uint32_t about_entry = 0, about_place[3] = {};    ///< of missing_chare: the number of the array
  std::uint64_t value = 0;

  static constexpr std::uint32_t no_number = 0xffffffff;
};

/// How a run ends: who comes first writes why, and then tells all by `stop`. Of several GPUs, the first of
/// each asks GPU 0, which decides.
struct ending {
  alignas(128) memory::word stop = 0;  ///< a stop_reason
  alignas(128) memory::word claims = 0;
  std::uint64_t value = 0;
  failure first{};
};

/// Why a run shall end, or ends, from one GPU to another.
struct alignas(128) end_notice {
  system_memory::word reason = 0;  ///< a stop_reason, when the rest is there
  std::uint64_t value = 0;
  failure first{};
};

/// What the leader of a GPU, its first PE, is told by the others; `gone` and `opened` are its own PEs'.
struct link_words {
  alignas(128) system_memory::word asked = 0;  ///< a wave (waves.hpp)
  end_notice decided;
  alignas(128) memory::word gone = 0;    ///< so many PEs send no more
  alignas(128) memory::word opened = 0;  ///< whether the run begins, when that is known
};
/// At GPU 0, of each GPU.
struct alignas(128) gpu_report {
  wave_answer<system_memory> answer;
  std::uint32_t is_stuck = 0;  ///< with the answer: its host has a message, and no parcel for it
  end_notice wish;
};

/// The array of one class.
struct array_layout {
  std::byte* elements = nullptr;
  std::uint32_t element_bytes = 0;
  std::uint32_t count = 0;
  std::uint32_t shape[3] = {1, 1, 1};
  placement placed = placement::round_robin;
  std::uint32_t share = 1;       ///< of blocks: elements of a PE
  std::uint32_t active_pes = 0;  ///< so many PEs have elements: the first ones
  /// Round robin: element - element / pes * pes. In blocks: 0 - element / share * -1. One form for both,
  /// without a branch, since each message needs it.
  divisor to_pe;
  std::uint32_t kept_bits = 0, times = 0;
  std::uint32_t* accepted = nullptr;  ///< of each element, for each numbered entry
  std::uint32_t* rounds = nullptr;    ///< of each element, for each reduction: how often it has contributed
  std::uint32_t numbered = 0, reductions = 0;

  IMBREX_DEVICE std::uint32_t pe_of(std::uint32_t element) const {
    return (element & kept_bits) - to_pe.quotient(element) * times;
  }
  /// Its place among the elements of its PE.
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

/// Rounds of a reduction under way at once: what is further ahead ends the run with an error.
inline constexpr std::uint32_t reduction_window = 4;

/// What a PE collects for one round of a reduction: values of its own elements, which lie elsewhere, and
/// those of the two PEs below it in a tree. A round's place is used again when it is over.
struct reduction_round {
  std::uint32_t round = 0;  ///< its first is its place
  std::uint32_t own = 0;
  bool from_child[2] = {};
  std::uint64_t value_of_child[2] = {};
};

/// What a PE knows of the items that come from another GPU.
struct crossing_end {
  std::uint32_t head = 0;     ///< the ticket that is taken next
  std::uint64_t trigger = 0;  ///< the next item is the continuation of a signal to this: see signal_to
};

/// Offsets within what each PE has of its own: what is written before a run, and what is not.
struct pe_layout {
  static constexpr std::uint32_t tail = 0, returned = 128, slots = 256;
  std::uint32_t next = 0, rounds = 0, values = 0, ends = 0, bytes = 0;
  std::uint32_t outbox = 0, kept = 0, untold = 0, state = 0, bulk_bytes = 0;  ///< of the bulk after parcels
  std::uint32_t values_each = 0;  ///< of a round of a reduction: the most elements of a PE
};

inline constexpr std::uint32_t most_arrays = 4;
inline constexpr std::uint32_t most_gpus = 96;

/// Numbers of entries in items between GPUs that the runtime itself understands: a parcel comes back; and a
/// signal, of which the next item is the continuation. The body of that names the trigger by its offset in
/// the heap, above the count of all signals.
inline constexpr std::uint32_t parcel_returns = 127;
inline constexpr std::uint32_t signal_comes = 126;
inline constexpr std::uint32_t most_signals = (std::uint32_t{1} << 24U) - 1;
IMBREX_DEVICE constexpr std::uint64_t signal_to(std::uint64_t offset, std::uint32_t all) {
  return offset << 24U | all;
}

/// What a message or a line to the host, or a message from it, begins with, in a slot of the host's memory.
struct alignas(16) host_slot {
  std::uint64_t body = 0;  ///< up to 8 bytes of arguments
  std::uint32_t meta =
      0;  ///< to the host: of the entry that has sent it; from it: of the item that it becomes
  std::uint32_t what = 0;   ///< to the host: see host_item; from it: the PE of the item
  std::uint32_t bytes = 0;  ///< that follow: a parcel as it lies, or the values of a line and its text
  std::uint32_t padding[3] = {};
};

/// What a PE has to tell the host.
struct host_item {
  std::uint64_t body = 0;
  std::uint32_t meta = 0;
  std::uint32_t what = 0;  ///< the number of an entry of the host, and flags

  static constexpr std::uint32_t in_parcel = std::uint32_t{1} << 31U;
  /// A line: `what` is the count of its values from bit 16 on, and two bits for each that say what it is.
  static constexpr std::uint32_t line = std::uint32_t{1} << 30U;
};
enum class line_value : std::uint32_t { is_signed, is_unsigned, is_floating, is_bool };
inline constexpr std::uint32_t most_line_values = 6, most_line_text = 128;
inline constexpr std::uint32_t line_values_bytes = most_line_values * sizeof(std::uint64_t);

/// What a PE says of an entry that it has run, for a trace.
struct alignas(32) entry_record {
  std::uint64_t begin = 0, end = 0;  ///< on its clock
  std::uint32_t meta = 0;
  std::uint32_t lost = 0;  ///< how many before it found no room
};

/// The way to the host and back: rings in pinned memory of the host. Each PE of the process has one of its
/// own to the host; from the host there is one, of the first of them, which passes on what comes. `state` is
/// the host's.
struct host_link {
  static constexpr std::uint32_t is_closed = 1, is_abandoned = 2;
  static constexpr std::uint32_t is_over = 4;  ///< and nobody is left who could agree on the end

  std::uint32_t first_pe = 0, pes = 0;  ///< of the process
  std::byte* slots = nullptr;           ///< of each PE, and then of the ring from the host
  std::uint32_t* filled = nullptr;
  std::uint32_t* emptied = nullptr;
  std::uint32_t* lost = nullptr;  ///< of each PE, at the end: lines that found the ring full
  std::uint32_t* state = nullptr;
  std::uint32_t slot_bytes = 0, size = 0;
  bool listens = false;  ///< the first PE looks whether the host says something
  bool open = false;     ///< the host may send messages: the run goes on when all is quiet

  // Records of entries, where the run is traced: of each PE.
  entry_record* records = nullptr;
  std::uint32_t* recorded = nullptr;
  std::uint32_t* taken = nullptr;
  std::uint32_t* unrecorded = nullptr;  ///< at the end: lost after the last record
  std::uint64_t* clock = nullptr;       ///< what that of the first PE shows when the run begins
  std::uint32_t records_size = 0;       ///< 0: it is not traced
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
  /// Of the ring from the host, the number among those of PEs.
  IMBREX_DEVICE std::uint32_t from_host() const { return first_pe + pes; }
};

/// Where everything is, as one GPU sees it: the same for all its PEs, and constant during a run. PEs are
/// numbered through all GPUs; those of a GPU have their places in its memory, by their numbers among
/// themselves. Memory as a PE has it, the one after the last, is the host's: parcels of what it sends.
struct machine {
  std::byte* pe_memory = nullptr;
  std::byte* pe_bulk = nullptr;
  pe_layout parts;
  std::uint32_t pes = 0, mailbox_size = 0, outbox_size = 0, kept_size = 0, parcels = 0, parcel_bytes = 0;
  std::uint32_t blocks = 1, threads = 1;                        ///< of a PE, and of a block
  std::uint32_t gpu = 0, gpus = 1, first_pe = 0, pes_here = 0;  ///< of which GPU this is the view
  std::uint32_t gpus_of_process = 1;  ///< this one and those after it, in views of which threads run
  ending* end = nullptr;
  /// Of each PE here, what the watchdog looks at: in the body how many entries it has begun, and above how
  /// many items it keeps for full mailboxes of this process; in the stamp the meta of the entry that it runs,
  /// with bit 32 set; or which GPU it waits for to begin, with bit 33 set.
  memory::wide* watched = nullptr;
  /// Of each PE of all GPUs, at the end, the same on each GPU: messages whose number was not accepted.
  std::uint32_t* kept = nullptr;
  item* first_kept = nullptr;  ///< of each PE that has some
  /// Of each PE here; and then, where PEs are in clusters, how many items of others there it has run.
  memory::word* finished = nullptr;
  std::uint32_t* seen = nullptr;       ///< of each of these, for who looks for quiescence
  memory::word* near_tails = nullptr;  ///< of each PE here: items that others of its cluster have sent it
  std::uint32_t neighbours = 1;        ///< PEs of a cluster
  array_layout arrays[most_arrays]{};
  host_link host;
  stepping* steps = nullptr;  ///< in simulated time

  // Of several GPUs.
  divisor to_gpu;         ///< of a PE
  std::uint32_t run = 0;  ///< its number
  link_words* link = nullptr;
  gpu_report* reports = nullptr;  ///< of each GPU
  std::uint32_t digest = 0;       ///< of the program and its first message, which all GPUs have alike
  system_memory::word* digests = nullptr;  ///< of each GPU
  system_memory::word* ready = nullptr;    ///< of each GPU: the last run in which it may be written to
  system_memory::word* left = nullptr;     ///< of each GPU: the last run in which it writes no more
  memory::word* crossed = nullptr;         ///< of each PE here: items of other GPUs that it has run
  memory::word* tails = nullptr;           ///< of the crossings to each PE
  system_memory::word* taken = nullptr;
  system_memory::wide* crossings = nullptr;  ///< of each PE here from each GPU
  system_memory::wide* gathered = nullptr;   ///< of each GPU, in two turns: what it gives to all
  std::uint32_t crossing_size = 0;
  std::uint32_t first_ticket = 0;
  std::uint64_t heap_bytes = 0;
  std::byte* heaps[most_gpus] = {};  ///< where each GPU's heap is mapped here

  IMBREX_DEVICE std::uint32_t gpu_of(std::uint32_t pe) const { return gpus == 1 ? 0 : to_gpu.quotient(pe); }
  IMBREX_DEVICE bool is_here(std::uint32_t pe) const { return pe - first_pe < pes_here; }
  /// What another GPU has where this one has `own`.
  template <class T>
  IMBREX_DEVICE T* on(std::uint32_t other, T* own) const {
    return reinterpret_cast<T*>(heaps[other] + (reinterpret_cast<std::byte*>(own) - heaps[gpu]));
  }
  /// The way to a PE of another GPU.
  IMBREX_DEVICE crossing<memory, system_memory> crossing_to(std::uint32_t pe) const {
    const std::uint32_t other = gpu_of(pe);
    const std::uint64_t ring = std::uint64_t{pe - other * pes_here} * gpus + gpu;
    return {tails + pe, taken + pe, on(other, crossings + ring * crossing_size), crossing_size};
  }
  /// The way from another GPU to a PE here.
  IMBREX_DEVICE crossing<memory, system_memory> crossing_from(std::uint32_t other, std::uint32_t pe) const {
    const std::uint64_t ring = std::uint64_t{pe - first_pe} * gpus + other;
    return {nullptr, on(other, taken + pe), crossings + ring * crossing_size, crossing_size};
  }

  /// What quiescence is about: so many counts in `finished`, and for each what was sent.
  IMBREX_DEVICE std::uint32_t counts() const { return neighbours == 1 ? pes_here : 2 * pes_here; }
  IMBREX_DEVICE memory::word& sent(std::uint32_t of) const {
    return of < pes_here ? *mailbox_of(first_pe + of).tail : near_tails[of - pes_here];
  }

  /// By the number of a PE among those here, and the one after them: the host's.
  IMBREX_DEVICE std::byte* memory_of(std::uint32_t place) const {
    return pe_memory + static_cast<std::uint64_t>(place) * parts.bytes;
  }
  IMBREX_DEVICE std::byte* bulk_of(std::uint32_t place) const {
    return pe_bulk + static_cast<std::uint64_t>(place) * parts.bulk_bytes;
  }
  IMBREX_DEVICE mailbox<memory> mailbox_of(std::uint32_t pe) const {
    std::byte* const at = memory_of(pe - first_pe);
    return {reinterpret_cast<memory::word*>(at + pe_layout::tail),
            reinterpret_cast<memory::wide*>(at + pe_layout::slots), mailbox_size};
  }
  IMBREX_DEVICE parcel_pool<memory> parcels_of(std::uint32_t place) const {
    std::byte* const at = memory_of(place);
    return {reinterpret_cast<memory::word*>(at + pe_layout::returned),
            reinterpret_cast<memory::plain*>(at + parts.next), parcels};
  }
  /// The memory of a parcel, by its owner, of whatever GPU, and number: see parcel_name.
  IMBREX_DEVICE std::byte* parcel(std::uint64_t name) const {
    std::byte* const own = bulk_of(static_cast<std::uint32_t>(name >> 32U) & 0xffffU) +
                           static_cast<std::uint64_t>(static_cast<std::uint32_t>(name) - 1) * parcel_bytes;
    return gpus == 1 ? own : on(static_cast<std::uint32_t>(name >> 48U), own);
  }
  IMBREX_DEVICE std::uint64_t parcel_name(std::uint32_t place, std::uint32_t number) const {
    return std::uint64_t{gpu} << 48U | std::uint64_t{place} << 32U | number;
  }
  static IMBREX_DEVICE std::uint32_t gpu_of_parcel(std::uint64_t name) {
    return static_cast<std::uint32_t>(name >> 48U);
  }
  /// Of a parcel of this GPU.
  IMBREX_DEVICE void give_back(std::uint64_t name) const {
    parcels_of(static_cast<std::uint32_t>(name >> 32U) & 0xffffU).give_back(static_cast<std::uint32_t>(name));
  }

  /// The host's: moves all that it points to, of its own GPU.
  void shift(std::uintptr_t by) {
    const auto move = [by](auto*& at) {
      at = reinterpret_cast<std::remove_reference_t<decltype(at)>>(reinterpret_cast<std::uintptr_t>(at) + by);
    };
    move(pe_memory);
    move(pe_bulk);
    move(end);
    move(watched);
    move(kept);
    move(first_kept);
    move(finished);
    move(seen);
    move(near_tails);
    for (array_layout& a : arrays) {
      move(a.elements);
      move(a.accepted);
      move(a.rounds);
    }
    move(link);
    move(reports);
    move(crossed);
    move(tails);
    move(taken);
    move(crossings);
    move(gathered);
  }
  /// The host's: as another GPU of its process sees it. One of them alone listens to the host.
  machine seen_by(std::uint32_t other) const {
    machine m = *this;
    m.shift(reinterpret_cast<std::uintptr_t>(heaps[other]) - reinterpret_cast<std::uintptr_t>(heaps[gpu]));
    m.ready = on(other, ready);
    m.left = on(other, left);
    m.digests = on(other, digests);
    m.gpu = other;
    m.first_pe = other * pes_here;
    if (other != gpu) m.host.listens = m.host.open = false;
    return m;
  }
};

/// What a PE runs next: a message, a pause in which all threads leave the last entry, or the end.
enum class turn : std::uint32_t { works, rests, ends };
struct alignas(16) decision {
  std::uint64_t body = 0;
  std::uint32_t meta = 0;
  turn kind = turn::rests;
};

inline constexpr std::uint32_t most_neighbours = 8;
/// What a PE in a cluster has for each of the others there, by its place: in the block's shared memory.
struct near_part {
  using ring = near_ring<cluster_memory>;
  cluster_memory::wide slots[most_neighbours][ring::size];
  cluster_memory::barrier full[most_neighbours][ring::size];
  cluster_memory::barrier empty[most_neighbours][ring::size];  ///< of what this one sends
  std::uint32_t uses[most_neighbours][ring::size];             ///< the same
  std::uint32_t sent[most_neighbours];
  std::uint32_t heads[most_neighbours];  ///< what is taken next

  /// Before anybody uses it.
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

/// What the threads of one PE share and no other PE sees: on a device it is in the block's shared memory. All
/// but the last three is the first thread's.
struct pe_state {
  outbox<memory> out;
  parcel_pool<memory>::owned parcels;
  item* kept = nullptr;  ///< messages whose number is not accepted yet
  std::uint32_t kept_count = 0;
  bool revisits = false;             ///< one of them may be accepted now
  std::uint32_t finished = 0;        ///< what is published
  std::uint32_t* tickets = nullptr;  ///< of each PE here: the ticket that is expected there next

  /// Messages of the PE to itself, which need no mailbox, while there is room and none of them is in the
  /// mailbox.
  static constexpr std::uint32_t most_local = 16;
  item local[most_local];
  std::uint32_t local_first = 0, local_end = 0;
  std::uint32_t own_end = 0;  ///< the ticket after the last one that it has drawn from itself

  // What goes to the host, and comes from it.
  host_item* untold = nullptr;  ///< for a full ring: a queue of outbox_size
  std::uint32_t untold_first = 0, untold_end = 0;
  std::uint32_t told = 0, told_known = 0;  ///< slots that are filled, and emptied as far as is known
  std::uint32_t lost_lines = 0;
  bool listens = false, is_open = false;  ///< of the first PE
  std::uint32_t heard = 0;                ///< slots that are emptied
  parcel_pool<memory>::owned host_parcels;
  bool lacks_host_parcel = false;  ///< the host's next message waits for one
  std::uint32_t recorded = 0, records_taken = 0, lost_records = 0;
  std::uint64_t entry_began = 0;
  // Of those in clusters.
  near_part* near[most_neighbours] = {};  ///< of each in the cluster
  std::uint32_t near_first = 0;           ///< the first of these PEs
  std::uint32_t near_count = 0, near_place = 0;
  std::uint32_t near_next = 0;  ///< that is looked at next
  std::uint32_t near_run = 0, near_shown = 0;

  item from_host;
  std::uint32_t from_host_to = 0;

  // Of several GPUs.
  crossing_end* ends = nullptr;  ///< from each GPU
  std::uint32_t next_gpu = 0;    ///< that is looked at next
  item from_gpu;
  std::uint32_t crossed = 0, crossed_shown = 0;
  std::uint32_t answered = 0;       ///< the last wave; of the leader
  waves asks;                       ///< of GPU 0's leader
  std::uint32_t gathers = 0;        ///< that it has begun
  std::uint32_t run_of_others = 0;  ///< by its GPU: what the next answer says
  failure wrong;                    ///< what is being said of the run's end: not on a stack

  std::uint64_t scratch[2] = {};
  std::uint64_t reduced = 0;  ///< by all GPUs
  decision now[2];

  /// The host's, before a run: `part_of(pe)` is what that PE has for its cluster.
  template <class PartOf>
  void join_cluster(const machine& m, std::uint32_t pe, PartOf&& part_of) {
    near_count = m.neighbours == 1 ? 0 : m.neighbours;
    near_place = pe % m.neighbours;
    near_first = pe - near_place;
    for (std::uint32_t p = 0; p < near_count; ++p) near[p] = part_of(near_first + p);
  }
  /// Whether that is another PE of the cluster; and the way there, and from there.
  IMBREX_DEVICE bool is_near(std::uint32_t pe) const {
    return pe - near_first < near_count && pe - near_first != near_place;
  }
  IMBREX_DEVICE near_part::ring near_to(std::uint32_t place) const {
    near_part& own = *near[near_place];
    return {near[place]->slots[near_place], near[place]->full[near_place], own.empty[place], own.uses[place]};
  }
  IMBREX_DEVICE near_part::ring near_from(std::uint32_t place) const {
    near_part& own = *near[near_place];
    return {own.slots[place], own.full[place], near[place]->empty[near_place], nullptr};
  }

  /// Before the PE's threads begin: of the first. `tickets_here` has room for a number of each PE of the GPU.
  IMBREX_DEVICE void prepare(const machine& m, std::uint32_t pe, std::uint32_t* tickets_here) {
    const std::uint32_t place = pe - m.first_pe;
    std::byte* const bulk = m.bulk_of(place);
    out = {reinterpret_cast<kept_item<>*>(bulk + m.parts.outbox), m.outbox_size};
    parcels = {};
    kept = reinterpret_cast<item*>(bulk + m.parts.kept);
    kept_count = 0;
    revisits = false;
    finished = own_end = memory::load(m.finished[place]);
    local_first = local_end = 0;
    untold = reinterpret_cast<host_item*>(bulk + m.parts.untold);
    untold_first = untold_end = told = told_known = lost_lines = heard = 0;
    recorded = records_taken = lost_records = 0;
    listens = pe == m.host.first_pe && m.host.listens;
    is_open = pe == m.host.first_pe && m.host.open;
    host_parcels = {};
    lacks_host_parcel = false;
    ends = reinterpret_cast<crossing_end*>(m.memory_of(place) + m.parts.ends);
    next_gpu = crossed = crossed_shown = answered = gathers = 0;
    asks = {};
    near_first = near_count = near_place = near_next = near_run = near_shown = 0;
    tickets = tickets_here;
    for (std::uint32_t p = 0; p < m.pes_here; ++p) tickets[p] = finished;
  }
};

}  // namespace detail
}  // namespace imbrex::resident
