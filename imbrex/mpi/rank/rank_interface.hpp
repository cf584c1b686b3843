// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/work.hpp>
#include <imbrex/core/extension/fiber.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/device/pooled_memory.hpp>
#include <imbrex/mpi/memory/device_memory.hpp>
#include <imbrex/mpi/rank/access_table.hpp>
#include <imbrex/mpi/rank/matcher.hpp>
#include <imbrex/mpi/rank/peer_table.hpp>
#include <imbrex/mpi/rank/program.hpp>
#include <imbrex/mpi/rank/request.hpp>
#include <imbrex/mpi/rank/slots.hpp>
#include <imbrex/sched/timer.hpp>

namespace imbrex {
struct scope;
class stream;
}  // namespace imbrex

namespace imbrex::mpi {

class rank;
struct local_call;
struct long_data;
struct offer_answer;
struct pull;
enum class offer_outcome : std::uint8_t;

/// Completion of a send: once its data have been copied, or only once the receiver has received them.
enum class send_mode : std::uint8_t { standard, synchronous };

/// The MPI function that a rank is executing, and its text in reports.
struct mpi_call {
  const char* function = nullptr;
  std::string (*describe)(const void* communicator) = nullptr;
  const void* communicator = nullptr;
};

/// One rank of a program: a chare (`rank_chare`) with a single entry. The entry runs the program's code on a
/// stack of its own and suspends wherever a function of MPI waits. A rank matches received messages in the
/// order in which each sender has sent them (MPI 3.1, section 3.5).
///
/// Only the rank's PE touches a rank. This header is without templates of chares, since each function of MPI
/// includes it.
class rank {
 public:
  rank(const rank&) = delete;
  rank& operator=(const rank&) = delete;

  /// The rank whose code runs on this thread; null if there is none.
  static rank* current() { return current_; }

  int number() const { return number_; }
  int ranks() const { return program_.ranks; }
  rank_state& state() const { return *state_; }
  /// The stack that the rank's code runs on.
  const fiber& stack() const { return *running_; }

  /// Begins to send `q.size` bytes at `q.buffer` to rank `to`, counted among all ranks.
  void send(request& q, int to, send_mode mode);
  /// Standard send that completes at once: the data go into a receive that a rank of this PE has posted, or
  /// travel with their packet. This is the common case; nothing waits. False if it is not possible; then
  /// nothing has happened.
  bool send_at_once(const envelope& head, const std::byte* data, std::uint64_t bytes, int to);
  /// Begins to receive into `q.buffer`.
  void receive(request& q);
  /// Begins to receive a message that a probe has found before.
  void receive(request& q, packet& found);
  /// Cancels a receive that has not been matched, or requests the withdrawal of a send that has not been
  /// matched. The request is done then, at once or later.
  void cancel(request& q);

  /// Finds which addresses lie in memory of devices.
  device_memory& devices() { return devices_; }
  /// Begins a copy by a device; the request is done when the copy is. `to_on` and `from_on` are the devices
  /// that hold the memory; null: the host. At most one of the two is null.
  void copy(request& q, void* to, device* to_on, const void* from, device* from_on, std::size_t bytes);
  /// Completes a request once all work ordered in a stream so far is done.
  void complete_after(stream& work, request& q);

  /// Sends a packet to rank `to` among all ranks. The receiver gets it after all packets sent there before.
  void send(packet& p, int to);

  /// Waits until a request is done.
  void await(request& q);
  /// Waits until all requests are done. Null pointers count as done.
  void await_all(std::span<request* const> some);
  /// Waits until at least one request is done.
  void await_any(std::span<request* const> some);

  /// The first message that matches this receive; null if there is none. The message stays in the matcher.
  packet* find_message(const envelope& of_receive) { return matcher_.find(of_receive); }
  /// Waits until a message matches this receive.
  packet& await_message(const envelope& of_receive);
  /// Removes a message, so that no other receive matches it.
  void take_message(packet& found) { matcher_.remove(found); }

