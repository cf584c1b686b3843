// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/network.hpp>

/// The interface that a fabric implements: the network by which endpoints reach each other. Work that is
/// alike on every fabric (coalescing, back-pressure, queues of long messages, shared memory, counts) is in
/// `endpoint/`. `connect/` finds a fabric by its name, and `checks/` tests the properties of each.
///
/// A fabric carries messages between workers: active messages of several kinds, each with a header and a
/// body. Both are plain bytes to the fabric. A worker belongs to one thread, and calls its events only within
/// its own functions.
namespace imbrex {

struct fabric_capabilities {
  bool ordered = false;   ///< short messages reach a worker in the order in which another worker sent them
  bool reliable = false;  ///< each message arrives once and unchanged; a fabric without this is for tests
                          ///< only
  /// Messages longer than some size leave only after both workers have made progress since they connected.
  bool connects_late = false;
  std::size_t longest_header = 0;  ///< bytes, of a message with a body
};

class fabric_events;

/// A connection to another worker. An endpoint owns it, at a fixed address, and a fabric fills it.
struct fabric_connection {
  void* handle = nullptr;           ///< the fabric's own handle; null while there is no connection
  fabric_events* events = nullptr;  ///< notified when the connection breaks
  int process = 0;                  ///< rank of the other worker's process
  std::size_t sent_unasked = 0;     ///< bytes up to which the fabric sends a message at once instead of
                                    ///< offering it
};

/// The address of a connection's other worker.
struct fabric_destination {
  std::string address;  ///< result of the other worker's `fabric_worker::address`
  int process = 0;
  bool is_on_this_host = false;
};

/// A transfer that a fabric holds until it has completed. The fabric identifies it by its address.
struct fabric_transfer {
  explicit fabric_transfer(fabric_events& of) : events(&of) {}
  fabric_events* events;
};

/// Result of a call. Done: nothing more follows. Kept: the fabric still reads the sent bytes, which must stay
/// until `fabric_events::departed`. Failed: the code is the fabric's negative number of the reason.
struct fabric_status {
  std::intptr_t code = 0;

  bool is_done() const { return code == 0; }
  bool is_kept() const { return code > 0; }
  bool has_failed() const { return code < 0; }
};

/// The outcome of receiving an offered message.
enum class fabric_receipt {
  whole,
  lost,    ///< with the other worker or the link to it, which `fabric_events::lost` reports
  failed,  ///< for another reason
};

/// Events that a worker reports to its endpoint. They throw nothing. The bytes belong to the fabric and are
/// valid only during the call.
class fabric_events {
 public:
  /// Number of kinds of messages; each kind is a number below it.
  static constexpr unsigned kinds = 11;

  /// A message has arrived.
  virtual void came(unsigned kind, std::span<const std::byte> header, std::span<const std::byte> body) = 0;
  /// A long message is offered, whose body of `size` bytes stays with its sender until it is accepted. True
  /// if the endpoint keeps the offer, and accepts or declines it later. If false, and not accepted within
  /// this call, it is declined.
  virtual bool offered(unsigned kind, std::span<const std::byte> header, std::size_t size, void* offer) = 0;
  /// The fabric no longer reads the bytes kept for this send.
  virtual void departed(fabric_transfer& what) = 0;
  /// An accepted message has arrived completely, or has failed. `why`: the reason, if it has failed.
  virtual void filled(fabric_transfer& what, fabric_receipt receipt, const std::string& why) = 0;
  /// A process can no longer be reached.
  virtual void lost(int process, const std::string& why) = 0;

 protected:
  ~fabric_events() = default;
};

/// One end of a fabric. All its connections are closed before it ends; it does not report what is unfinished
/// then. To avoid virtual calls for each message, an endpoint is instantiated for a final class derived from
/// this; see `endpoints::network_endpoint`.
class fabric_worker {
 public:
  fabric_worker() = default;
  fabric_worker(const fabric_worker&) = delete;
  fabric_worker& operator=(const fabric_worker&) = delete;
  virtual ~fabric_worker() = default;

