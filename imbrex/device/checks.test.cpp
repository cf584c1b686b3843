// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/checks.test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <numeric>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/device/error.hpp>

namespace imbrex::test {
namespace {

constexpr std::int64_t us = 1'000;
constexpr std::int64_t ms = 1'000'000;

stream make(subject& in, std::string owner, stream_priority priority = stream_priority::normal) {
  return {in.first(), priority, std::move(owner)};
}

/// Submits f and returns the text of the device_error that it throws; complains if it throws none.
template <class Function>
std::string refusal(subject& in, const std::string& what, Function f) {
  try {
    f();
  } catch (const device_error& e) {
    return e.what();
  }
  in.expect(false, what + " is not refused");
  return {};
}

void expect_in(subject& in, const std::string& text, std::string_view part) {
  in.expect(text.find(part) != std::string::npos,
            "\"" + text + "\" does not say \"" + std::string(part) + "\"");
}

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

/// Each round overwrites what the one before reads, and no event guards it.
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
  in.expect_equal(events.made(), 1U, "the number of events made");
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
  in.expect_equal(events.made(), 1U, "the number of events made");
}

/// A wait is for the last record before it, whatever is recorded later.
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
    a.record(e);  // b does not wait for this one
    b.launch(append, log.span(), 2, us);
  }  // nor does it need the event any more
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
  if (in.is_real()) return;  // how long a copy takes is not ours to say
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

/// All are ready at the same moment, and only one can run at a time.
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

void graphs_replay_what_was_captured(subject& in) {
  mark_log log(in);
  event_pool events(in.first());
  stream a = make(in, "a", stream_priority::high);
  stream b = make(in, "b", stream_priority::low);
  std::atomic<int> calls{0};
  auto count = [&]() noexcept { ++calls; };
  event fork = events.take();
  event join = events.take();
  a.begin_capture();
  a.launch(append, log.span(), 0, 30 * us);
  a.record(fork);
  b.wait(fork);
  a.launch(append, log.span(), 1, 20 * us);
  b.launch(append, log.span(), 2, 10 * us);
  b.host(count);
  b.record(join);
  a.wait(join);
  a.launch(append, log.span(), 3, us);
  graph captured = a.end_capture();
  a.synchronize();
  b.synchronize();
  log.expect({});
  constexpr int replays = 5;
  for (int i = 0; i < replays; ++i) {
    stream& on = i % 2 == 0 ? a : b;  // launches of one graph follow each other, whatever their streams
    on.launch(captured);
    on.launch(append, log.span(), 9, us);
  }
  a.synchronize();
  b.synchronize();
  std::vector<int> marks = log.read();
  in.expect_equal(marks.size(), 5U * replays, "the number of marks");
  in.expect_equal(calls.load(), replays, "the number of calls");
  in.expect_equal(std::ranges::count(marks, 9), replays, "the number of marks after a graph");
  std::erase(marks, 9);  // the next graph may overtake them
  for (std::size_t i = 0; i + 4 <= marks.size(); i += 4) {
    std::ranges::sort(marks.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      marks.begin() + static_cast<std::ptrdiff_t>(i) + 3);
    for (std::size_t k = 0; k < 4; ++k)
      in.expect_equal(marks[i + k], static_cast<int>(k), "a mark of a graph");
  }
}

void captures_are_guarded(subject& in) {
  mark_log log(in);
  event_pool events(in.first());
  stream a = make(in, "origin");
  stream b = make(in, "forked");
  event fork = events.take();
  event outside = events.take();
  b.record(outside);
  a.begin_capture();
  expect_in(in, refusal(in, "the query of a captured stream", [&] { a.idle(); }), "captur");
  expect_in(in, refusal(in, "a second capture", [&] { a.begin_capture(); }), "captur");
  if (!in.is_real()) {  // on a GPU these end the capture
    refusal(in, "synchronize in a capture", [&] { a.synchronize(); });
    refusal(in, "an event from outside of the capture", [&] { a.wait(outside); });
  }
  static_cast<void>(a.end_capture());
  refusal(in, "the end of no capture", [&] { static_cast<void>(a.end_capture()); });
  a.begin_capture();
  a.record(fork);
  b.wait(fork);
  b.launch(append, log.span(), 1, us);
  const std::string text = refusal(in, "a fork without join", [&] { static_cast<void>(a.end_capture()); });
  if (!in.is_real()) expect_in(in, text, "forked");
  a.launch(append, log.span(), 2, us);
  a.synchronize();
  log.expect({2});
}

