// SPDX-License-Identifier: Apache-2.0
#include "bench/osu/station.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace osu {
namespace {

std::byte content(int element, std::size_t at) {
  return std::byte((std::size_t(element) * 31 + at * 7 + at / 251) % 251);
}

}  // namespace

station::on_device::on_device(const course& c)
    : out(imbrex::gpu(), c.bytes),
      sending(imbrex::gpu(), imbrex::stream_priority::high, "what is sent"),
      events(imbrex::gpu()) {
  const std::size_t slots = std::min(std::size_t(c.window), most_slots);
  for (std::size_t s = 0; s < slots; ++s) in.emplace_back(imbrex::gpu(), c.bytes);
  for (std::size_t s = 0; s < streams; ++s)
    orders.emplace_back(imbrex::gpu(), imbrex::stream_priority::high, "what is received");
  if (c.by == way::persistent)
    for (std::size_t s = 0; s < bound_streams; ++s)
      bound.emplace_back(imbrex::gpu(), imbrex::stream_priority::high, "what is put");
  staged_out.emplace(imbrex::gpu(), c.bytes);
  staged_in.emplace(imbrex::gpu(), c.bytes);
}

bool station::keeps_data() const { return !in_device() || imbrex::gpu().info().keeps_data; }

void station::prepare(const course& c) {
  course_ = c;
  device_.reset();
  loans_.clear();
  const int self = int(where()[0]);
  if (!c.takes_part(self)) return;
  leads_ = c.leads(self);
  host_channel.connect<&station::host_channel>(other());
  device_channel.connect<&station::device_channel>(other());
  bound_channel.connect<&station::bound_channel>(other());
  std::vector<std::byte> bytes(c.bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = content(self, i);
  if (in_device()) {
    device_.emplace(c);
    if (keeps_data()) {
      std::ranges::copy(bytes, device_->staged_out->span().begin());
      device_->sending.copy(device_->out.span(), std::as_const(*device_->staged_out).span());
    }
  }
  host_out_ = std::move(bytes);
}

host_bytes station::bytes_of(const std::byte* from) const {
  host_bytes b;
  if (keeps_data())
    b.bytes.assign(from, from + course_.bytes);
  else
    b.left_out.count = course_.bytes;
  imbrex::spend_copy(course_.bytes);
  return b;
}

imbrex::device_place<std::byte> station::place(int slot, std::size_t) {
  return {device_->in[std::size_t(slot)].span(), order_of(slot)};
}

void station::take(int, imbrex::device_argument<std::byte, &station::place>) { landed_.add(); }

imbrex::task<> station::send(int message) {
  if (course_.by == way::channel && in_device()) {
    loans_.push_back(device_channel.send(std::as_const(device_->out).span(), device_->sending));
  } else if (course_.by == way::channel) {
    host_channel.send(bytes_of(host_out_.data()));
  } else if (course_.by == way::persistent) {
    co_await bound_channel.send(device_->bound[std::size_t(message) % bound_streams]);
  } else if (course_.by == way::message && in_device()) {
    loans_.push_back(imbrex::zero_copy(std::as_const(device_->out).span(), device_->sending));
    imbrex::send<&station::take>(other(), int(slot_of(message)), loans_.back());
  } else if (course_.by == way::message) {
    imbrex::send<&station::messages>(other(), sent_++, bytes_of(host_out_.data()));
  } else {
    device_->sending.copy(device_->staged_out->span(), std::as_const(device_->out).span());
    co_await device_->sending.done();
    imbrex::send<&station::messages>(other(), sent_++, bytes_of(device_->staged_out->span().data()));
  }
}

imbrex::task<> station::receive(int message) {
  if (course_.by == way::channel && in_device()) {
    co_await device_channel.receive(device_->in[slot_of(message)].span(), order_of(message));
  } else if (course_.by == way::channel) {
    host_bytes came = co_await host_channel.receive();
    host_in_ = std::move(came.bytes);
  } else if (course_.by == way::persistent) {
    co_await bound_channel.receive(order_of(message));
    bound_channel.release(order_of(message));
  } else if (course_.by == way::message && in_device()) {
    co_await landed_.next(1);
  } else {
    host_bytes came = co_await messages.receive(received_++);
    if (!in_device()) {
      host_in_ = std::move(came.bytes);
      co_return;
    }
    if (message > 0) co_await order_of(0).done();  // the only pinned buffer has been read
    if (keeps_data()) std::ranges::copy(came.bytes, device_->staged_in->span().begin());
    imbrex::spend_copy(course_.bytes);
    order_of(0).copy(device_->in[slot_of(message)].span(), std::as_const(*device_->staged_in).span());
  }
}

imbrex::task<> station::received() {
  if (!in_device()) co_return;
  imbrex::stream& last = device_->orders.front();
  const std::size_t used = course_.by == way::staging ? 1 : std::min(streams, std::size_t(course_.window));
  for (std::size_t s = 1; s < used; ++s) {
    imbrex::event end = device_->events.take();
    device_->orders[s].record(end);
    last.wait(end);
  }
  co_await last.done();
}

imbrex::task<> station::sent() {
  for (const auto& loan : std::exchange(loans_, {})) co_await loan.done();
}

imbrex::task<> station::send_window() {
  for (int m = 0; m < course_.window; ++m) co_await send(m);
}

imbrex::task<> station::receive_window() {
  for (int m = 0; m < course_.window; ++m) co_await receive(m);
  co_await received();
}

imbrex::task<> station::exchange_round() {
  if (course_.what == exchange::latency) {
    // The reply implies that the message has been read.
    loans_.clear();
    if (leads_) {
      co_await send_window();
      co_await receive_window();
    } else {
      co_await receive_window();
      co_await send_window();
    }
  } else if (course_.what == exchange::bidirectional) {
    co_await send_window();
    co_await receive_window();
    co_await sent();
  } else if (leads_) {
    co_await send_window();
    co_await sent();
    co_await answers.receive(answers_++);
  } else {
    co_await receive_window();
    imbrex::send<&station::answers>(other(), answers_++, 0);
  }
}

imbrex::task<> station::bind() {
  std::vector<imbrex::device_span<const std::byte>> from;
  std::vector<imbrex::device_span<std::byte>> to;
  for (auto& buffer : device_->in) {
    from.push_back(std::as_const(device_->out).span());
    to.push_back(buffer.span());
  }
  co_await bound_channel.bind(from, to);
}

imbrex::task<double> station::run() {
  if (!course_.takes_part(int(where()[0]))) co_return 0;
  if (in_device()) co_await device_->sending.done();
  if (course_.by == way::persistent) co_await bind();
  imbrex::nanoseconds begin = imbrex::now();
  for (int r = -course_.warmup; r < course_.rounds; ++r) {
    if (r == 0) begin = imbrex::now();
    co_await exchange_round();
  }
  const std::chrono::duration<double> took = imbrex::now() - begin;
  co_await sent();
  co_return leads_ ? took.count() / course_.rounds : 0;
}

imbrex::task<bool> station::is_right() {
  const int self = int(where()[0]);
  const bool receives =
      course_.what == exchange::latency || course_.what == exchange::bidirectional || !leads_;
  if (!course_.takes_part(self) || !receives) co_return true;
  const auto holds = [&](const std::byte* bytes) {
    for (std::size_t i = 0; i < course_.bytes; ++i)
      if (bytes[i] != content(course_.other(self), i)) return false;
    return true;
  };
  if (!in_device()) co_return host_in_.size() == course_.bytes&& holds(host_in_.data());
  for (const auto& buffer : device_->in) {
    device_->sending.copy(device_->staged_out->span(), buffer.span());
    co_await device_->sending.done();
    if (!holds(device_->staged_out->span().data())) co_return false;
  }
  co_return true;
}

}  // namespace osu
