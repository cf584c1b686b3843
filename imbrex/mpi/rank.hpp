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

#include <imbrex/core/array/create.hpp>
#include <imbrex/coro/entry_body.hpp>
#include <imbrex/device/pooled_memory.hpp>
#include <imbrex/mpi/access_table.hpp>
#include <imbrex/mpi/device_memory.hpp>
#include <imbrex/mpi/fiber.hpp>
#include <imbrex/mpi/matcher.hpp>
#include <imbrex/mpi/peer_table.hpp>
#include <imbrex/mpi/program.hpp>
#include <imbrex/mpi/request.hpp>
#include <imbrex/mpi/slots.hpp>

namespace imbrex {
class stream;
}

namespace imbrex::mpi {

class rank;

/// Whether a send is done when its data have been copied, or only when the receiver has received them.
enum class send_mode : std::uint8_t { standard, synchronous };

/// A function of MPI that a rank is in, and how it reads in reports.
struct mpi_call {
  const char* function = nullptr;
  std::string (*describe)(const void* communicator) = nullptr;
  const void* communicator = nullptr;
};

/// What the entry of a rank returns: its rest runs on the rank's stack.
struct rank_entry {
  rank* runs;
};

/// The body of an entry that only stands in reports.
struct early_end_entry {
  rank* of;
};

/// One rank of a program: a chare whose one entry runs the program's code on a stack of its own and waits
/// wherever a function of MPI does. It matches what others send to it, in the order in which each of them has
/// sent (MPI 3.1, section 3.5).
///
/// All is the rank's PE's.
class rank : public chare<rank> {
 public:
  rank();
  ~rank();
  rank_entry run();
  /// Ranks move to other PEs of their process alone, as objects.
  void serialize(auto&) { throw_immobile(); }

  /// The rank whose code runs on this thread; null where none does.
  static rank* current() { return current_; }

  int number() const { return static_cast<int>(where()[0]); }
  int ranks() const { return program_.ranks; }
  rank_state& state() const { return *state_; }
  /// The stack that its code runs on.
  const fiber& stack() const { return *running_; }

  /// Begins to send `q.size` bytes at `q.buffer` to a rank among all.
  void send(request& q, int to, send_mode mode);
  /// A standard send of data that go at once: into what a rank of this PE has posted, or with their packet,
  /// the common case, in which nothing waits. False if that is not so, and nothing has happened.
  bool send_at_once(const envelope& head, const std::byte* data, std::uint64_t bytes, int to);
  /// Begins to receive into `q.buffer`.
  void receive(request& q);
  /// Begins to receive a message that was found before.
  void receive(request& q, packet& found);
  /// Ends a receive that has not been matched, or asks for a send back that has not; the request is done
  /// then, at once or later.
  void cancel(request& q);

  /// Which addresses are of devices.
  device_memory& devices() { return devices_; }
  /// Begins to copy by a device; the request is done when that is. `to_on` and `from_on` are the devices, of
  /// which one may be null: the host.
  void copy(request& q, void* to, device* to_on, const void* from, device* from_on, std::size_t bytes);
  /// The same of what has been ordered in a stream.
  void complete_after(stream& work, request& q);

  /// Sends a packet to a rank among all, which gets it after all that was sent there before.
  void send(packet& p, int to);

  /// Waits until it is done.
  void await(request& q);
  /// Until all are done. Null pointers count as done.
  void await_all(std::span<request* const> some);
  /// Until at least one of them is done, or some schedule.
  void await_any(std::span<request* const> some);

  /// The first message for such a receive, which stays; null if there is none.
  packet* find_message(const envelope& of_receive) { return matcher_.find(of_receive); }
  /// Waits until there is one.
  packet& await_message(const envelope& of_receive);
  /// Takes it out of reach of other receives.
  void take_message(packet& found) { matcher_.remove(found); }

