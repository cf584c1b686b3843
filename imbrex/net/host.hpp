// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/bootstrap/bootstrap.hpp>

namespace imbrex {

/// A name that is equal for all processes of a host and differs between hosts: the kernel's boot id and
/// namespaces. Processes in different containers count as on different hosts. They share no memory, or their
/// link may fail, or they cannot find each other by process ids. Different time namespaces also count as
/// different hosts, since their clocks differ. Throws imbrex::error without /proc.
std::string name_of_host();

/// A process of a host.
struct host_process {
  int first_pe = 0;  ///< first PE of the process, numbered in the job
  int pes = 1;
  std::vector<int> processors;  ///< system numbers of the processors that it may use
  std::string devices{};        ///< the devices that it sees, in words; equal words mean the same devices
};

/// A process's share of its host.
struct host_share {
  int pes = 1;                          ///< PEs of this process
  bool has_processor_for_each = true;   ///< all PEs of all processes on this host have one
  bool is_only_host = true;             ///< all processes of the job are on this host
  bool is_first_host = true;            ///< process 0 is on this host
  int first_pe = 0;                     ///< number of PEs on this host in processes of lower rank
  int host_pes = 1;                     ///< PEs of all processes on this host
  std::vector<host_process> processes;  ///< processes of this host by rank, this one included
  std::size_t self = 0;                 ///< index of this process in `processes`
  std::uint64_t job = 0;                ///< a number drawn by process 0, different in each run
  /// The first PE of each host of the job, ascending from 0; a host whose processes do not follow each other
  /// counts as several.
  std::vector<int> host_starts{0};
  std::vector<int> process_starts{0};     ///< the first PE of each process of the job, by rank
  bool has_devices_side_by_side = false;  ///< on some host of the job several processes see devices
};

/// The share of a process that runs by itself; arguments as in `share_host`.
host_share own_host(int pes, int beside);

/// Agrees with the other processes of the job. `pes`: number of PEs of this process. 0: its share of the
/// processors it may use. Processors that other processes of the host may also use are divided among them.
/// `beside`: number of its other threads that need a processor, too. `devices`: as in `host_process`.
host_share share_host(bootstrap& job, int pes, int beside, const std::string& devices);

/// The number of PEs that share this process's processors: its own, and those of processes of this host that
/// may use one of them.
int pes_of_own_processors(const host_share& share);

/// The warning of the host's first process if its PEs outnumber the processors; else empty. `usable`: number
/// of processors that this process may use at the same time.
std::string shared_processors_text(const host_share& share, int usable);

namespace detail {

/// A process's contribution to the division of its host.
struct host_user {
  std::string host;
  int pes = 0;                  ///< requested PEs; 0 for a share of the processors
  int usable = 1;               ///< number of processors it may use at the same time
  std::vector<int> processors;  ///< system numbers of its processors; may be more than `usable`
  int beside = 0;               ///< number of threads beside its PEs
  std::string devices{};        ///< as in `host_process`
  std::uint64_t drawn = 0;      ///< the process's own random number
};

host_share share_among(std::span<const host_user> all, std::size_t self);

}  // namespace detail
}  // namespace imbrex
