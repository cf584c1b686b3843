// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/transport/explorer.test.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/resident/transport/crossing.hpp>
#include <imbrex/resident/transport/gathering.hpp>
#include <imbrex/resident/transport/mailbox.hpp>
#include <imbrex/resident/transport/near_ring.hpp>
#include <imbrex/resident/transport/outbox.hpp>
#include <imbrex/resident/transport/parcel_pool.hpp>
#include <imbrex/resident/transport/quiescence.hpp>
#include <imbrex/resident/transport/ring.hpp>
#include <imbrex/resident/transport/trigger.hpp>
#include <imbrex/resident/transport/waves.hpp>

namespace imbrex::resident::test {
namespace {

// Tickets have 8 bits, and wrap during each case.
using ticket = std::uint8_t;
constexpr ticket first = 255;

struct box {
  model_memory::word tail;
  std::array<model_memory::wide, 2> slots;
  mailbox<model_memory, ticket> view{&tail, slots.data(), 2};
  ticket head = first;

  box() { view.prepare(first); }
  void put(const item& i) {
    ticket expected = first;
    put(expected, i);
  }
  void put(ticket& expected, const item& i) {
    ticket t = 0;
    if (view.try_send(expected, t, i)) return;
    while (!view.try_fill(t, i)) explorer::now().pause();
  }
  item take() {
    item i;
    while (!view.try_take(head, i)) explorer::now().pause();
    return i;
  }
};

void expect(bool holds, const std::string& otherwise) { explorer::now().expect(holds, otherwise); }

/// Two senders, three items, two slots: each item arrives once, complete, in its sender's order.
struct order {
  box b;
  std::vector<std::uint32_t> got;

  order() {
    explorer::now().thread([this] {
      ticket expected = first;
      b.put(expected, {10, 10});
      b.put(expected, {11, 11});
    });
    explorer::now().thread([this] { b.put({20, 20}); });
    explorer::now().thread([this] {
      for (int n = 0; n < 3; ++n) {
        const item i = b.take();
        expect(i.body == i.meta, "a torn item");
        got.push_back(i.meta);
      }
    });
  }
  void check() const {
    const auto at = [&](std::uint32_t v) { return std::find(got.begin(), got.end(), v) - got.begin(); };
    expect(std::max({at(10), at(11), at(20)}) < 3, "an item is lost");
    expect(at(10) < at(11), "items overtake each other");
  }
};

/// One parcel, sent twice: the second write must not disturb the reader of the first.
struct parcels {
  box b;
  model_memory::word returned;
  model_memory::plain next, content;
  parcel_pool<model_memory> pool{&returned, &next, 1};
  parcel_pool<model_memory>::owned own_state;

  parcels() {
    explorer::now().thread([this] {
      for (std::uint32_t n = 1; n <= 2; ++n) {
        std::uint32_t one = 0;
        while ((one = pool.take(own_state)) == 0) explorer::now().pause();
        content = n;
        b.put({one, is_ordered});
      }
    });
    explorer::now().thread([this] {
      for (std::uint32_t n = 1; n <= 2; ++n) {
        const auto one = static_cast<std::uint32_t>(b.take().body);
        expect(content == n, "a parcel holds what was not sent");
        pool.give_back(one);
      }
    });
  }
  void check() const {}
};

/// Two readers return parcels at once; the owner finds both.
struct returns {
  model_memory::word returned;
  std::array<model_memory::plain, 2> next, content;
  parcel_pool<model_memory> pool{&returned, next.data(), 2};
  parcel_pool<model_memory>::owned own_state;
  std::array<box, 2> boxes;

