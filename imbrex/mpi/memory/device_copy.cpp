// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/memory/device_copy.hpp>

#include <memory>

#include <imbrex/core/extension/device.hpp>
#include <imbrex/device/attachment.hpp>

namespace imbrex::mpi {

namespace {

/// Memory lender for a rank that waits for its copy: `read` has no receiver to notify.
class waiting_rank final : public detail::memory_lender {
 public:
  void read(const shared_event& /*at*/) noexcept override {}
};

device_span<std::byte> span_at(void* address, std::size_t bytes, const device& on) {
  return {static_cast<std::byte*>(address), bytes, on.info().id};
}
device_span<const std::byte> span_at(const void* address, std::size_t bytes, const device& on) {
  return {static_cast<const std::byte*>(address), bytes, on.info().id};
}

}  // namespace

stream& order_copy(void* to, device* to_on, const void* from, device* from_on, std::size_t bytes) {
  // Host memory of the program need not be pinned; the driver then copies unpinned memory in pieces.
  if (to_on == nullptr) {
    stream& out = extension::stream_out_of(*from_on);
    out.copy(pinned_span<std::byte>(static_cast<std::byte*>(to), bytes), span_at(from, bytes, *from_on));
    return out;
  }
  const bool beside = from_on != nullptr && to_on == &gpu();
  stream& in = beside ? extension::transfers_here().beside() : extension::stream_into(*to_on);
  if (from_on == nullptr) {
    in.copy(span_at(to, bytes, *to_on),
            pinned_span<const std::byte>(static_cast<const std::byte*>(from), bytes));
  } else if (from_on == to_on || to_on->copies_from_peers()) {
    in.copy(span_at(to, bytes, *to_on), span_at(from, bytes, *from_on));
  } else {
    detail::attachment part(from, *from_on, bytes, 1, {}, std::make_unique<waiting_rank>());
    part.land_at(to, in, &extension::stream_out_of(*from_on));
  }
  return in;
}

void notify_when_done(stream& after, const detail::device_completions::receiver& receiver) {
  stream* last = &after;
  if (&after.on() != &gpu()) {
    last = &extension::transfers_here().out;
    last->wait(shared_event(after));
  }
  if (extension::notify_here(*last, receiver) == nullptr) receiver.complete(receiver.to, nullptr);
}

}  // namespace imbrex::mpi
