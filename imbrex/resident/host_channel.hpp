// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <imbrex/core/extension/report.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/resident/layout.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/report.hpp>

namespace imbrex::resident::detail {

/// Message from the host to a chare, which waits for room in the ring.
struct host_message {
  std::uint32_t to = 0;  ///< receiving PE
  item what;
  std::vector<std::byte> parcel;  ///< empty: the arguments are in the item
};

/// Host's end of the channel to and from a program inside a GPU. During a run its thread reads what PEs send
/// and print. PEs cannot wake the thread, so it polls. While items arrive it polls all the time, else at
/// growing intervals, up to 500 us.
///
/// The thread owns the rings to the host and calls the listeners. `mutex_` guards the ring from the host, and
/// the queue of messages that it has no room for.
class host_channel {
 public:
  /// Function that handles a message. The parcel of the message follows the slot.
  using listener = std::function<void(const host_slot&)>;

  /// For `pes` PEs of this process, from `first_pe` on. `names` names the chares that print, and must outlive
  /// the object. `trace` records entries; it may be null. Once the Imbrex run
  /// has ended the processes exchange nothing any more, and a run that listens ends.
  host_channel(device& of, const settings& s, std::uint32_t first_pe, std::uint32_t pes,
               const reporter& names, std::unique_ptr<extension::block_recorder> trace,
               extension::run_watch run);
  host_channel(const host_channel&) = delete;
  host_channel& operator=(const host_channel&) = delete;
  ~host_channel();

  /// Sets the listener for the host's entry `number`. Between runs only.
  void listen(std::uint32_t number, listener what);
  /// Opens the next run for messages of the host.
  void open() { opens_ = true; }
  /// Prepares a run and returns the description of the rings for its machine. `tells`: chares may send to the
  /// host. Without a thread, `look` reads the rings.
  host_link begin(bool with_thread, bool tells);
  /// Reads the rings of a run that has no thread.
  void look() { read(); }
  /// Sends a message; any thread, from `begin` to `end`. Throws error if the run is not open.
  void send(host_message&& m);
  /// Ends the host's messages; any thread, from `begin` to `end`. Throws error if the run is not open.
  void close();
  /// Number of messages and lines that the host has received, modulo 2^32; any thread, during a run.
  std::uint32_t received_count() const;
  /// Lets the run end, if it listens; any thread, during a run. `why` is host_link::is_over if the Imbrex
  /// program ends.
  void abandon(std::uint32_t why = 0) noexcept;
  /// Ends a run: on return everything that was sent has been received. Throws the exception of a listener, or
  /// an error if a message had no listener.
  void end();

 private:
  void work();
  bool read();
  bool read_records();
  void find_clock();
  void handle_slot(const host_slot& slot, std::uint32_t pe);
  bool put_queued();
  void stop() noexcept;
  void say_lost() const;

  const std::uint32_t first_pe_, pes_;
  const reporter& names_;
  std::vector<listener> listeners_;
  const std::unique_ptr<extension::block_recorder> trace_;
  const extension::run_watch run_;
  const bool has_hosts_clock_;  ///< PEs have the host's clock
  const bool is_linked_;        ///< there are other GPUs, which may wait for this host's messages
  pinned_buffer<std::byte> memory_;
  host_link link_;
  std::size_t words_bytes_ = 0;  ///< size of the first part of memory_, which is zero at the begin of a run
  bool opens_ = false;

  std::thread thread_;               ///< thread of the run in progress
  std::vector<std::uint32_t> read_;  ///< slots read, by ring to the host
  std::vector<std::uint32_t> records_read_;
  std::int64_t clock_ahead_ = 0;  ///< ns by which the host's clock is ahead of that of the PEs
  std::exception_ptr failure_;    ///< exception of a listener, or error about a missing listener

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;  ///< the run is over
  bool is_open_ = false, closes_ = false;
  std::deque<host_message> queued_;
  std::uint32_t written_ = 0, known_ = 0;
};

}  // namespace imbrex::resident::detail
