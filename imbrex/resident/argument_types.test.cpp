// SPDX-License-Identifier: Apache-2.0
// Odd kinds of arguments, payloads, numbers and reductions, in four arrays of unlike shapes. The smallest
// have one element and the largest many more than PEs.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/resident/devices.test.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/stepped.test.hpp>

namespace imbrex::resident::test {
namespace {

struct padded {
  std::uint8_t small;
  std::uint32_t large;
};
struct three_bytes {
  std::uint8_t values[3];
};
struct widest {
  std::uint64_t words[8];
};
struct twelve_bytes {
  std::uint32_t a, b, c;
};
struct alignas(16) pair_of_words {
  std::uint64_t a, b;
};
struct range {
  float low, high;
};
struct hull {
  IMBREX_DEVICE range operator()(const range& a, const range& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};
struct either {
  IMBREX_DEVICE bool operator()(bool a, bool b) const { return a || b; }
};

struct numbered;
struct loaded;
struct crier;
/// Sends itself arguments of all sizes, and reduces structs and bools.
struct packer : chare<packer, index<3>> {
  using chares = resident::chares<packer, numbered, loaded, crier>;
  std::uint32_t got = 0, wrong = 0;
  range all{};
  bool some = false;
  std::uint64_t sum = 0;

  IMBREX_DEVICE void begin(context<packer>& here, std::uint32_t above) {
    const index<3> me = here.where();
    here.send<&packer::nothing>(me);
    here.send<&packer::single>(me, true, std::int8_t{-5}, 'x');
    here.send<&packer::with_a_gap>(me, padded{200, 0xdeadbeef});
    here.send<&packer::threes>(me, three_bytes{{1, 2, 3}}, three_bytes{{7, 8, 9}});
    here.send<&packer::mixed>(me, std::uint8_t{1}, 2.5, std::uint16_t{3}, std::int64_t{-4});
    widest w{};
    for (std::uint32_t n = 0; n < 8; ++n) w.words[n] = 1000 + n;
    here.send<&packer::most>(me, w);
    here.send<&packer::nine>(me, 9.25, true);
    const auto own = static_cast<float>(here.number());
    here.contribute<&packer::spans>(range{-own, own + static_cast<float>(above)});
    here.contribute<&packer::has_some>(here.number() + 1 == here.size());
    for (int n = 0; n < 3; ++n) here.contribute<&packer::sums>(std::uint64_t{1} << 33U);
  }
  IMBREX_DEVICE void nothing(context<packer>& here) { note(here, true); }
  IMBREX_DEVICE void single(context<packer>& here, bool a, std::int8_t b, char c) {
    note(here, a && b == -5 && c == 'x');
  }
  IMBREX_DEVICE void with_a_gap(context<packer>& here, padded p) {
    note(here, p.small == 200 && p.large == 0xdeadbeef);
  }
  IMBREX_DEVICE void threes(context<packer>& here, three_bytes a, three_bytes b) {
    note(here, a.values[2] == 3 && b.values[0] == 7);
  }
  IMBREX_DEVICE void mixed(context<packer>& here, std::uint8_t a, double b, std::uint16_t c, std::int64_t d) {
    note(here, a == 1 && b == 2.5 && c == 3 && d == -4);
  }
  IMBREX_DEVICE void most(context<packer>& here, const widest& w) {
    bool right = true;
    for (std::uint32_t n = 0; n < 8; ++n) right = right && w.words[n] == 1000 + n;
    note(here, right);
  }
  IMBREX_DEVICE void nine(context<packer>& here, double a, bool b) { note(here, a == 9.25 && b); }
  IMBREX_DEVICE void spans(context<packer>& here, range r) {
    if (here.leads()) all = r;
  }
  IMBREX_DEVICE void has_some(context<packer>& here, bool b) {
    if (here.leads()) some = b;
  }
  IMBREX_DEVICE void sums(context<packer>& here, std::uint64_t s) {
    if (here.leads()) sum = s;
  }
  IMBREX_DEVICE void note(context<packer>& here, bool right) {
    if (here.leads()) ++got;
    if (here.leads() && !right) ++wrong;
  }
  using entries = resident::entries<&packer::begin, &packer::nothing, &packer::single, &packer::with_a_gap,
                                    &packer::threes, &packer::mixed, &packer::most, &packer::nine,
                                    &packer::spans, &packer::has_some, &packer::sums>;
  using reductions =
      resident::reductions<all_reduction<&packer::spans, hull>, reduction<&packer::has_some, either>,
                           all_reduction<&packer::sums, sum_operation>>;
};

/// Receives messages in reverse order of their numbers, which wrap, or are negative.
struct numbered : chare<numbered, index<2>> {
  using chares = packer::chares;
  static constexpr std::uint32_t highest = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t got = 0, wrong = 0, order = 0;

