// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <imbrex/resident/context.hpp>
#include <imbrex/resident/entries.hpp>
#include <imbrex/resident/gpu_exchange.hpp>
#include <imbrex/resident/host_exchange.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/pe_context.hpp>
#include <imbrex/resident/reducer.hpp>
#include <imbrex/resident/transport/quiescence.hpp>

namespace imbrex::resident::detail {

/// Main loop of a PE, which all its threads run. The first thread chooses the next action and writes it into
/// one of two slots, alternately. After a barrier all threads run it. So one barrier per message is enough.
/// The thread that writes the next slot may be ahead by one entry. Everything after a barrier comes after
/// everything that all threads did before it.
template <class List>
class pe_loop {
  using kind = typename pe_of_list<List>::type;

 public:
  IMBREX_DEVICE pe_loop(const machine& m, pe_state& me, team_of<kind>& threads, std::uint32_t pe)
      : pe_(m, me, threads, pe) {
    if (pe_.leads()) ahead_ = pe_.own.look(pe_.head);
    if (pe_.leads() && pe == m.host.first_pe && is_traced()) publish_clock(m);
  }

  IMBREX_DEVICE void serve() {
    if (is_linked()) {
      turn& begin = pe_.me.now[1].kind;  // written again after the next barrier
      if (pe_.leads()) begin = meet_before(pe_.m, leads_gpu()) ? turn::rests : turn::ends;
      pe_.threads.sync();
      if (begin == turn::ends) return leave();
    }
    for (std::uint32_t side = 0;; side ^= 1) {
      decision& now = pe_.me.now[side];
      if (pe_.leads()) {
        item i;
        const turn kind = next(i);
        now = {i.body, i.meta, kind};
      }
      pe_.threads.sync();
      if (pe_.leads()) ahead_ = pe_.own.look(pe_.head);  // the poll completes while the entry runs
      const decision what = now;
      if (pe_.held != 0) {  // first thread only: no thread is in that entry any more
        pe_.give_back(pe_.held);
        pe_.held = 0;
      }
      if (what.kind == turn::works)
        run({what.body, what.meta});
      else if (what.kind == turn::ends)
        return leave();
    }
  }

 private:
  static constexpr std::uint32_t long_idle = 1024;
  static constexpr bool has_numbers = table<List>::numbered != 0;
  static constexpr bool tells = table<List>::host_entries != 0;
  static constexpr bool is_near = neighbours_of<kind> > 1;
#if defined(__CUDA_ARCH__)
  static constexpr std::uint32_t looks_in_a_row = 8;
  static constexpr bool relaxes_at_once = false;
  static constexpr std::uint32_t looks_between_hearings = 32, first_hearing = 24;  // host is behind a bus
  static constexpr std::uint32_t short_idle = 16;  ///< polls until finished items are published
  static constexpr std::uint32_t looks_between_ends = 32, looks_between_judgements = 64;
  static constexpr std::uint32_t tries_in_a_rest = 2;  ///< retries of kept items
#else
  static constexpr std::uint32_t looks_in_a_row = 1;
  static constexpr bool relaxes_at_once = true;  // other threads need the processor, and may have it for long
  static constexpr std::uint32_t short_idle = 4, looks_between_ends = 4, looks_between_judgements = 8;
  static constexpr std::uint32_t looks_between_hearings = 1, first_hearing = 0;
  static constexpr std::uint32_t tries_in_a_rest = 64;
#endif
  static constexpr std::uint32_t looks_between_states = 1024;  ///< polls between two polls of the state of a
                                                               ///< host that sends nothing

  IMBREX_DEVICE bool is_linked() const { return pe_.m.gpus != 1; }
  IMBREX_DEVICE bool leads_gpu() const { return pe_.pe == pe_.m.first_pe; }