  /// Limit of short messages. A fabric offers a message up to this size without a header only if the user
  /// wants that.
  static constexpr std::size_t longest_short = std::size_t{1} << 13U;

  virtual const fabric_capabilities& can() const = 0;
  /// The address that another worker needs to connect to this one.
  virtual std::string address() const = 0;
  /// Sets the receiver of events; before the first message can arrive.
  virtual void listen(fabric_events& to) = 0;

  virtual fabric_status connect(fabric_connection& connection, const fabric_destination& to) = 0;
  /// Whether shared memory may be faster for long messages to that worker, which is on this host. Finding out
  /// may take a while.
  virtual bool may_share_memory(const fabric_connection& /*to*/) { return false; }
  /// Sends a message.
  virtual fabric_status send(fabric_connection& to, unsigned kind, std::span<const std::byte> header,
                             std::span<const std::byte> body, fabric_transfer& what) = 0;
  /// Sends a message without a header, no longer than `longest_short`; most messages are such.
  virtual fabric_status send_short(fabric_connection& to, unsigned kind, std::span<const std::byte> body,
                                   fabric_transfer& what) {
    return send(to, kind, {}, body, what);
  }
  /// The text of a failed status.
  virtual std::string failure(fabric_status status) const = 0;

  /// Receives the body of an offered message into `place`. `fabric_events::filled` reports its end, perhaps
  /// within this call.
  virtual void accept(void* offer, std::span<std::byte> place, fabric_transfer& what) = 0;
  /// Refuses an offered message.
  virtual void decline(void* offer) noexcept = 0;

  /// Sends and receives as much as possible. True if it did anything.
  virtual bool progress() noexcept = 0;
  /// Prepares for a sleep. True if from now on each arrival makes `descriptor` readable; false if there is
  /// something to do at once.
  virtual bool arm() = 0;
  virtual int descriptor() const = 0;
  /// Drops a connection and the messages that it still holds.
  virtual void disconnect(fabric_connection& connection) noexcept = 0;
};

/// The first process of a host, which watches the host's links.
struct link_monitor {
  int process = 0;
  std::string address;  ///< address of its `link_watch`; empty if it has none
};

/// Detects that a link between hosts is down, where the fabric itself does not report it.
class link_watch {
 public:
  virtual ~link_watch() = default;
  /// The address that watches on other hosts need to reach this one.
  virtual std::string address() const = 0;
  /// Also watches the host with that number from now on. Any thread.
  virtual void monitor(int host) = 0;
  /// From now on notifies the receiver of each lost process, once.
  virtual void start() = 0;
};

/// One process's part of a fabric.
class fabric {
 public:
  fabric() = default;
  fabric(const fabric&) = delete;
  fabric& operator=(const fabric&) = delete;
  virtual ~fabric() = default;

  /// The data that the processes of the job need about this one before they open the fabric.
  virtual std::string introduction() = 0;
  /// Opens the fabric with the introductions of all processes, by rank; the first call but for
  /// `introduction`.
  virtual void open(const std::vector<std::string>& all, int self) = 0;
  virtual std::unique_ptr<fabric_worker> make_worker() = 0;
  /// Makes the watch of the host with number `host` among `hosts`, which is complete when the watch starts.
  /// Its messages carry the run's `token`. Null if this fabric needs no watch, or the user wants none.
  virtual std::unique_ptr<link_watch> make_watch(int /*host*/, const std::vector<link_monitor>& /*hosts*/,
                                                 std::uint64_t /*token*/, detail::network::receiver& /*to*/) {
    return nullptr;
  }
  /// Whether any process has a watch.
  virtual bool watches_links() const { return false; }
  /// Closes the fabric after all workers. `finished`: no worker had anything in transfer.
  virtual void close(bool /*finished*/) {}
};

}  // namespace imbrex
