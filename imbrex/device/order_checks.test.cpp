// SPDX-License-Identifier: Apache-2.0
// Checks of the order and the overlap of operations in streams.
#include <imbrex/device/checks.test.hpp>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <imbrex/base/random.hpp>

namespace imbrex::test {
namespace {

void a_stream_keeps_its_order(subject& in) {
  mark_log log(in);
  stream s = make(in, "one");
  std::vector<int> order(40);
  std::iota(order.begin(), order.end(), 0);
  for (const int mark : order)
    s.launch(append, log.span(), mark, mark == order.back() ? 50'000 * us : mark % 3 * 10 * us);
  in.expect(!s.idle() || !in.is_exact(), "the stream is idle at once");
  s.synchronize();
  in.expect(s.idle(), "the stream is not idle after synchronize");
  log.expect(order);
}

/// Each round overwrites the input of the round before, without an event.
void copies_keep_their_place(subject& in) {
  constexpr int rounds = 12;
  constexpr std::size_t size = 64;
  stream s = make(in, "copies");
  pinned_buffer<int> from(in.first(), rounds * size);
  pinned_buffer<int> to(in.first(), rounds * size);
  device_buffer<int> a(in.first(), size);
  device_buffer<int> b(in.first(), size);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i);
  for (std::size_t r = 0; r < rounds; ++r) {
    s.copy(a.span(), from.span().subspan(r * size, size));
    s.launch(add, a.span(), b.span(), 1000);
    s.copy(a.span(), b.span());
    s.copy(to.span().subspan(r * size, size), a.span());
    s.fill(a.span(), std::byte{0xff});
  }
  s.synchronize();
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] != static_cast<int>(i) + 1000)
      return in.expect_equal(to[i], static_cast<int>(i) + 1000, "a cell");
}

void events_order_streams(subject& in) {
  mark_log log(in);
  event_pool events(in.first());
  stream a = make(in, "a");
  stream b = make(in, "b");
  std::vector<int> order;
  event turn = events.take();
  for (int i = 0; i < 20; ++i) {
    stream& now = i % 2 == 0 ? a : b;
    now.wait(turn);
    now.launch(append, log.span(), i, (20 - i) * 10 * us);
    now.record(turn);
    order.push_back(i);
  }
  b.synchronize();
  log.expect(order);
  in.expect_equal(events.created_count(), 1U, "the number of events made");
}

/// Handles of streams, as for streams that a library has made.
void handles_order_streams(subject& in) {
  mark_log log(in);
  stream a = make(in, "a");
  stream b = make(in, "b");
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) {
    stream& now = i % 2 == 0 ? a : b;
    stream& before = i % 2 == 0 ? b : a;
    i % 3 == 0 ? before.delay(now.native()) : now.wait(before.native());
    now.launch(append, log.span(), i, (20 - i) * 10 * us);
    order.push_back(i);
  }
  b.synchronize();
  log.expect(order);
}