  IMBREX_DEVICE void begin(context<numbered>& here) {
    const index<2> me = here.where();
    here.accept<&numbered::upwards>(highest - 1);
    here.accept<&numbered::with_words>(reference(-2));
    for (std::uint32_t n = 4; n-- > 0;) {
      here.send<&numbered::upwards>(me, reference(highest - 1 + n), n);
      const payload<twelve_bytes> words = here.prepare<&numbered::with_words>(3 + n);
      if (!words) return here.fail(n);
      for (std::uint32_t i = here.thread(); i < words.size(); i += here.threads()) words[i] = {n, i, 7};
      here.send<&numbered::with_words>(me, reference(static_cast<int>(n) - 2), words);
    }
  }
  IMBREX_DEVICE void upwards(context<numbered>& here, reference number, std::uint32_t n) {
    if (here.leads()) {
      ++got;
      wrong += number.number != highest - 1 + n || n != order ? 1 : 0;
      ++order;
    }
    here.accept<&numbered::upwards>(number.number + 1);
  }
  IMBREX_DEVICE void with_words(context<numbered>& here, reference number, payload<twelve_bytes> words) {
    const std::uint32_t n = number.number + 2;
    std::uint32_t bad = words.size() != 3 + n ? 1 : 0;
    for (std::uint32_t i = 0; i < words.size(); ++i)
      bad += words[i].a != n || words[i].b != i || words[i].c != 7 ? 1 : 0;
    if (here.leads()) ++got;
    if (here.leads()) wrong += bad;
    here.accept<&numbered::with_words>(number.number + 1);
  }
  /// Several messages of one number wait, and then run in the order of their arrival.
  IMBREX_DEVICE void begin_queue(context<numbered>& here) {
    for (std::uint32_t n = 0; n < 5; ++n) here.send<&numbered::queue>(here.where(), 7, n);
    here.send<&numbered::open_queue>(here.where());
  }
  IMBREX_DEVICE void open_queue(context<numbered>& here) {
    here.send<&numbered::queue>(here.where(), 7, 5U);
    here.accept<&numbered::queue>(7);
  }
  IMBREX_DEVICE void queue(context<numbered>& here, reference, std::uint32_t n) {
    if (!here.leads()) return;
    wrong += n != got ? 1 : 0;
    ++got;
  }
  using entries = resident::entries<&numbered::begin, &numbered::upwards, &numbered::with_words,
                                    &numbered::begin_queue, &numbered::open_queue, &numbered::queue>;
};

/// Sends payloads of odd sizes, empty ones, and ones that fill a parcel, of bytes and of 16-byte words.
struct loaded : chare<loaded> {
  using chares = packer::chares;
  static constexpr std::uint32_t rounds = 28, hops = 6;
  std::uint32_t got = 0, wrong = 0;

