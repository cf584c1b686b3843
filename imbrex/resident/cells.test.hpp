// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

/// Classes of chares for tests on the host's and on the device's machine. Each has a kernel, and so takes
/// seconds to compile. Classes for the host only are in host_cells.test.hpp.
namespace imbrex::resident::test {

/// Passes tokens round, in one dimension.
struct ring : chare<ring> {
  std::uint32_t got = 0;

  IMBREX_DEVICE void token(context<ring>& here, std::uint64_t hops) {
    if (here.leads()) ++got;
    if (hops == 0) return here.exit(7);
    here.send<&ring::token>((here.where()[0] + 1) % here.shape()[0], hops - 1);
  }
  using entries = resident::entries<&ring::token>;
};

/// Passes a payload round that all threads of a PE have written, on PEs of the given kind.
template <class Kind>
struct crew : chare<crew<Kind>> {
  using pe = Kind;
  std::uint32_t got = 0, wrong = 0, threads = 0;

  IMBREX_DEVICE void pass(context<crew>& here, std::uint32_t left) {
    const payload<std::uint32_t> memory = here.template prepare<&crew::take>(here.threads());
    if (!memory) return here.template send<&crew::pass>(here.where(), left);
    memory[here.thread()] = left * 1000 + here.thread();
    here.template send<&crew::take>((here.where()[0] + 1) % here.shape()[0], left, memory);
  }
  IMBREX_DEVICE void take(context<crew>& here, std::uint32_t left, payload<std::uint32_t> came) {
    if (here.leads()) {
      ++got;
      threads = here.threads();
      for (std::uint32_t n = 0; n < came.size(); ++n) wrong += came[n] != left * 1000 + n ? 1U : 0U;
    }
    if (left != 0) pass(here, left - 1);
  }
  using entries = resident::entries<&crew::pass, &crew::take>;
};

/// Sends messages of all kinds to others at random, and checks the received ones.
struct storm : chare<storm> {
  struct large {
    std::uint64_t sum = 0;
    std::uint32_t words[6] = {};
  };
  std::uint32_t sent = 0, got = 0, wrong = 0, waits = 0;

  static IMBREX_DEVICE std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
  IMBREX_DEVICE void start(context<storm>& here, std::uint32_t messages) {
    for (int i = 0; i < 3; ++i)
      here.send<&storm::scatter>(here.where(), messages, static_cast<std::uint32_t>(i));
  }
  IMBREX_DEVICE void scatter(context<storm>& here, std::uint32_t left, std::uint32_t kind) {
    if (left == 0) return;
    const std::uint64_t seed = mixed(std::uint64_t{left} << 32U | here.number() << 2U | kind);
    const int to = static_cast<int>((seed >> 20U) % here.size());
    if (kind == 0) {
      here.send<&storm::take_short>(to, seed | 1U);
    } else if (kind == 1) {
      large l;
      for (std::uint32_t i = 0; i < 6; ++i) l.sum += l.words[i] = static_cast<std::uint32_t>(seed >> i);
      const payload<std::uint32_t> memory = here.prepare<&storm::take_large>(0);
      if (!memory) return again(here, left, kind);
      here.send<&storm::take_large>(to, l, memory);
    } else {
      const payload<std::uint64_t> memory =
          here.prepare<&storm::take_payload>(static_cast<std::uint32_t>(1 + seed % 30));
      if (!memory) return again(here, left, kind);
      for (std::uint32_t i = here.thread(); i < memory.size(); i += here.threads()) memory[i] = seed + i;
      here.send<&storm::take_payload>(to, static_cast<std::uint32_t>(seed), memory);
    }
    if (here.leads()) ++sent;
    here.send<&storm::scatter>(here.where(), left - 1, kind);
  }
  IMBREX_DEVICE void again(context<storm>& here, std::uint32_t left, std::uint32_t kind) {
    if (here.leads()) ++waits;
    here.send<&storm::scatter>(here.where(), left, kind);
  }
  IMBREX_DEVICE void take_short(context<storm>& here, std::uint64_t odd) {
    if (here.leads()) {
      ++got;
      wrong += odd % 2 == 0 ? 1 : 0;
    }
  }
  IMBREX_DEVICE void take_large(context<storm>& here, const large& l, payload<std::uint32_t> none) {
    if (!here.leads()) return;
    ++got;
    std::uint64_t sum = 0;
    for (const std::uint32_t word : l.words) sum += word;
    wrong += sum != l.sum || none.size() != 0 ? 1 : 0;
  }
  IMBREX_DEVICE void take_payload(context<storm>& here, std::uint32_t seed, payload<std::uint64_t> memory) {
    std::uint32_t bad = static_cast<std::uint32_t>(memory[0]) != seed ? 1 : 0;
    for (std::uint32_t i = 0; i < memory.size(); ++i) bad += memory[i] != memory[0] + i ? 1 : 0;
    if (!here.leads()) return;
    ++got;
    wrong += bad;
  }
  using entries = resident::entries<&storm::start, &storm::scatter, &storm::take_short, &storm::take_large,
                                    &storm::take_payload>;
};

/// Passes tokens to random others, in eight bytes.
struct wanderer : chare<wanderer> {
  std::uint32_t got = 0;