/// Events that are passed between threads, as buffers are, and reused.
void shared_events_order_streams(subject& in) {
  mark_log log(in);
  stream a = make(in, "a");
  stream b = make(in, "b");
  std::vector<int> order;
  shared_event turn;
  in.expect(turn.done() && !turn, "an event of nothing is not done");
  for (int i = 0; i < 20; ++i) {
    stream& now = i % 2 == 0 ? a : b;
    now.wait(turn);
    now.launch(append, log.span(), i, (20 - i) * 10 * us);
    const shared_event before = turn;
    turn = shared_event(now);
    order.push_back(i);
  }
  b.synchronize();
  log.expect(order);
  in.expect(turn.done(), "the last event is not done");
  in.expect(in.first().shared_events().created_count() <= 3, "events are not used again");
  turn = {};
  in.expect_equal(in.first().shared_events().taken(), 0U, "the number of events in use");

  a.begin_capture();
  expect_in(in, refusal(in, "an event of a captured stream", [&] { const shared_event none(a); }),
            "the stream is being captured");
  static_cast<void>(a.end_capture());
}
void events_order_copies_and_kernels(subject& in) {
  constexpr std::size_t size = 1000;
  event_pool events(in.first());
  stream compute = make(in, "compute", stream_priority::low);
  stream up = make(in, "up");
  stream down = make(in, "down", stream_priority::high);
  pinned_buffer<int> from(in.first(), size);
  pinned_buffer<int> to(in.first(), size);
  device_buffer<int> a(in.first(), size);
  device_buffer<int> b(in.first(), size);
  std::ranges::fill(from.span(), 7);
  std::ranges::fill(to.span(), 0);
  event arrived = events.take();
  event computed = events.take();
  event left = events.take();
  up.copy(a.span(), from.span());
  up.record(arrived);
  compute.wait(arrived);
  compute.launch(add, a.span(), b.span(), 5);
  compute.record(computed);
  down.wait(computed);
  down.copy(to.span(), b.span());
  down.record(left);
  in.expect(in.reach([&] { return left.done(); }), "the last event is never done");
  in.expect(arrived.done() && computed.done(), "an event that comes before one that is done is not done");
  in.expect(std::ranges::all_of(to.span(), [](int v) { return v == 12; }), "the copy has other values");
}

void an_event_is_done_when_its_work_is(subject& in) {
  event_pool events(in.first());
  stream s = make(in, "work");
  pinned_buffer<int> result(in.first(), 1);
  device_buffer<int> cell(in.first(), 1);
  s.fill(cell.span(), std::byte{0});
  s.synchronize();
  for (int i = 1; i <= 5; ++i) {
    result[0] = -1;
    event e = events.take();
    in.expect(e.done(), "an event that was never recorded is not done");
    s.launch(add, cell.span(), cell.span(), 1);
    s.copy(result.span(), cell.span());
    s.record(e);
    if (i % 2 == 0)
      e.synchronize();
    else
      in.expect(in.reach([&] { return e.done(); }), "the event is never done");
    in.expect_equal(result[0], i, "the result when its event is done");
  }
  in.expect_equal(events.created_count(), 1U, "the number of events made");
}

/// A wait refers to the last record before it, whatever is recorded later.
void an_event_can_be_recorded_again(subject& in) {
  mark_log log(in);
  event_pool events(in.first());
  flag_array gate(in.first(), 1);
  stream a = make(in, "a");
  stream b = make(in, "b");
  {
    event e = events.take();
    a.launch(append, log.span(), 1, us);
    a.record(e);
    b.wait(e);
    a.wait(gate[0], 1);
    a.launch(append, log.span(), 3, us);
    a.record(e);  // b does not wait for this record
    b.launch(append, log.span(), 2, us);
  }  // b does not need the event any more
  b.synchronize();
  in.expect(!a.idle(), "a stream that waits for a value is idle");
  gate.store(0, 1);
  a.synchronize();
  log.expect({1, 2, 3});
}

void streams_overlap(subject& in) {
  mark_log log(in);
  event_pool events(in.first());
  stream a = make(in, "a");
  stream b = make(in, "b");
  event slow = events.take();
  event quick = events.take();
  a.launch(append, log.span(), 2, 500 * ms);
  a.record(slow);
  b.launch(append, log.span(), 1, us);
  b.record(quick);
  in.expect(in.reach([&] { return quick.done(); }), "the quick kernel is never done");
  in.expect(!slow.done(), "a kernel waits for one in another stream");
  slow.synchronize();
}

void copies_overlap_copies_and_kernels(subject& in) {
  if (in.is_real()) return;  // the test does not know the duration of a real copy
  event_pool events(in.first());
  const std::size_t large = 5 << 20U;  // 500 ms
  stream a = make(in, "a");
  stream b = make(in, "b");
  device_buffer<char> block(in.first(), large);
  pinned_buffer<char> copy(in.first(), large);
  device_buffer<int> cell(in.first(), 1);
  pinned_buffer<int> value(in.first(), 1);
  event slow = events.take();
  event quick = events.take();
  a.copy(copy.span(), block.span());
  a.record(slow);
  value[0] = 3;
  b.copy(cell.span(), value.span());
  b.launch(add, cell.span(), cell.span(), 1);
  b.record(quick);
  in.expect(in.reach([&] { return quick.done(); }), "the quick copy is never done");
  in.expect(!slow.done(), "a copy to the device waits for one from it");
  a.synchronize();
}

