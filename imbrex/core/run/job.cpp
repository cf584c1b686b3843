// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/job.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include <unistd.h>

#include <imbrex/base/log.hpp>
#include <imbrex/base/lost_process.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/named_entry.hpp>
#include <imbrex/core/message/short_item.hpp>
#include <imbrex/core/record/run_recording.hpp>
#include <imbrex/core/run/local_run.hpp>
#include <imbrex/net/connect/connect.hpp>
#include <imbrex/net/packing.hpp>

namespace imbrex::detail {

namespace {

constexpr std::chrono::seconds patience_at_the_end{2};

/// Time for other processes to read that the run has ended, before they see a connection close.
constexpr std::chrono::milliseconds time_to_read{200};

constexpr std::chrono::microseconds longest_pause{5000};

/// Limit of the wait of a failed run's processes for each other. It exceeds the time that a process takes to
/// end although one of its PEs does not return.
constexpr std::chrono::milliseconds patience_after_failure{4500};

std::uint64_t clock_now() { return static_cast<std::uint64_t>(real_clock().now().count()); }

}  // namespace

/// Carries the report of a sleeping process to its first PE.
struct job::quiet_item : work {
  quiet_item(job& j, const network::counts& c) : owner(j), exchanged(c) { type = &kind; }
  static void report(work& item) {
    const std::unique_ptr<quiet_item> owner(static_cast<quiet_item*>(&item));
    auto& j = owner->owner;
    if (j.process_ == 0)
      j.receive_quiet(0, owner->exchanged);
    else
      j.tell(0, about::quiet, owner->exchanged.round, owner->exchanged.sent, owner->exchanged.received);
  }
  static void forget(work& item) noexcept { delete static_cast<quiet_item*>(&item); }
  static constexpr work_type kind{"report of quiet", &report, &forget, nullptr, nullptr};

  job& owner;
  network::counts exchanged;
};

/// Ends the run from the first PE.
struct job::exit_item : work {
  explicit exit_item(job& j) : owner(j) { type = &kind; }
  static void end(work& item) {
    const std::unique_ptr<exit_item> owner(static_cast<exit_item*>(&item));
    owner->owner.owner_.exit(status_of_loss());
  }
  static void forget(work& item) noexcept { delete static_cast<exit_item*>(&item); }
  static constexpr work_type kind{"end of the run", &end, &forget, nullptr, nullptr};