  returns() {
    explorer::now().thread([this] {
      for (std::uint32_t n = 0; n < 2; ++n) boxes[n].put({pool.take(own_state), is_ordered});
      for (std::uint32_t n = 0; n < 2; ++n) {
        std::uint32_t one = 0;
        while ((one = pool.take(own_state)) == 0) explorer::now().pause();
        content[one - 1] = 9;
      }
      expect(pool.take(own_state) == 0, "a parcel is there twice");
    });
    for (box& b : boxes)
      explorer::now().thread([this, &b] {
        const auto one = static_cast<std::uint32_t>(b.take().body);
        content[one - 1] = one;
        pool.give_back(one);
      });
  }
  void check() const {}
};

/// PE 0 sends to PE 1, which sends to PE 0. A third thread checks for quiescence, and must not find it
/// earlier.
struct quiet {
  std::array<box, 2> boxes;
  std::array<model_memory::word, 2> finished;
  int open = 1;

  quiet() {
    boxes[0].put({2, 0});
    for (auto& f : finished) model_memory::store(f, first);
    for (std::uint32_t pe = 0; pe < 2; ++pe)
      explorer::now().thread([this, pe] {
        for (std::uint32_t n = pe; n < 2; ++n) {
          const item i = boxes[pe].take();
          if (i.body > 0) {
            ++open;
            boxes[1 - pe].put({i.body - 1, 0});
          }
          --open;
          model_memory::store_release(finished[pe], boxes[pe].head);
        }
      });
    explorer::now().thread([this] {
      std::array<ticket, 2> seen{};
      const auto tail_of = [this](std::uint32_t pe) -> model_memory::word& { return boxes[pe].tail; };
      while (!quiescent<model_memory, ticket>(finished.data(), tail_of, seen.data(), 2))
        explorer::now().pause();
      expect(open == 0, "said to be quiet too early");
    });
  }
  void check() const {}
};

/// Two PEs with three items each for the other and two slots. Neither PE waits for its own mailbox. All items
/// arrive, since kept items are retried.
struct kept {
  std::array<box, 2> boxes;
  std::array<int, 2> got{};

  kept() {
    for (std::uint32_t pe = 0; pe < 2; ++pe) explorer::now().thread([this, pe] { run(pe); });
  }
  void run(std::uint32_t pe) {
    std::array<kept_item<ticket>, 3> memory;
    outbox<model_memory, ticket> out{memory.data(), 3};
    for (std::uint64_t n = 0; n < 3; ++n) {
      const ticket t = boxes[1 - pe].view.draw();
      const item i{n, 0};
      if (!boxes[1 - pe].view.try_fill(t, i)) out.keep({i, 1 - pe, t});
    }
    while (got[pe] < 3 || !out.empty()) {
      out.retry([this](const auto& one) { return boxes[one.to].view.try_fill(one.ticket, one.what); }, 2);
      item i;
      if (got[pe] < 3 && boxes[pe].view.try_take(boxes[pe].head, i)) {
        expect(i.body == static_cast<std::uint64_t>(got[pe]), "items overtake each other");
        ++got[pe];
      } else if (got[pe] < 3 || !out.empty()) {
        explorer::now().pause();
      }
    }
  }
  void check() const {}
};

/// Two threads write and signal. The last one notifies a third, which reads what both wrote. All of it
/// happens twice, with the same trigger.
struct triggered {
  signal_count<model_memory> trigger;
  std::array<model_memory::plain, 2> written;
  box notification;
  std::array<box, 2> answers;

  triggered() {
    for (std::uint32_t who = 0; who < 2; ++who)
      explorer::now().thread([this, who] {
        for (std::uint32_t n = 1; n <= 2; ++n) {
          written[who] = n;
          if (trigger.add(2)) notification.put({n, is_ordered});
          if (n == 1) answers[who].take();
        }
      });
    explorer::now().thread([this] {
      for (std::uint32_t n = 1; n <= 2; ++n) {
        expect(notification.take().body == n, "a trigger fires for another time");
        expect(written[0] == n && written[1] == n, "a signal came before what was written");
        for (std::uint32_t who = 0; n == 1 && who < 2; ++who) answers[who].put({n, is_ordered});
      }
    });
  }
  void check() const {}
};

/// One thread fills a ring of two slots, and one empties it. Each value arrives once, in order, and no slot
/// is written while it is read. The counts wrap.
struct slots {
  model_memory::word filled, emptied;
  std::array<model_memory::plain, 2> slot;
  ring<model_memory> way{&filled, &emptied, 2};
  static constexpr auto begin = static_cast<std::uint32_t>(-2);

