// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// The costs in time of the operations of a device, and of the PE that drives it. Fields and units equal
/// those of the file: `models/v100.toml` shows and explains them all. Times of zero take no time, and rates
/// of zero have no limit; a file may have neither.
struct device_model {
  std::string name = "instant";

  struct {
    std::size_t memory = std::size_t{16} << 30U;  ///< bytes
    int concurrent_kernels = 16;
    std::uint64_t threads = 0;           ///< threads that run at once; 0: any kernel fills the device
    std::uint64_t memory_bandwidth = 0;  ///< bytes a second, read and written
    double flops = 0;                    ///< operations a second
    nanoseconds kernel_start{0};         ///< from its turn in the stream to a kernel's first instruction
    nanoseconds graph_kernel_start{0};   ///< as `kernel_start`, for kernels in a graph
  } device;

  struct {
    int engines_to_device = 1;
    int engines_from_device = 1;
    std::uint64_t to_device = 0;    ///< bytes a second
    std::uint64_t from_device = 0;  ///< bytes a second
    nanoseconds latency{0};         ///< for each copy, before its first byte
  } copy;

  /// The costs of calls for the calling thread.
  struct {
    nanoseconds launch{0};             ///< a kernel, a copy, a fill
    nanoseconds call{0};               ///< recording an event, waiting for one, flags, host functions
    nanoseconds query{0};              ///< a query whether an event or a stream is done
    nanoseconds synchronize{0};        ///< return from a blocking wait
    nanoseconds graph_launch{0};       ///< launch of a graph
    nanoseconds graph_operation{0};    ///< for each operation in the graph
    nanoseconds host_function{0};      ///< from its turn in the stream to a host function's call
    std::uint64_t copy_bandwidth = 0;  ///< bytes a second, from host memory to host memory
    std::size_t pinned = 0;            ///< limit of pinned bytes for a device; 0: none. May be left out
  } host;

  /// The costs of messages for the PEs. In a file with links, `latency` and `bandwidth` are for messages
  /// within a host.
  struct {
    nanoseconds send{0};
    nanoseconds receive{0};
    nanoseconds callback{0};      ///< time of a PE for the completion of a host function
    nanoseconds latency{0};       ///< from one PE to another
    std::uint64_t bandwidth = 0;  ///< bytes a second between two PEs
  } message;

  /// The positions of devices, each with a PE of its own. A file may leave it out, with `link` and `step`.
  /// Then all devices and PEs are equally far from each other, and share nothing.
  struct {
    int devices = 0;  ///< devices of a host; 0: the file has no links
    int sockets = 1;  ///< sockets of a host, among which the devices are divided
  } node;

  /// The links, in each direction. Rates are in bytes a second.
  struct link_rates {
    std::uint64_t device = 0;  ///< between any two devices of a socket
    nanoseconds device_latency{0};
    std::uint64_t host = 0;    ///< between a device and its socket's memory
    std::uint64_t socket = 0;  ///< between any two sockets of a host
    nanoseconds socket_latency{0};
    std::uint64_t card = 0;            ///< rate of a socket's network card
    std::uint64_t card_device = 0;     ///< between the memory of one device and the card
    nanoseconds card_latency{0};       ///< from one card to the other
    std::size_t eager = 0;             ///< limit in bytes; longer transfers begin with a rendezvous
    nanoseconds device_rendezvous{0};  ///< time of a rendezvous within a host
    nanoseconds card_rendezvous{0};    ///< time of a rendezvous between hosts
    std::size_t staged_from =
        0;                     ///< bytes from which transfers between hosts pass through the hosts' memory;
                               ///< 0: never
    std::uint64_t staged = 0;  ///< rate of such transfers
  } link{};

  /// The time of a PE for steps of the runtime.
  struct {
    nanoseconds envelope{0};    ///< to send a message with device memory, in addition to `message.send`
    nanoseconds post{0};        ///< to receive a message with device memory, in addition to `message.receive`
    nanoseconds channel{0};     ///< to send or receive by a device channel, instead of these
    nanoseconds completion{0};  ///< to handle an item that is no message: a device's completion, a timer
    nanoseconds transfer{0};    ///< to begin a transfer from another device
  } step;

  /// The times of steps of a PE inside a device, where chares live there; a file may leave it out.
  struct {
    nanoseconds look{0};          ///< one poll of a mailbox
    nanoseconds take{0};          ///< to take a message that has arrived
    nanoseconds send{0};          ///< to send a message
    nanoseconds flight{0};        ///< travel time of a message within a device
    nanoseconds entry{0};         ///< to begin and end an entry, for a PE that is a block
    nanoseconds device_entry{0};  ///< to begin and end an entry, for a PE that is a whole device
    nanoseconds device_sync{0};   ///< a barrier of its blocks inside an entry
    nanoseconds tell{0};          ///< to notify the host
  } resident;

  /// The times of an MPI library, which replace those of `message` and `step`; a file may leave it out.
  struct {
    nanoseconds send{0};
    nanoseconds receive{0};
    std::size_t staged_from = 0;  ///< as in `link`
    std::uint64_t staged = 0;
  } mpi;

  /// False if the file has no links and steps.
  bool has_links() const { return node.devices != 0; }

  /// The time that `bytes` bytes take at `rate`.
  static nanoseconds transfer_time(std::size_t bytes, std::uint64_t rate);
};

/// Reads a model from the text of a TOML file; `file` names it in errors. Throws `usage_error` for invalid
/// TOML, an unknown or missing key, a wrong type, or a value that is not positive. The text names file, line,
/// key and remedy.
device_model parse_device_model(std::string_view text, std::string_view file);

/// A model delivered with Imbrex, by name, or else the one in the file of that path. With the suffix ":mpi"
/// the times of an MPI library, from the file's table `[mpi]`, replace the PE's times of the runtime. After a
/// comma follow other values of single numbers: "summit,link.card=23GB/s", or "summit,link.card=x2" for twice
/// the file's. Throws `usage_error`.
device_model find_device_model(std::string_view words);

/// The text of such a model, or of the file. Throws `usage_error` if there is none.
std::string device_model_text(std::string_view name_or_path);

/// The names of the models delivered with Imbrex.
std::span<const std::string_view> device_model_names();

}  // namespace imbrex