  IMBREX_DEVICE void start(context<wanderer>& here, std::uint32_t tokens, std::uint32_t hops) {
    for (std::uint32_t i = 0; i < tokens; ++i)
      here.send<&wanderer::walk>(here.where(), hops, here.number() * 977U + i * 40'503U + 1U);
  }
  IMBREX_DEVICE void walk(context<wanderer>& here, std::uint32_t left, std::uint32_t state) {
    if (here.leads()) ++got;
    if (left == 0) return;
    state = state * 1'664'525U + 1'013'904'223U;
    const auto to = static_cast<int>((std::uint64_t{state} * here.size()) >> 32U);
    here.send<&wanderer::walk>(to, left - 1, state);
  }
  using entries = resident::entries<&wanderer::start, &wanderer::walk>;
};

/// Sends from each element to all, in three dimensions, and reduces the received values.
struct cube : chare<cube, index<3>> {
  std::uint32_t got = 0, rounds = 0;
  std::uint64_t total = 0;
  double largest = 0;

  IMBREX_DEVICE void start(context<cube>& here) {
    for (int x = 0; x < here.shape()[0]; ++x)
      for (int y = 0; y < here.shape()[1]; ++y)
        for (int z = 0; z < here.shape()[2]; ++z) here.send<&cube::greet>({x, y, z}, here.number());
  }
  IMBREX_DEVICE void greet(context<cube>& here, std::uint32_t from) {
    if (here.leads()) got += from;
    if (here.leads()) ++rounds;
    here.sync();
    if (rounds != here.size()) return;
    here.contribute<&cube::sum>(got);
    here.contribute<&cube::maximum>(static_cast<double>(here.number()) / 2);
  }
  IMBREX_DEVICE void sum(context<cube>& here, std::uint64_t all) {
    if (here.leads()) total = all;
  }
  IMBREX_DEVICE void maximum(context<cube>& here, double most) {
    if (here.leads()) largest = most;
  }
  using entries = resident::entries<&cube::start, &cube::greet, &cube::sum, &cube::maximum>;
  using reductions = resident::reductions<all_reduction<&cube::sum, sum_operation>,
                                          reduction<&cube::maximum, max_operation>>;
};

/// Steps in lockstep with its neighbours by reference numbers, in two dimensions, although messages arrive
/// early.
struct stepper : chare<stepper, index<2>> {
  std::uint32_t step = 1, missing = 4, steps = 0, wrong = 0;

