// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/attachment.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

/// Contents in transfer: in pinned memory of the source device, in host memory as received, in another
/// process's memory, or still to arrive.
struct attachment::host_copy {
  std::optional<far_memory> far;
  bool is_pending = false;
  bool has_data = true;  ///< false for a device that keeps no data
  pooled_memory pinned;
  std::unique_ptr<std::byte[]> plain;

  const std::byte* bytes() const {
    return pinned ? static_cast<const std::byte*>(pinned.address()) : plain.get();
  }
};

void attachment::host_copy_deleter::operator()(host_copy* c) const noexcept { delete c; }

namespace {

// Forms of contents in a message.
constexpr std::uint8_t is_left_out = 0, is_there = 1, is_exported = 2, comes_in_pieces = 3;

/// Limits of the pieces of copies through the host: their number and their shortest length. Pieces keep both
/// directions busy.
constexpr std::size_t most_pieces = 16, shortest_piece = std::size_t{1} << 18U;

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

void attachment::ready_after(stream& work) {
  if (device() != nullptr && device() != work.on().info().id)
    throw device_error(work.on().info().label(), work.owner(), "ready_after",
                       "the buffer is on " + info_of(device()).label() +
                           "; give the stream that fills it, which is of its own device");
  ready_ = shared_event(work);
}

void attachment::copy_to_host(const void* from, stream& out) {
  std::unique_ptr<host_copy, host_copy_deleter> copy(new host_copy);
  copy->has_data = out.on().info().keeps_data;
  copy->pinned = pooled_memory(out.on(), memory_kind::pinned, bytes(), 1);
  out.wait(ready_);
  out.copy(span_of(copy->pinned, bytes()), span_at(from, bytes(), out.on()));
  host_ = std::move(copy);
}

attachment attachment::copied_to_host(const void* from, std::size_t count, std::size_t size, stream& filled) {
  attachment copy;
  copy.count_ = count;
  copy.size_ = size;
  copy.copy_to_host(from, filled);
  return copy;
}

void attachment::begin_to_leave(stream& out) {
  copy_to_host(source(), out);
  if (lender_ != nullptr) lender_->read(shared_event(out));
}

void attachment::leave() noexcept {
  memory_.release();
  lender_.reset();
  ready_ = {};
  of_ = nullptr;
}

std::optional<memory_key> attachment::key() const {
  return of_ == nullptr || !of_->info().keeps_data ? std::nullopt : of_->backend().key_of(source());
}

attachment attachment::export_memory(const far_memory& where) {
  std::unique_ptr<host_copy, host_copy_deleter> copy(new host_copy);
  copy->far = where;
  attachment kept;
  kept.memory_ = std::move(memory_);
  kept.lender_ = std::move(lender_);
  host_ = std::move(copy);
  leave();
  return kept;
}

attachment attachment::leave_in_pieces() {
  std::unique_ptr<host_copy, host_copy_deleter> copy(new host_copy);
  copy->is_pending = true;
  copy->has_data = of_->info().keeps_data;
  attachment left = std::move(*this);
  count_ = left.count_;
  host_ = std::move(copy);
  return left;
}

void attachment::copy_piece(const part_piece& to, stream& out) {
  out.wait(ready_);
  out.copy(pinned_span<std::byte>(to.data(), to.bytes()),
           span_at(source(), bytes(), *of_).subspan(to.first(), to.bytes()));
}

part_piece attachment::whole_piece(stream& out) {
  out.wait(ready_);
  return {source(), bytes()};
}

void attachment::has_left(stream& out) noexcept {
  if (lender_ != nullptr) lender_->read(shared_event(out));
  *this = {};
}

bool attachment::goes_with_message() const noexcept {
  return host_ != nullptr && !host_->far && !host_->is_pending;
}

bool attachment::is_pending() const noexcept { return host_ != nullptr && host_->is_pending; }

void attachment::expect_on(imbrex::device* here) { of_ = here; }

void attachment::make_room() {
  if (memory_ || host_->plain) return;
  if (of_ != nullptr) try {
      memory_ = pooled_memory(*of_, memory_kind::device, count_, size_);
      return;
    } catch (const device_out_of_memory&) {  // the contents then stay on the host
      of_ = nullptr;
    }
  host_->plain = std::make_unique_for_overwrite<std::byte[]>(bytes());
}

void attachment::take_piece(part_piece& piece, stream* in) {
  const bool is_whole = piece.has_arrived_on_device();
  if (piece.first() > bytes() || piece.bytes() > bytes() - piece.first() ||
      (is_whole && piece.bytes() != bytes()))
    throw serial_error("malformed message: " + std::to_string(piece.bytes()) + " bytes from " +
                       std::to_string(piece.first()) + " on, in memory of a device of size " +
                       std::to_string(bytes()));
  if (is_whole) {
    memory_ = piece.take_landed();
    return;
  }
  make_room();
  if (!memory_) {
    host_->has_data = piece.has_data();
    if (piece.has_data()) std::memcpy(host_->plain.get() + piece.first(), piece.data(), piece.bytes());
    return;
  }
  in->copy(span_at(memory_.address(), bytes(), *of_).subspan(piece.first(), piece.bytes()),
           pinned_span<const std::byte>(piece.data(), piece.bytes()));
  piece.is_used();
}

void attachment::complete_receipt(stream* in) {
  host_->is_pending = false;
  if (!memory_) return;
  ready_ = shared_event(*in);
  host_.reset();
}

const far_memory* attachment::far() const noexcept {
  return host_ != nullptr && host_->far ? &*host_->far : nullptr;
}

void attachment::serialize(writer& out) {
  if (part_carrier* const carrier = out.carrier()) return carrier->take(*this);
  out.number(static_cast<std::uint64_t>(count_));
  if (out.only_counts()) return goes_with_message() ? out.absent(bytes()) : void();
  if (host_ == nullptr && count_ != 0)
    throw serial_error("a device_buffer of " + std::to_string(count_) +
                       " elements is written whose contents are on its device: send it as an argument or "
                       "in an aggregate, which the runtime copies to the host first, and receive what lies "
                       "in a mailbox before a checkpoint");
  if (count_ != 0 && host_->far) {
    out.number(is_exported);
    out.bytes(&host_->far->key, sizeof host_->far->key);
    return out.bytes(&host_->far->lender, sizeof host_->far->lender);
  }
  if (is_pending()) return out.number(comes_in_pieces);
  const bool has_data = count_ != 0 && host_->has_data;
  out.number(has_data ? is_there : is_left_out);
  if (has_data) out.block(host_->bytes(), bytes());
}

void attachment::serialize(reader& in, std::size_t size) {
  if (part_carrier* const carrier = in.carrier()) return carrier->give(*this, size);
  *this = {};
  std::uint64_t count = 0;
  std::uint8_t how = 0;
  in.bytes(&count, sizeof count);
  in.bytes(&how, sizeof how);
  if (count > SIZE_MAX / size || how > comes_in_pieces || (how == is_there && count * size > in.remaining()))
    throw serial_error("malformed message: a device_buffer of " + std::to_string(count) +
                       " elements, which it does not hold");
  count_ = count;
  size_ = size;
  host_.reset(new host_copy);
  host_->is_pending = how == comes_in_pieces;
  host_->has_data = how == is_there;
  if (how == is_exported) {
    far_memory& far = host_->far.emplace();
    in.bytes(&far.key, sizeof far.key);
    in.bytes(&far.lender, sizeof far.lender);
  }
  if (!host_->has_data) return;
  host_->plain = std::make_unique_for_overwrite<std::byte[]>(bytes());
  if (in.is_pending(bytes())) return in.expect(host_->plain.get());
  std::memcpy(host_->plain.get(), in.view(bytes()).data(), bytes());
}

void attachment::land(stream& in, stream* out) {
  pooled_memory landed(in.on(), memory_kind::device, count_, size_);
  copy_to(landed.address(), in, out);
  memory_ = std::move(landed);
  of_ = &in.on();
}

void attachment::land_at(void* address, stream& in, stream* out) {
  copy_to(address, in, out);
  release();
  of_ = nullptr;
  ready_ = {};
}

void attachment::copy_to(void* address, stream& in, stream* out) {
  imbrex::device& here = in.on();
  if (const far_memory* const remote = far()) {
    const void* const there = here.backend().find(remote->key);
    if (there == nullptr)
      throw error("memory of a device of another process of this host cannot be found from " +
                  here.info().label() + "; run with --gpu-path host");
    in.copy(span_at(address, bytes(), here), span_at(there, bytes(), here));
  } else if (host_ != nullptr) {
    const pooled_memory pinned(here, memory_kind::pinned, bytes(), 1);
    if (host_->has_data) std::memcpy(pinned.address(), host_->bytes(), bytes());
    in.copy(span_at(address, bytes(), here), pinned_span<const std::byte>(span_of(pinned, bytes())));
  } else if (of_ == &here || here.copies_from_peers()) {
    in.wait(ready_);
    in.copy(span_at(address, bytes(), here), span_at(source(), bytes(), *of_));
  } else {
    copy_by_host(address, in, *out);
  }
  ready_ = shared_event(in);
  if (out != nullptr) out->wait(ready_);  // the memory there is reused only after the copy
  if (lender_ != nullptr) lender_->read(ready_);
  host_.reset();
  lender_.reset();
}

void attachment::copy_by_host(void* address, stream& in, stream& out) {
  const pooled_memory pinned(out.on(), memory_kind::pinned, bytes(), 1);
  out.wait(ready_);
  const std::size_t piece = std::max(shortest_piece, (bytes() + most_pieces - 1) / most_pieces);
  for (std::size_t at = 0; at < bytes(); at += piece) {
    const std::size_t size = std::min(piece, bytes() - at);
    const pinned_span<std::byte> between = span_of(pinned, bytes()).subspan(at, size);
    out.copy(between, span_at(source(), bytes(), *of_).subspan(at, size));
    in.wait(shared_event(out));
    in.copy(span_at(address, bytes(), in.on()).subspan(at, size), pinned_span<const std::byte>(between));
  }
  out.wait(shared_event(in));
}

}  // namespace imbrex::detail
