// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_channel.hpp>

#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_work.hpp>

namespace imbrex::detail {

void placed_receives::leave() noexcept {
  if (item_ != nullptr) std::exchange(item_, nullptr)->leave();
}

void placed_receives::go_on(void* self) {
  auto& those = *static_cast<placed_receives*>(self);
  placed_receive* const first = those.served_.first;
  if (first == nullptr) return;
  first->leave();
  if (those.served_.first != nullptr) those.item_->queue();
  first->waiter_.resume();  // may destroy the channel
}

shared_event placed_receives::serve(const void* address, std::size_t count, std::size_t size,
                                    stream& filled) {
  placed_receive& first = *waiting_.first;
  stream& order = first.order_;
  const void* const device = filled.on().info().id;
  // On a mismatch the message path is used, and the receiver reports the error when it takes the array.
  if (count != first.count_ || &order.on() != &filled.on() || &order.on() != &gpu() ||
      first.device_ != device || order.capturing())
    return {};
  shared_event read;
  if (order.number() != filled.number()) {
    read.mark(filled);
    order.wait(read);
  }
  order.copy(device_span<std::byte>(static_cast<std::byte*>(first.address_), count * size, device),
             device_span<const std::byte>(static_cast<const std::byte*>(address), count * size, device));
  read.mark(order);
  first.leave();
  first.forget_message();
  first.is_served_ = true;
  append(served_, first);
  if (item_ == nullptr) item_ = &standing_item::make(&placed_receives::go_on, this);
  item_->queue();
  return read;
}

void receive_at(attachment& content, void* address, const void* device, std::size_t count, stream& order) {
  if (content.count() != count)
    throw error("a device channel received an array of " + std::to_string(content.count()) +
                " elements, but expected " + std::to_string(count) + "; both ends must agree on the length");
  const imbrex::device& here = gpu();
  if (&order.on() != &here || (device != here.info().id && count != 0))
    throw error(
        "a device channel receives by a stream or to memory of another device than its PE's, which is " +
        here.info().label() + "; give both of gpu()");
  content.land_at(address, order, stream_out_of(content));
}

}  // namespace imbrex::detail