/// Reads what the stream has written, and writes what the stream reads next.
void host_functions_keep_their_place(subject& in) {
  constexpr int rounds = 15;
  stream s = make(in, "host");
  device_buffer<int> cell(in.first(), 1);
  pinned_buffer<int> value(in.first(), 1);
  struct round {
    int* value;
    int seen = 0;
    int calls = 0;
    void operator()() noexcept {
      seen = *value;
      *value = *value * 2 + 1;
      ++calls;
    }
  };
  std::vector<round> functions(rounds, round{&value[0]});
  value[0] = 0;
  for (round& f : functions) {
    s.copy(cell.span(), value.span());
    s.launch(add, cell.span(), cell.span(), 1);
    s.copy(value.span(), cell.span());
    s.host(f);
  }
  s.synchronize();
  unsigned expected = 0;
  for (const round& f : functions) {
    in.expect_equal(f.calls, 1, "the number of calls of a host function");
    in.expect_equal(static_cast<unsigned>(f.seen), ++expected, "what a host function sees");
    expected = expected * 2 + 1;
  }
}

/// As a runtime learns of completion: every notice comes, and not before its work is done.
void every_host_function_is_called(subject& in) {
  constexpr int count = 30;
  std::vector<stream> streams;
  pinned_buffer<int> results(in.first(), count);
  std::vector<device_buffer<int>> cells;
  std::atomic<int> calls{0};
  std::atomic<int> early{0};
  struct notice {
    int* result;
    std::atomic<int>* calls;
    std::atomic<int>* early;
    void operator()() noexcept {
      if (*result != 5) ++*early;
      ++*calls;
    }
  };
  std::vector<notice> notices;
  for (int i = 0; i < count; ++i) notices.push_back({&results[static_cast<std::size_t>(i)], &calls, &early});
  std::ranges::fill(results.span(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 6 == 0) streams.push_back(make(in, "stream " + std::to_string(i / 6)));
    cells.emplace_back(in.first(), 1U);
    stream& s = streams.back();
    s.fill(cells.back().span(), std::byte{0});
    s.launch(add, cells.back().span(), cells.back().span(), 5);
    s.copy(results.span().subspan(i, 1), cells.back().span());
    s.host(notices[i]);
  }
  in.reach([&] { return calls.load() == count; });
  in.expect_equal(calls.load(), count, "the number of notices");
  in.expect_equal(early.load(), 0, "the number of notices before their work was done");
  for (stream& s : streams) s.synchronize();
}

void values_order_streams_and_host(subject& in) {
  if (!in.first().info().can.stream_values) return;
  mark_log log(in);
  flag_array flags(in.first(), 3);
  stream a = make(in, "a");
  stream b = make(in, "b");
  b.wait(flags[0], 5);
  b.launch(append, log.span(), 2, us);
  b.write(flags[1], 1);
  a.launch(append, log.span(), 1, 50 * us);
  a.write(flags[0], 7);  // more than is waited for
  in.expect(in.reach([&] { return flags.load(1) == 1; }), "the value never comes");
  log.expect({1, 2});
  a.wait(flags[2], 0xffffffffU);  // behind zero, in the order of numbers that go round
  a.wait(flags[2], 3);
  a.launch(append, log.span(), 3, us);
  in.expect(!a.idle(), "a stream does not wait for a value");
  flags.store(2, 3);
  a.synchronize();
  log.expect({1, 2, 3});
}

/// What any program may rely on: an operation runs after all that streams and events put before it.
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

void freed_memory_is_used_again(subject& in) {
  memory_pool& pool = in.first().memory(memory_kind::device);
  const std::size_t before = pool.counts().driver_calls;
  void* place = nullptr;
  for (int i = 0; i < 50; ++i) {
    device_buffer<double> b(in.first(), 1000);
    in.expect(place == nullptr || place == b.span().data(), "freed memory is not handed out again");
    place = b.span().data();
  }
  in.expect_equal(pool.counts().driver_calls, before + 1, "the number of calls of the driver");
  pool.trim();
  in.expect_equal(pool.counts().bytes_held, 0U, "what the pool holds after trim");
}

/// The quarantine: memory is handed out again only when nothing uses it any more.
void memory_in_use_is_not_handed_out(subject& in) {
  constexpr std::size_t size = 5000;
  flag_array gate(in.first(), 1);
  stream user = make(in, "user");
  stream other = make(in, "other");
  pinned_buffer<int> result(in.first(), size);
  device_buffer<int> kept(in.first(), size);
  auto freed = std::make_unique<device_buffer<int>>(in.first(), size);
  void* const place = freed->span().data();
  user.fill(freed->span(), std::byte{1});
  user.wait(gate[0], 1);
  user.copy(kept.span(), freed->span());
  user.copy(result.span(), kept.span());
  freed.reset();
  {
    device_buffer<int> next(in.first(), size);
    in.expect(next.span().data() != place, "memory is handed out that a stream still uses");
    other.fill(next.span(), std::byte{2});
    other.synchronize();
  }
  gate.store(0, 1);
  user.synchronize();
  in.expect(std::ranges::all_of(result.span(), [](int v) { return v == 0x01010101; }),
            "what a stream read was overwritten");
  device_buffer<int> again(in.first(), size);
  device_buffer<int> more(in.first(), size);
  in.expect(again.span().data() == place || more.span().data() == place, "the memory is lost to the pool");
}