  /// Work of the first thread between entries. It makes up most of a message's time, one instruction after
  /// the other. So rare events are checked by one flag, or between polls that have found nothing.
  IMBREX_DEVICE turn next(item& i) {
    if (__builtin_expect(pe_.attends || pe_.turns % 64 == 63, 0)) {
      if (pe_.turns % 64 == 63) {
        if (is_linked() && leads_gpu()) attend_end(pe_.m, true);
        if (pe_.stops()) return turn::ends;
        if (pe_.me.host.listens) forward_host_messages();
      }
      if (attend(i, 2)) return begin(i);
    }
    if (pe_.has_local && (prefers_local_ || pe_.own_waits()) && take_local(i)) return begin(i);
    prefers_local_ = true;
    if (is_linked() && prefers_crossing_ && take_crossing(i)) return begin(i);
    prefers_crossing_ = true;
    if (is_near && prefers_near_ && take_near(i)) return begin(i);
    prefers_near_ = true;
    for (std::uint32_t idle = 0;; idle += looks_in_a_row) {
      for (std::uint32_t n = 0; n < looks_in_a_row; ++n) {
        if (!(pe_.has_local && pe_.own_waits()) && pe_.own.try_take(pe_.head, i, ahead_)) {
          take_step(pe_.m.steps, step::take, pe_.head - 1);
          if (!is_early(i)) return begin(i);
          keep(i);
          break;
        }
        if (pe_.has_local && take_local(i)) return begin(i);
        if (is_linked() && take_crossing(i)) return begin(i);
        if (is_near && take_near(i)) return begin(i);
        if (!rested_) {  // all threads must leave the last entry before it counts as finished
          rested_ = true;
          return turn::rests;
        }
        ahead_ = pe_.own.look(pe_.head);
      }
      if (rest(i, idle)) return pe_.stops() ? turn::ends : begin(i);
    }
  }
  IMBREX_DEVICE turn begin(const item& i) {
    ++pe_.turns;
    rested_ = false;
    memory::store(pe_.m.progress.watched[pe_.place()], {pe_.turns, std::uint64_t{1} << 32U | i.meta});
    return turn::works;
  }
  IMBREX_DEVICE bool take_local(item& i) {
    pe_state& me = pe_.me;
    i = me.local.items[me.local.begin++ % local_queue::most];
    pe_.has_local = me.local.begin != me.local.end;
    if (is_early(i)) {
      keep(i);
      return false;
    }
    prefers_local_ = false;
    take_step(pe_.m.steps, step::local);
    return true;
  }
  /// Polls the next of the other GPUs. True if a message from it can run.
  IMBREX_DEVICE bool take_crossing(item& i) {
    if (!take_across(pe_.m, pe_.me, pe_.pe)) return false;
    i = pe_.me.gpus.item_from;
    if (is_early(i)) {
      keep(i);
      return false;
    }
    prefers_crossing_ = false;
    return true;
  }
  /// Polls all other PEs of the cluster, in rotation. True if a message can run.
  IMBREX_DEVICE bool take_near([[maybe_unused]] item& i) {
    if constexpr (is_near) {
      pe_state& me = pe_.me;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
      for (std::uint32_t n = 0; n < neighbours_of<kind>; ++n) {
        const std::uint32_t from = me.cluster.next;
        me.cluster.next = from + 1 == neighbours_of<kind> ? 0 : from + 1;
        if (from == me.cluster.place) continue;
        std::uint32_t& head = me.cluster.parts[me.cluster.place]->heads[from];
        if (!me.cluster.ring_from(from).try_take(head, i)) continue;
        take_step(pe_.m.steps, step::take_near, head - 1, me.cluster.first_pe + from);
        ++me.cluster.run;
        if (is_early(i)) {
          keep(i);
          return false;
        }
        prefers_near_ = false;
        return true;
      }
    }
    return false;
  }
  /// Retries some of the kept items. True if a kept message can run.
  IMBREX_DEVICE bool attend(item& i, std::uint32_t tries) {
    pe_state& me = pe_.me;
    const std::uint32_t kept = me.out.count;
    if (kept != 0) retry_kept<kind>(pe_.m, me, tries);
    if (relaxes_at_once && me.out.count < kept) went_on_ = true;  // a sent item may be for this PE
    const bool all_sent = !tells || send_pending_to_host(pe_.m, me, pe_.pe);
    const bool took = has_numbers && me.kept.revisits && take_kept(i);
    pe_.attends = !me.out.empty() || me.kept.revisits || !all_sent;
    return took;
  }
  /// Runs between polls that have found nothing. True if the run ends, or if a message can run.
  IMBREX_DEVICE bool rest(item& i, std::uint32_t idle) {
    pe_state& me = pe_.me;
    const machine& m = pe_.m;
    if (is_linked() && leads_gpu() && idle % looks_between_ends == 0)
      attend_end(m, idle % looks_between_states == 0);
    if (idle % looks_between_ends == 0 && pe_.stops()) return true;
    if (me.host.listens &&
        idle % (me.host.is_open ? looks_between_hearings : looks_between_states) == first_hearing &&
        forward_host_messages())
      return false;
    if (pe_.attends && attend(i, tries_in_a_rest)) return true;
    if (idle == short_idle || (idle > short_idle && keeps_shown_ != me.out.count + pending_to_host()))
      show_kept();
    if (idle == short_idle && is_traced()) show_records(m, me, pe_.pe);
    if (idle >= short_idle && me.out.empty() && pending_to_host() == 0 && !pe_.has_local &&
        (me.finished != pe_.head || me.gpus.run != me.gpus.shown || me.cluster.run != me.cluster.shown)) {
      me.finished = pe_.head;
      memory::store_release(m.progress.finished[pe_.place()], me.finished);
      if constexpr (is_near) {
        me.cluster.shown = me.cluster.run;
        memory::store_release(m.progress.finished[m.pes_here + pe_.place()], me.cluster.run);
      }
      me.gpus.shown = me.gpus.run;
      if (is_linked()) memory::store_release(m.links.crossings.run[pe_.place()], me.gpus.run);
    }
    if (leads_gpu() && (!me.host.is_open || me.host.lacks_parcel) && idle >= short_idle &&
        idle % looks_between_judgements == 0)
      look_for_quiescence();
    take_step(pe_.m.steps, step::look);
    if ((relaxes_at_once && !went_on_) || idle > long_idle) pe_.relax();
    went_on_ = false;
    return false;
  }