  slots() {
    model_memory::store(filled, begin);
    model_memory::store(emptied, begin);
    explorer::now().thread([this] {
      std::uint32_t own_state = begin, known = begin;
      for (std::uint32_t n = 1; n <= 4; ++n) {
        while (!way.has_room(own_state, known)) explorer::now().pause();
        slot[way.place(own_state)] = n;
        way.fill(own_state);
      }
    });
    explorer::now().thread([this] {
      std::uint32_t own_state = begin;
      for (std::uint32_t n = 1; n <= 4; ++n) {
        while (!way.has_some(own_state)) explorer::now().pause();
        expect(slot[way.place(own_state)] == n, "a slot holds what was not put there");
        way.empty(own_state);
      }
    });
  }
  void check() const {}
};

using way = crossing<model_memory, model_memory, ticket>;

/// Crossing from one GPU to a PE of another, with two slots.
struct bridge {
  model_memory::word tail, taken;
  std::array<model_memory::wide, 2> slots;
  way view{&tail, &taken, slots.data(), 2};
  ticket head = first;

  bridge() {
    view.prepare_slots(first);
    view.prepare_counts(first);
  }
  void put(const item& i) {
    const ticket t = view.draw(1);
    while (!view.try_fill(t, i)) explorer::now().pause();
  }
  item take() {
    item i;
    while (!view.try_take(head, i)) explorer::now().pause();
    return i;
  }
};

/// Two PEs of one GPU send three items to one of another. Each arrives once, complete, in its sender's order.
/// Two that are sent as one arrive one after the other.
struct crossed {
  bridge b;
  std::vector<std::uint32_t> got;

  crossed() {
    explorer::now().thread([this] {
      ticket t = b.view.draw(2);
      for (std::uint32_t n = 10; n < 12; ++n, ++t)
        while (!b.view.try_fill(t, {n, n})) explorer::now().pause();
    });
    explorer::now().thread([this] { b.put({20, 20}); });
    explorer::now().thread([this] {
      for (int n = 0; n < 3; ++n) {
        const item i = b.take();
        expect(i.body == i.meta, "a torn item");
        got.push_back(i.meta);
      }
    });
  }
  void check() const {
    const auto at = [&](std::uint32_t v) { return std::find(got.begin(), got.end(), v) - got.begin(); };
    expect(std::max({at(10), at(11), at(20)}) < 3, "an item is lost");
    expect(at(11) == at(10) + 1, "another item came between");
  }
};

/// Model of a cluster's memory, in place of `cluster_memory`. A thread that sees the end of a barrier's phase
/// has the 16 bytes, and nothing else of their sender.
struct model_cluster {
  struct wide {
    model_memory::plain bytes;
    wide_word value;
  };
  struct barrier {
    model_memory::word phase;
    model_memory::plain expects;
    bool releases = false;  ///< the next `send` to this barrier releases
  };
  static void prepare(barrier&) {}
  static void expect(barrier& b) { b.expects = 1; }
  static void send(wide& to, barrier& there, wide_word v) {
    to.value = v;
    explorer::now().touch_and_add({to.bytes.place, there.expects.place}, there.phase.place,
                                  keeps(weakened::item_release), std::exchange(there.releases, false));
    test::expect(std::exchange(there.expects.value, 0) == 1, "bytes come that nobody expects");
  }
  static void free(barrier& of_other) {
    explorer::now().replace(
        of_other.phase.place, [](std::uint32_t old) { return old + 1; }, keeps(weakened::count_release),
        false);
  }
  static bool has_arrived(const barrier& b, std::uint32_t parity, const wide& at, wide_word& v) {
    if (sees(b, weakened::item_acquire) == parity) return false;
    static_cast<void>(static_cast<std::uint32_t>(at.bytes));
    v = at.value;
    return true;
  }
  static bool is_free(const barrier& b, std::uint32_t parity) {
    return sees(b, weakened::slot_acquire) != parity;
  }
  static void release_others(barrier& there) { there.releases = keeps(weakened::others_release); }
  static void acquire_others(const wide&) {
    if (keeps(weakened::others_acquire)) explorer::now().acquire_all();
  }

