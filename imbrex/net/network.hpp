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

  /// Who takes what arrives: called inside `endpoint::progress`, and by a long row of sends, on the
  /// endpoint's thread.
  class receiver {
   public:
    /// An item, from what `work_type::pack` wrote. The input is the network's, and gone
    /// after the call. Throws serial_error.
    virtual work& unpack(reader& in) = 0;
    /// A whole item, packed, for that PE of this process. The bytes are the network's, and gone after the
    /// call.
    virtual void take(std::span<const std::byte> packed, int pe) {
      reader in(packed);
      arrived(unpack(in), pe, packed.size());
    }
    /// The item is complete, is for that PE of this process, and came in that many bytes.
    virtual void arrived(work& item, int pe, std::size_t bytes) = 0;
    /// A notice from a process.
    virtual void notice(int process, std::span<const std::byte> bytes) = 0;
    /// A process can no longer be reached; `why` is the network's own word for it. Also a thread of the
    /// network's own may call, at any time as long as the network is there.
    virtual void lost(int process, const std::string& why) = 0;

   protected:
    ~receiver() = default;
  };

  /// Items sent to other processes, and received from them, by all PEs of this process.
  struct counts {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t round = 0;  ///< of the search for quiescence that the process had heard of by then

    friend bool operator==(const counts&, const counts&) = default;
  };

  /// The PEs of this process and of the job.
  virtual const pe_range& pes() const = 0;
  /// The endpoint of a PE of this process; with a single one, that.
  virtual endpoint& endpoint_of(int pe) = 0;
  /// Exact while the PEs sleep. Any thread.
  virtual counts counted() const = 0;
  /// From now on the receiver is told of what is lost. When it is ready for that.
  virtual void start() {}
  /// Waits until all that was sent has left this process, at most that long. When no PE runs any more: what
  /// comes is dropped, what is sent from then on too.
  virtual void flush(std::chrono::milliseconds at_most) = 0;
  /// Drops all connections, and what has not left; once the others need this process no more.
  virtual void close() = 0;
};

/// How many endpoints a process has: its PEs have one each, or share one.
enum class endpoint_sharing : bool { each, one };

}  // namespace imbrex::detail
