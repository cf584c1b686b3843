// SPDX-License-Identifier: Apache-2.0
// Checks of host functions in streams, of the host's view of streams, and of graphs.
#include <imbrex/device/checks.test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex::test {
namespace {

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
    stream& on = i % 2 == 0 ? a : b;  // launches of one graph run one after the other, in whatever streams
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
  refusal(in, "synchronize in a capture", [&] { a.synchronize(); });
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

void what_a_capture_forbids_spoils_it(subject& in) {
  mark_log log(in);
  event_pool events(in.first());
  stream a = make(in, "origin");
  stream b = make(in, "other");
  event inside = events.take();
  event outside = events.take();
  b.record(outside);
  const auto spoil = [&](const std::string& what, auto forbidden) {
    a.begin_capture();
    a.launch(append, log.span(), 1, us);
    a.record(inside);
    refusal(in, what, forbidden);
    refusal(in, "the end of a capture spoiled by " + what, [&] { static_cast<void>(a.end_capture()); });
    in.expect(!a.capturing(), "a spoiled capture goes on after its end");
  };
  spoil("the query of a captured event", [&] { static_cast<void>(inside.done()); });
  spoil("the wait for a captured event", [&] { inside.synchronize(); });
  spoil("an event from outside of the capture", [&] { a.wait(outside); });
  b.begin_capture();
  spoil("the joining of two captures", [&] { b.wait(inside); });
  refusal(in, "the end of the other capture", [&] { static_cast<void>(b.end_capture()); });
  a.launch(append, log.span(), 2, us);
  a.synchronize();
  b.synchronize();
  log.expect({2});
}

void shared_streams_are_not_captured(subject& in) {
  if (!in.first().info().can.graphs) return;
  event_pool events(in.first());
  stream own = make(in, "own");
  stream shared = make(in, "all");
  shared.share();
  const std::string text = refusal(in, "the capture of a shared stream", [&] { shared.begin_capture(); });
  for (const std::string_view part : {"stream of all", "begin capture", "--streams"})
    expect_in(in, text, part);
  event fork = events.take();
  own.begin_capture();
  own.record(fork);
  expect_in(in, refusal(in, "a shared stream in a capture", [&] { shared.wait(fork); }), "--streams");
  try {
    static_cast<void>(own.end_capture());
  } catch (const device_error&) {  // the shared stream may not have been joined
  }
  own.record(fork);
  shared.wait(fork);
  stream moved = std::move(shared);
  refusal(in, "the capture of a shared stream that was moved", [&] { moved.begin_capture(); });
  moved = make(in, "another");
  moved.begin_capture();
  static_cast<void>(moved.end_capture());
}

/// The function reads a result of the stream, and writes the stream's next input.
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

/// Host functions as notifications of completion: each is called, and not before its work is done.
void every_host_function_is_called(subject& in) {
  constexpr int count = 30;
  std::vector<stream> streams;
  pinned_buffer<int> results(in.first(), count);
  std::vector<device_buffer<int>> cells;
  std::atomic<int> calls{0};
  std::atomic<int> early{0};
  struct completion {
    int* result;
    std::atomic<int>* calls;
    std::atomic<int>* early;
    void operator()() noexcept {
      if (*result != 5) ++*early;
      ++*calls;
    }
  };
  std::vector<completion> completions;
  for (int i = 0; i < count; ++i)
    completions.push_back({&results[static_cast<std::size_t>(i)], &calls, &early});
  std::ranges::fill(results.span(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 6 == 0) streams.push_back(make(in, "stream " + std::to_string(i / 6)));
    cells.emplace_back(in.first(), 1U);
    stream& s = streams.back();
    s.fill(cells.back().span(), std::byte{0});
    s.launch(add, cells.back().span(), cells.back().span(), 5);
    s.copy(results.span().subspan(i, 1), cells.back().span());
    s.host(completions[i]);
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
  a.write(flags[0], 7);  // more than the awaited value
  in.expect(in.reach([&] { return flags.load(1) == 1; }), "the value never comes");
  log.expect({1, 2});
  a.wait(flags[2], 0xffffffffU);  // smaller than zero in the cyclic order of numbers
  a.wait(flags[2], 3);
  a.launch(append, log.span(), 3, us);
  in.expect(!a.idle(), "a stream does not wait for a value");
  flags.store(2, 3);
  a.synchronize();
  log.expect({1, 2, 3});
}

/// Stores the operations that a device reports.
class listener final : public operation_observer {
 public:
  explicit listener(device& to) : to_(to), hears(to.backend().observe(this)) {}
  ~listener() { stop(); }
  void stop() { to_.backend().observe(nullptr); }

  void finished(const finished_operation& operation) noexcept override {
    texts.push_back(operation.owner + ": " + std::string(operation.name) + ", " +
                    std::to_string(operation.bytes));
    begins.push_back(operation.begin);
    ends.push_back(operation.end);
  }

 private:
  device& to_;

 public:
  std::vector<std::string> texts;
  std::vector<nanoseconds> begins;
  std::vector<nanoseconds> ends;
  const bool hears;  // last, since reports may come at once
};

void observers_are_told_what_was_done(subject& in) {
  pinned_buffer<int> here(in.first(), 256);
  device_buffer<int> there(in.first(), 256);
  stream s = make(in, "one");
  stream two = make(in, "two");
  listener events(in.first());
  in.expect(events.hears, "the device does not tell what it does");
  s.copy(there.span(), here.span());
  s.launch(add, there.span(), there.span(), 1);
  s.copy(here.span(), there.span());
  s.synchronize();
  two.fill(there.span(), std::byte{0});
  two.synchronize();
  events.stop();
  s.copy(there.span(), here.span());
  s.synchronize();
  const std::vector<std::string> should{"one: copy to the device, 1024",
                                        "one: " + std::string(add.name) + ", 0",
                                        "one: copy from the device, 1024", "two: fill, 0"};
  constexpr std::size_t first_of_two = 3;
  in.expect(events.texts.size() == should.size(), "not four operations are told of");
  for (std::size_t k = 0; k < std::min(should.size(), events.texts.size()); ++k) {
    in.expect(events.texts[k] == should[k],
              "\"" + events.texts[k] + "\" is told of, not \"" + should[k] + "\"");
    in.expect(events.begins[k] <= events.ends[k], "an operation ends before it begins");
    // The clocks of device and host may be compared again between two operations, with a small difference.
    in.expect(k == 0 || k == first_of_two || events.ends[k - 1] <= events.begins[k],
              "an operation of a stream begins before the one before has ended");
  }
}

const std::array checks{
    device_check{"graphs_replay_what_was_captured", graphs_replay_what_was_captured},
    device_check{"captures_are_guarded", captures_are_guarded},
    device_check{"what_a_capture_forbids_spoils_it", what_a_capture_forbids_spoils_it},
    device_check{"shared_streams_are_not_captured", shared_streams_are_not_captured},
    device_check{"host_functions_keep_their_place", host_functions_keep_their_place},
    device_check{"every_host_function_is_called", every_host_function_is_called},
    device_check{"values_order_streams_and_host", values_order_streams_and_host},
    device_check{"observers_are_told_what_was_done", observers_are_told_what_was_done},
};

}  // namespace

std::span<const device_check> host_checks() { return checks; }

}  // namespace imbrex::test