  /// Shows the watchdog how many kept items wait for this process.
  IMBREX_DEVICE void show_kept() {
    const std::uint32_t waits = kept_for_process(pe_.m, pe_.me) + pending_to_host();
    memory::store(pe_.m.progress.watched[pe_.place()], {std::uint64_t{waits} << 32U | pe_.turns, 0});
    keeps_shown_ = pe_.me.out.count + pending_to_host();
  }
  /// Number of messages that the host's ring has no room for.
  IMBREX_DEVICE std::uint32_t pending_to_host() const {
    return tells ? pe_.me.host.pending_end - pe_.me.host.pending_begin : 0;
  }
  /// Forwards the messages that the host has sent. True if there were any.
  IMBREX_DEVICE bool forward_host_messages() {
    pe_state& me = pe_.me;
    for (std::uint32_t n = 0;; ++n) {
      const host_polling result = n < 8 ? poll_host(pe_.m, me) : host_polling::nothing;
      if (result == host_polling::abandoned) pe_.end(stop_reason::abandoned, 0);
      if (result != host_polling::message) return n != 0;
      pe_.post(me.host.item_to, me.host.item_from);
    }
  }

  IMBREX_DEVICE void leave() {
    if (!pe_.leads()) return;
    pe_state& me = pe_.me;
    memory::store(pe_.m.progress.watched[pe_.place()],
                  {std::uint64_t{pending_to_host()} << 32U | pe_.turns, 0});
    if constexpr (tells) {  // messages sent to the host before the end arrive, unless the host has stopped
                            // listening
      const bool failed = memory::load(pe_.m.end->stop) == static_cast<std::uint32_t>(stop_reason::failed);
      while (!send_pending_to_host(pe_.m, me, pe_.pe) && !failed) {
        if ((system_memory::load_acquire(*pe_.m.host.state) & host_link::is_abandoned) != 0) break;
        take_step(pe_.m.steps, step::host);
        pe_.relax();
      }
      memory::store(pe_.m.progress.watched[pe_.place()], {pe_.turns, 0});
    }
    if (is_traced()) {
      show_records(pe_.m, me, pe_.pe);
      pe_.m.host.unrecorded[pe_.pe - pe_.m.host.first_pe] = me.records.lost;
    }
    if (me.host.lost_lines != 0) pe_.m.host.lost[pe_.pe - pe_.m.host.first_pe] = me.host.lost_lines;
    for (std::uint32_t g = 0; me.kept.count != 0 && g < pe_.m.gpus; ++g) {
      pe_.m.on(g, pe_.m.unaccepted.counts)[pe_.pe] = me.kept.count;
      pe_.m.on(g, pe_.m.unaccepted.first)[pe_.pe] = me.kept.first[0];
    }
    if (is_linked()) meet_after(pe_.m, leads_gpu());
  }

