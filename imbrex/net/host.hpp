// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/bootstrap/bootstrap.hpp>

namespace imbrex {

/// The same for all processes of a host, and for no others: what the kernel drew when it started. Processes
/// in different containers are on different hosts: they share no memory, or are connected by a link that
/// may fail, or do not find each other by the numbers of their processes; and those in different time
/// namespaces, which have other clocks. Throws imbrex::error without /proc.
std::string name_of_host();

/// A process of a host.
struct host_process {
  int first_pe = 0;  ///< the number of its first PE in the job
  int pes = 1;
  std::vector<int> processors;  ///< that it may use, by the system's numbers
  std::string devices{};        ///< that it sees, in words: processes with the same words see the same ones
};

/// What a process of a job has of its host.
struct host_share {
  int pes = 1;                          ///< of this process
  bool has_processor_for_each = true;   ///< of all PEs of all processes on this host
  bool is_only_host = true;             ///< all processes of the job are on it
  bool is_first_host = true;            ///< process 0 is on it
  int first_pe = 0;                     ///< how many PEs of this host come before those of this process
  int host_pes = 1;                     ///< PEs of all processes on this host
  std::vector<host_process> processes;  ///< of this host, by their ranks, this one among them
  std::size_t self = 0;                 ///< its place among them
  std::uint64_t job = 0;                ///< a number that process 0 has drawn; its runs differ in it
  /// The first PE of each host of the job, ascending from 0; a host whose processes do not follow each other
  /// counts as several.
  std::vector<int> host_starts{0};
  std::vector<int> process_starts{0};     ///< the first PE of each process of the job, by rank
  bool has_devices_side_by_side = false;  ///< on some host of the job several processes see devices
};

/// Of a process by itself: as `share_host`.
host_share own_host(int pes, int beside);

/// Agrees with the other processes of the job. `pes`: how many PEs this process is to have; 0 for its part of
/// the processors that it may use, of which those that others of its host may use as well are divided among
/// them. `beside`: threads that it has beside its PEs, and that need a processor, too. `devices`: as
/// `host_process` has them.
host_share share_host(bootstrap& job, int pes, int beside, const std::string& devices);

/// What the first process of a host says if its PEs outnumber the processors; else nothing. `usable`: how
/// many this process may use at the same time.
std::string shared_processors_text(const host_share& share, int usable);

namespace detail {

/// What a process says of itself to share a host.
struct host_user {
  std::string host;
  int pes = 0;                  ///< asked for; 0 for its part
  int usable = 1;               ///< processors that it may use at the same time
  std::vector<int> processors;  ///< their numbers, perhaps more
  int beside = 0;               ///< threads beside its PEs
  std::string devices{};        ///< as in `host_process`
  std::uint64_t drawn = 0;      ///< a number
};

host_share share_among(std::span<const host_user> all, std::size_t self);

}  // namespace detail
}  // namespace imbrex
