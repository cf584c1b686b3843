// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/chare.hpp>

/// Classes of chares for tests of the host's machine only: they have no kernels. host_cells.test.cpp names
/// each of them.
namespace imbrex::resident::test {

/// Sets a flag of its own GPU, for which no PE waits, and ends.
struct beacon : chare<beacon> {
  symmetric<std::uint32_t> flags;

  IMBREX_DEVICE void light(context<beacon>& here, std::uint32_t n) {
    here.write(flags, here.gpu(), n);
    here.exit(7);
  }
  using entries = resident::entries<&beacon::light>;
};
/// Waits for flags and barriers. Each GPU should have one PE, by any settings; by mistake it may have more.
struct lockstep : chare<lockstep> {
  symmetric<std::uint32_t> flags;

  /// Passes twenty numbers, from `first` on, round all GPUs.
  IMBREX_DEVICE void chase(context<lockstep>& here, std::uint32_t first) {
    const std::uint32_t me = here.gpu(), next = me + 1 == here.num_gpus() ? 0 : me + 1;
    for (std::uint32_t n = first; n != first + 20; ++n) {
      if (me != 0 && !here.wait(flags, n)) return;
      here.write(flags, next, n);
      if (me == 0 && !here.wait(flags, n)) return;
    }
  }
  IMBREX_DEVICE void barriers(context<lockstep>& here, std::uint32_t times) {
    for (std::uint32_t n = 0; n < times; ++n)
      if (!here.barrier()) return;
  }
  using entries = resident::entries<&lockstep::chase, &lockstep::barriers>;
};

/// Sends all kinds of messages at once, in three dimensions. In each round every element sends to others. The
/// next round begins when the sum of what all have sent arrives by a reduction.
struct circus : chare<circus, index<3>> {
  static constexpr std::uint32_t bumps = 5;
  trigger pulled;
  std::uint32_t round = 0, rounds = 0, got = 0, sent = 0, fired = 0, wrong = 0, numbered = 0;
  std::uint32_t left_to_send = 0;

  static IMBREX_DEVICE index<3> place(std::uint32_t n, const index<3>& shape) {
    const auto x = static_cast<std::uint32_t>(shape[1] * shape[2]), y = static_cast<std::uint32_t>(shape[2]);
    return {static_cast<int>(n / x), static_cast<int>(n % x / y), static_cast<int>(n % y)};
  }
  IMBREX_DEVICE void begin(context<circus>& here, std::uint32_t all_rounds) {
    if (here.leads()) rounds = all_rounds;
    here.sync();
    perform(here);
  }
  IMBREX_DEVICE void perform(context<circus>& here) {
    if (here.leads()) left_to_send = bumps;
    here.sync();
    bump_more(here);
  }
  IMBREX_DEVICE void bump_more(context<circus>& here) {
    while (left_to_send != 0) {
      const std::uint32_t n = left_to_send, r = round;
      const std::uint64_t seed = storm::mixed(std::uint64_t{r} << 32U | here.number() << 3U | n);
      const index<3> to = place(static_cast<std::uint32_t>((seed >> 8U) % here.size()), here.shape());
      if (n == 1) {  // a trigger has one sender
        const index<3> after = place((here.number() + 1) % here.size(), here.shape());
        here.signal<&circus::pull>(after, here.of<circus>(after).pulled, 1, r);
      } else if (n == 2) {
        const payload<std::uint64_t> words = here.prepare<&circus::bump_long>(7);
        if (!words) return here.send<&circus::bump_more>(here.where());
        for (std::uint32_t i = here.thread(); i < 7; i += here.threads()) words[i] = seed + i;
        here.send<&circus::bump_long>(to, seed, words);
      } else if (n == 3) {
        here.send<&circus::bump_in_turn>(here.where(), reference(r + 1), r);  // for the next round
      } else {
        here.send<&circus::bump>(to, seed | 1U);
      }
      here.sync();  // all threads have read the members
      if (here.leads()) --left_to_send;
      if (here.leads()) ++sent;
      here.sync();
    }
    here.contribute<&circus::next>(std::uint64_t{bumps});
  }
  IMBREX_DEVICE void bump(context<circus>& here, std::uint64_t odd) { count(here, odd % 2 == 0 ? 1 : 0); }
  IMBREX_DEVICE void bump_long(context<circus>& here, std::uint64_t seed, payload<std::uint64_t> words) {
    std::uint32_t bad = words.size() != 7 ? 1 : 0;
    for (std::uint32_t i = 0; i < words.size(); ++i) bad += words[i] != seed + i ? 1 : 0;
    count(here, bad);
  }
  IMBREX_DEVICE void bump_in_turn(context<circus>& here, reference number, std::uint32_t last) {
    count(here, number.number != round || last + 1 != round ? 1 : 0);
    if (here.leads()) ++numbered;
  }
  IMBREX_DEVICE void pull(context<circus>& here, std::uint32_t of_round) {
    count(here, of_round > round + 1 ? 1 : 0);
    if (here.leads()) ++fired;
  }
  IMBREX_DEVICE void count(context<circus>& here, std::uint32_t bad) {
    if (here.leads()) ++got;
    if (here.leads()) wrong += bad;
  }
  IMBREX_DEVICE void next(context<circus>& here, std::uint64_t all) {
    here.sync();
    if (here.leads()) wrong += all != std::uint64_t{bumps} * here.size() ? 1 : 0;
    if (here.leads()) ++round;
    here.sync();
    here.accept<&circus::bump_in_turn>(round);
    if (round != rounds) perform(here);
  }
  using entries = resident::entries<&circus::begin, &circus::bump_more, &circus::bump, &circus::bump_long,
                                    &circus::bump_in_turn, &circus::pull, &circus::next>;
  using reductions = resident::reductions<all_reduction<&circus::next, sum_operation>>;
};

/// Passes a token round a cluster. The sender writes data that the receiver reads. It orders the message, or
/// forgets to.
template <bool Marks>
struct hint : chare<hint<Marks>> {
  using pe = block_of_cluster<4>;
  std::uint32_t note = 0, got = 0, wrong = 0;