  /// Yields: everything that is ready on this PE runs first.
  void give_way();
  /// Yields once in `looks_each_time` calls. Called by MPI functions that had nothing to wait for: a
  /// rank may poll for the progress of another one, which must run. O(1).
  void give_way_at_times() {
    constexpr std::uint32_t looks_each_time = 64;
    if (++looks_ % looks_each_time == 0) give_way();
  }
  /// Suspends the rank for `time` on the machine's clock, while others run on this PE; 0 yields. False, and
  /// nothing has happened, in a function that MPI has called: such a function must not wait.
  bool sleep_for(nanoseconds time);
  /// Moves the rank to PE `to` of this process and continues there.
  void move_to(int to);
  /// Called in a child process that the rank has made: no rank runs there.
  static void leave_in_child();
  /// Names this rank in reports of waiting ranks: it has ended with the status 0 before MPI_Finalize.
  void note_early_end();
  /// Ends the rank's code. Called on the rank's stack.
  [[noreturn]] void end(int status);
  /// Suspends the rank for ever while the run ends. Called on the rank's stack.
  [[noreturn]] void stop();

  /// Runs a function on the PE's stack once the current work has returned. The function may begin sends and
  /// receives.
  struct step : detail::work {
    rank* owner = nullptr;
    void (*advance)(step&) = nullptr;
    bool is_queued = false;
  };
  void queue(step& what);

  /// Runs a callback of the program (operation, attribute function, error handler) that may call MPI but must
  /// not wait. Uses the rank's stack if the rank's code runs, else the callback stack. Throws imbrex::error
  /// if the callback waits or throws; then the run has failed.
  template <typename F>
  void run_as_code(F& what) {
    if (current_ == this) return what();
    run_callback({[](void* function) { (*static_cast<F*>(function))(); }, &what});
  }

  /// Marks a request as done; a rank that awaits it continues.
  void complete(request& q);

  /// True if PEs of a process may exchange data without messages: no link model observes or reorders them.
  bool shares_memory() const;
  /// The PE on which a rank began.
  int first_pe_of(int number) const;
  /// Whether a rank lives in this process; `is_here`: on this PE.
  bool is_in_process(int number) const;
  bool is_here(int number) const;
  /// Completes a request that a rank of this process awaits.
  void complete_at(int number, request& q);
  /// Calls a function on the PE of a rank of this process.
  void call_at(int number, void (*function)(rank& there, void* object, std::uint64_t what), void* object,
               std::uint64_t what);

  mpi_call call;  ///< the innermost call; set by `call_frame`
  access_table accesses;

  // Called by packets on delivery.
  void take_packet(packet& p);
  void serve_pull(const pull& p);
  void take_data(long_data& d);
  void take_answer(const offer_answer& a);
  void take_turn();
  void take_call(const local_call& c);
  /// Memory for `bytes` bytes of data that receive number `receive` has requested; null if there is no such
  /// receive.
  std::byte* place_for(std::uint64_t receive, std::uint64_t bytes) const;

  /// Number of messages that no receive has matched.
  std::size_t messages() const { return matcher_.messages(); }

  // Called by the bodies of the chare's entries.
  bool start(scope& entry, const waiter& awaiter);
  /// Ends the entry's body, at its end or when a run is given up.
  void leave_entry() noexcept;
  std::exception_ptr take_error() { return std::exchange(error_, nullptr); }
  int status() const { return status_; }
  bool start_early_end(scope& entry);
  void leave_early_end() noexcept;

 protected:
  explicit rank(int number);
  ~rank();
  /// Makes the rank's stack, code and state.
  void make_code();
  [[noreturn]] static void throw_immobile();

 private:
  class wait;
  class early_end;
  struct ready_item : detail::work {
    rank* owner;
  };
  struct alarm_item : detail::timer {
    rank* owner;
  };

  static void run_ready(detail::work& item);
  static void run_alarm(detail::work& item);
  static void run_step(detail::work& item);
  static void no_destroy(detail::work&) noexcept {}
  static const detail::work_type ready_type;
  static const detail::work_type step_type;
  static const detail::work_type alarm_type;
  static void body(void* self);
  std::unique_ptr<fiber> make_stack(fiber::function body);
  static void callback_body(void* self);

