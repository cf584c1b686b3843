// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/transport/gathering.hpp>
#include <imbrex/resident/transport/quiescence.hpp>
#include <imbrex/resident/transport/trigger.hpp>

/// Agreement between the GPUs of a run: begin, end, quiescence. Called by first threads of PEs, mostly of a
/// GPU's leader, its first PE. GPUs write to each other by stores only. These functions are no hot path.
namespace imbrex::resident::detail {

IMBREX_DEVICE inline void write_end_message(end_message& to, std::uint32_t why, std::uint64_t value,
                                            const failure& what) {
  to.value = value;
  to.first = what;
  system_memory::store_release(to.reason, why);
}

/// Requests the end of the run from GPU 0; for the first PE of this GPU that has a reason.
IMBREX_DEVICE inline void wish_end(const machine& m, stop_reason why, std::uint64_t value,
                                   const failure& what) {
  write_end_message(m.on(0, m.links.reports)[m.gpu].wish, static_cast<std::uint32_t>(why), value, what);
}

/// True if the Imbrex program has ended, so that the other GPUs may have left.
IMBREX_DEVICE inline bool is_over(const machine& m) {
  return (system_memory::load_acquire(*m.host.state) & host_link::is_over) != 0;
}

/// Leader only. On GPU 0, decides whether the run ends. Then notifies its PEs of the decision.
IMBREX_DEVICE IMBREX_SELDOM inline void attend_end(const machine& m, bool looks_at_host) {
  const end_message& decided = m.links.words->decided;
  std::uint32_t reason = system_memory::load_acquire(decided.reason);
  for (std::uint32_t g = 0; m.gpu == 0 && reason == 0 && g < m.gpus; ++g) {
    const end_message& wish = m.links.reports[g].wish;
    reason = system_memory::load_acquire(wish.reason);
    for (std::uint32_t to = 0; reason != 0 && to < m.gpus; ++to)
      write_end_message(m.on(to, m.links.words)->decided, reason, wish.value, wish.first);
  }
  if (reason == 0) {
    if (looks_at_host && is_over(m))
      memory::store_release(m.end->stop, static_cast<std::uint32_t>(stop_reason::abandoned));
    return;
  }
  m.end->value = decided.value;
  m.end->first = decided.first;
  memory::store_release(m.end->stop, reason);
}

/// Results of `judge_waves`. Any other value is the number of a GPU whose host waits for a parcel while all
/// is quiet.
inline constexpr std::uint32_t not_quiet = 0xffffffff, all_quiet = 0xfffffffe;

enum class wave_state : std::uint32_t { answered, has_work, may_answer };

/// Leader only. Checks whether a wave awaits this GPU's reply, and whether work is left within the GPU.
IMBREX_DEVICE IMBREX_SELDOM inline wave_state look_at_wave(const machine& m, pe_state& me) {
  if (system_memory::load_acquire(m.links.words->wave) == me.leader.answered) return wave_state::answered;
  std::uint32_t run = 0;
  for (std::uint32_t p = 0; p < m.pes_here; ++p) run += memory::poll(m.links.crossings.run[p]);
  me.leader.run_of_others = run;
  const auto tail_of = [&m](std::uint32_t of) -> memory::word& { return m.sent(of); };
  return quiescent<memory>(m.progress.finished, tail_of, m.progress.seen, m.counts()) ? wave_state::may_answer
                                                                                      : wave_state::has_work;
}
IMBREX_DEVICE IMBREX_SELDOM inline void answer_wave(const machine& m, pe_state& me) {
  std::uint32_t sent = 0;
  for (std::uint32_t to = 0; to < m.pes; ++to)
    sent += memory::load(m.links.crossings.tails[to]) - m.first_ticket;
  me.leader.answered = system_memory::load_acquire(m.links.words->wave);
  gpu_report& own_report = m.on(0, m.links.reports)[m.gpu];
  own_report.is_stuck = me.host.lacks_parcel ? 1 : 0;
  own_report.answer.give(me.leader.answered, sent, me.leader.run_of_others);
}
/// GPU 0's leader only. Returns not_quiet, all_quiet, or the GPU whose host waits for a parcel while all is
/// quiet.
IMBREX_DEVICE IMBREX_SELDOM inline std::uint32_t judge_waves(const machine& m, pe_state& me) {
  const auto answer_of = [&m](std::uint32_t g) -> wave_answer<system_memory>& {
    return m.links.reports[g].answer;
  };
  const auto ask = [&m](std::uint32_t g, std::uint32_t number) {
    system_memory::store_release(m.on(g, m.links.words)->wave, number);
  };
  if (!me.leader.asks.look<system_memory>(m.gpus, answer_of, ask)) return not_quiet;
  for (std::uint32_t g = 0; g < m.gpus; ++g)
    if (m.links.reports[g].is_stuck != 0) return g;
  return all_quiet;
}
/// Leader only, while it is idle. Replies with the items that its GPU has sent and run, if nothing waits
/// within the GPU. `poll_host()` polls the host once more; it returns true if a message arrived. A parcel for
/// that message may have been returned before the items were counted. The function is inlined into its
/// caller: objects that `poll_host` refers to must not need an address.
template <class PollHost>
IMBREX_DEVICE std::uint32_t attend_waves(const machine& m, pe_state& me, PollHost&& poll_host) {
  const wave_state found = look_at_wave(m, me);
  if (found == wave_state::has_work) return not_quiet;
  if (found == wave_state::may_answer) {
    if (me.host.is_open && (poll_host() || (me.host.is_open && !me.host.lacks_parcel))) return not_quiet;
    answer_wave(m, me);
  }
  return m.gpu == 0 ? judge_waves(m, me) : not_quiet;
}

/// Polls the next of the other GPUs and puts a received item into `me.gpus.item_from`. True if that item
/// shall run.
IMBREX_DEVICE IMBREX_SELDOM inline bool take_across(const machine& m, pe_state& me, std::uint32_t pe) {
  std::uint32_t from = me.gpus.next == m.gpus ? 0 : me.gpus.next;
  if (from == m.gpu) from = from + 1 == m.gpus ? 0 : from + 1;
  me.gpus.next = from + 1;
  crossing_end& end = me.gpus.ends[from];
  item i;
  if (!m.crossing_from(from, pe).try_take(end.head, i)) return false;
  take_step(m.steps, step::take, end.head - 1, from + 1);
  ++me.gpus.run;
  if (entry_in(i.meta) == parcel_returns) {
    m.give_back(i.body);
    return false;
  }
  if (entry_in(i.meta) == signal_comes) {
    end.trigger = i.body;  // the continuation was stored right after the signal, so it has mostly arrived
    if (!m.crossing_from(from, pe).try_take(end.head, i)) return false;
    take_step(m.steps, step::take_more, end.head - 1, from + 1);
    ++me.gpus.run;
  }
  me.gpus.item_from = i;
  if (end.trigger == 0) return true;
  auto* const counter =
      reinterpret_cast<signal_count<memory>*>(m.links.heaps.at[m.gpu] + (end.trigger >> 24U));
  const auto all = static_cast<std::uint32_t>(end.trigger) & most_signals;
  end.trigger = 0;
  return counter->add(all);
}

/// Sends a number to all GPUs, which have one PE each, and receives theirs: see `gather`.
template <class Waits, class Use>
IMBREX_DEVICE bool gather_of_gpus(const machine& m, pe_state& me, std::uint64_t bits, Waits&& waits,
                                  Use&& use) {
  const std::uint32_t number = ++me.gpus.gathers;
  const auto slot_of = [&m](std::uint32_t g, std::uint64_t n) -> system_memory::wide& {
    return m.on(g, m.links.gathered)[n];
  };
  const auto wrote = [&](std::uint32_t g, system_memory::wide& slot) {
    if (g != m.gpu) take_step(m.steps, step::flag, reinterpret_cast<std::uintptr_t>(&slot), g, number);
  };
  const auto saw = [&](std::uint32_t g, system_memory::wide& slot) {
    if (g != m.gpu) take_step(m.steps, step::seen, reinterpret_cast<std::uintptr_t>(&slot), 0, number);
  };
  return gather<system_memory>(number, m.gpu, m.gpus, bits, slot_of, wrote, saw, waits, use);
}

/// Leader only. Stores the number of this run in `words` of each GPU, and waits until all others have stored
/// theirs here. False if they may have left. With `is_watched`, the watchdog sees which GPU has not begun.
/// Other GPUs that have begun may work for long, and each process watches its own PEs.
IMBREX_DEVICE inline bool meet_others(const machine& m, system_memory::word* words, bool is_watched) {
  for (std::uint32_t g = 0; g < m.gpus; ++g) {
    system_memory::store(m.on(g, m.links.meeting.digests)[m.gpu], m.links.meeting.digest);
    system_memory::store_release(m.on(g, words)[m.gpu], m.links.meeting.run);
  }
  for (std::uint32_t g = 0; g < m.gpus; ++g) {
    const wide_word before = memory::poll(m.progress.watched[0]);
    for (std::uint32_t looks = 0;
         static_cast<std::int32_t>(system_memory::load_acquire(words[g]) - m.links.meeting.run) < 0;
         ++looks) {
      if (looks == 0 && is_watched)
        memory::store(m.progress.watched[0], {before.body, std::uint64_t{1} << 33U | g});
      if (looks % 64 == 63 && is_over(m)) return false;
      take_step(m.steps, step::wait);
      if (m.steps == nullptr) memory::relax();
    }
    if (is_watched) memory::store(m.progress.watched[0], {before.body, 0});
  }
  return true;
}

/// Runs before a PE's first item: no GPU is written to before its image is. False if the run ends here. PEs
/// then write nowhere else, since others may have another program there.
IMBREX_DEVICE IMBREX_SELDOM inline bool meet_before(const machine& m, bool leads_gpu) {
  constexpr std::uint32_t begins = 1, ends = 2;
  if (leads_gpu) {
    stop_reason why =
        meet_others(m, m.links.meeting.ready, true) ? stop_reason::none : stop_reason::abandoned;
    for (std::uint32_t g = 0; why == stop_reason::none && g < m.gpus; ++g)
      if (system_memory::load(m.links.meeting.digests[g]) !=
          m.links.meeting.digest) {  // decided here, since GPUs with different
                                     // programs cannot agree on the end
        m.end->value = g;
        m.end->first.kind = failure_kind::other_program;
        m.end->first.pe = m.first_pe;
        why = stop_reason::failed;
      }
    memory::store_release(m.end->stop, static_cast<std::uint32_t>(why));
    memory::store_release(m.links.words->started, why == stop_reason::none ? begins : ends);
  }
  std::uint32_t started = 0;
  while ((started = memory::poll(m.links.words->started)) == 0) {
    take_step(m.steps, step::wait);
    if (m.steps == nullptr) memory::relax();
  }
  memory::acquired();
  return started == begins;
}
/// Runs after a PE has ended: a GPU's next image is written only after all PEs that wrote to it have ended.
IMBREX_DEVICE IMBREX_SELDOM inline void meet_after(const machine& m, bool leads_gpu) {
  memory::add_acquire_release(m.links.words->exited, 1);
  if (!leads_gpu) return;
  while (memory::poll(m.links.words->exited) != m.pes_here) {
    take_step(m.steps, step::wait);
    if (m.steps == nullptr) memory::relax();
  }
  memory::acquired();
  meet_others(m, m.links.meeting.left, false);
}

}  // namespace imbrex::resident::detail
