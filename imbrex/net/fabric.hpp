// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/network.hpp>

/// What a fabric implements: the network itself, by which endpoints reach each other. What is ours on every
/// fabric (short messages that leave together, back-pressure, long ones that wait, shared memory, counting)
/// is in `endpoint/`; `connect/` finds a fabric by its name, and `checks/` says what holds for each.
///
/// A fabric carries messages between workers: active messages of some kinds, each of a header and a body.
/// Only who made a message reads it, so to a fabric both are bytes. A worker is one thread's, and calls its
/// events within its own functions only.
namespace imbrex {

struct fabric_capabilities {
  bool ordered = false;   ///< short messages come to a worker in the order in which another one sent them
  bool reliable = false;  ///< each message comes once, and as it was sent; else tests alone use it
  /// What is longer than some bytes leaves only when both workers have looked at the network since they
  /// connected.
  bool connects_late = false;
  std::size_t longest_header = 0;  ///< bytes, of a message with a body
};

class fabric_events;

/// To another worker. An endpoint keeps it, in a place that stays, and a fabric fills it.
struct fabric_connection {
  void* handle = nullptr;         ///< the fabric's own; null while there is no connection
  fabric_events* told = nullptr;  ///< when it breaks
  int process = 0;                ///< of the other worker
  std::size_t sent_unasked = 0;   ///< bytes up to which the fabric offers no message, but sends it
};

/// Where the other worker of a connection is.
struct fabric_destination {
  std::string address;  ///< as its `fabric_worker::address` says it
  int process = 0;
  bool is_on_this_host = false;
};

/// What a fabric keeps until it has ended: it knows it by its address.
struct fabric_transfer {
  explicit fabric_transfer(fabric_events& of) : told(&of) {}
  fabric_events* told;
};

/// What has become of a call: nothing more is to come of it; or what was sent is still read, and must stay
/// until `fabric_events::departed`; or it has failed, for a reason that the fabric has a negative number for.
struct fabric_status {
  std::intptr_t code = 0;

  bool is_done() const { return code == 0; }
  bool is_kept() const { return code > 0; }
  bool has_failed() const { return code < 0; }
};

/// How the receipt of a message that was offered has ended.
enum class fabric_receipt {
  whole,
  lost,    ///< with the other worker or the link to it, of which `fabric_events::lost` tells
  failed,  ///< for another reason
};

/// What a worker tells its endpoint. They throw nothing. Bytes are the fabric's, and gone after the call.
class fabric_events {
 public:
  /// Messages are of one of so many kinds, which are numbers below it.
  static constexpr unsigned kinds = 11;

  /// A message.
  virtual void came(unsigned kind, std::span<const std::byte> header, std::span<const std::byte> body) = 0;
  /// A long message, whose body of so many bytes is with its sender until it is accepted. True if it is kept:
  /// it will be accepted or declined later. What is not, and was not accepted in this call, is declined.
  virtual bool offered(unsigned kind, std::span<const std::byte> header, std::size_t size, void* offer) = 0;
  /// Nobody reads any more what was kept with a send.
  virtual void departed(fabric_transfer& what) = 0;
  /// What was accepted has come, or will not. `why`: if it has failed.
  virtual void filled(fabric_transfer& what, fabric_receipt receipt, const std::string& why) = 0;
  /// A process can no longer be reached.
  virtual void lost(int process, const std::string& why) = 0;

 protected:
  ~fabric_events() = default;
};

/// One end of a fabric. Before it ends all is disconnected; what it has not finished with then it tells
/// nobody. An endpoint whose messages are to cost no call through a pointer is made for a final class of this
/// one; see `endpoints::network_endpoint`.
class fabric_worker {
 public:
  fabric_worker() = default;
  fabric_worker(const fabric_worker&) = delete;
  fabric_worker& operator=(const fabric_worker&) = delete;
  virtual ~fabric_worker() = default;

  /// What is as long and has no header is short: a fabric offers it only if the user wants that.
  static constexpr std::size_t longest_short = std::size_t{1} << 13U;

  virtual const fabric_capabilities& can() const = 0;
  /// What another worker needs to connect to this one.
  virtual std::string address() const = 0;
  /// Whom to tell; before the first message can come.
  virtual void listen(fabric_events& to) = 0;

  virtual fabric_status connect(fabric_connection& connection, const fabric_destination& to) = 0;
  /// Whether long messages to another worker of this host could go faster by memory that both share. It may
  /// take a while to find out.
  virtual bool may_share_memory(const fabric_connection& /*to*/) { return false; }
  /// Sends a message.
  virtual fabric_status send(fabric_connection& to, unsigned kind, std::span<const std::byte> header,
                             std::span<const std::byte> body, fabric_transfer& what) = 0;
  /// The same of a message without a header that is no longer than `longest_short`, which most are.
  virtual fabric_status send_short(fabric_connection& to, unsigned kind, std::span<const std::byte> body,
                                   fabric_transfer& what) {
    return send(to, kind, {}, body, what);
  }
  /// Why that has failed.
  virtual std::string failure(fabric_status status) const = 0;

  /// Has the body of an offered message put there; `fabric_events::filled` tells of its end, perhaps in this
  /// call.
  virtual void accept(void* offer, std::span<std::byte> place, fabric_transfer& what) = 0;
  /// Nobody wants that message.
  virtual void decline(void* offer) noexcept = 0;

  /// Moves what can be moved, in and out. True if there was something.
  virtual bool progress() noexcept = 0;
  /// Before a sleep: true if from now on whatever comes makes `descriptor` readable; false if there is
  /// something to do at once.
  virtual bool arm() = 0;
  virtual int descriptor() const = 0;
  /// Drops a connection and what it still holds.
  virtual void disconnect(fabric_connection& connection) noexcept = 0;
};

/// The first process of a host, which watches the links of the host.
struct watchman {
  int process = 0;
  std::string address;  ///< of its `link_watch`; empty if it has none
};

/// Notices that a link between hosts is down, where a fabric itself does not tell.
class link_watch {
 public:
  virtual ~link_watch() = default;
  /// What those of other hosts need to reach this one.
  virtual std::string address() const = 0;
  /// From now on the host with that number is watched, too. Any thread.
  virtual void want(int host) = 0;
  /// From now on the receiver is told, once, of a process that is lost.
  virtual void start() = 0;
};

/// What one process has of a fabric.
class fabric {
 public:
  fabric() = default;
  fabric(const fabric&) = delete;
  fabric& operator=(const fabric&) = delete;
  virtual ~fabric() = default;

  /// What the processes of the job need to know of this one before they open the fabric.
  virtual std::string introduction() = 0;
  /// Opens it, by what all have said, in the order of their numbers; before anything else.
  virtual void open(const std::vector<std::string>& all, int self) = 0;
  virtual std::unique_ptr<fabric_worker> make_worker() = 0;
  /// Of the host with that number among `hosts`, which will be complete when it starts. What it sends has the
  /// run's `token`. Null if this fabric needs none, or the user wants none.
  virtual std::unique_ptr<link_watch> make_watch(int /*host*/, const std::vector<watchman>& /*hosts*/,
                                                 std::uint64_t /*token*/, detail::network::receiver& /*to*/) {
    return nullptr;
  }
  /// Whether any process has a watch.
  virtual bool watches_links() const { return false; }
  /// When all workers are closed. `finished`: none of them had anything under way.
  virtual void close(bool /*finished*/) {}
};

}  // namespace imbrex
