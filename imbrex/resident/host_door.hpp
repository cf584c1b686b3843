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

#include <imbrex/core/pe/executor_gate.hpp>
#include <imbrex/core/record/block_recorder.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/resident/layout.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/report.hpp>

namespace imbrex::resident::detail {

/// What the host sends to a chare, for the ring.
struct host_message {
  std::uint32_t to = 0;  ///< a PE
  item what;
  std::vector<std::byte> parcel;  ///< empty: the arguments are in the item
};

/// The host's end of the way to a program inside a GPU and back. During a run a thread of it reads what the
/// PEs tell and print. Nothing can wake it, so it looks: while something comes again and again, else less and
/// less often, but in 500 us at the latest.
///
/// The thread owns the rings to the host and calls the listeners. The ring from the host, and what it has no
/// room for, belong to whoever has `mutex_`.
class host_door {
 public:
  /// What to do with a message, of which the parcel begins behind the slot.
  using listener = std::function<void(const host_slot&)>;

  /// Of PEs of this process, so many from the first on. `names` says who prints, and must outlive it.
  /// `trace`: where entries are recorded, or null. `gate`: of the Imbrex run, or null; when it closes nobody
  /// talks any more, and a run that listens ends.
  host_door(device& of, const settings& s, std::uint32_t first_pe, std::uint32_t pes, const reporter& names,
            std::unique_ptr<imbrex::detail::block_recorder> trace,
            std::shared_ptr<imbrex::detail::executor_gate> gate);
  host_door(const host_door&) = delete;
  host_door& operator=(const host_door&) = delete;
  ~host_door();

  /// Between runs. `number` is that of an entry of the host.
  void listen(std::uint32_t number, listener what);
  /// The next run is open for messages of the host.
  void open() { opens_ = true; }
  /// Before a run, in which chares may tell something or not: what its machine is told of the rings. Without
  /// a thread it is `look` that reads them.
  host_link begin(bool with_thread, bool tells);
  /// Hears what has been told. Of a run that has no thread.
  void look() { read(); }
  /// From `begin` to `end`, any thread. Throws error if the run is not open.
  void send(host_message&& m);
  /// From `begin` to `end`, any thread: nothing more comes. Throws error if the run is not open.
  void close();
  /// During a run, any thread: how many messages and lines the host has heard, modulo 2^32.
  std::uint32_t heard() const;
  /// During a run, any thread: it shall end, if it listens. `why`: host_link::is_over, too, if the Imbrex
  /// program ends.
  void abandon(std::uint32_t why = 0) noexcept;
  /// After a run: when it returns all that was told has been heard. Throws what a listener has thrown, or an
  /// error if something was told that nobody listens for.
  void end();

 private:
  void work();
  bool read();
  bool read_records();
  void find_clock();
  void hear(const host_slot& said, std::uint32_t pe);
  bool put_queued();
  void stop() noexcept;
  void say_lost() const;

  const std::uint32_t first_pe_, pes_;
  const reporter& names_;
  std::vector<listener> listeners_;
  const std::unique_ptr<imbrex::detail::block_recorder> trace_;
  const std::shared_ptr<imbrex::detail::executor_gate> gate_;
  const bool has_hosts_clock_;  ///< the PEs
  const bool is_linked_;        ///< there are other GPUs, which may be waiting for what this host says
  pinned_buffer<std::byte> memory_;
  host_link link_;
  std::size_t words_bytes_ = 0;  ///< of the memory, that are zero at the begin of a run
  bool opens_ = false;

  std::thread thread_;               ///< of the run under way
  std::vector<std::uint32_t> read_;  ///< of each ring to the host
  std::vector<std::uint32_t> records_read_;
  std::int64_t clock_ahead_ = 0;  ///< so many ns is the host's clock ahead of that of the PEs
  std::exception_ptr failure_;    ///< of a listener, or of its absence

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;  ///< the run
  bool is_open_ = false, closes_ = false;
  std::deque<host_message> queued_;
  std::uint32_t written_ = 0, known_ = 0;
};

}  // namespace imbrex::resident::detail