/// All kernels are ready at the same moment, and only one can run at a time.
void higher_priority_starts_first(subject& in) {
  device_model model = slow_model();
  model.device.concurrent_kernels = 1;
  subject narrow(in.kind(), model);
  {
    mark_log log(narrow);
    flag_array gate(narrow.first(), 1);
    std::vector<stream> streams;
    for (int i = 0; i < 6; ++i) {
      const auto priority = static_cast<stream_priority>(i % 3);
      streams.push_back(make(narrow, "stream " + std::to_string(i), priority));
      streams.back().wait(gate[0], 1);
      streams.back().launch(append, log.span(), static_cast<int>(priority) * 10 + i, ms);
    }
    gate.store(0, 1);
    for (stream& s : streams) s.synchronize();
    log.expect({22, 25, 11, 14, 0, 3});
  }
  for (const std::string& wrong : narrow.end()) in.expect(false, wrong);
}

/// The guarantee for any program: an operation runs after all operations that streams and events order before
/// it.
void random_programs_keep_their_order(subject& in) {
  constexpr std::size_t operations = 60;
  for (std::uint64_t program = 1; program <= 4; ++program) {
    random dice(program);
    mark_log log(in);
    event_pool pool(in.first());
    std::vector<stream> streams;
    for (int i = 0; i < 4; ++i) streams.push_back(make(in, "s", static_cast<stream_priority>(i % 3)));
    std::vector<event> events;
    for (int i = 0; i < 5; ++i) events.push_back(pool.take());
    using past = std::bitset<operations>;
    std::array<past, 4> of_stream;
    std::array<past, 5> of_event;
    std::vector<past> before;
    while (before.size() < operations) {
      const std::size_t s = dice.below(4);
      const std::size_t e = dice.below(5);
      switch (dice.below(4)) {
        case 0:
          streams[s].record(events[e]);
          of_event[e] = of_stream[s];
          break;
        case 1:
          streams[s].wait(events[e]);
          of_stream[s] |= of_event[e];
          break;
        default:
          streams[s].launch(append, log.span(), static_cast<int>(before.size()),
                            static_cast<std::int64_t>(dice.below(30)) * us);
          before.push_back(of_stream[s]);
          of_stream[s].set(before.size() - 1);
      }
    }
    for (stream& s : streams) s.synchronize();
    past done;
    for (const int mark : log.read()) {
      const auto m = static_cast<std::size_t>(mark);
      in.expect((before.at(m) & ~done).none(), "operation " + std::to_string(m) + " of program " +
                                                   std::to_string(program) + " ran too early");
      done.set(m);
    }
    in.expect(done.all(), "not all operations ran");
  }
}

const std::array checks{
    device_check{"a_stream_keeps_its_order", a_stream_keeps_its_order},
    device_check{"copies_keep_their_place", copies_keep_their_place},
    device_check{"events_order_streams", events_order_streams},
    device_check{"shared_events_order_streams", shared_events_order_streams},
    device_check{"handles_order_streams", handles_order_streams},
    device_check{"events_order_copies_and_kernels", events_order_copies_and_kernels},
    device_check{"an_event_is_done_when_its_work_is", an_event_is_done_when_its_work_is},
    device_check{"an_event_can_be_recorded_again", an_event_can_be_recorded_again},
    device_check{"streams_overlap", streams_overlap},
    device_check{"copies_overlap_copies_and_kernels", copies_overlap_copies_and_kernels},
    device_check{"higher_priority_starts_first", higher_priority_starts_first, true},
    device_check{"random_programs_keep_their_order", random_programs_keep_their_order},
};

}  // namespace

std::span<const device_check> order_checks() { return checks; }

}  // namespace imbrex::test
