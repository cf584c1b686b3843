// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/device_part.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

#include <imbrex/device/stream.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

/// Contents on the host: in pinned memory of the device that they come from, or as they were read.
struct device_part::host_copy {
  bool has_data = true;  ///< false on a device that keeps none
  pooled_memory pinned;
  std::unique_ptr<std::byte[]> plain;

  const std::byte* bytes() const {
    return pinned ? static_cast<const std::byte*>(pinned.address()) : plain.get();
  }
};

void device_part::host_copy_deleter::operator()(host_copy* c) const noexcept { delete c; }

namespace {

pinned_span<std::byte> span_of(const pooled_memory& pinned, std::size_t bytes) {
  return {static_cast<std::byte*>(pinned.address()), bytes};
}
device_span<std::byte> span_at(void* address, std::size_t bytes, const imbrex::device& on) {
  return {static_cast<std::byte*>(address), bytes, on.info().id};
}
device_span<const std::byte> span_at(const void* address, std::size_t bytes, const imbrex::device& on) {
  return {static_cast<const std::byte*>(address), bytes, on.info().id};
}

}  // namespace

device_part::device_part(device_part&& other) noexcept
    : memory_(std::move(other.memory_)),
      of_(std::exchange(other.of_, nullptr)),
      count_(std::exchange(other.count_, 0)),
      size_(other.size_),
      ready_(std::move(other.ready_)),
      host_(std::move(other.host_)),
      lent_(other.lent_),
      lender_(std::move(other.lender_)) {}

device_part& device_part::operator=(device_part&& other) noexcept {
  if (this == &other) return *this;
  memory_ = std::move(other.memory_);
  of_ = std::exchange(other.of_, nullptr);
  count_ = std::exchange(other.count_, 0);
  size_ = other.size_;
  ready_ = std::move(other.ready_);
  host_ = std::move(other.host_);
  lent_ = other.lent_;
  lender_ = std::move(other.lender_);
  return *this;
}

void device_part::ready_after(stream& work) {
  if (device() != nullptr && device() != work.on().info().id)
    throw device_error(work.on().info().label(), work.owner(), "ready_after",
                       "the buffer is on " + info_of(device()).label() +
                           "; give the stream that fills it, which is of its own device");
  ready_ = shared_event(work);
}

void device_part::begin_to_leave(stream& out) {
  std::unique_ptr<host_copy, host_copy_deleter> copy(new host_copy);
  copy->has_data = out.on().info().keeps_data;
  copy->pinned = pooled_memory(out.on(), memory_kind::pinned, bytes(), 1);
  out.wait(ready_);
  out.copy(span_of(copy->pinned, bytes()), span_at(source(), bytes(), *of_));
  if (lender_ != nullptr) lender_->read(shared_event(out));
  host_ = std::move(copy);
}

void device_part::leave() noexcept {
  memory_.release();
  lender_.reset();
  ready_ = {};
  of_ = nullptr;
}

void device_part::serialize(writer& out) const {
  out.number(static_cast<std::uint64_t>(count_));
  if (out.only_counts()) return;
  if (host_ == nullptr && count_ != 0)
    throw serial_error("a device_buffer of " + std::to_string(count_) +
                       " elements is written whose contents are on its device: send it as an argument or "
                       "in an aggregate, which the runtime copies to the host first, and receive what lies "
                       "in a mailbox before its chare migrates");
  const bool has_data = count_ != 0 && host_->has_data;
  out.number(static_cast<std::uint8_t>(has_data));
  if (has_data) out.block(host_->bytes(), bytes());
}

void device_part::serialize(reader& in, std::size_t size) {
  *this = {};
  std::uint64_t count = 0;
  std::uint8_t has_data = 0;
  in.bytes(&count, sizeof count);
  in.bytes(&has_data, sizeof has_data);
  if (count > SIZE_MAX / size || (has_data != 0 && count * size > in.remaining()))
    throw serial_error("malformed message: a device_buffer of " + std::to_string(count) +
                       " elements, which it does not hold");
  count_ = count;
  size_ = size;
  host_.reset(new host_copy);
  host_->has_data = has_data != 0;
  if (!host_->has_data) return;
  host_->plain = std::make_unique_for_overwrite<std::byte[]>(bytes());
  if (in.is_to_come(bytes())) return in.expect(host_->plain.get());
  std::memcpy(host_->plain.get(), in.view(bytes()).data(), bytes());
}

void device_part::land(stream& in, stream* out) {
  pooled_memory landed(in.on(), memory_kind::device, count_, size_);
  copy_to(landed.address(), in, out);
  memory_ = std::move(landed);
  of_ = &in.on();
}

void device_part::land_at(void* address, stream& in, stream* out) {
  copy_to(address, in, out);
  *this = {};
}

void device_part::copy_to(void* address, stream& in, stream* out) {
  imbrex::device& here = in.on();
  if (host_ != nullptr) {
    const pooled_memory pinned(here, memory_kind::pinned, bytes(), 1);
    if (host_->has_data) std::memcpy(pinned.address(), host_->bytes(), bytes());
    in.copy(span_at(address, bytes(), here), pinned_span<const std::byte>(span_of(pinned, bytes())));
  } else if (of_ == &here || here.info().can.peer_copies) {
    in.wait(ready_);
    in.copy(span_at(address, bytes(), here), span_at(source(), bytes(), *of_));
  } else {
    copy_by_host(address, in, *out);
  }
  ready_ = shared_event(in);
  if (out != nullptr) out->wait(ready_);  // so that the memory there is used again only after the copy
  if (lender_ != nullptr) lender_->read(ready_);
  host_.reset();
  lender_.reset();
}

void device_part::copy_by_host(void* address, stream& in, stream& out) {
  const pooled_memory pinned(out.on(), memory_kind::pinned, bytes(), 1);
  out.wait(ready_);
  out.copy(span_of(pinned, bytes()), span_at(source(), bytes(), *of_));
  in.wait(shared_event(out));
  in.copy(span_at(address, bytes(), in.on()), pinned_span<const std::byte>(span_of(pinned, bytes())));
  out.wait(shared_event(in));
}

}  // namespace imbrex::detail