  /// Lets all go first that can run on this PE.
  void give_way();
  /// Of a call that has had nothing to wait for: a rank that looks again and again for what another one does
  /// gives way now and then. O(1).
  void give_way_at_times() {
    constexpr std::uint32_t looks_each_time = 64;
    if (++looks_ % looks_each_time == 0) give_way();
  }
  /// Goes on after `time` on the machine's clock, while others run on this PE; lets all go first that can if
  /// that is 0. False, and nothing has happened, in a function that MPI has called: it must not wait.
  bool sleep_for(nanoseconds time);
  /// Goes on on that PE of this process.
  void move_to(int to);
  /// In a child process that the rank has made: no rank runs there.
  static void leave_in_child();
  /// A report of who waits names this rank, which ends with the status 0 before MPI_Finalize.
  void note_early_end();
  early_end_entry tell_early_end();
  /// Ends the rank's code, on its stack.
  [[noreturn]] void end(int status);
  /// Never goes on, on its stack: the run ends.
  [[noreturn]] void stop();

  /// Runs a function on the PE's stack when what runs now has returned. It may begin sends and receives.
  struct step : detail::work {
    rank* owner = nullptr;
    void (*advance)(step&) = nullptr;
    bool is_queued = false;
  };
  void queue(step& what);

  /// Calls a function of the program that may call MPI, but must not wait: as the rank's code, on the rank's
  /// stack if that runs, else on a second one, which it may leave for ever as that one. Throws imbrex::error
  /// if it does so, or throws: the run has failed then.
  template <typename F>
  void run_as_code(F& what) {
    if (current_ == this) return what();
    run_callback({[](void* function) { (*static_cast<F*>(function))(); }, &what});
  }

  /// It is done: whoever awaits it goes on.
  void complete(request& q);

  /// True if what PEs of a process tell each other need not travel as messages: nobody sees or reorders them.
  bool shares_memory() const;
  /// Of any rank: where it began.
  int first_pe_of(int number) const;
  /// Whether it lives in this process; on this PE.
  bool is_in_process(int number) const;
  bool is_here(int number) const;
  /// What a rank of this process awaits is done.
  void complete_at(int number, request& q);
  /// Calls a function on the PE of a rank of this process.
  void call_at(int number, void (*function)(rank& there, void* object, std::uint64_t what), void* object,
               std::uint64_t what);

  mpi_call call;  ///< the innermost; a `call_frame` sets it
  access_table accesses;

  // For packets.
  void take_packet(packet& p);
  void serve_pull(const pull& p);
  void take_data(long_data& d);
  void take_answer(const offer_answer& a);
  void take_turn();
  void take_call(const local_call& c);
  /// Where data of that many bytes may land which the receive of that number has asked for; null if there is
  /// none.
  std::byte* place_for(std::uint64_t receive, std::uint64_t bytes) const;

  /// Calls visit(packet) for each message that no receive has taken.
  void for_each_message(auto&& visit) const { matcher_.for_each_message(visit); }

 private:
  friend struct entry_body<rank_entry>;
  friend struct entry_body<early_end_entry>;
  class wait;
  class early_end;
  struct ready_item : detail::work {
    rank* owner;
  };
  struct alarm_item : detail::timer {
    rank* owner;
  };

  [[noreturn]] static void throw_immobile();
  static void run_ready(detail::work& item);
  static void run_alarm(detail::work& item);
  static void run_step(detail::work& item);
  static void no_destroy(detail::work&) noexcept {}
  static const detail::work_type ready_type;
  static const detail::work_type step_type;
  static const detail::work_type alarm_type;
  static void body(void* self);
  static void callback_body(void* self);