 private:
  static bool keeps(weakened order) { return explorer::now().keeps(order); }
  static std::uint64_t sees(const barrier& b, weakened by) {
    return explorer::now().load(b.phase.place, explorer::now().keeps(by)).body % 2;
  }
};

/// Ring from one block of a cluster to another.
struct near_way {
  using way = near_ring<model_cluster>;
  std::array<model_cluster::wide, way::size> slots;
  std::array<model_cluster::barrier, way::size> full, empty;
  std::array<std::uint32_t, way::size> uses{};
  way view{slots.data(), full.data(), empty.data(), uses.data()};
  static constexpr std::uint32_t first_number = static_cast<std::uint32_t>(-2) * way::size;

  near_way() {
    view.prepare_full();
    view.prepare_empty(first_number);
  }
};

/// More items than the ring holds: each arrives once, complete, in order.
struct neighbours : near_way {
  static constexpr std::uint32_t items = 9;

  neighbours() {
    explorer::now().thread([this] {
      // A later item of the same slot is tried before its turn, and must not be sent.
      for (std::uint32_t n = 0; n < items; ++n)
        while (!view.try_fill(first_number + n, {n, n})) {
          test::expect(n == items - 1 || !view.try_fill(first_number + n + way::size, {n, n}), "out of turn");
          explorer::now().pause();
        }
    });
    explorer::now().thread([this] {
      std::uint32_t head = first_number;
      for (std::uint32_t n = 0; n < items; ++n) {
        item i;
        while (!view.try_take(head, i)) explorer::now().pause();
        test::expect(i.body == n && i.meta == n, "an item is lost, or torn");
      }
    });
  }
  void check() const {}
};

/// Items that refer to memory. Their sender marks them as ordered, or forgets to. It writes the memory again
/// when the reply has arrived.
template <std::uint32_t Mark>
struct neighbours_with_memory {
  near_way there, back;
  model_memory::plain content;

  neighbours_with_memory() {
    explorer::now().thread([this] {
      for (std::uint32_t n = 0; n < 3; ++n) {
        content = n;
        pass(there, n, Mark);
        if (n < 2) take(back, n);
      }
    });
    explorer::now().thread([this] {
      for (std::uint32_t n = 0; n < 3; ++n) {
        take(there, n);
        test::expect(content == n, "an item came before what was written");
        if (n < 2) pass(back, n, is_ordered);
      }
    });
  }
  static void pass(near_way& by, std::uint32_t n, std::uint32_t mark) {
    while (!by.view.try_fill(near_way::first_number + n, {n, n | mark})) explorer::now().pause();
  }
  static void take(near_way& by, std::uint32_t n) {
    std::uint32_t head = near_way::first_number + n;
    item i;
    while (!by.view.try_take(head, i)) explorer::now().pause();
    test::expect(i.body == n, "an item is lost");
  }
  void check() const {}
};

/// One PE puts into the memory of another GPU and signals, and again when the reply has arrived.
struct put_and_signal {
  bridge there, back;
  model_memory::plain content;

  put_and_signal() {
    explorer::now().thread([this] {
      for (std::uint32_t n = 1; n <= 3; ++n) {
        content = n;
        there.put({n, is_ordered});
        back.take();
      }
    });
    explorer::now().thread([this] {
      for (std::uint32_t n = 1; n <= 3; ++n) {
        expect(there.take().body == n, "a signal is lost");
        expect(content == n, "a signal came before what was put");
        back.put({n, is_ordered});
      }
    });
  }
  void check() const {}
};

/// Two GPUs exchange numbers, by alternate slots, and read what the other has written before. Numbers wrap.
struct gathered {
  std::array<std::array<model_memory::wide, 4>, 2> slots;
  std::array<model_memory::plain, 2> content;