  IMBREX_DEVICE void start(context<stepper>& here, std::uint32_t last) {
    here.sync();
    if (here.leads()) steps = last;
    here.sync();
    here.accept<&stepper::edge>(step);
    push(here);
  }
  IMBREX_DEVICE void push(context<stepper>& here) {
    const index<2> at = here.where(), shape = here.shape();
    here.send<&stepper::edge>({(at[0] + 1) % shape[0], at[1]}, step, step);
    here.send<&stepper::edge>({(at[0] + shape[0] - 1) % shape[0], at[1]}, step, step);
    here.send<&stepper::edge>({at[0], (at[1] + 1) % shape[1]}, step, step);
    here.send<&stepper::edge>({at[0], (at[1] + shape[1] - 1) % shape[1]}, step, step);
  }
  IMBREX_DEVICE void edge(context<stepper>& here, reference number, std::uint32_t value) {
    here.sync();  // all threads have read the members that the first one writes
    if (here.leads()) {
      wrong += number.number != step || value != step ? 1 : 0;
      --missing;
    }
    here.sync();
    if (missing != 0) return;
    here.sync();
    if (here.leads()) {
      missing = 4;
      ++step;
    }
    here.sync();
    here.accept<&stepper::edge>(step);
    if (step <= steps)
      push(here);
    else
      here.contribute<&stepper::done>(std::uint32_t{1});
  }
  IMBREX_DEVICE void done(context<stepper>& here, std::uint32_t count) { here.exit(count); }
  using entries = resident::entries<&stepper::start, &stepper::edge, &stepper::done>;
  using reductions = resident::reductions<reduction<&stepper::done, sum_operation>>;
};

struct worker;
/// Has triggers that workers, another class, count down.
struct boss : chare<boss> {
  using chares = resident::chares<boss, worker>;
  trigger ready[2];
  std::uint32_t fired = 0, seen = 0, wrong = 0;

  IMBREX_DEVICE void start(context<boss>& here, std::uint32_t rounds);
  IMBREX_DEVICE void collect(context<boss>& here, std::uint32_t round);
  using entries = resident::entries<&boss::start, &boss::collect>;
};
struct worker : chare<worker> {
  using chares = boss::chares;
  std::uint32_t results[64] = {};

  IMBREX_DEVICE void work(context<worker>& here, std::uint32_t round) {
    for (std::uint32_t i = here.thread(); i < 64; i += here.threads()) results[i] = round * 100 + i;
    here.signal<&boss::collect>(0, here.of<boss>(0).ready[round % 2], 10, round);
  }
  using entries = resident::entries<&worker::work>;
};
inline IMBREX_DEVICE void boss::start(context<boss>& here, std::uint32_t rounds) {
  if (here.leads()) seen = rounds;
  for (int w = 0; w < 10; ++w) here.send<&worker::work>(w, std::uint32_t{0});
}
inline IMBREX_DEVICE void boss::collect(context<boss>& here, std::uint32_t round) {
  if (here.leads()) {
    ++fired;
    for (int w = 0; w < 10; ++w)
      for (std::uint32_t i = 0; i < 64; ++i)
        wrong += here.of<worker>(w).results[i] != round * 100 + i ? 1 : 0;
  }
  here.sync();
  if (round + 1 == seen) return here.exit(round);
  for (int w = 0; w < 10; ++w) here.send_ordered<&worker::work>(w, round + 1);
}

/// Sends values to and fro by two channels.
struct caller : chare<caller> {
  channel<float> in, of_other;
  symmetric<float> out;
  std::uint32_t last = 0, wrong = 0;

  IMBREX_DEVICE void start(context<caller>& here, std::uint32_t values) {
    if (here.leads()) here.of<caller>(0).last = here.of<caller>(1).last = values;
    answer(here, 0);
  }
  IMBREX_DEVICE void take(context<caller>& here, std::uint32_t n) {
    const float* const value = here.local(in.buffer(n));
    std::uint32_t bad = 0;
    for (std::uint32_t i = 0; i < in.size(); ++i) bad += value[i] != static_cast<float>(n * 1000 + i) ? 1 : 0;
    if (here.leads()) wrong += bad;
    if (n == last) return here.exit(n);
    answer(here, n + 1);
  }
  /// Overwrites its last value by the next one, and puts it.
  IMBREX_DEVICE void answer(context<caller>& here, std::uint32_t n) {
    float* const own = here.local(out);
    here.sync();
    for (std::uint32_t i = here.thread(); i < out.size; i += here.threads())
      own[i] = static_cast<float>(n * 1000 + i);
    here.sync();
    here.put<&caller::take>(1 - here.where()[0], of_other, n, own);
  }
  using entries = resident::entries<&caller::start, &caller::take>;
};

/// Sends numbered messages to all, on PEs of the given kind: short ones, ones with a payload, and ordered
/// ones, alternately. Checks that the messages of each sender arrive in order and complete.
template <class Kind>
struct gossip : chare<gossip<Kind>> {
  using pe = Kind;
  static constexpr std::uint32_t most = 24;
  std::uint32_t next[most] = {}, sent_count[most] = {};
  std::uint32_t got = 0, wrong = 0, note = 0;