  bool start(scope& entry, const waiter& awaiter);
  /// The entry is no more, at the end or when a run is given up.
  void leave_entry() noexcept;
  bool start_early_end(scope& entry);
  void leave_early_end() noexcept;
  /// On the PE's stack.
  void go_on();
  void run_code();
  void begin_code();
  void end_code();
  /// A function of the program on the second stack.
  struct callback {
    void (*function)(void* object) = nullptr;
    void* object = nullptr;
    std::exception_ptr error = {};
    bool is_over = false;
  };
  void run_callback(callback what);
  [[noreturn]] void refuse_in_callback(const std::string& what);
  /// On its own: until it is woken.
  void block();
  void wake();
  void send_turn();
  /// Does what a message brings, on the PE's stack, and then goes on if that is what the rank waits for.
  template <class F>
  void deliver(F what);

  detail::collection<rank>& part() const;
  void send_here(rank& to, request& q, std::uint32_t sequence, send_mode mode);
  packet& make_eager(const envelope& head, const std::byte* data, std::uint64_t bytes,
                     std::uint32_t sequence);
  packet& make_packet(request& q, std::uint32_t sequence, bool is_eager, bool same_process);
  /// In the order of sending.
  void take_in_order(packet& p);
  void accept(packet& p);
  void accept_early(peer& from);
  void keep(packet& p);
  void give(request& receive, packet& p);
  void fill(request& receive, const envelope& head, const std::byte* data, std::uint64_t size);
  // Of memory of devices.
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

  const program& program_;
  std::unique_ptr<rank_code> code_;  ///< in which functions lie that the state may call at its end
  std::unique_ptr<rank_state> state_;
  rank_objects* objects_ = nullptr;
  std::unique_ptr<fiber> fiber_;
  std::unique_ptr<fiber> callback_stack_;  ///< made when it is needed
  fiber* running_ = nullptr;               ///< the one of both that its code runs on
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
  slot_table<request> receives_;  ///< that have asked for their data

  device_memory devices_;
  using host_copies = std::map<std::uint64_t, detail::pooled_memory>;  ///< by the number of their request
  host_copies leaving_;  ///< of what is offered and lies on a device that the receiver's process cannot read
  host_copies coming_;   ///< where data for a device land that were asked for

  std::size_t awaited_ = 0;           ///< requests that must be done before it goes on
  const request* awaits_ = nullptr;   ///< the one, for reports
  std::uint32_t looks_ = 0;           ///< that have waited for nothing
  const envelope* probed_ = nullptr;  ///< what it waits to find
  packet* found_ = nullptr;
  bool delivering_ = false;
  bool wakes_ = false;
  bool moves_ = false;
  bool must_attend_ = false;
  ready_item ready_{};
  alarm_item alarm_{};  ///< of its sleep
};

/// Says which function of MPI a rank is in, as long as it lives. A function that MPI has called may call
/// others inside.
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

template <>
struct imbrex::entry_body<imbrex::mpi::rank_entry> {
  using result = int;

  static void* release(mpi::rank_entry&& entry) { return entry.runs; }
  static bool start(void* body, scope& entry, const waiter& awaiter) {
    return static_cast<mpi::rank*>(body)->start(entry, awaiter);
  }
  static std::exception_ptr take_error(void* body) {
    return std::exchange(static_cast<mpi::rank*>(body)->error_, nullptr);
  }
  static int take_result(void* body) { return static_cast<mpi::rank*>(body)->status_; }
  static void destroy(void* body) noexcept { static_cast<mpi::rank*>(body)->leave_entry(); }
  static constexpr body_kind kind{&destroy, true};
};

template <>
struct imbrex::entry_body<imbrex::mpi::early_end_entry> {
  using result = void;

  static void* release(mpi::early_end_entry&& entry) { return entry.of; }
  static bool start(void* body, scope& entry, const waiter& /*awaiter*/) {
    return static_cast<mpi::rank*>(body)->start_early_end(entry);
  }
  static std::exception_ptr take_error(void* /*body*/) { return {}; }
  static detail::storable<void> take_result(void* /*body*/) { return {}; }
  static void destroy(void* body) noexcept { static_cast<mpi::rank*>(body)->leave_early_end(); }
  static constexpr body_kind kind{&destroy, true};
};
