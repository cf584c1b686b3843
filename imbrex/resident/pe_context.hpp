// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/gpu_exchange.hpp>
#include <imbrex/resident/host_exchange.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/team.hpp>

namespace imbrex::resident::detail {

/// True for the first call on this GPU, by any thread. The caller then reports why the run ends.
IMBREX_DEVICE inline bool claims_end(const machine& m) { return memory::add(m.end->claims, 1) == 0; }

/// Reports why a run ends; only for the thread that has claimed the end. `what` is in memory that the PE
/// shares, so that no stack is needed for it.
IMBREX_DEVICE IMBREX_SELDOM inline void say_end(const machine& m, stop_reason why, std::uint64_t value,
                                                const failure& what) {
  if (m.gpus == 1) {
    m.end->value = value;
    m.end->first = what;
    memory::store_release(m.end->stop, static_cast<std::uint32_t>(why));
  } else {
    wish_end(m, why, value, what);
  }
}

/// Claims the end and reports it, unless another thread has claimed it.
IMBREX_DEVICE IMBREX_SELDOM inline void end_run(const machine& m, stop_reason why, std::uint64_t value,
                                                const failure& what) {
  if (claims_end(m)) say_end(m, why, value, what);
}

/// Claims the end and records a failure in `me.wrong`. True if it succeeds: of all threads of all PEs here,
/// one writes a failure.
IMBREX_DEVICE IMBREX_SELDOM inline bool say_wrong(const machine& m, pe_state& me, failure_kind kind,
                                                  std::uint32_t pe, std::uint32_t entry,
                                                  std::uint32_t element) {
  if (!claims_end(m)) return false;
  me.wrong = {};
  me.wrong.kind = kind;
  me.wrong.pe = pe;
  me.wrong.entry = entry;
  me.wrong.element = element;
  return true;
}

enum class sending : std::uint32_t { sent, kept, full };

/// Keeps an item that has found its mailbox full. False if there is no room for it.
IMBREX_DEVICE IMBREX_SELDOM inline bool keep_item(pe_state& me, item i, std::uint32_t to,
                                                  std::uint32_t ticket) {
  if (me.out.full()) return false;
  me.out.keep({i, to, ticket});
  return true;
}

/// Sends one item, or two consecutive ones, to a PE of another GPU.
IMBREX_DEVICE IMBREX_SELDOM inline sending send_across(const machine& m, pe_state& me, std::uint32_t to,
                                                       item one, item other, std::uint32_t count) {
  crossing<memory, system_memory> way = m.crossing_to(to);
  std::uint32_t ticket = way.draw(count);
  sending how = sending::sent;
  item i = one;
  for (std::uint32_t n = 0; n < count; ++n, ++ticket, i = other) {
    take_step(m.steps, n == 0 ? step::send : step::send_more, ticket, to);
    if (way.try_fill(ticket, i)) continue;
    if (me.out.full()) return sending::full;
    me.out.keep({i, to, ticket});
    how = sending::kept;
  }
  return how;
}

/// Sends an item to another PE of the cluster, directly into its memory. The item is counted before it is
/// sent, without waiting for the count.
IMBREX_DEVICE IMBREX_SELDOM inline sending send_near(const machine& m, pe_state& me, std::uint32_t to,
                                                     item i) {
  const std::uint32_t place = to - me.cluster.first_pe;
  const std::uint32_t number = me.cluster.parts[me.cluster.place]->sent[place]++;
  memory::count(m.cluster.tails[to - m.first_pe]);
  take_step(m.steps, step::send_near, number, to);
  if (__builtin_expect(me.cluster.ring_to(place).try_fill(number, i), 1)) return sending::sent;
  if (me.out.full()) return sending::full;
  me.out.keep({i, to, number});
  return sending::kept;
}

/// Retries at most `most` items that are kept for full mailboxes.
template <class Kind>
IMBREX_DEVICE IMBREX_SELDOM void retry_kept(const machine& m, pe_state& me, std::uint32_t most) {
  const auto try_fill = [&](const kept_item<>& one) {
    if constexpr (neighbours_of<Kind> > 1)
      if (me.cluster.holds(one.to))
        return me.cluster.ring_to(one.to - me.cluster.first_pe).try_fill(one.ticket, one.what);
    return m.is_here(one.to) ? m.mailbox_of(one.to).try_fill(one.ticket, one.what)
                             : m.crossing_to(one.to).try_fill(one.ticket, one.what);
  };
  me.out.retry(try_fill, most);
}

/// Number of kept items for PEs of this process. The others depend on other processes only, each of which
/// watches its own PEs.
IMBREX_DEVICE IMBREX_SELDOM inline std::uint32_t kept_for_process(const machine& m, const pe_state& me) {
  std::uint32_t here = 0;
  for (std::uint32_t n = 0; n < me.out.count; ++n)
    here += me.out.items[n].to - m.host.first_pe < m.host.pes ? 1 : 0;
  return here;
}

/// Runs between two polls inside an entry that waits for another PE's write. It continues work that other PEs
/// may depend on. False if the run ends.
template <class Kind>
IMBREX_DEVICE IMBREX_SELDOM bool wait_on(const machine& m, pe_state& me, std::uint32_t pe,
                                         std::uint32_t looks) {
  if (!me.out.empty()) retry_kept<Kind>(m, me, 8);
  if (looks % 32 == 31) {
    const bool asks_host = looks % 1024 == 1023;
    if (m.gpus != 1 && pe == m.first_pe) attend_end(m, asks_host);
    if (asks_host && me.host.listens &&
        (system_memory::load_acquire(*m.host.state) & host_link::is_abandoned) != 0)
      end_run(m, stop_reason::abandoned, 0, me.wrong);
    if (memory::load(m.end->stop) != 0) return false;
  }
  take_step(m.steps, step::wait);
  if (m.steps == nullptr) memory::relax();
  return true;
}

/// State of one thread of a PE of that kind.
template <class Kind>
class pe_context {
 public:
  IMBREX_DEVICE pe_context(const machine& of, pe_state& state, team_of<Kind>& threads, std::uint32_t pe)
      : m(of),
        me(state),
        threads(threads),
        pe(pe),
        own(of.mailbox_of(pe)),
        head(threads.thread() == 0 ? state.finished : 0) {}