  IMBREX_DEVICE void start(context<gossip>& here, std::uint32_t messages) {
    for (std::uint32_t n = 0; n < 3; ++n) here.template send<&gossip::speak>(here.where(), messages, n);
  }
  /// Sends three messages at once, so that rings are full.
  IMBREX_DEVICE void speak(context<gossip>& here, std::uint32_t left, std::uint32_t seed) {
    if (left == 0) return;
    const auto to = static_cast<std::uint32_t>(
        ((std::uint64_t{left} * 2'654'435'761U + seed * 40'503U + here.number() * 977U) >> 5U) % here.size());
    const std::uint32_t n = sent_count[to];
    here.sync();  // all threads have read the number
    const index<1> at = static_cast<int>(to);
    if (n % 5 == 4) {
      const payload<std::uint32_t> words = here.template prepare<&gossip::hear_words>(20);
      if (!words) return here.template send<&gossip::speak>(here.where(), left, seed);
      for (std::uint32_t i = here.thread(); i < 20; i += here.threads()) words[i] = n * 100 + i;
      here.template send<&gossip::hear_words>(at, here.number(), n, words);
    } else if (n % 5 == 2) {
      if (here.leads()) note = n;
      here.template send_ordered<&gossip::hear>(at, here.number(), n);
    } else {
      here.template send<&gossip::hear>(at, here.number(), n);
    }
    if (here.leads()) ++sent_count[to];
    here.template send<&gossip::speak>(here.where(), left - 1, seed);
  }
  IMBREX_DEVICE void hear(context<gossip>& here, std::uint32_t from, std::uint32_t n) {
    note_of(here, from, n, 0);
  }
  IMBREX_DEVICE void hear_words(context<gossip>& here, std::uint32_t from, std::uint32_t n,
                                payload<std::uint32_t> words) {
    std::uint32_t bad = words.size() != 20 ? 1 : 0;
    for (std::uint32_t i = 0; i < words.size(); ++i) bad += words[i] != n * 100 + i ? 1 : 0;
    note_of(here, from, n, bad);
  }
  IMBREX_DEVICE void note_of(context<gossip>& here, std::uint32_t from, std::uint32_t n, std::uint32_t bad) {
    if (!here.leads()) return;
    ++got;
    wrong += bad + (next[from] != n ? 1U : 0U);
    next[from] = n + 1;
  }
  using entries = resident::entries<&gossip::start, &gossip::speak, &gossip::hear, &gossip::hear_words>;
};

/// Acts together with the others; there is one on each GPU.
struct fleet : chare<fleet> {
  using pe = whole_gpu;
  symmetric<std::uint32_t> words, flags;  ///< one per GPU, and one
  symmetric<double> values;
  std::uint32_t wrong = 0, rounds = 0;