  IMBREX_DEVICE void give(context<hint>& here, std::uint32_t left) {
    if (here.leads()) note = left * 3;
    const int next = (here.where()[0] + 1) % here.shape()[0];
    if constexpr (Marks)
      here.template send_ordered<&hint::take>(next, here.number(), left);
    else
      here.template send<&hint::take>(next, here.number(), left);
  }
  IMBREX_DEVICE void take(context<hint>& here, std::uint32_t from, std::uint32_t left) {
    if (here.leads()) {
      ++got;
      wrong += here.template of<hint>(static_cast<int>(from)).note != left * 3 ? 1U : 0U;
    }
    if (left != 0) give(here, left - 1);
  }
  using entries = resident::entries<&hint::give, &hint::take>;
};

/// Names chares, PEs, GPUs and memory that do not exist.
struct stranger : chare<stranger, index<2>> {
  symmetric<std::uint32_t> words;
  std::uint32_t seen = 0;

  /// The PE's last thread names the chare.
  IMBREX_DEVICE void name_chare(context<stranger>& here, std::int32_t x) {
    if (here.thread() + 1 == here.threads()) seen = here.of<stranger>({x, 1}).seen;
  }
  IMBREX_DEVICE void name_chare_by_all(context<stranger>& here, std::int32_t x) {
    here.of<stranger>({x, 1});
    if (here.leads()) here.fail(1);
  }
  IMBREX_DEVICE void ask_for_pe(context<stranger>& here, std::int32_t x) {
    const std::uint32_t pe = here.pe_of<stranger>({x, 0});
    if (here.leads()) seen = pe;
  }
  IMBREX_DEVICE void ask_for_gpu(context<stranger>& here, std::int32_t x) {
    const std::uint32_t gpu = here.gpu_of<stranger>({x, 0});
    if (here.leads()) seen = gpu;
  }
  IMBREX_DEVICE void spend_on(context<stranger>& here, std::uint32_t pe) { here.spend_put(pe, 100); }
  IMBREX_DEVICE void broadcast_of(context<stranger>& here, std::uint32_t gpu) {
    here.broadcast_from(gpu, words);
  }
  IMBREX_DEVICE void write_to(context<stranger>& here, std::uint32_t gpu) { here.write(words, gpu, 1); }
  IMBREX_DEVICE void put_part(context<stranger>& here, std::uint64_t size) {
    here.put(words.part(0, size), 0, here.local(words));
  }
  IMBREX_DEVICE void write_part(context<stranger>& here, std::uint64_t first) {
    here.write(words.part(first, 1), 0, 1);
  }
  IMBREX_DEVICE void wait_part(context<stranger>& here, std::uint64_t first) {
    here.wait(words.part(first, 1), 0);
  }
  IMBREX_DEVICE void reduce_part(context<stranger>& here, std::uint64_t first) {
    here.all_reduce(words.part(first, 1), sum_operation());
  }
  IMBREX_DEVICE void send_twice(context<stranger>& here, std::uint32_t count) {
    const payload<double> once = here.prepare<&stranger::take>(count);
    here.send<&stranger::take>({0, 0}, once);
    here.send<&stranger::take>({0, 1}, once);
  }
  IMBREX_DEVICE void pass_on_twice(context<stranger>& here, std::uint32_t count) {
    here.send<&stranger::take_and_pass_on>(here.where(), here.prepare<&stranger::take_and_pass_on>(count));
  }
  IMBREX_DEVICE void take_and_pass_on(context<stranger>& here, payload<double> values) {
    here.send<&stranger::take>({0, 0}, values);
    here.send<&stranger::take>({0, 1}, values);
  }
  IMBREX_DEVICE void take(context<stranger>&, payload<double>) {}
  using entries =
      resident::entries<&stranger::send_twice, &stranger::pass_on_twice, &stranger::take_and_pass_on,
                        &stranger::take, &stranger::name_chare, &stranger::name_chare_by_all,
                        &stranger::ask_for_pe, &stranger::ask_for_gpu, &stranger::spend_on,
                        &stranger::broadcast_of, &stranger::write_to, &stranger::put_part,
                        &stranger::write_part, &stranger::wait_part, &stranger::reduce_part>;
};

}  // namespace imbrex::resident::test