  IMBREX_DEVICE bool leads() const { return threads.thread() == 0; }
  /// Index of the PE within its GPU.
  IMBREX_DEVICE std::uint32_t place() const { return pe - m.first_pe; }

  /// Ends the run, unless it is ending already; first thread only.
  IMBREX_DEVICE void end(stop_reason why, std::uint64_t value) { end_run(m, why, value, me.wrong); }
  IMBREX_DEVICE bool stops() const { return memory::load(m.end->stop) != 0; }
  /// Ends the run with an error, unless it is ending already; any thread. `about(failure&)` adds details.
  template <class About>
  IMBREX_DEVICE void fail(failure_kind kind, std::uint64_t value, About&& about) {
    if (!say_wrong(m, me, kind, pe, entry, element)) return;
    about(me.wrong);
    say_end(m, stop_reason::failed, value, me.wrong);
  }
  IMBREX_DEVICE void fail(failure_kind kind, std::uint64_t value = 0) {
    fail(kind, value, [](failure&) {});
  }

  /// Sends an item; first thread only. Never waits: an item that finds the mailbox full is kept with its
  /// ticket, so items to one PE stay in order.
  IMBREX_DEVICE void post(std::uint32_t to, const item& i) {
    if (m.gpus != 1 && !m.is_here(to)) return post_across(to, i, {}, 1);
    if (to == pe && post_local(i)) return;
    if constexpr (neighbours_of<Kind> > 1)
      if (me.cluster.holds(to)) return post_near(to, i);
    mailbox<memory> box = m.mailbox_of(to);
    std::uint32_t ticket = 0;
    const bool sent = box.try_send(me.tickets[to - m.first_pe], ticket, i);
    take_step(m.steps, step::send, ticket, to);
    if (to == pe) me.own_end = ticket + 1;
    if (__builtin_expect(sent, 1)) return;
    attends = true;
    if (!keep_item(me, i, to, ticket)) fail(failure_kind::outbox_full, to);
  }
  /// Sends an item to another PE of the cluster.
  IMBREX_DEVICE void post_near(std::uint32_t to, const item& i) {
    const sending how = send_near(m, me, to, i);
    if (__builtin_expect(how == sending::sent, 1)) return;
    attends = true;
    if (how == sending::full) fail(failure_kind::outbox_full, to);
  }
  /// Sends one item or two to a PE of another GPU.
  IMBREX_DEVICE void post_across(std::uint32_t to, const item& one, const item& other, std::uint32_t count) {
    const sending how = send_across(m, me, to, one, other, count);
    if (how == sending::full) return fail(failure_kind::outbox_full, to);
    attends = attends || how == sending::kept;
  }
  /// Returns a parcel that an entry has read to its owner.
  IMBREX_DEVICE void give_back(std::uint64_t parcel) {
    if (m.gpus == 1 || machine::gpu_of_parcel(parcel) == m.gpu) return m.give_back(parcel);
    const std::uint32_t place = static_cast<std::uint32_t>(parcel >> 32U) & 0xffffU;
    // The host has no mailbox: the leader of its GPU returns the parcel.
    post_across(machine::gpu_of_parcel(parcel) * m.pes_here + (place == m.pes_here ? 0 : place),
                {parcel, meta_of(parcel_returns, 0) | is_ordered}, {}, 1);
  }

  /// Gives up the processor to other PEs. In simulated time it does nothing: each PE runs when its time
  /// comes.
  IMBREX_DEVICE void relax() const {
    if (m.steps == nullptr) memory::relax();
  }
  /// Sends an item to the host; first thread only. Never waits.
  IMBREX_DEVICE void tell(std::uint64_t body, std::uint32_t what) {
    const host_sending how = send_to_host(m, me, pe, body, meta_of(entry, element), what);
    take_step(m.steps, step::tell);
    if (how == host_sending::full) return fail(failure_kind::outbox_full, m.pes);
    attends = attends || how == host_sending::kept;
  }

  const machine& m;
  pe_state& me;
  team_of<Kind>& threads;
  std::uint32_t pe;
  mailbox<memory> own;

  // Fields of the first thread, in its registers.
  std::uint32_t head;       ///< next ticket to take
  std::uint32_t turns = 0;  ///< entries begun
  std::uint64_t held = 0;   ///< parcel of the entry that runs or ran last
  bool attends = false;     ///< an item is kept: for a full mailbox or ring, or until it is accepted
  bool has_local = false;   ///< the PE has local messages to itself

  // Fields of each thread.
  std::uint32_t entry = failure::no_number;  ///< running entry
  std::uint32_t element = 0;
  std::uint32_t scratches = 0;  ///< scratch words used so far; two alternate

  /// True if the PE's mailbox has messages of the PE to itself. They are younger than the local ones, which
  /// come first.
  IMBREX_DEVICE bool own_waits() const { return static_cast<std::int32_t>(me.own_end - head) > 0; }

 private:
  IMBREX_DEVICE bool post_local(const item& i) {
    if (me.local.end - me.local.begin == local_queue::most || own_waits()) return false;
    me.local.items[me.local.end++ % local_queue::most] = i;
    has_local = true;
    return true;
  }
};

}  // namespace imbrex::resident::detail
