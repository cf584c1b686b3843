// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/tools/trace/chain_store.hpp>
#include <imbrex/tools/trace/interval_set.hpp>
#include <imbrex/tools/trace/log_histogram.hpp>
#include <imbrex/tools/trace/overlap.hpp>

namespace imbrex::tools {

// What a trace tells of a run. All times are in ns.

/// One entry method, or one kind of item of the runtime.
struct entry_report {
  std::string name;
  bool program = false;     ///< of the program, not of the runtime
  bool is_main = false;     ///< the main task
  std::uint64_t calls = 0;  ///< items, less those that only passed their message on, and turns in broadcasts
  std::uint64_t resumes = 0;     ///< of its coroutines
  std::uint64_t time = 0;        ///< without that of what ran inside
  std::uint64_t longest = 0;     ///< from a begin to its end, with what ran inside
  std::uint64_t elements = 0;    ///< different ones that were called
  bool more_elements = false;    ///< `elements` stopped counting
  std::uint32_t chain_part = 0;  ///< of `chain_times`, 0 if it has none

  /// The mean time between two of its awaits, or from and to the ends of calls; 0 if it has none.
  double grain() const {
    const std::uint64_t pieces = calls + resumes;
    return pieces == 0 ? 0 : static_cast<double>(time) / static_cast<double>(pieces);
  }
};

/// An element of a collection.
struct element_report {
  std::string name;         ///< "block(3, 0)"
  std::uint64_t busy = 0;   ///< time in which it ran, without that of what ran inside
  std::uint64_t calls = 0;  ///< of its entries, by messages to it
  std::uint64_t sent = 0;   ///< messages, while it ran
  std::uint64_t sent_bytes = 0;
};

/// The elements of one class of chares.
struct chare_report {
  std::string name;
  std::uint64_t elements = 0;
  element_report sum;       ///< of all
  element_report heaviest;  ///< the element that was busy longest
};

/// How communication and computation of somebody lay over each other.
struct overlap_report {
  std::uint64_t communication = 0;  ///< the union of the intervals in which something came to it
  std::uint64_t computation = 0;
  std::uint64_t covered = 0;  ///< of communication, the time in which it computed
  std::uint64_t cut = 0;      ///< intervals that were too long to be counted whole
  std::uint64_t cut_time = 0;

  std::uint64_t exposed() const { return communication - covered; }
  /// Covered by communication, from 0 to 1; 0 if nothing was communicated.
  double fraction() const {
    return communication == 0 ? 0 : static_cast<double>(covered) / static_cast<double>(communication);
  }
};

/// Why a PE was idle: of each moment the first of these that held.
struct idle_report {
  std::uint64_t before_first = 0;   ///< it had not run anything yet
  std::uint64_t after_last = 0;     ///< it would run nothing any more
  std::uint64_t communication = 0;  ///< a message to it was on its way
  std::uint64_t waking = 0;         ///< one was ready, and it had not begun it yet
  std::uint64_t device = 0;         ///< a coroutine waited for a device
  std::uint64_t timer = 0;          ///< a coroutine waited for a timer
  std::uint64_t other = 0;          ///< nothing was on its way: dependencies, imbalance
  std::uint64_t cut = 0;            ///< messages that had not begun for too long to be counted whole
  std::uint64_t cut_time = 0;