  static IMBREX_DEVICE IMBREX_SELDOM bool is_quiet(const machine& m) {
    const auto tail_of = [&m](std::uint32_t of) -> memory::word& { return m.sent(of); };
    return quiescent<memory>(m.progress.finished, tail_of, m.progress.seen, m.counts());
  }
  /// Leader only, while it is idle.
  IMBREX_DEVICE void look_for_quiescence() {
    pe_state& me = pe_.me;
    if (is_linked()) {
      const std::uint32_t stuck = attend_waves(pe_.m, me, [this] { return forward_host_messages(); });
      if (stuck == not_quiet) return;
      if (stuck == all_quiet) return pe_.end(stop_reason::quiet, 0);
      return pe_.fail(failure_kind::no_host_parcel, 0, [&](failure& f) { f.pe = stuck * pe_.m.pes_here; });
    }
    if (!is_quiet(pe_.m)) return;
    if (!me.host.is_open)
      pe_.end(stop_reason::quiet, 0);
    else if (!forward_host_messages() &&
             me.host.lacks_parcel)  // the PEs that have the parcels do not return them any
                                    // more
      pe_.fail(failure_kind::no_host_parcel);
  }

  /// Checks whether a message is early: it is for a numbered entry, and its chare does not accept its number
  /// yet.
  struct early_visitor {
    const machine& m;
    const item& i;
    bool is_early = false;
    template <auto Entry>
    IMBREX_DEVICE void entry() {
      if constexpr (traits_of<Entry>::is_numbered) {
        using chare = typename traits_of<Entry>::chare;
        constexpr std::uint32_t place =
            entry_list<typename chare::entries>::template place_among_numbered<Entry>();
        const array_layout& a = m.arrays[table<List>::template array<chare>()];
        if (element_in(i.meta) >= a.count) return;  // `runner` reports the missing element
        std::uint32_t number = 0;
        if constexpr (traits_of<Entry>::in_parcel)
          number = *reinterpret_cast<const std::uint32_t*>(m.parcel(i.body) + sizeof(parcel_head));
        else
          number = static_cast<std::uint32_t>(i.body);
        is_early = a.accepted[element_in(i.meta) * a.numbered + place] != number;
      }
    }
    template <class Reduction>
    IMBREX_DEVICE void reduce() {}
  };
  IMBREX_DEVICE bool is_early(const item& i) {
    if constexpr (!has_numbers) {
      return false;
    } else {
      early_visitor visitor{pe_.m, i};
      table<List>::visit(entry_in(i.meta), visitor);
      return visitor.is_early;
    }
  }
  IMBREX_DEVICE void keep(const item& i) {
    pe_state& me = pe_.me;
    if (me.kept.count == pe_.m.sizes.kept) return pe_.fail(failure_kind::kept_full);
    me.kept.first[me.kept.count++] = i;
    if (relaxes_at_once) went_on_ = true;
  }
  /// Takes the oldest kept message that is accepted by now.
  IMBREX_DEVICE bool take_kept(item& i) {
    pe_state& me = pe_.me;
    for (std::uint32_t n = 0; n < me.kept.count; ++n)
      if (!is_early(me.kept.first[n])) {
        i = me.kept.first[n];
        for (std::uint32_t later = n + 1; later < me.kept.count; ++later)
          me.kept.first[later - 1] = me.kept.first[later];
        --me.kept.count;
        return true;
      }
    me.kept.revisits = false;
    return false;
  }

  /// Runs the entry or reduction that a message addresses.
  struct runner {
    pe_context<kind>& c;
    const item& i;
    bool known = false;

    template <auto Entry>
    IMBREX_DEVICE void entry() {
      known = true;
      using chare = typename traits_of<Entry>::chare;
      const array_layout& a = c.m.arrays[table<List>::template array<chare>()];
      if (element_in(i.meta) != all_elements) return call<Entry>(a, element_in(i.meta));
      if (c.leads())
        for (std::uint32_t below = 2 * c.pe + 1; below <= 2 * c.pe + 2; ++below)
          if (below < a.active_pes) c.post(below, i);
      const std::uint32_t count = a.local_count(c.pe);
      for (std::uint32_t n = 0; n < count; ++n) {
        call<Entry>(a, a.element(c.pe, n));
        if (c.attends) retry_kept<kind>(c.m, c.me, 8);
      }
    }
    template <class Reduction>
    IMBREX_DEVICE void reduce() {
      known = true;
      if (c.leads()) reducer<List, Reduction>(c).add_child(element_in(i.meta), i.body);
    }

