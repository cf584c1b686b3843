// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/endpoint.hpp>
#include <imbrex/serial/reader.hpp>

namespace imbrex::detail {

/// Connects the processes of a job.
class network {
 public:
  network() = default;
  network(const network&) = delete;
  network& operator=(const network&) = delete;
  virtual ~network() = default;

  /// Receives what arrives. It is called inside `endpoint::progress`, and during a long series of sends, on
  /// the endpoint's thread.
  class receiver {
   public:
    /// Makes an item of the bytes that `work_type::pack` wrote. The input belongs to the network and is valid
    /// only during the call. Throws serial_error.
    virtual work& unpack(reader& in) = 0;
    /// Receives a whole packed item for that PE of this process. The bytes belong to the network and are
    /// valid only during the call.
    virtual void take(std::span<const std::byte> packed, int pe) {
      reader in(packed);
      arrived(unpack(in), pe, packed.size());
    }
    /// Receives a complete item for that PE of this process, which arrived as `bytes` bytes.
    virtual void arrived(work& item, int pe, std::size_t bytes) = 0;
    /// Receives a control message from a process.
    virtual void control_message(int process, std::span<const std::byte> bytes) = 0;
    /// A process can no longer be reached; `why` is the network's own text. The network's own threads may
    /// also call it, at any time while the network exists.
    virtual void lost(int process, const std::string& why) = 0;

   protected:
    ~receiver() = default;
  };

  /// Numbers of items that all PEs of this process have sent to other processes and received from them.
  struct counts {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t round = 0;  ///< last round of quiescence detection known to the process at that time

    friend bool operator==(const counts&, const counts&) = default;
  };

  /// The PEs of this process and of the job.
  virtual const pe_range& pes() const = 0;
  /// The endpoint of a PE of this process. All PEs may share a single one.
  virtual endpoint& endpoint_of(int pe) = 0;
  /// The counts, which are exact while the PEs sleep. Any thread.
  virtual counts counted() const = 0;
  /// Enables reports of lost processes; called when the receiver is ready.
  virtual void start() {}
  /// Waits up to `at_most` until everything sent has left this process. Called when no PE runs any more: from
  /// then on arrivals and sends are dropped.
  virtual void flush(std::chrono::milliseconds at_most) = 0;
  /// Drops all connections and all unsent messages; called when the others no longer need this process.
  virtual void close() = 0;
};

/// Number of endpoints in a process: one for each PE, or one shared by all.
enum class endpoint_sharing : bool { each, one };

}  // namespace imbrex::detail