  std::uint64_t all() const {
    return before_first + after_last + communication + waking + device + timer + other;
  }
};

struct pe_report {
  std::uint32_t pe = 0;
  std::uint32_t process = 0;
  std::uint64_t items = 0;
  std::uint64_t dropped = 0;  ///< records
  std::uint64_t program = 0;
  std::uint64_t runtime = 0;
  std::uint64_t idle_awake = 0;
  std::uint64_t parked = 0;
  std::uint64_t unrecorded = 0;
  overlap_report overlap;
  idle_report idle;
};

struct process_report {
  std::uint32_t process = 0;
  overlap_report overlap;
};

struct device_report {
  std::uint32_t process = 0;
  std::uint32_t device = 0;
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dropped = 0;  ///< records
  overlap_report overlap;     ///< of copies by kernels
};

/// A block of a kernel that schedules by itself: a PE inside a GPU.
struct block_report {
  std::uint32_t process = 0;
  std::uint32_t place = 0;  ///< of its track: `block_text`
  std::uint64_t entries = 0;
  std::uint64_t busy = 0;     ///< time in which it ran entries
  std::uint64_t longest = 0;  ///< of an entry
  std::uint64_t dropped = 0;  ///< records
};

struct message_report {
  std::uint64_t sent = 0;  ///< by each PE that passes it on, too
  std::uint64_t bytes = 0;
  std::uint64_t begun = 0;
  std::uint64_t between_pes = 0;  ///< of those that began
  std::uint64_t between_pes_bytes = 0;
  std::uint64_t between_processes = 0;
  std::uint64_t between_processes_bytes = 0;
  std::array<std::uint64_t, 65> sizes{};  ///< [k]: below 2^k bytes, and not below 2^(k-1)
  log_histogram network;                  ///< sent to ready, of messages that had to arrive
  log_histogram queue;                    ///< ready to begun
  std::uint64_t arrived_before_sent = 0;  ///< by the clocks
  std::uint64_t unknown = 0;              ///< begun, but nobody has recorded that they were sent
  std::uint64_t forgotten = 0;            ///< still on their way when there were too many
};

/// Some phases; those that overlap count each.
struct phase_sum {
  std::uint64_t count = 0;
  std::uint64_t total = 0;    ///< from begin to end
  std::uint64_t program = 0;  ///< what their PEs ran the program meanwhile
  std::uint64_t longest = 0;
  std::uint32_t whose = 0;  ///< the longest: among the elements of the trace
  std::string owner;        ///< of the longest: "block(3, 0)"; empty if it is no element's
};

/// The phases of one name with one number, on all PEs.
struct step_report {
  std::int64_t number = 0;
  interval time;  ///< from the first begin to the last end
  phase_sum all{};
};

/// The phases of one name that begin in one entry, on all PEs.
struct phase_report {
  std::string name;
  std::string entry;  ///< in which they begin: "block::run"; empty if none ran
  phase_sum all;
  log_histogram lengths;
  std::vector<step_report> steps;  ///< by number
  bool more_steps = false;         ///< there were too many to keep them all
};

/// So many elements a report tells of by name.
inline constexpr std::size_t most_elements_told = 1000;

struct path_report {
  std::uint64_t length = 0;
  std::uint32_t pe = 0;  ///< on which it ends
  chain_times parts{};
  std::uint64_t takeovers = 0;  ///< items that began by a message for which their PE had waited
  std::uint64_t lost = 0;       ///< items whose chain was not kept
};

struct bound_report {
  std::uint64_t busiest = 0;  ///< computation of the PE that has most
  std::uint64_t mean = 0;     ///< computation of all PEs by their number
  std::uint64_t latency = 0;  ///< the median of messages that had to arrive
  std::uint64_t device = 0;   ///< kernels, or copies, of the device that has most of either
  std::uint64_t overlapped =
      0;  ///< the larger of computation and communication of the PE where that is most, and a latency

  std::uint64_t least() const { return std::max({busiest, mean, overlapped, device}); }
};

struct run_report {
  std::string file;
  std::string phase;  ///< what it is on, if not on the whole run
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;  ///< records, of PEs, devices and whatever else records
  std::uint64_t length = 0;   ///< from the first record to the last
  std::uint32_t processes = 0;
  std::uint64_t all_pes = 0;  ///< of the processes whose files were read, also those without records
  bool simulated_time = false;
  bool one_pe_a_process = false;  ///< its processes could have no more
  std::vector<std::string> warnings;
  std::vector<entry_report> entries;
  std::vector<pe_report> pes;
  std::vector<process_report> by_process;
  std::vector<device_report> devices;
  std::vector<block_report> blocks;
  message_report messages;
  std::vector<phase_report> phases;      ///< by name and entry
  std::vector<chare_report> chares;      ///< by class, the busiest first
  std::vector<element_report> elements;  ///< the heaviest, no more than `most_elements_told`
  bool more_elements = false;            ///< there were too many to tell all apart
  path_report path;
  bound_report bound;
};

}  // namespace imbrex::tools
