// SPDX-License-Identifier: Apache-2.0
// What is refused, and what a device's failure comes to.
#include <imbrex/device/checks.test.hpp>

#include <array>
#include <string>

namespace imbrex::test {
namespace {

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

const std::array checks{
    device_check{"kernels_without_a_function_are_refused", kernels_without_a_function_are_refused},
    device_check{"a_fault_fails_the_device", a_fault_fails_the_device},
    device_check{"a_device_can_be_lost", a_device_can_be_lost},
};

}  // namespace

std::span<const device_check> failure_checks() { return checks; }

}  // namespace imbrex::test
