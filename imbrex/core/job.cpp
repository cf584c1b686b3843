// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/job.hpp>

#include <chrono>
#include <thread>

#include <imbrex/core/message.hpp>
#include <imbrex/core/runtime.hpp>

namespace imbrex::detail {

namespace {

constexpr std::chrono::seconds patience_at_the_end{2};

}  // namespace

/// Brings what a sleeping process has to report to its first PE.
struct job::quiet_item : work {
  quiet_item(job& j, std::uint32_t round, const network::counts& c) : owner(j), round(round), exchanged(c) {
    type = &kind;
  }
  static void report(work& item) {
    const std::unique_ptr<quiet_item> mine(static_cast<quiet_item*>(&item));
    auto& j = mine->owner;
    if (j.process_ == 0)
      j.heard_quiet(0, mine->round, mine->exchanged);
    else
      j.tell(0, about::quiet, mine->round, mine->exchanged.sent, mine->exchanged.received);
  }
  static void forget(work& item) noexcept { delete static_cast<quiet_item*>(&item); }
  static constexpr work_type kind{"report of quiet", &report, &forget, nullptr, nullptr};

  job& owner;
  std::uint32_t round;
  network::counts exchanged;
};

job::job(runtime& owner, bootstrap& meeting, const options& how, const clock& time)
    : owner_(owner),
      meeting_(meeting),
      process_(meeting.rank()),
      processes_(meeting.size()),
      comm_(how.comm_thread ? std::make_unique<comm_thread>(time, *this) : nullptr),
      net_(connect(meeting, how.pes, comm_ ? port_sharing::one : port_sharing::each, message_table::digest(),
                   comm_ ? static_cast<network::receiver&>(*comm_) : *this)),
      reports_(static_cast<std::size_t>(meeting.size())) {}

void job::serve(const std::vector<inbox*>& doors) {
  if (comm_) comm_->serve(net_->port_of(net_->pes().first), doors, net_->pes().first);
}

port& job::port_of(int pe) { return comm_ ? comm_->port_of_pes() : net_->port_of(pe); }

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
  const std::uint32_t asked = round_asked_.load();
  const bool must_report = must_report_.exchange(false);
  if (!must_report && asked == round_answered_ && exchanged == reported_) return false;
  round_answered_ = asked;
  reported_ = exchanged;
  owner_.processor_at(net_->pes().first).door().post(*new quiet_item(*this, asked, exchanged));
  return true;
}

void job::heard_quiet(int process, std::uint32_t round, const network::counts& exchanged) {
  if (owner_.ended()) return;
  reports_[static_cast<std::size_t>(process)] = report{round, exchanged};
  for (const auto& r : reports_)
    if (!r || (asking_ && r->round != round_)) return;
  const auto now = total();
  if (now.sent != now.received) {
    asking_ = false;  // a report is still to come
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
  round_asked_.store(++round_);
  tell_others(about::ask, round_);
}

network::counts job::total() const {
  network::counts sum;
  for (const auto& r : reports_) {
    sum.sent += r->exchanged.sent;
    sum.received += r->exchanged.received;
  }
  return sum;
}

void job::all_quiet() {
  must_report_.store(true);  // whatever happens next, perhaps within this process alone
  if (owner_.release_quiescence_waiters()) return;
  waits_ = owner_.describe_waits();
  waits_missing_ = processes_ - 1;
  if (waits_missing_ == 0) return owner_.fail_deadlock(waits_);
  tell_others(about::waits);
}

void job::heard_waits(const std::string& text) {
  waits_ += text;
  if (--waits_missing_ == 0) owner_.fail_deadlock(waits_);
}

void job::tell_end(int status) {
  if (scheduler::current() == nullptr) return;
  for (int p = 0; p < processes_; ++p) {
    try {
      if (p != process_) tell(p, about::end, status);
    } catch (const error&) {
      // It cannot be reached, perhaps because it has died; the others must still hear.
    }
  }
}

void job::leave(bool orderly) {
  if (comm_) comm_->finish(patience_at_the_end);
  net_->flush(patience_at_the_end);
  // What others still have for this process needs its help to leave them, and they may be about to connect.
  const std::jthread helper([this](const std::stop_token& enough) {
    while (!enough.stop_requested()) net_->flush(std::chrono::milliseconds(1));
  });
  try {
    meeting_.all_gather("left");
  } catch (const error&) {
    if (orderly) throw;  // else it is what the run has failed of, or comes of it
  }
}

work& job::unpack(reader& in) {
  work* const item = kind_of_packed(in).unpack(in);
  message_guard mine(static_cast<message&>(*item));
  in.finish();
  if (item->origin >= static_cast<std::uint32_t>(net_->pes().total))
    throw serial_error("a message says that it comes from PE " + std::to_string(item->origin) + " of " +
                       std::to_string(net_->pes().total));
  return mine.release();
}

void job::arrived(work& item, int pe, std::size_t bytes) {
  auto& here = processor::here();
  if (pe == here.pe()) return here.push_arrived(item, bytes);
  const message_guard lost(static_cast<message&>(item));
  throw serial_error("a message for PE " + std::to_string(pe) + " came to PE " + std::to_string(here.pe()));
}

void job::notice(int process, std::span<const std::byte> bytes) {
  if (process < 0 || process >= processes_)
    throw serial_error("a notice says that it comes from process " + std::to_string(process) + " of " +
                       std::to_string(processes_));
  reader in(bytes);
  about what{};
  in(what);
  switch (what) {
    case about::quiet: {
      std::uint32_t round = 0;
      network::counts exchanged;
      in(round, exchanged.sent, exchanged.received);
      return heard_quiet(process, round, exchanged);
    }
    case about::ask: {
      std::uint32_t round = 0;
      in(round);
      return round_asked_.store(round);
    }
    case about::waits: return tell(process, about::waiting, owner_.describe_waits());
    case about::waiting: {
      std::string text;
      in(text);
      return heard_waits(text);
    }
    case about::end: {
      int status = 1;
      in(status);
      return owner_.end_here(status);
    }
  }
  throw serial_error("a notice of process " + std::to_string(process) + " is about nothing known");
}

void job::lost(int process, const std::string& why) {
  if (owner_.ended()) return;
  owner_.fail("process " + std::to_string(process) + " can no longer be reached from process " +
              std::to_string(process_) + " (" + why + "): it has probably died");
}

}  // namespace imbrex::detail
