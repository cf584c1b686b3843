// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// What the operations of a device, and of the PE that drives it, cost in time. The fields and units of the
/// file are the same: `models/v100.toml` shows and explains them all. Times of zero take no time, and rates
/// of zero have no limit; a file may have neither.
struct device_model {
  std::string name = "instant";

  struct {
    std::size_t memory = std::size_t{16} << 30U;  ///< bytes
    int concurrent_kernels = 16;
    std::uint64_t threads = 0;           ///< that run at once; 0: any kernel fills the device
    std::uint64_t memory_bandwidth = 0;  ///< bytes a second, read and written
    double flops = 0;                    ///< a second
    nanoseconds kernel_start{0};         ///< from its turn in the stream to a kernel's first instruction
    nanoseconds graph_kernel_start{0};   ///< the same inside a graph
  } device;

  struct {
    int engines_to_device = 1;
    int engines_from_device = 1;
    std::uint64_t to_device = 0;    ///< bytes a second
    std::uint64_t from_device = 0;  ///< bytes a second
    nanoseconds latency{0};         ///< of each copy, before its first byte
  } copy;

  /// What calls cost the thread that makes them.
  struct {
    nanoseconds launch{0};             ///< a kernel, a copy, a fill
    nanoseconds call{0};               ///< recording an event, waiting for one, flags, host functions
    nanoseconds query{0};              ///< asking an event or a stream whether it is done
    nanoseconds synchronize{0};        ///< to go on after a wait that blocks
    nanoseconds graph_launch{0};       ///< a graph, and
    nanoseconds graph_operation{0};    ///< each operation in it
    nanoseconds host_function{0};      ///< from its turn in the stream to a host function's call
    std::uint64_t copy_bandwidth = 0;  ///< bytes a second, from host memory to host memory
    std::size_t pinned = 0;  ///< bytes that may be pinned for a device; 0: no limit. May be left out
  } host;

  /// What messages cost the PEs. In a file with links `latency` and `bandwidth` are those inside of a host.
  struct {
    nanoseconds send{0};
    nanoseconds receive{0};
    nanoseconds callback{0};      ///< what a host function's notice takes from its PE
    nanoseconds latency{0};       ///< from one PE to another
    std::uint64_t bandwidth = 0;  ///< bytes a second between two PEs
  } message;

  /// How devices lie, each with a PE of its own. A file may leave it out, with `link` and `step`: then all
  /// devices and PEs are equally far from each other, and nothing is shared between them.
  struct {
    int devices = 0;  ///< of a host; 0: the file has no links
    int sockets = 1;  ///< of a host, that they are divided among
  } node;

  /// What lies between them, each way. Rates are in bytes a second.
  struct link_rates {
    std::uint64_t device = 0;  ///< between each two devices of a socket
    nanoseconds device_latency{0};
    std::uint64_t host = 0;    ///< between a device and its socket's memory
    std::uint64_t socket = 0;  ///< between each two sockets of a host
    nanoseconds socket_latency{0};
    std::uint64_t card = 0;            ///< of the network card of a socket
    std::uint64_t card_device = 0;     ///< between the memory of one device and the card
    nanoseconds card_latency{0};       ///< from one card to the other
    std::size_t eager = 0;             ///< transfers of more bytes begin with a rendezvous, of
    nanoseconds device_rendezvous{0};  ///< this time inside of a host,
    nanoseconds card_rendezvous{0};    ///< and this between hosts
    std::size_t staged_from =
        0;                     ///< transfers between hosts of so many bytes go by the hosts' memory; 0: none
    std::uint64_t staged = 0;  ///< at this rate
  } link{};

  /// What steps of the runtime take of a PE's time.
  struct {
    nanoseconds envelope{0};  ///< to send a message with memory of a device, beside `message.send`
    nanoseconds post{0};      ///< to receive it, beside `message.receive`
    nanoseconds channel{0};   ///< to send or receive by a device channel, in the place of these
    nanoseconds notice{0};    ///< to take what is no message: that a device is done, a timer
    nanoseconds transfer{0};  ///< to begin a transfer from another device
  } step;

  /// What steps of a PE inside a device take, where chares live there; a file may leave it out.
  struct {
    nanoseconds look{0};          ///< a look at a mailbox
    nanoseconds take{0};          ///< to take a message that is there
    nanoseconds send{0};          ///< to send one
    nanoseconds flight{0};        ///< until it is there, within a device
    nanoseconds entry{0};         ///< to begin and end an entry, of a PE that is a block
    nanoseconds device_entry{0};  ///< the same of a PE that is all of a device
    nanoseconds device_sync{0};   ///< its blocks wait for each other inside an entry
    nanoseconds tell{0};          ///< to tell the host something
  } resident;

  /// What an MPI library takes in the place of `message` and `step`; a file may leave it out.
  struct {
    nanoseconds send{0};
    nanoseconds receive{0};
    std::size_t staged_from = 0;  ///< as in `link`
    std::uint64_t staged = 0;
  } mpi;

  /// False if the file says nothing of links and steps.
  bool has_links() const { return node.devices != 0; }

  /// What so many bytes take at such a rate.
  static nanoseconds transfer_time(std::size_t bytes, std::uint64_t rate);
};

/// Reads a model from the text of a TOML file; `file` names it in errors. Throws `usage_error` naming file,
/// line, key and remedy for what is no TOML, an unknown or missing key, a wrong type, a value that is not
/// positive.
device_model parse_device_model(std::string_view text, std::string_view file);

/// A model that Imbrex brings, by name, or else the one in the file of that path. With ":mpi" behind it what
/// the runtime takes of a PE is in its place what an MPI takes, which the table `[mpi]` of the file says.
/// Throws `usage_error`.
device_model find_device_model(std::string_view name_or_path);

/// The models that Imbrex brings.
std::span<const std::string_view> device_model_names();

}  // namespace imbrex