/// The same for a stream that has gone.
void memory_of_gone_streams_is_not_handed_out(subject& in) {
  flag_array gate(in.first(), 1);
  auto freed = std::make_unique<device_buffer<int>>(in.first(), 100);
  void* const place = freed->span().data();
  {
    stream gone = make(in, "gone");
    gone.wait(gate[0], 1);
    gone.fill(freed->span(), std::byte{1});
  }
  freed.reset();
  device_buffer<int> next(in.first(), 100);
  in.expect(next.span().data() != place, "memory is handed out that a stream without owner still uses");
  gate.store(0, 1);
}

void devices_copy_from_each_other(subject& in) {
  if (in.count() < 2 || !in.first().info().can.peer_copies) return;
  event_pool events(in.first());
  stream here = make(in, "here");
  stream there(in.second(), stream_priority::normal, "there");
  pinned_buffer<int> value(in.first(), 8);
  std::ranges::fill(value.span(), 11);
  device_buffer<int> a(in.first(), 8);
  device_buffer<int> b(in.second(), 8);
  here.copy(a.span(), value.span());
  event e = events.take();
  here.record(e);
  there.wait(e);
  there.copy(b.span(), a.span());
  pinned_buffer<int> result(in.second(), 8);
  there.copy(result.span(), b.span());
  there.synchronize();
  in.expect_equal(result[7], 11, "what has been copied between devices");
}

void sizes_must_agree(subject& in) {
  stream s = make(in, "sizes");
  device_buffer<int> a(in.first(), 8);
  pinned_buffer<int> b(in.first(), 7);
  const std::string text = refusal(in, "a copy of another size", [&] { s.copy(a.span(), b.span()); });
  expect_in(in, text, "from 7 elements to 8");
  expect_in(in, text, "stream of sizes");
}

