// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_transfers.hpp>

#include <memory>
#include <utility>
#include <vector>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/message/device_parts.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/device/device_part.hpp>

namespace imbrex::detail {

transfer_streams& transfers_here() {
  device& of = gpu();
  auto& pe = processor::here();
  return pe.run().devices().transfers(pe.pe(), of);
}

namespace {

/// A stream of a device that may be another than this PE's.
stream& stream_out_of(device& of) {
  if (&of == &gpu()) return transfers_here().out;
  return processor::here().run().devices().carrier(of);
}

/// A message whose parts are on their way to the host.
struct staged_message {
  message* what;
  int to;
  std::vector<device_part*> parts;

  static void come(void* self, const std::exception_ptr& failure) {
    const std::unique_ptr<staged_message> it(static_cast<staged_message*>(self));
    message_guard leaving(*it->what);
    if (failure) std::rethrow_exception(failure);
    for (device_part* const part : it->parts) part->leave();
    processor::here().carry(leaving.release(), it->to);
  }
  static void forget(void* self) noexcept {
    const std::unique_ptr<staged_message> it(static_cast<staged_message*>(self));
    it->what->type->destroy(*it->what);
  }
};

}  // namespace

stream* stream_out_of(const device_part& part) {
  device* const from = part.on();
  return from == nullptr || from == &gpu() ? nullptr : &stream_out_of(*from);
}

void land_device_part(device_part& part) {
  if (part.must_land(gpu())) part.land(transfers_here().in, stream_out_of(part));
}

std::size_t device_bytes(message& m) {
  if (!m.has_device_memory) return 0;
  std::vector<device_part*> parts;
  m.kind().device_parts(m, parts);
  std::size_t bytes = 0;
  for (const device_part* const part : parts) bytes += part->bytes();
  return bytes;
}

void send_from_devices(processor& pe, message& m, int to) {
  message_guard leaving(m);
  auto it = std::make_unique<staged_message>(staged_message{&m, to, {}});
  m.kind().device_parts(m, it->parts);
  std::erase_if(it->parts, [](const device_part* part) { return !part->is_on_device(); });
  if (it->parts.empty()) return pe.carry(leaving.release(), to);
  stream& last = transfers_here().out;
  for (device_part* const part : it->parts) {
    stream& out = stream_out_of(*part->on());
    part->begin_to_leave(out);
    if (&out != &last) last.wait(shared_event(out));
  }
  const bool waits = notify_here(last, {&staged_message::come, &staged_message::forget, it.get()}) != nullptr;
  leaving.release();
  staged_message* const started = it.release();
  if (!waits) staged_message::come(started, nullptr);
}

}  // namespace imbrex::detail