  IMBREX_DEVICE void together(context<fleet>& here, std::uint32_t times) {
    const std::uint32_t me = here.gpu(), all = here.num_gpus();
    double* const own = here.local(values);
    for (std::uint32_t n = 0; n < times; ++n) {
      if (here.leads())
        for (std::uint32_t g = 0; g < all; ++g) here.remote(words, g)[me] = n * 100 + me;
      if (!here.barrier()) return;
      std::uint32_t bad = 0;
      for (std::uint32_t g = 0; g < all; ++g) bad += here.local(words)[g] != n * 100 + g ? 1U : 0U;
      std::uint32_t rank = me + 1;
      if (!here.all_reduce(rank, sum_operation())) return;
      bad += rank != all * (all + 1) / 2 ? 1U : 0U;
      double most = me + 0.5 * n;
      if (!here.all_reduce(most, max_operation())) return;
      bad += most != all - 1 + 0.5 * n ? 1U : 0U;
      for (std::uint64_t i = here.thread(); i < values.size; i += here.threads())
        own[i] = static_cast<double>(me * 1000 + i + n);
      if (!here.all_reduce(values, sum_operation())) return;
      for (std::uint64_t i = 0; i < values.size; ++i)
        bad += own[i] != static_cast<double>(all * (all - 1) / 2 * 1000 + all * (i + n)) ? 1U : 0U;
      here.sync();
      for (std::uint64_t i = here.thread(); me == n % all && i < values.size; i += here.threads())
        own[i] = static_cast<double>(n + 3 * i);
      if (!here.broadcast_from(n % all, values)) return;
      for (std::uint64_t i = 0; i < values.size; ++i)
        bad += own[i] != static_cast<double>(n + 3 * i) ? 1U : 0U;
      if (here.leads()) wrong += bad;
      if (here.leads()) ++rounds;
      if (!here.barrier()) return;  // all GPUs have read the values
    }
  }
  /// Passes values round all GPUs, each of which waits for them.
  IMBREX_DEVICE void round(context<fleet>& here, std::uint32_t times) {
    const std::uint32_t me = here.gpu(), next = me + 1 == here.num_gpus() ? 0 : me + 1;
    double* const own = here.local(values);
    for (std::uint32_t n = 1; n <= times; ++n) {
      if (me != 0 && !here.wait(flags, n)) return;
      for (std::uint64_t i = here.thread(); i < values.size; i += here.threads()) own[i] += 1;
      here.sync();
      here.put(values, next, own);
      here.sync();
      here.write(flags, next, n);
      if (me == 0 && !here.wait(flags, n)) return;
    }
    for (std::uint64_t i = 0; me == 0 && here.leads() && i < values.size; ++i)
      wrong += own[i] != static_cast<double>(times * here.num_gpus()) ? 1U : 0U;
    if (here.leads()) ++rounds;
  }
  /// The last GPU ends the run, fails, or does nothing, while the others wait for it.
  IMBREX_DEVICE void stray(context<fleet>& here, std::uint32_t how) {
    if (here.gpu() + 1 == here.num_gpus()) return how == 0 ? here.exit(5) : how == 1 ? here.fail(6) : void();
    if (here.leads()) ++rounds;
    if (here.barrier() && here.leads()) ++wrong;
  }
  using entries = resident::entries<&fleet::together, &fleet::round, &fleet::stray>;
};

struct short_news : host_entry<std::uint32_t, std::uint32_t> {};
struct wide_news : host_entry<std::uint32_t, std::uint64_t, double> {};
struct long_news : host_entry<std::uint32_t, payload<std::uint32_t>> {};
/// Sends the host messages of all kinds, prints, and receives messages of the host.
struct teller : chare<teller> {
  using tells = host_entries<short_news, wide_news, long_news>;
  std::uint32_t receipts = 0, wrong = 0;

