// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <imbrex/mpi/collective/plan.hpp>
#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>
#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// One member's execution of a collective operation. Its plan proceeds in rounds of sends and receives as
/// messages arrive, whatever the rank does meanwhile. All transfers of a round run concurrently. When all
/// have ended, the plan is resumed on the PE's stack and computes up to the next round.
///
/// Messages between two members within one collective match in the order in which both have added them.
/// Different collectives have different numbers, which all members count in the same order.
class schedule : public user_request {
 public:
  /// `make` is called at each start; captured objects live as long as the schedule.
  using maker = std::function<plan(schedule&)>;
  schedule(const ref<communicator>& in, purpose of, maker make);
  /// A schedule for some members of a communicator, who have agreed on a tag; the other members do not take
  /// part.
  schedule(const ref<communicator>& in, int tag, maker make);
  ~schedule() override;

  /// One group of the communicator, as peers of sends and receives.
  class side {
   public:
    int size() const;
    /// Adds to the next round. A send reads its data when the round begins; a receive writes them when it
    /// ends.
    void send(int to, const user_buffer& data) const { of_.add(true, to, data, is_own_); }
    void receive(int from, const user_buffer& data) const { of_.add(false, from, data, is_own_); }

   private:
    friend class schedule;
    side(schedule& of, bool is_own) : of_(of), is_own_(is_own) {}
    schedule& of_;
    bool is_own_;
  };
  /// The group of this rank.
  side own() { return {*this, true}; }
  /// The other group of an intercommunicator; else the own group.
  side other() { return {*this, false}; }
  int rank_of_own() const { return in()->rank(); }

  /// Adds a copy by a device to the next round. Either device may be null: host memory. A round must not
  /// write memory that it also reads.
  void copy(void* to, device* to_on, const void* from, device* from_on, std::size_t bytes);

  /// Adds to the next round an action that `start` begins. It completes the request on the PE of the rank, at
  /// once or later.
  void add(std::function<void(rank& by, request& q)> start);

  /// Awaitable: begins the round; the plan goes on when the round has ended.
  struct round {
    schedule& of;
    bool await_ready() const { return of.begin_round(); }
    void await_suspend(plan::handle where) const noexcept { of.waits(where); }
    void await_resume() const { of.end_round(); }
  };
  round next() { return {*this}; }

  /// Calls a function of the program as if the rank called it.
  template <typename F>
  void call_program(F& what) {
    by_->run_as_code(what);
  }

  int outcome(MPI_Status& status) override;

 private:
  friend class plan;
  friend struct plan::promise_type;
  struct transfer;
  struct advance_step : rank::step {
    schedule* of = nullptr;
  };

  void begin(rank& by) override;
  void end() override;
  transfer& next_transfer();
  void add(bool is_send, int peer, const user_buffer& data, bool is_own);
  void begin_transfer(transfer& t);
  bool begin_round();
  void end_round();
  void waits(plan::handle where) noexcept {
    current_ = where;
    is_waiting_ = true;
  }
  void run();
  static void transfer_ended(request& q);

  maker make_;
  purpose purpose_;
  plan plan_;
  plan::handle current_;  ///< the innermost active plan
  bool is_waiting_ = false;
  rank* by_ = nullptr;
  int tag_ = 0;
  int own_tag_ = 0;
  std::vector<std::unique_ptr<transfer>> transfers_;
  std::size_t used_ = 0;     ///< number of `transfers_` in use in this round
  std::size_t pending_ = 0;  ///< number of transfers that have not ended
  bool is_too_long_ = false;
  advance_step step_;
};

struct plan::promise_type {
  schedule& of;
  handle outer;

  template <typename... Arguments>
  explicit promise_type(schedule& its, const Arguments&...) : of(its) {}
  plan get_return_object() { return plan(handle::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  struct ending {
    bool await_ready() const noexcept { return false; }
    void await_suspend(handle ended) const noexcept { ended.promise().of.current_ = ended.promise().outer; }
    void await_resume() const noexcept {}
  };
  ending final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  [[noreturn]] void unhandled_exception() const { throw; }
};

/// Runs a collective operation and waits for its end. Returns an error code, or MPI_SUCCESS.
int run_schedule(rank& by, const ref<communicator>& in, purpose of, schedule::maker make);

inline void plan::await_suspend(handle outer) noexcept {
  body_.promise().outer = outer;
  body_.promise().of.current_ = body_;
}

}  // namespace imbrex::mpi