  static IMBREX_DEVICE std::uint16_t size_of(std::uint32_t n) {
    constexpr std::uint16_t sizes[] = {0, 1, 2, 3, 5, 15, 16, 17, 31, 63, 127, 255, 500, 992};
    return sizes[n % 14];
  }
  IMBREX_DEVICE void begin(context<loaded>& here, std::uint32_t n) {
    if (n == rounds) return;
    const std::uint16_t size = size_of(n);
    const payload<char> bytes = here.prepare<&loaded::take_bytes>(size);
    if (!bytes) return here.send<&loaded::begin>(here.where(), n);
    for (std::uint32_t i = here.thread(); i < size; i += here.threads()) bytes[i] = static_cast<char>(i * 3);
    here.send<&loaded::take_bytes>(static_cast<int>((here.number() * 7 + n) % here.size()), size, bytes);
    here.send<&loaded::go_on>(here.where(), n);
  }
  IMBREX_DEVICE void go_on(context<loaded>& here, std::uint32_t n) {
    const payload<pair_of_words> words = here.prepare<&loaded::take_words>(n);
    if (!words) return here.send<&loaded::go_on>(here.where(), n);
    for (std::uint32_t i = here.thread(); i < n; i += here.threads()) words[i] = {i, ~std::uint64_t{i}};
    here.send<&loaded::take_words>(here.where(), words);
    here.send<&loaded::begin>(here.where(), n + 1);
  }
  IMBREX_DEVICE void take_bytes(context<loaded>& here, std::uint16_t size, payload<char> bytes) {
    std::uint32_t bad = bytes.size() != size ? 1 : 0;
    for (std::uint32_t i = 0; i < bytes.size(); ++i) bad += bytes[i] != static_cast<char>(i * 3) ? 1 : 0;
    note(here, bad);
  }
  /// Sends payloads that each receiver forwards.
  IMBREX_DEVICE void begin_tours(context<loaded>& here, std::uint32_t tours) {
    for (std::uint32_t n = 0; n < tours; ++n) {
      const payload<char> bytes = here.prepare<&loaded::tour>(size_of(here.number() + n));
      if (!bytes) return here.fail(n);
      for (std::uint32_t i = here.thread(); i < bytes.size(); i += here.threads())
        bytes[i] = static_cast<char>(i * 5 + here.number());
      here.send<&loaded::tour>(here.where(), here.number(), n, hops, bytes);
    }
  }
  IMBREX_DEVICE void tour(context<loaded>& here, std::uint32_t from, std::uint32_t n, std::uint32_t left,
                          payload<char> bytes) {
    std::uint32_t bad = bytes.size() != size_of(from + n) ? 1 : 0;
    for (std::uint32_t i = 0; i < bytes.size(); ++i)
      bad += bytes[i] != static_cast<char>(i * 5 + from) ? 1 : 0;
    note(here, bad);
    if (left == 0) return;
    here.send<&loaded::tour>(static_cast<int>((here.number() * 3 + n + left) % here.size()), from, n,
                             left - 1, bytes);
  }
  IMBREX_DEVICE void take_words(context<loaded>& here, payload<pair_of_words> words) {
    std::uint32_t bad = reinterpret_cast<std::uintptr_t>(words.data()) % 16 != 0 ? 1 : 0;
    for (std::uint32_t i = 0; i < words.size(); ++i)
      bad += words[i].a != i || words[i].b != ~std::uint64_t{i} ? 1 : 0;
    note(here, bad);
  }
  IMBREX_DEVICE void note(context<loaded>& here, std::uint32_t bad) {
    if (here.leads()) ++got;
    if (here.leads()) wrong += bad;
  }
  using entries = resident::entries<&loaded::begin, &loaded::go_on, &loaded::take_bytes, &loaded::take_words,
                                    &loaded::begin_tours, &loaded::tour>;
};

/// Broadcasts from broadcasts, to two arrays; floods itself; ends with the largest value.
struct crier : chare<crier> {
  using chares = packer::chares;
  static constexpr std::uint32_t queued = 20;
  std::uint32_t got = 0;