void memory_ends(subject& in) {
  const std::size_t all = in.first().info().memory;
  const std::size_t free = in.first().free_memory();
  try {
    device_buffer<char> much(in.first(), 2 * all);
    in.expect(false, "more memory is handed out than there is");
  } catch (const device_out_of_memory& e) {
    in.expect_equal(e.asked(), 2 * all, "what was asked");
    in.expect(e.free() > 0 && e.free() <= all,
              "the text says that " + std::to_string(e.free()) + " are free");
    expect_in(in, e.what(), std::to_string(2 * all));
  }
  if (in.is_real()) return;
  in.expect_equal(in.first().free_memory(), free, "what is free after a refusal");
  {
    const device_buffer<char> half(in.first(), all / 2 + 65'536);
  }
  {
    const device_buffer<char> other(in.first(), all / 3 * 2);
  }  // fits if the pool gives the first back
}

void kernels_without_a_function_are_refused(subject& in) {
  stream s = make(in, "kernels");
  const std::string text = refusal(in, "a kernel without a function", [&] { s.launch(nowhere, 1); });
  expect_in(in, text, "nowhere");
  expect_in(in, text, in.first().info().label());
}

void a_fault_fails_the_device(subject& in) {
  if (in.is_real()) return;  // would end the process's use of the GPU
  event_pool events(in.first());
  stream s = make(in, "block[3]");
  stream other = make(in, "other");
  event e = events.take();
  s.record(e);
  const std::string text = refusal(in, "a fault", [&] {
    s.launch(faulty, 17);
    s.synchronize();
  });
  for (const std::string_view part : {"faulty", "block[3]", "cell 17"}) expect_in(in, text, part);
  refusal(in, "the query of an event after a fault", [&] { static_cast<void>(e.done()); });
  refusal(in, "the wait for an event after a fault", [&] { e.synchronize(); });
  refusal(in, "a query after a fault", [&] { other.idle(); });
  refusal(in, "a launch after a fault", [&] { other.launch(faulty, 1); });
  stream next(in.second(), stream_priority::normal, "next");
  device_buffer<int> cell(in.second(), 1);
  next.fill(cell.span(), std::byte{0});
  next.synchronize();  // another device works on
}

void a_device_can_be_lost(subject& in) {
  if (in.is_real()) return;
  mark_log log(in);
  stream s = make(in, "victim");
  stream peer(in.second(), stream_priority::normal, "peer");
  event_pool events(in.first());
  event e = events.take();
  s.launch(append, log.span(), 1, 1000 * ms);
  s.record(e);
  peer.wait(e);
  lose(in.first());
  expect_in(in, refusal(in, "the use of a lost device", [&] { s.synchronize(); }), "lost");
  expect_in(in, refusal(in, "a wait for a lost device", [&] { peer.synchronize(); }), "failed");
}

/// Keeps what a device tells of itself.
class listener final : public operation_observer {
 public:
  explicit listener(device& to) : to_(to), hears(to.backend().observe(this)) {}
  ~listener() { stop(); }
  void stop() { to_.backend().observe(nullptr); }

  void finished(const finished_operation& one) noexcept override {
    texts.push_back(one.owner + ": " + std::string(one.name) + ", " + std::to_string(one.bytes));
    begins.push_back(one.begin);
    ends.push_back(one.end);
  }

 private:
  device& to_;

 public:
  std::vector<std::string> texts;
  std::vector<nanoseconds> begins;
  std::vector<nanoseconds> ends;
  const bool hears;  // last: it may be told of something at once
};

void observers_are_told_what_was_done(subject& in) {
  pinned_buffer<int> here(in.first(), 256);
  device_buffer<int> there(in.first(), 256);
  stream one = make(in, "one");
  stream two = make(in, "two");
  listener told(in.first());
  in.expect(told.hears, "the device does not tell what it does");
  one.copy(there.span(), here.span());
  one.launch(add, there.span(), there.span(), 1);
  one.copy(here.span(), there.span());
  one.synchronize();
  two.fill(there.span(), std::byte{0});
  two.synchronize();
  told.stop();
  one.copy(there.span(), here.span());
  one.synchronize();
  const std::vector<std::string> should{"one: copy to the device, 1024",
                                        "one: " + std::string(add.name) + ", 0",
                                        "one: copy from the device, 1024", "two: fill, 0"};
  in.expect(told.texts.size() == should.size(), "not four operations are told of");
  for (std::size_t k = 0; k < std::min(should.size(), told.texts.size()); ++k) {
    in.expect(told.texts[k] == should[k], "\"" + told.texts[k] + "\" is told of, not \"" + should[k] + "\"");
    in.expect(told.begins[k] <= told.ends[k], "an operation ends before it begins");
    in.expect(k == 0 || told.ends[k - 1] <= told.begins[k],
              "an operation begins before the one before has ended");
  }
}

const std::array checks{
    device_check{"a_stream_keeps_its_order", a_stream_keeps_its_order},
    device_check{"copies_keep_their_place", copies_keep_their_place},
    device_check{"events_order_streams", events_order_streams},
    device_check{"events_order_copies_and_kernels", events_order_copies_and_kernels},
    device_check{"an_event_is_done_when_its_work_is", an_event_is_done_when_its_work_is},
    device_check{"an_event_can_be_recorded_again", an_event_can_be_recorded_again},
    device_check{"streams_overlap", streams_overlap},
    device_check{"copies_overlap_copies_and_kernels", copies_overlap_copies_and_kernels},
    device_check{"higher_priority_starts_first", higher_priority_starts_first, true},
    device_check{"graphs_replay_what_was_captured", graphs_replay_what_was_captured},
    device_check{"captures_are_guarded", captures_are_guarded},
    device_check{"host_functions_keep_their_place", host_functions_keep_their_place},
    device_check{"every_host_function_is_called", every_host_function_is_called},
    device_check{"values_order_streams_and_host", values_order_streams_and_host},
    device_check{"random_programs_keep_their_order", random_programs_keep_their_order},
    device_check{"freed_memory_is_used_again", freed_memory_is_used_again},
    device_check{"memory_in_use_is_not_handed_out", memory_in_use_is_not_handed_out},
    device_check{"memory_of_gone_streams_is_not_handed_out", memory_of_gone_streams_is_not_handed_out},
    device_check{"devices_copy_from_each_other", devices_copy_from_each_other},
    device_check{"sizes_must_agree", sizes_must_agree},
    device_check{"memory_ends", memory_ends},
    device_check{"kernels_without_a_function_are_refused", kernels_without_a_function_are_refused},
    device_check{"observers_are_told_what_was_done", observers_are_told_what_was_done},
    device_check{"a_fault_fails_the_device", a_fault_fails_the_device},
    device_check{"a_device_can_be_lost", a_device_can_be_lost},
};

}  // namespace

std::span<const device_check> device_checks() { return checks; }

}  // namespace imbrex::test
