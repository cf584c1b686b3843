// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/chare.hpp>

/// Chares whose messages are measured.
namespace bench {

/// Sends to and fro between the first element and the middle one, by several methods.
struct pinger : imbrex::resident::chare<pinger> {
  using context = imbrex::resident::context<pinger>;
  imbrex::resident::trigger ready;
  imbrex::resident::channel<std::uint64_t> of_other;
  imbrex::resident::symmetric<std::uint64_t> to_put;
  std::uint32_t last = 0;
  std::uint64_t sum = 0;

  static IMBREX_DEVICE int other(context& here) {
    return (here.where()[0] + here.shape()[0] / 2) % here.shape()[0];
  }
  /// Sends 8 bytes.
  IMBREX_DEVICE void ping(context& here, std::uint64_t left) {
    if (left == 0) return here.exit(0);
    here.send<&pinger::ping>(other(here), left - 1);
  }
  /// Sends a payload that all threads write and read.
  IMBREX_DEVICE void ping_payload(context& here, std::uint32_t left,
                                  imbrex::resident::payload<std::uint64_t> got) {
    std::uint64_t partial_sum = 0;
    for (std::uint32_t i = here.thread(); i < got.size(); i += here.threads()) partial_sum += got[i];
    if (partial_sum == 1) sum = partial_sum;  // so that the payload is read
    send_payload(here, left, got.size());
  }
  IMBREX_DEVICE void start_payload(context& here, std::uint32_t rounds, std::uint32_t size) {
    send_payload(here, rounds, size);
  }
  IMBREX_DEVICE void send_payload(context& here, std::uint32_t left, std::uint32_t size) {
    if (left == 0) return here.exit(0);
    const auto out = here.prepare<&pinger::ping_payload>(size);
    if (!out) return here.fail(left);
    for (std::uint32_t i = here.thread(); i < size; i += here.threads()) out[i] = i + 2;
    here.send<&pinger::ping_payload>(other(here), left - 1, out);
  }
  /// Signals to the other element's trigger.
  IMBREX_DEVICE void ping_trigger(context& here, std::uint64_t left) {
    if (left == 0) return here.exit(0);
    const int to = other(here);
    here.signal<&pinger::ping_trigger>(to, here.of<pinger>(to).ready, 1, left - 1);
  }
  /// Puts a value into the other element's channel.
  IMBREX_DEVICE void ping_put(context& here, std::uint32_t n) {
    if (n >= last) return here.exit(0);
    here.put<&pinger::ping_put>(other(here), of_other, n + 1, here.local(to_put));
  }
  /// Sends to itself, several messages at once, so that the next is always there.
  IMBREX_DEVICE void start_self(context& here, std::uint64_t rounds) {
    for (int i = 0; i < 16; ++i) here.send<&pinger::self>(here.where(), rounds);
  }
  IMBREX_DEVICE void self(context& here, std::uint64_t left) {
    if (left == 0) return here.exit(0);
    here.send<&pinger::self>(here.where(), left - 1);
  }
  IMBREX_DEVICE void rest(context&) {}
  IMBREX_DEVICE void leave(context& here) { here.exit(0); }

  using entries = imbrex::resident::entries<&pinger::ping, &pinger::ping_payload, &pinger::start_payload,
                                            &pinger::ping_trigger, &pinger::ping_put, &pinger::start_self,
                                            &pinger::self, &pinger::rest, &pinger::leave>;
};

/// Tokens that each go to random elements.
struct walker : imbrex::resident::chare<walker> {
  using context = imbrex::resident::context<walker>;
  std::uint32_t got = 0;

  IMBREX_DEVICE void start(context& here, std::uint32_t tokens, std::uint32_t hops) {
    for (std::uint32_t i = 0; i < tokens; ++i)
      here.send<&walker::walk>(here.where(), hops, here.number() * 977U + i * 40'503U + 1U);
  }
  IMBREX_DEVICE void walk(context& here, std::uint32_t left, std::uint32_t state) {
    if (here.leads()) ++got;
    if (left == 0) return;
    state = state * 1'664'525U + 1'013'904'223U;
    const auto to = static_cast<int>((std::uint64_t{state} * here.size()) >> 32U);
    here.send<&walker::walk>(to, left - 1, state);
  }
  using entries = imbrex::resident::entries<&walker::start, &walker::walk>;
};

}  // namespace bench