  gathered() {
    for (std::uint32_t me = 0; me < 2; ++me) explorer::now().thread([this, me] { run(me); });
  }
  void run(std::uint32_t me) {
    std::uint32_t number = static_cast<std::uint32_t>(-2);
    const auto meet = [&](std::uint32_t n) {
      std::uint32_t all = 0;
      gather<model_memory>(
          number++, me, 2, 10 * n + me,
          [this](std::uint32_t g, std::uint64_t of) -> model_memory::wide& { return slots[g][of]; },
          [](std::uint32_t, model_memory::wide&) {}, [](std::uint32_t, model_memory::wide&) {},
          [] {
            explorer::now().pause();
            return true;
          },
          [&](std::uint32_t g, std::uint64_t bits) {
            expect(bits == 10 * n + g, "a number of another time");
            ++all;
          });
      expect(all == 2, "a number is missing");
    };
    for (std::uint32_t n = 1; n <= 2; ++n) {
      content[me] = n;
      meet(2 * n);
      expect(content[1 - me] == n, "it is met before it was written");
      meet(2 * n + 1);
    }
  }
  void check() const {}
};

/// An item goes from GPU 0 to GPU 1 and back. Their leaders' waves must not report the end earlier.
struct ending_waves {
  std::array<bridge, 2> to;
  std::array<model_memory::word, 2> counted, requests;
  std::array<wave_answer<model_memory>, 2> answers;
  waves leader;
  int open = 1;

  ending_waves() {
    for (auto& a : requests) model_memory::store(a, 1);
    const ticket t = to[0].view.draw(1);
    to[0].view.try_fill(t, {1, 0});
    for (std::uint32_t g = 0; g < 2; ++g) explorer::now().thread([this, g] { work(g); });
    for (std::uint32_t g = 0; g < 2; ++g) explorer::now().thread([this, g] { lead(g); });
  }
  void work(std::uint32_t g) {
    const item i = to[g].take();
    if (i.body > 0) {
      ++open;
      to[1 - g].put({i.body - 1, 0});
    }
    --open;
    model_memory::store_release(counted[g], 1);
  }
  void lead(std::uint32_t g) {
    const auto answer_of = [this](std::uint32_t of) -> wave_answer<model_memory>& { return answers[of]; };
    const auto ask = [this](std::uint32_t of, std::uint32_t n) {
      model_memory::store_release(requests[of], n);
    };
    for (std::uint32_t answered = 0;;) {
      const std::uint32_t wave = model_memory::load_acquire(requests[g]);
      if (wave == over) return;
      const std::uint32_t run = model_memory::poll(counted[g]);
      model_memory::acquired();
      const bool answers_now = wave != answered && (wave == 1 || run == 1);  // bounds the number of waves
      if (answers_now) {
        // The first item has no sender; it counts as sent by GPU 1.
        const auto sent = static_cast<ticket>(model_memory::load(*to[1 - g].view.tail) - first);
        answered = wave;
        answers[g].give(wave, sent, run);
      }
      const std::uint32_t before = leader.number;
      if (g == 0 && leader.look<model_memory>(2, answer_of, ask)) {
        expect(open == 0, "said to be over too early");
        return ask(1, over);
      }
      if (!answers_now && (g != 0 || leader.number == before)) explorer::now().pause();
    }
  }
  void check() const {}

