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

// The results of a trace's analysis. All times are in ns.

/// One entry method, or one kind of item of the runtime.
struct entry_report {
  std::string name;
  bool program = false;          ///< belongs to the program, not the runtime
  bool is_main = false;          ///< the main task
  std::uint64_t calls = 0;       ///< items, without mere forwarding, and turns in broadcasts
  std::uint64_t resumes = 0;     ///< resumes of its coroutines
  std::uint64_t time = 0;        ///< without nested frames
  std::uint64_t longest = 0;     ///< from a begin to its end, with nested frames
  std::uint64_t elements = 0;    ///< number of different elements called
  bool more_elements = false;    ///< `elements` stopped counting
  std::uint32_t chain_part = 0;  ///< index in `chain_times`; 0: none

  /// The mean time of a piece between awaits, or between an await and the begin or end of a call; 0 without
  /// calls.
  double grain() const {
    const std::uint64_t pieces = calls + resumes;
    return pieces == 0 ? 0 : static_cast<double>(time) / static_cast<double>(pieces);
  }
};

/// An element of a collection.
struct element_report {
  std::string name;         ///< "block(3, 0)"
  std::uint64_t busy = 0;   ///< time of its own execution, without nested frames
  std::uint64_t calls = 0;  ///< calls of its entries by messages to it
  std::uint64_t sent = 0;   ///< messages sent while it ran
  std::uint64_t sent_bytes = 0;
};

/// The elements of one class of chares.
struct chare_report {
  std::string name;
  std::uint64_t elements = 0;
  element_report sum;       ///< sum over all elements
  element_report heaviest;  ///< the element that was busy longest
};

/// The overlap of communication and computation of a PE, process or device.
struct overlap_report {
  std::uint64_t communication = 0;  ///< union of the times in which messages to it were in flight
  std::uint64_t computation = 0;
  std::uint64_t covered = 0;  ///< part of communication in which it computed
  std::uint64_t cut = 0;      ///< intervals that were too long to be counted in full
  std::uint64_t cut_time = 0;

  std::uint64_t exposed() const { return communication - covered; }
  /// The part of communication that computation covers, from 0 to 1; 0 without communication.
  double fraction() const {
    return communication == 0 ? 0 : static_cast<double>(covered) / static_cast<double>(communication);
  }
};

/// Idle time of a PE by reason; each moment counts for the first reason that holds.
struct idle_report {
  std::uint64_t before_first = 0;   ///< before its first item
  std::uint64_t after_last = 0;     ///< after its last item
  std::uint64_t communication = 0;  ///< a message to it was in flight
  std::uint64_t waking = 0;         ///< a message was ready and had not begun
  std::uint64_t device = 0;         ///< a coroutine waited for a device
  std::uint64_t timer = 0;          ///< a coroutine waited for a timer
  std::uint64_t other = 0;          ///< no message in flight: dependencies, imbalance
  std::uint64_t cut = 0;            ///< intervals until begun that were too long to be counted in full
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
  overlap_report overlap;     ///< copies, covered by kernels
};

/// A block of a kernel that schedules by itself: a PE inside a GPU.
struct block_report {
  std::uint32_t process = 0;
  std::uint32_t place = 0;  ///< number of its track: see `block_text`
  std::uint64_t entries = 0;
  std::uint64_t busy = 0;     ///< time of its entries
  std::uint64_t longest = 0;  ///< longest entry
  std::uint64_t dropped = 0;  ///< records
};

struct message_report {
  std::uint64_t sent = 0;  ///< counted again by each PE that forwards a message
  std::uint64_t bytes = 0;
  std::uint64_t begun = 0;
  std::uint64_t between_pes = 0;  ///< begun messages only
  std::uint64_t between_pes_bytes = 0;
  std::uint64_t between_processes = 0;
  std::uint64_t between_processes_bytes = 0;
  std::array<std::uint64_t, 65> sizes{};  ///< [k]: below 2^k bytes, and not below 2^(k-1)
  log_histogram network;                  ///< sent to ready, for messages that had to arrive
  log_histogram queue;                    ///< ready to begun
  std::uint64_t arrived_before_sent = 0;  ///< by the recorded clocks
  std::uint64_t unknown = 0;              ///< begun without a recorded send
  std::uint64_t forgotten = 0;            ///< dropped while in flight, as there were too many
};

/// A sum over phases; overlapping phases count in full.
struct phase_sum {
  std::uint64_t count = 0;
  std::uint64_t total = 0;    ///< from begin to end
  std::uint64_t program = 0;  ///< time for which their PEs ran the program in them
  std::uint64_t longest = 0;
  std::uint32_t whose = 0;  ///< owner of the longest: index of its element
  std::string owner;        ///< owner of the longest: "block(3, 0)"; empty if it is no element
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
  std::string entry;  ///< entry of the begin: "block::run"; empty if none ran
  phase_sum all;
  log_histogram lengths;
  std::vector<step_report> steps;  ///< by number
  bool more_steps = false;         ///< some steps were dropped, as there were too many
};

/// The largest number of elements that a report names.
inline constexpr std::size_t most_reported_elements = 1000;

struct path_report {
  std::uint64_t length = 0;
  std::uint32_t pe = 0;  ///< PE on which it ends
  chain_times parts{};
  std::uint64_t takeovers = 0;  ///< items begun by a message for which their PE had waited
  std::uint64_t lost = 0;       ///< items whose chain was not stored
};

struct bound_report {
  std::uint64_t busiest = 0;  ///< computation of the PE with the most
  std::uint64_t mean = 0;     ///< mean computation of all PEs
  std::uint64_t latency = 0;  ///< median of messages that had to arrive
  std::uint64_t device = 0;   ///< kernels or copies, whichever is larger, of the device with the most
  std::uint64_t overlapped =
      0;  ///< a latency plus, for the worst PE, the larger of computation and communication

  std::uint64_t least() const { return std::max({busiest, mean, overlapped, device}); }
};

struct run_report {
  std::string file;
  std::string phase;  ///< name of the reported phase; empty: the whole run
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;  ///< dropped records of all tracks
  std::uint64_t length = 0;   ///< from the first record to the last
  std::uint32_t processes = 0;
  std::uint64_t all_pes = 0;  ///< PEs of all files that were read, also those without records
  bool simulated_time = false;
  bool one_pe_a_process = false;  ///< a process of this run can have one PE only
  std::vector<std::string> warnings;
  std::vector<entry_report> entries;
  std::vector<pe_report> pes;
  std::vector<process_report> by_process;
  std::vector<device_report> devices;
  std::vector<block_report> blocks;
  message_report messages;
  std::vector<phase_report> phases;      ///< by name and entry
  std::vector<chare_report> chares;      ///< by class, the busiest first
  std::vector<element_report> elements;  ///< the heaviest, at most `most_reported_elements`
  bool more_elements = false;            ///< some elements share one account, as there were too many
  path_report path;
  bound_report bound;
};

}  // namespace imbrex::tools