  job& owner;
};

job::job(local_run& owner, bootstrap& meeting, const options& settings, const clock& time)
    : owner_(owner),
      meeting_(meeting),
      process_(meeting.rank()),
      processes_(meeting.size()),
      comm_(settings.comm_thread ? std::make_unique<comm_thread>(time, *this) : nullptr),
      net_(connect(meeting, settings.net, settings.pes,
                   comm_ ? endpoint_sharing::one : endpoint_sharing::each,
                   message_table::digest() ^ digest_of_entries(),
                   comm_ ? static_cast<network::receiver&>(*comm_) : *this)),
      reports_(static_cast<std::size_t>(meeting.size())) {}

job::job(local_run& owner, bootstrap& meeting, std::unique_ptr<network> net)
    : owner_(owner),
      meeting_(meeting),
      process_(meeting.rank()),
      processes_(meeting.size()),
      net_(std::move(net)),
      reports_(static_cast<std::size_t>(meeting.size())) {}

void job::serve(const std::vector<inbox*>& inboxes) {
  if (comm_) comm_->serve(net_->endpoint_of(net_->pes().first), inboxes, net_->pes().first);
}

endpoint& job::endpoint_of(int pe) { return comm_ ? comm_->endpoint_of_pes() : net_->endpoint_of(pe); }

template <class... T>
void job::tell(int process, about what, const T&... values) {
  writer out;
  out(what, values...);
  scheduler::current()->network()->notify(process, out.written());
}

template <class... T>
void job::tell_others(about what, const T&... values) {
  for (int p = 0; p < processes_; ++p)
    if (p != process_) tell(p, what, values...);
}

bool job::quiet(const network::counts& exchanged) {
  const bool must_report = must_report_.exchange(false);
  if (!must_report && exchanged == reported_) return false;
  reported_ = exchanged;
  owner_.processor_at(net_->pes().first).pe_inbox().post(*new quiet_item(*this, exchanged));
  return true;
}

void job::receive_quiet(int process, const network::counts& exchanged) {
  if (owner_.ended()) return;
  auto& known = reports_[static_cast<std::size_t>(process)];
  // A shuffled queue that holds control messages may deliver an older report later; all counts only grow.
  if (known && (exchanged.sent < known->sent || exchanged.received < known->received ||
                exchanged.round < known->round))
    return;
  known = exchanged;
  for (const auto& r : reports_)
    if (!r || (asking_ && r->round != round_)) return;
  const auto now = total();
  if (now.sent != now.received) {
    asking_ = false;  // a report is still on its way
  } else if (!asking_ || now != before_) {
    ask_all();
  } else {
    asking_ = false;
    all_quiet();
  }
}

void job::ask_all() {
  before_ = total();
  asking_ = true;
  requested_round_.store(++round_);
  tell_others(about::ask, round_);
}

network::counts job::total() const {
  network::counts sum;
  for (const auto& r : reports_) {
    sum.sent += r->sent;
    sum.received += r->received;
  }
  return sum;
}

void job::all_quiet() {
  must_report_.store(true);  // for whatever happens next, perhaps within this process alone
  if (owner_.release_quiescence_waiters()) return;
  waits_ = owner_.describe_waits();
  waits_missing_ = processes_ - 1;
  if (waits_missing_ == 0) return owner_.fail_deadlock(waits_);
  tell_others(about::waits);
}

void job::receive_waits(known_waits&& there) {
  waits_.join(std::move(there));
  if (--waits_missing_ == 0) owner_.fail_deadlock(waits_);
}

void job::tell_end(int status) noexcept {
  if (scheduler::current() == nullptr || ending_.exchange(true)) return;
  for (int p = 0; p < processes_; ++p) try {
      if (p != process_) tell(p, about::end, status);
    } catch (...) {  // that process cannot be reached, which may be why the run ends
    }
}

void job::ask_clock() { tell(0, about::clock, clock_now()); }

void job::look_for_end() {
  const auto end = meeting_.others_left();
  if (!end) return;
  if (end->is_death) deserted_ = true;
  owner_.end_here(end->status);
}

int job::leave(int status) {
  const bool orderly = status == 0;
  if (!orderly &&
      is_deserted()) {  // the remaining data would be for a lost process; other processes detect the loss
                        // by themselves
    if (comm_) comm_->finish(nanoseconds(0));
    net_->flush(std::chrono::milliseconds(0));
    return status;
  }
  if (comm_) comm_->finish(patience_at_the_end);
  net_->flush(patience_at_the_end);
  const auto since = std::chrono::steady_clock::now();
  if (!orderly && unreachable_.load()) {  // an unreachable process will not leave
    const auto until = since + time_to_read;
    for (; std::chrono::steady_clock::now() < until;
         std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      net_->flush(std::chrono::milliseconds(0));
    return status;
  }
  // Data for this process that is still at others needs its help to leave them, and others may be about to
  // connect. The polling interval grows, so that a long wait leaves the processor to the other processes.
  const std::jthread helper([this, status, since](const std::stop_token& enough) {
    for (std::chrono::microseconds pause{100}; !enough.stop_requested();
         pause = std::min(pause + pause / 50, longest_pause)) {
      net_->flush(std::chrono::milliseconds(0));
      owner_.attend();
      std::this_thread::sleep_for(pause);
      if (status != 0 && std::chrono::steady_clock::now() > since + patience_after_failure)
        end_without_others(status);
    }
  });
  leaving_ = true;
  if (unreachable_.load()) end_process();
  int of_all = status;
  try {
    of_all = meeting_.leave(status);
  } catch (const error&) {
    if (orderly) throw;  // otherwise a consequence of the run's failure
  }
  leaving_ = false;
  return of_all;
}

std::uint32_t job::agree_to_begin(const std::exception_ptr& problem, std::uint32_t ordinal) {
  int status = 0;
  try {
    if (problem) std::rethrow_exception(problem);
  } catch (const usage_error&) {
    status = usage_error::exit_status;
  } catch (...) {
    status = 1;
  }
  const auto all = meeting_.all_gather(std::to_string(status) + " " + std::to_string(ordinal));
  for (std::size_t p = 0; p < all.size(); ++p) {
    const int its_status = std::stoi(all[p]);
    ordinal = std::max(ordinal, static_cast<std::uint32_t>(std::stoul(all[p].substr(all[p].find(' ')))));
    if (its_status == 0) continue;
    if (static_cast<int>(p) == process_) std::rethrow_exception(problem);
    throw reported_error("process " + std::to_string(p) + " cannot begin", its_status);
  }
  return ordinal;
}

work& job::unpack(reader& in) {
  message_guard guard(static_cast<message&>(unpacked(kind_of_packed(in), in)));
  const std::uint32_t origin = guard.get().origin;
  if (origin >= static_cast<std::uint32_t>(net_->pes().total))
    throw serial_error("a message says that it comes from PE " + std::to_string(origin) + " of " +
                       std::to_string(net_->pes().total));
  return guard.release();
}

void job::take(std::span<const std::byte> packed, int pe) {
  auto& here = processor::here();
  if (here.observers() == nullptr && pe == here.pe())
    if (auto* const item = short_item::of(packed, static_cast<std::uint32_t>(here.num_pes())))
      return here.push_arrived(*item, packed.size());
  receiver::take(packed, pe);
}

void job::arrived(work& item, int pe, std::size_t bytes) {
  auto& here = processor::here();
  if (pe == here.pe()) {
    if (static_cast<const message&>(item).kind().is_immediate) [[unlikely]] {
      // Not within another item, which may poll the network when it sends.
      if (here.running() == nullptr && here.observers() == nullptr) return item.type->run(item);
      item.priority = first_priority;
    }
    return here.push_arrived(item, bytes);
  }
  item.type->destroy(item);
  throw serial_error("a message for PE " + std::to_string(pe) + " came to PE " + std::to_string(here.pe()));
}

void job::control_message(int process, std::span<const std::byte> bytes) {
  if (process < 0 || process >= processes_)
    throw serial_error("a notice says that it comes from process " + std::to_string(process) + " of " +
                       std::to_string(processes_));
  reader in(bytes);
  about what{};
  in(what);
  const auto read = [&in](auto&... values) {
    in(values...);
    in.finish();
  };
  // Process 0 sends requests and receives the replies; all processes receive the end.
  switch (what) {
    case about::quiet: {
      network::counts exchanged;
      read(exchanged.round, exchanged.sent, exchanged.received);
      if (process_ == 0) return receive_quiet(process, exchanged);
      break;
    }
    case about::ask: {
      std::uint64_t round = 0;
      read(round);
      if (process == 0) return requested_round_.store(round);
      break;
    }
    case about::waits: {
      read();
      if (process == 0) return tell(process, about::waiting, owner_.describe_waits());
      break;
    }
    case about::waiting: {
      known_waits there;
      read(there);
      if (waits_missing_ > 0) return receive_waits(std::move(there));
      break;
    }
    case about::clock: {
      std::uint64_t request_time = 0;
      read(request_time);
      if (process_ != 0) break;
      if (scheduler::current() != nullptr) tell(process, about::clock_answer, request_time, clock_now());
      return;
    }
    case about::clock_answer: {
      std::uint64_t request_time = 0;
      std::uint64_t there = 0;
      read(request_time, there);
      if (process != 0) break;
      if (auto* const recording = owner_.recording(); recording != nullptr && scheduler::current() != nullptr)
        recording->clock_answered(request_time, there, clock_now());
      return;
    }
    case about::end: {
      int status = 1;
      read(status);
      if (status != std::numeric_limits<int>::min())
        return owner_.end_here(status);  // this value is the status `running`
      break;
    }
  }
  throw serial_error("a notice of process " + std::to_string(process) + " that process " +
                     std::to_string(process_) + " does not expect: kind " +
                     std::to_string(static_cast<int>(what)));
}

bool job::complain(const std::string& text) {
  const std::lock_guard hold(complaining_);
  if (std::exchange(complained_, true)) return false;
  if (!meeting_.complain(text)) log(log_level::error, text);
  return true;
}

/// Ends this process, which waits for a process that is lost.
void job::end_process() {
  std::unique_lock hold(complaining_);
  const std::string text = loss_;
  hold.unlock();
  complain(text);
  ::_exit(status_of_loss());
}

void job::end_without_others(int status) {
  if (process_ == 0)  // all waiting processes end in this way; one report is enough
    log(log_level::error,
        "the run has ended, but not in all processes: in some an entry does not return; "
        "the others end without it");
  ::_exit(status);
}

void job::lost(int process, const std::string& why) {
  const std::string text = "process " + std::to_string(process) + " can no longer be reached from process " +
                           std::to_string(process_) + " (" + why +
                           "): it has died, or the link to it is down";
  {
    const std::lock_guard hold(complaining_);
    loss_ = text;
  }
  // Both are sequentially consistent: either this or leave() sees the other's write, or both do.
  unreachable_ = true;
  if (leaving_.load()) end_process();
  if (owner_.ended() || ending_.load() || !complain(text)) return;
  if (scheduler::current() != nullptr) return owner_.exit(status_of_loss());
  // Only a PE can notify the other processes; but the PE may be busy.
  owner_.processor_at(net_->pes().first).pe_inbox().post(*new exit_item(*this));
  for (int turn = 0; turn < 100 && !owner_.ended(); ++turn)
    std::this_thread::sleep_for(patience_at_the_end / 100);
  owner_.end_here(status_of_loss());
}

}  // namespace imbrex::detail
