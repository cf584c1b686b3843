// SPDX-License-Identifier: Apache-2.0
// Checks of refused operations, and of the effects of a device's failure.
#include <imbrex/device/checks.test.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace imbrex::test {
namespace {

void kernels_without_a_function_are_refused(subject& in) {
  stream s = make(in, "kernels");
  const std::string text = refusal(in, "a kernel without a function", [&] { s.launch(nowhere, 1); });
  expect_in(in, text, "nowhere");
  expect_in(in, text, in.first().info().label());
}

void handles_of_no_stream_are_refused(subject& in) {
  if (in.is_real()) return;  // a driver may accept any handle as a stream
  stream s = make(in, "waiting");
  stream other(in.second(), stream_priority::normal, "of another device");
  for (const native_stream wrong : {native_stream{&in}, native_stream{}, other.native()}) {
    expect_in(in, refusal(in, "a wait for a handle of no stream", [&] { s.wait(wrong); }), "waiting");
    expect_in(in, refusal(in, "a delay of a handle of no stream", [&] { s.delay(wrong); }), "waiting");
  }
  s.begin_capture();
  stream outside = make(in, "outside");
  expect_in(in, refusal(in, "a handle in a capture", [&] { s.wait(outside.native()); }), "captured");
  refusal(in, "the end of that capture", [&] { static_cast<void>(s.end_capture()); });
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
  next.synchronize();  // the other device still works
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

void a_fault_in_a_stream_without_a_name_is_told(subject& in) {
  if (in.is_real()) return;
  stream s(in.first());
  const std::string text = refusal(in, "a fault", [&] {
    s.launch(faulty, 18);
    s.synchronize();
  });
  for (const std::string_view part :
       {": synchronize: ", "faulty in a stream without a name failed", "cell 18"})
    expect_in(in, text, part);
}

void negative_work_is_refused(subject& in) {
  if (in.is_real()) return;  // a real device does not use the cost
  stream s = make(in, "negative");
  for (const work_size& size :
       {work_size{.bytes = -1}, work_size{.flops = -2}, work_size{.time = nanoseconds(-3)},
        work_size{.bytes = std::numeric_limits<double>::quiet_NaN()}}) {
    const std::string text = refusal(in, "less than no work", [&] { s.launch(sized, size); });
    for (const std::string_view part : {"launch of kernel sized", "stream of negative", "work_size"})
      expect_in(in, text, part);
  }
  s.launch(sized, work_size{});
  s.synchronize();
}

void what_is_of_another_device_is_refused(subject& in) {
  if (in.count() < 2) return;
  stream s = make(in, "here");
  stream there(in.second(), stream_priority::normal, "there");
  device_buffer<int> buffer(in.first(), 4);
  device_buffer<int> other(in.second(), 4);
  device_buffer<int> beside(in.second(), 4);
  pinned_buffer<int> on_host(in.second(), 4);  // not refused: all devices reach pinned memory
  flag_array flags(in.second(), 1);
  const auto refuse = [&](const std::string& what, auto submit) {
    const std::string text = refusal(in, what + " of another device", submit);
    for (const std::string& part :
         {in.first().info().label(), in.second().info().label(), std::string("here"), what})
      expect_in(in, text, part);
  };
  s.fill(buffer.span(), std::byte{1});
  refuse("launch of kernel add", [&] { s.launch(add, buffer.span(), other.span(), 1); });
  refuse("copy", [&] { s.copy(other.span(), on_host.span()); });
  refuse("copy", [&] { s.copy(on_host.span(), other.span()); });
  refuse("copy", [&] { s.copy(other.span(), beside.span()); });
  refuse("fill", [&] { s.fill(other.span(), std::byte{0}); });
  event_pool events(in.second());
  event foreign_event = events.take();
  refuse("record an event", [&] { s.record(foreign_event); });
  if (in.first().info().can.stream_values) {
    refuse("write value", [&] { s.write(flags[0], 1); });
    refuse("wait for value", [&] { s.wait(flags[0], 1); });
  }
  if (in.first().info().can.graphs) {
    there.begin_capture();
    graph captured = there.end_capture();
    refuse("launch of a graph", [&] { s.launch(captured); });
  }
  s.copy(on_host.span(), buffer.span());  // refused operations have had no effect
  s.synchronize();
  in.expect_equal(on_host[3], 0x01010101, "what has been copied");
}

void what_was_moved_from_is_refused(subject& in) {
  const auto refuse = [&](const std::string& what, auto use) {
    try {
      use();
      in.expect(false, what + " is used after it was moved from");
    } catch (const error& e) {
      expect_in(in, e.what(), what + " is used after it was moved from");
    }
  };
  mark_log log(in);
  event_pool events(in.first());
  stream s = make(in, "s");
  event e = events.take();
  s.record(e);
  const event f = std::move(e);
  refuse("an event", [&] { static_cast<void>(e.done()); });  // NOLINT: that is the test
  refuse("an event", [&] { s.wait(e); });                    // NOLINT
  if (in.first().info().can.graphs) {
    s.begin_capture();
    graph g = s.end_capture();
    graph h = std::move(g);
    refuse("a graph", [&] { s.launch(g); });  // NOLINT
    s.launch(h);
  }
  const stream t = std::move(s);
  refuse("a stream", [&] { s.idle(); });                             // NOLINT
  refuse("a stream", [&] { s.launch(append, log.span(), 1, us); });  // NOLINT
  refuse("a stream", [&] { static_cast<void>(s.capturing()); });     // NOLINT
}

const std::array checks{
    device_check{"kernels_without_a_function_are_refused", kernels_without_a_function_are_refused},
    device_check{"handles_of_no_stream_are_refused", handles_of_no_stream_are_refused},
    device_check{"a_fault_fails_the_device", a_fault_fails_the_device},
    device_check{"a_device_can_be_lost", a_device_can_be_lost},
    device_check{"a_fault_in_a_stream_without_a_name_is_told", a_fault_in_a_stream_without_a_name_is_told},
    device_check{"negative_work_is_refused", negative_work_is_refused},
    device_check{"what_is_of_another_device_is_refused", what_is_of_another_device_is_refused},
    device_check{"what_was_moved_from_is_refused", what_was_moved_from_is_refused},
};

}  // namespace

std::span<const device_check> failure_checks() { return checks; }

}  // namespace imbrex::test