   private:
    template <auto Entry>
    IMBREX_DEVICE void call(const array_layout& a, std::uint32_t element) {
      using traits = traits_of<Entry>;
      using chare = typename traits::chare;
      if (element >= a.count) {
        known = false;
        return;
      }
      chare& target = reinterpret_cast<chare*>(a.elements)[element];
      c.entry = entry_in(i.meta);
      c.element = element;
      context<chare> here(c);
      if constexpr (traits::in_parcel) {
        if (c.leads()) c.held = i.body;
        std::byte* const parcel = c.m.parcel(i.body);
        if constexpr (traits::fixed_bytes > 0) {
          const auto& fixed = *reinterpret_cast<const typename traits::fixed*>(parcel + sizeof(parcel_head));
          invoke<Entry>(target, here, fixed, parcel);
        } else {
          invoke<Entry>(target, here, packed<>(), parcel);
        }
      } else if constexpr (traits::fixed_bytes > 0) {
        typename traits::fixed fixed;
        __builtin_memcpy(&fixed, &i.body, sizeof(fixed));
        invoke<Entry>(target, here, fixed, nullptr);
      } else {
        invoke<Entry>(target, here, packed<>(), nullptr);
      }
    }
    template <auto Entry, class Chare, class... Done>
    IMBREX_DEVICE void invoke(Chare& target, context<Chare>& here, const packed<>&, std::byte* parcel,
                              const Done&... done) {
      using traits = traits_of<Entry>;
      if constexpr (traits::has_payload) {
        using element = typename traits::element;
        const std::uint32_t size = reinterpret_cast<const parcel_head*>(parcel)->size;
        (target.*Entry)(
            here, done...,
            payload<element>(reinterpret_cast<element*>(parcel + payload_offset<traits::fixed_bytes>), size,
                             i.body));
      } else {
        (target.*Entry)(here, done...);
      }
    }
    template <auto Entry, class Chare, class Head, class... Rest, class... Done>
    IMBREX_DEVICE void invoke(Chare& target, context<Chare>& here, const packed<Head, Rest...>& left,
                              std::byte* parcel, const Done&... done) {
      if constexpr (sizeof...(Rest) > 0)
        invoke<Entry>(target, here, left.tail, parcel, done..., left.head);
      else
        invoke<Entry>(target, here, packed<>(), parcel, done..., left.head);
    }
  };
  IMBREX_DEVICE bool is_traced() const { return pe_.m.host.records_size != 0; }
  IMBREX_DEVICE void run(const item& i) {
    if (is_traced() && pe_.leads()) pe_.me.records.entry_began = memory::now();
    take_step(pe_.m.steps, step::entry);
    runner visitor{pe_, i};
    table<List>::visit(entry_in(i.meta), visitor);
    if (!visitor.known && pe_.leads()) {
      pe_.fail(failure_kind::wrong_entry, 0, [&](failure& f) {
        f.about_entry = entry_in(i.meta);
        f.about_place[0] = element_in(i.meta);
      });
    }
    pe_.entry = failure::no_number;
    take_step(pe_.m.steps, step::entry);
    if (is_traced() && pe_.leads()) record_entry(pe_.m, pe_.me, pe_.pe, i.meta & ~is_ordered);
  }

  pe_context<kind> pe_;
  wide_word ahead_{};              ///< result of the last poll
  std::uint32_t keeps_shown_ = 0;  ///< number of kept items when the watchdog was last notified
  bool rested_ = true;
  bool prefers_local_ = true;     ///< the last message was not local: local messages and others alternate
  bool prefers_crossing_ = true;  ///< the last message was not from another GPU
  bool prefers_near_ = true;      ///< the last message was not from the cluster
  bool went_on_ = false;          ///< the PE has found no message to run, but other work
};

}  // namespace imbrex::resident::detail