  IMBREX_DEVICE void say(context<teller>& here, std::uint32_t left) {
    if (left == 0) return;
    const payload<std::uint32_t> words = here.prepare_to_tell<long_news>(left % 20);
    if (!words) return here.send<&teller::say>(here.where(), left);
    for (std::uint32_t i = here.thread(); i < words.size(); i += here.threads()) words[i] = left + i;
    here.tell<long_news>(here.number(), words);
    here.tell<short_news>(here.number(), left);
    here.send<&teller::say>(here.where(), left - 1);
  }
  IMBREX_DEVICE void say_wide(context<teller>& here, std::uint32_t n) {
    here.tell<wide_news>(here.number(), std::uint64_t{n} << 32U, n / 2.0);
  }
  IMBREX_DEVICE void speak(context<teller>& here, std::int32_t n) {
    here.print("{} of {} is {}, {}", n, here.size(), static_cast<float>(n) / 4, n % 2 == 0);
  }
  IMBREX_DEVICE void prattle(context<teller>& here, std::uint32_t lines) {
    for (std::uint32_t n = 0; n < lines; ++n) here.print("line {}", n);
  }
  /// Sends the number back to the host.
  IMBREX_DEVICE void answer(context<teller>& here, std::uint32_t n) {
    if (here.leads()) ++receipts;
    here.tell<short_news>(here.number(), n);
  }
  IMBREX_DEVICE void hear_wide(context<teller>& here, std::uint32_t n, std::uint64_t large, double half) {
    if (!here.leads()) return;
    ++receipts;
    wrong += large != std::uint64_t{n} << 32U || half != n / 2.0 ? 1 : 0;
  }
  IMBREX_DEVICE void hear_long(context<teller>& here, std::uint32_t n, payload<std::uint32_t> words) {
    std::uint32_t bad = words.size() != n % 20 ? 1 : 0;
    for (std::uint32_t i = 0; i < words.size(); ++i) bad += words[i] != n + i ? 1 : 0;
    if (!here.leads()) return;
    ++receipts;
    wrong += bad;
  }
  IMBREX_DEVICE void end(context<teller>& here, std::uint32_t sent_count) {
    for (std::uint32_t n = 0; n < sent_count; ++n) here.tell<short_news>(here.number(), n);
    here.exit(sent_count);
  }
  IMBREX_DEVICE void tell_much(context<teller>& here) { here.prepare_to_tell<long_news>(1'000); }
  /// Sends the host a payload that was prepared for a chare, and that the host's ring has no room for.
  IMBREX_DEVICE void tell_prepared(context<teller>& here) {
    here.tell<long_news>(here.number(), here.prepare<&teller::hear_long>(200));
  }
  IMBREX_DEVICE void tell_widely(context<teller>& here, std::uint32_t times) {
    for (std::uint32_t n = 0; n < times; ++n) here.tell<wide_news>(here.number(), std::uint64_t{n}, 0.5);
  }
  /// Sends the host a message at the begin, and goes on for long.
  IMBREX_DEVICE void go_on(context<teller>& here, std::uint32_t left) {
    if (here.leads() && receipts++ == 0) here.tell<short_news>(here.number(), left);
    if (left != 0) here.send<&teller::go_on>(here.where(), left - 1);
  }
  /// Sends so much that it is in flight while the other chare sends to the host, and exits.
  IMBREX_DEVICE void crowd(context<teller>& here, std::uint32_t messages) {
    for (std::uint32_t n = 0; n < messages; ++n) here.send<&teller::end_of_turn>(0, n);
  }
  IMBREX_DEVICE void end_of_turn(context<teller>& here, std::uint32_t) {
    if (here.leads()) ++receipts;
    here.sync();
    if (receipts == 63) end(here, 100);
  }
  IMBREX_DEVICE void rest(context<teller>&) {}
  /// Sends the host a message at the begin, and takes that many ns.
  IMBREX_DEVICE void linger(context<teller>& here, std::uint64_t time) {
    here.tell<short_news>(here.number(), std::uint32_t{0});
    const std::uint64_t begin = native_memory::now();
    while (native_memory::now() - begin < time) native_memory::relax();
  }
  /// Sends the next chare more than its mailbox or a crossing to it holds.
  IMBREX_DEVICE void press(context<teller>& here, std::uint32_t messages, std::uint32_t ms_each) {
    const int next = (here.where()[0] + 1) % here.shape()[0];
    for (std::uint32_t n = 0; n < messages; ++n)
      here.send<&teller::linger>(next, std::uint64_t{ms_each} * 1'000'000U);
  }
  using entries =
      resident::entries<&teller::say, &teller::say_wide, &teller::speak, &teller::prattle, &teller::answer,
                        &teller::hear_wide, &teller::hear_long, &teller::end, &teller::tell_much,
                        &teller::tell_prepared, &teller::tell_widely, &teller::go_on, &teller::crowd,
                        &teller::end_of_turn, &teller::rest, &teller::linger, &teller::press>;
};

/// Makes errors.
struct culprit : chare<culprit, index<2>> {
  std::uint32_t go = 0;
  trigger own;
  struct large {
    std::uint64_t words[3] = {};
  };
  IMBREX_DEVICE void send_astray(context<culprit>& here) { here.send<&culprit::send_astray>({1, 7}); }
  IMBREX_DEVICE void fail(context<culprit>& here, std::uint64_t number) { here.fail(number); }
  IMBREX_DEVICE void hang(context<culprit>&) {
    while (native_memory::load(go) == 0) {  // never set
    }
  }
  IMBREX_DEVICE void signal_often(context<culprit>& here, std::uint32_t all) {
    here.signal<&culprit::rest>({0, 1}, here.of<culprit>({0, 1}).own, all);
  }
  IMBREX_DEVICE void put_astray(context<culprit>& here, std::uint32_t gpu) {
    here.put(symmetric<std::uint32_t>(), gpu, &go);
  }
  IMBREX_DEVICE void flood(context<culprit>& here) {
    for (int i = 0; i < 100; ++i) here.send<&culprit::rest>({0, 1});
  }
  IMBREX_DEVICE void rest(context<culprit>&) {}
  IMBREX_DEVICE void send_what_was_for_another(context<culprit>& here) {
    here.send<&culprit::take>({0, 1}, here.prepare<&culprit::numbered_long>(4));
  }
  IMBREX_DEVICE void signal_to_its_own(context<culprit>& here) {
    here.signal<&culprit::rest>({0, 1}, own, 1);
  }
  IMBREX_DEVICE void pour(context<culprit>& here) {
    for (int i = 0; i < 100; ++i) here.send<&culprit::soak>({0, 1}, large());
  }
  IMBREX_DEVICE void soak(context<culprit>&, const large&) {}
  IMBREX_DEVICE void ask_for_much(context<culprit>& here) { here.prepare<&culprit::take>(1'000'000); }
  IMBREX_DEVICE void take(context<culprit>&, payload<double>) {}
  IMBREX_DEVICE void number_ahead(context<culprit>& here) {
    for (int i = 1; i < 4; ++i) here.send<&culprit::numbered>({1, 1}, i);
  }
  IMBREX_DEVICE void numbered(context<culprit>&, reference) {}
  IMBREX_DEVICE void numbered_long(context<culprit>&, reference, payload<double>) {}
  IMBREX_DEVICE void reduce_ahead(context<culprit>& here) {
    for (std::uint32_t i = 0; i < 5; ++i) here.contribute<&culprit::reduced>(i);
  }
  IMBREX_DEVICE void reduced(context<culprit>&, std::uint32_t) {}
  /// Keeps all PEs busy, until one of them ends the run.
  IMBREX_DEVICE void traffic(context<culprit>& here, std::uint32_t left) {
    for (int i = 0; i < 4; ++i) here.send<&culprit::pass>(here.where(), left);
  }
  IMBREX_DEVICE void pass(context<culprit>& here, std::uint32_t left) {
    if (left == 0 && here.number() == 3) return here.exit(99);
    const int next = static_cast<int>(here.number() * 3 + 1) % static_cast<int>(here.size());
    here.send<&culprit::pass>({next / 2, next % 2}, left == 0 ? 0 : left - 1);
  }
  using entries =
      resident::entries<&culprit::send_astray, &culprit::fail, &culprit::hang, &culprit::flood,
                        &culprit::rest, &culprit::send_what_was_for_another, &culprit::signal_to_its_own,
                        &culprit::pour, &culprit::soak, &culprit::ask_for_much, &culprit::take,
                        &culprit::number_ahead, &culprit::numbered, &culprit::numbered_long,
                        &culprit::reduce_ahead, &culprit::reduced, &culprit::traffic, &culprit::pass,
                        &culprit::signal_often, &culprit::put_astray>;
  using reductions = resident::reductions<reduction<&culprit::reduced, sum_operation>>;
};

}  // namespace imbrex::resident::test