  /// Continues the rank's code. Called on the PE's stack.
  void go_on();
  void run_code();
  void begin_code();
  void end_code();
  /// A callback of the program, run on the callback stack.
  struct callback {
    void (*function)(void* object) = nullptr;
    void* object = nullptr;
    std::exception_ptr error = {};
    bool is_over = false;
  };
  void run_callback(callback what);
  [[noreturn]] void refuse_in_callback(const std::string& what);
  /// Suspends the rank until `wake`. Called on the rank's stack.
  void block();
  void wake();
  void send_turn();
  /// Handles a message on the PE's stack, then continues the rank's code if the message has woken it.
  template <class F>
  void deliver(F what);

  void send_here(rank& to, request& q, std::uint32_t sequence, send_mode mode);
  packet& make_eager(const envelope& head, const std::byte* data, std::uint64_t bytes,
                     std::uint32_t sequence);
  packet& make_packet(request& q, std::uint32_t sequence, bool is_eager, bool same_process);
  /// Accepts packets in the order of sending; an early packet is kept.
  void take_in_order(packet& p);
  void accept(packet& p);
  void accept_early(peer& from);
  void keep(packet& p);
  void give(request& receive, packet& p);
  void fill(request& receive, const envelope& head, const std::byte* data, std::uint64_t size);
  // Transfers of data in memory of devices.
  struct arrival;
  struct landing;
  struct departure;
  void send_from_device(request& q, int to);
  void give_by_device(request& receive, packet& p);
  void ask_for_data(request& receive, packet& p);
  void land_on_device(request& q, long_data& d);
  const std::byte* offered_by(const request& q) const;

  static void note_outcome(request& receive, const envelope& head, std::uint64_t size);
  void note_answer(const offer_answer& a);
  void answer_offer(std::uint32_t to, std::uint64_t offer, offer_outcome outcome);
  static bool fits(const envelope& receive, const envelope& message);

  static inline constinit thread_local rank* current_ = nullptr;

  const int number_;
  const program& program_;
  std::unique_ptr<rank_code> code_;  ///< holds functions that the state may call at its end
  std::unique_ptr<rank_state> state_;
  rank_objects* objects_ = nullptr;
  std::unique_ptr<fiber> fiber_;
  std::unique_ptr<fiber> callback_stack_;  ///< made on first use
  fiber* running_ = nullptr;               ///< `fiber_` or `callback_stack_`, whichever runs the code
  callback callback_;
  std::unique_ptr<wait> wait_;
  std::unique_ptr<early_end> early_end_;
  scope* entry_ = nullptr;
  waiter awaiter_;
  std::exception_ptr error_;
  int status_ = 0;

  peer_table peers_;
  matcher matcher_;
  slot_table<request> offers_;    ///< sends whose data lie here
  slot_table<request> receives_;  ///< receives that have requested their data

  device_memory devices_;
  using host_copies = std::map<std::uint64_t, detail::pooled_memory>;  ///< by the request's number
  host_copies leaving_;  ///< offered data of a device whose memory the receiver's process cannot read
  host_copies coming_;   ///< buffers for requested data that go on to a device

  std::size_t awaited_ = 0;           ///< requests that must be done before the rank continues
  const request* awaits_ = nullptr;   ///< the single awaited request, for reports
  std::uint32_t looks_ = 0;           ///< calls that had nothing to wait for
  const envelope* probed_ = nullptr;  ///< envelope that the rank waits to match
  packet* found_ = nullptr;
  bool delivering_ = false;
  bool wakes_ = false;
  bool moves_ = false;
  bool must_attend_ = false;
  ready_item ready_{};
  alarm_item alarm_{};  ///< timer of `sleep_for`
};

/// Sets the MPI function that a rank is executing, for the lifetime of this object. Frames nest: a function
/// that MPI has called may call others.
class call_frame {
 public:
  call_frame(rank& of, const mpi_call& what) : of_(of), outer_(std::exchange(of.call, what)) {}
  ~call_frame() { of_.call = outer_; }
  call_frame(const call_frame&) = delete;
  call_frame& operator=(const call_frame&) = delete;

 private:
  rank& of_;
  mpi_call outer_;
};

}  // namespace imbrex::mpi