  IMBREX_DEVICE void cry(context<crier>& here, std::uint32_t left) {
    if (here.leads()) ++got;
    if (here.number() != 0 || left == 0) return;
    here.broadcast<&crier::cry>(left - 1);
    here.broadcast<&packer::nothing>();
  }
  IMBREX_DEVICE void flood(context<crier>& here, std::uint32_t messages) {
    if (here.leads()) ++got;
    for (std::uint32_t n = 0; n < messages; ++n) here.send<&crier::flood>(here.where(), std::uint32_t{0});
  }
  /// Sends itself more messages than go without the mailbox, and more while these are in flight. They must
  /// stay in order.
  IMBREX_DEVICE void queue_up(context<crier>& here) {
    for (std::uint32_t n = 0; n < queued; ++n) here.send<&crier::step>(here.where(), n);
  }
  IMBREX_DEVICE void step(context<crier>& here, std::uint32_t n) {
    if (here.leads() && n == got) ++got;
    if (n < queued) here.send<&crier::step>(here.where(), n + queued);
  }
  IMBREX_DEVICE void quit(context<crier>& here) { here.exit(std::numeric_limits<std::uint64_t>::max()); }
  using entries = resident::entries<&crier::cry, &crier::flood, &crier::quit, &crier::queue_up, &crier::step>;
};

}  // namespace
}  // namespace imbrex::resident::test

namespace imbrex::resident {

// This program has no kernel.
template <>
void native<test::packer, test::numbered, test::loaded, test::crier>::launch(native_stream, detail::machine) {
  throw error("this program of a test has no kernel");
}
template <>
std::uint32_t native<test::packer, test::numbered, test::loaded, test::crier>::most_pes(std::uint32_t) {
  return 0;
}

namespace test {
namespace {

using all_kinds = program<packer, numbered, loaded, crier>;

struct sizes {
  index<3> packers;
  index<2> numbered_ones;
  int loaded_ones, criers;
};
const std::vector<sizes> all_sizes{
    {{1, 1, 1}, {1, 1}, 1, 1}, {{3, 1, 5}, {2, 7}, 9, 4}, {{1, 17, 2}, {33, 3}, 40, 33}};

settings chosen(std::uint32_t n, std::uint32_t threads) {
  settings s;
  s.gpus = 1 + n % 3;
  s.pes = s.gpus * (1 + n % 4);
  s.threads = threads;
  s.mailbox = 2U << n % 4;
  s.crossing = 2U << n % 3;
  s.parcels = 1024;
  s.early = s.outbox = 2048;
  s.placed = n % 2 == 0 ? placement::round_robin : placement::blocks;
  s.first_ticket = static_cast<std::uint32_t>(-100);
  return s;
}

void check(device& on, const settings& s, const sizes& of) {
  all_kinds p(on, s, of.packers, of.numbered_ones, of.loaded_ones, of.criers);
  const std::uint32_t packers = p.count<packer>();
  p.run_all<&packer::begin>(std::uint32_t{10});
  for (const packer& one : p.read<packer>()) {
    EXPECT_EQ(one.got, 7U);
    EXPECT_EQ(one.wrong, 0U);
    EXPECT_EQ(one.all.low, -static_cast<float>(packers - 1));
    EXPECT_EQ(one.all.high, static_cast<float>(packers + 9));
    EXPECT_EQ(one.sum, std::uint64_t{packers} << 33U);
  }
  EXPECT_TRUE(p.read<packer>()[0].some);
  p.run_all<&numbered::begin>();
  for (const numbered& one : p.read<numbered>()) {
    EXPECT_EQ(one.got, 8U);
    EXPECT_EQ(one.wrong, 0U);
  }
  p.write(std::vector<numbered>(p.count<numbered>()));
  p.run_all<&numbered::begin_queue>();
  for (const numbered& one : p.read<numbered>()) {
    EXPECT_EQ(one.got, 6U);
    EXPECT_EQ(one.wrong, 0U);
  }
  p.run_all<&loaded::begin>(std::uint32_t{0});
  std::uint32_t got = 0;
  for (const loaded& one : p.read<loaded>()) {
    got += one.got;
    EXPECT_EQ(one.wrong, 0U);
  }
  EXPECT_EQ(got, static_cast<std::uint32_t>(of.loaded_ones) * 2 * loaded::rounds);
  p.write(std::vector<loaded>(p.count<loaded>()));
  constexpr std::uint32_t tours = 4;
  EXPECT_FALSE(p.run_all<&loaded::begin_tours>(tours).value);
  got = 0;
  for (const loaded& one : p.read<loaded>()) {
    got += one.got;
    EXPECT_EQ(one.wrong, 0U);
  }
  EXPECT_EQ(got, static_cast<std::uint32_t>(of.loaded_ones) * tours * (loaded::hops + 1));
  p.write(std::vector<packer>(packers));
  p.run<&crier::cry>(0, std::uint32_t{5});
  got = 0;
  for (const crier& one : p.read<crier>()) got += one.got;
  EXPECT_EQ(got, 1 + 5 * static_cast<std::uint32_t>(of.criers));
  for (const packer& one : p.read<packer>()) EXPECT_EQ(one.got, 5U);
  p.write(std::vector<crier>(p.count<crier>()));
  p.run_all<&crier::queue_up>();
  for (const crier& one : p.read<crier>()) EXPECT_EQ(one.got, 2 * crier::queued);
  EXPECT_FALSE(p.run<&crier::flood>(of.criers - 1, std::uint32_t{300}).value);
  EXPECT_EQ(p.run<&crier::quit>(of.criers - 1).value, std::numeric_limits<std::uint64_t>::max());
}

/// Arguments are padded to the alignment of those after them.
TEST(resident_kinds, are_smallest_with_the_larger_first) {
  using word = std::uint32_t;
  using half = std::uint16_t;
  EXPECT_EQ((detail::argument_traits<word, half, half>::fixed_bytes), 8U);
  EXPECT_EQ((detail::argument_traits<half, half, word>::fixed_bytes), 12U);
}

TEST(resident_kinds, come_whole_on_threads) {
  const auto devices = devices_here("emulated");
  for (std::uint32_t n = 0; n < 4; ++n)
    for (const sizes& of : all_sizes) check(*devices.front(), chosen(n, 1 + n % 2), of);
}

TEST(resident_kinds, come_whole_by_steps) {
  for (std::uint32_t seed = 0; seed < 12; ++seed)
    for (const auto kind : {machine_kind::deterministic, machine_kind::simulated})
      run_whole(stepped(kind, seed), [&]() -> task<int> {
        check(gpu(), chosen(seed, 1), all_sizes[seed % 3]);
        co_return 0;
      });
}

}  // namespace
}  // namespace test
}  // namespace imbrex::resident