  static constexpr std::uint32_t over = 99;
};

/// Number of deviations. There are many waves, so fewer deviations are tried for them.
template <class Case>
constexpr std::uint32_t deviations = std::is_same_v<Case, ending_waves> ? 1 : 2;
constexpr std::uint64_t most_runs = 100'000;

// The explorer is one thread with several stacks, which sanitizers do not know.
#define SKIP_UNDER_SANITIZERS() \
  if (imbrex::test::memory_is_kept_back) GTEST_SKIP() << "sanitizers do not follow a change of stacks"

template <class Case>
class interleavings : public ::testing::Test {};
using cases = ::testing::Types<order, parcels, returns, quiet, kept, triggered, slots, crossed, neighbours,
                               neighbours_with_memory<is_ordered>, put_and_signal, gathered, ending_waves>;
TYPED_TEST_SUITE(interleavings, cases);

TYPED_TEST(interleavings, are_all_right) {
  SKIP_UNDER_SANITIZERS();
  const exploration found = explore<TypeParam>(weakened::none, deviations<TypeParam>, most_runs);
  EXPECT_EQ(found.wrong, "");
  EXPECT_TRUE(found.complete) << found.runs << " runs";
  EXPECT_GT(found.runs, 50U);
  ::testing::Test::RecordProperty("runs", std::to_string(found.runs));
}

template <class Case>
void expect_found(weakened order) {
  const exploration found = explore<Case>(order, deviations<Case>, most_runs);
  EXPECT_NE(found.wrong, "") << "order " << static_cast<int>(order) << " is not needed in " << found.runs
                             << " runs";
}

TEST(weakened_orders, are_all_found) {
  SKIP_UNDER_SANITIZERS();
  expect_found<parcels>(weakened::item_release);
  expect_found<parcels>(weakened::item_acquire);
  expect_found<parcels>(weakened::give_back_release);
  expect_found<parcels>(weakened::take_acquire);
  expect_found<returns>(weakened::give_back_release);
  expect_found<returns>(weakened::take_acquire);
  expect_found<quiet>(weakened::count_release);
  expect_found<quiet>(weakened::count_acquire);
  expect_found<slots>(weakened::count_release);
  expect_found<slots>(weakened::slot_acquire);
  expect_found<triggered>(weakened::signal_release);
  expect_found<triggered>(weakened::signal_acquire);
  expect_found<neighbours>(weakened::item_release);
  expect_found<neighbours>(weakened::item_acquire);
  expect_found<neighbours>(weakened::count_release);
  expect_found<neighbours>(weakened::slot_acquire);
  expect_found<neighbours_with_memory<is_ordered>>(weakened::others_release);
  expect_found<neighbours_with_memory<is_ordered>>(weakened::others_acquire);
  expect_found<put_and_signal>(weakened::item_release);
  expect_found<put_and_signal>(weakened::item_acquire);
  expect_found<gathered>(weakened::item_release);
  expect_found<gathered>(weakened::item_acquire);
  expect_found<ending_waves>(weakened::count_release);
  expect_found<ending_waves>(weakened::slot_acquire);
}

/// An item of a cluster orders no other memory, so the explorer finds a missing mark.
TEST(weakened_orders, of_an_unordered_item_in_a_cluster_is_found) {
  SKIP_UNDER_SANITIZERS();
  EXPECT_EQ(explore<neighbours_with_memory<0>>(weakened::none, 2, most_runs).wrong, "a data race");
}

/// A case with an error, which the explorer must find.
struct lost_update {
  model_memory::word counter;
  lost_update() {
    for (int n = 0; n < 2; ++n)
      explorer::now().thread([this] { model_memory::store(counter, model_memory::load(counter) + 1); });
  }
  void check() { expect(model_memory::load(counter) == 2, "an update is lost"); }
};
struct wait_for_nothing {
  model_memory::word never;
  wait_for_nothing() {
    explorer::now().thread([this] {
      while (model_memory::load(never) == 0) explorer::now().pause();
    });
  }
  void check() const {}
};

TEST(explorer, sees_what_is_wrong) {
  SKIP_UNDER_SANITIZERS();
  EXPECT_EQ(explore<lost_update>(weakened::none, 1, most_runs).wrong, "an update is lost");
  EXPECT_EQ(explore<wait_for_nothing>(weakened::none, 1, most_runs).wrong, "a thread waits for ever");
}

}  // namespace
}  // namespace imbrex::resident::test
