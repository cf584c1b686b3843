// SPDX-License-Identifier: Apache-2.0
// Sends and receives behind user requests, and buffered sends.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <imbrex/mpi/memory/device_copy.hpp>
#include <imbrex/mpi/object/status.hpp>
#include <imbrex/mpi/rank/device_requests.hpp>
#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

class send_request final : public user_request {
 public:
  send_request(const ref<communicator>& in, const user_buffer& data, message_end to, send_kind kind)
      : user_request(kind.is_persistent, in), data_(data), to_(to), mode_(kind.mode) {}

  void cancel(rank& by) override {
    if (mode_ != user_send::buffered && !awaited().is_done) by.messages.cancel(awaited());
  }
  int outcome(MPI_Status& status) override {
    set_empty(status);
    set_cancelled(status, awaited().is_cancelled);
    return MPI_SUCCESS;
  }

 private:
  void begin(rank& by) override {
    request& q = awaited();
    if (to_.rank == MPI_PROC_NULL) return by.complete(q);
    const int to = in()->remote().world_rank(to_.rank);
    q.head = {in()->context(purpose::point_to_point), in()->rank(), to_.tag};
    if (mode_ == user_send::buffered) {
      static_cast<rank_data&>(by.state()).buffered.send(by, q.head, data_, to);
      return by.complete(q);
    }
    q.size = static_cast<std::uint64_t>(data_.bytes());
    if (data_.is_contiguous()) {
      q.buffer = data_.begin();
      q.on = data_.on;
    } else {
      packed_ = std::make_unique_for_overwrite<std::byte[]>(q.size);
      pack_to_host(by, data_, packed_.get());
      q.buffer = packed_.get();
    }
    by.messages.send(q, to, mode_ == user_send::synchronous ? send_mode::synchronous : send_mode::standard);
  }
  void end() override { packed_.reset(); }

  user_buffer data_;
  message_end to_;
  user_send mode_;
  std::unique_ptr<std::byte[]> packed_;
};

class receive_request final : public user_request {
 public:
  receive_request(const ref<communicator>& in, const user_buffer& data, message_end from, bool is_persistent,
                  packet* found)
      : user_request(is_persistent, in), data_(data), from_(from), found_(found) {}

  void cancel(rank& by) override { by.messages.cancel(awaited()); }
  int outcome(MPI_Status& status) override {
    if (from_.rank == MPI_PROC_NULL) {
      tell_no_process(status);
      return MPI_SUCCESS;
    }
    return tell_receive(awaited(), status);
  }

 private:
  void begin(rank& by) override {
    request& q = awaited();
    if (from_.rank == MPI_PROC_NULL) return by.complete(q);
    q.head = {in() != nullptr ? in()->context(purpose::point_to_point) : 0, from_.rank, from_.tag};
    q.size = static_cast<std::uint64_t>(data_.bytes());
    if (data_.is_contiguous()) {
      q.buffer = data_.begin();
      q.on = data_.on;
    } else {
      packed_ = std::make_unique_for_overwrite<std::byte[]>(q.size);
      q.buffer = packed_.get();
    }
    packet* const found = std::exchange(found_, nullptr);
    found != nullptr ? by.messages.receive(q, *found) : by.messages.receive(q);
  }
  void end() override {
    if (!packed_) return;
    unpack(data_.typed(), 0, packed_.get(), static_cast<std::int64_t>(awaited().received));
    packed_.reset();
  }

  user_buffer data_;
  message_end from_;
  packet* found_;
  std::unique_ptr<std::byte[]> packed_;
};

/// Receive of non-contiguous data on a device. The data arrive packed on the host; the request is done once
/// the device has copied each run of them to its address. The gaps are not touched.
class scattered_receive final : public user_request {
 public:
  scattered_receive(const ref<communicator>& in, const user_buffer& data, message_end from,
                    bool is_persistent, packet* found)
      : user_request(is_persistent, in), data_(data), from_(from), found_(found) {}

  void cancel(rank& by) override { by.messages.cancel(packed_.q); }
  int outcome(MPI_Status& status) override { return tell_receive(awaited(), status); }

 private:
  struct packed {
    request q;
    scattered_receive* owner = nullptr;
    std::unique_ptr<std::byte[]> data;
  };

  void begin(rank& by) override {
    by_ = &by;
    packed_.q = {};
    packed_.owner = this;
    packed_.q.finished = &handle_arrival;
    packed_.q.head = {in() != nullptr ? in()->context(purpose::point_to_point) : 0, from_.rank, from_.tag};
    packed_.q.size = static_cast<std::uint64_t>(data_.bytes());
    packed_.data = std::make_unique_for_overwrite<std::byte[]>(packed_.q.size);
    packed_.q.buffer = packed_.data.get();
    awaited().head = packed_.q.head;
    awaited().peer = request::is_receive;
    packet* const found = std::exchange(found_, nullptr);
    found != nullptr ? by.messages.receive(packed_.q, *found) : by.messages.receive(packed_.q);
  }
  static void handle_arrival(request& q) { reinterpret_cast<packed*>(&q)->owner->scatter(); }
  void scatter() {
    request& whole = awaited();
    const request& its = packed_.q;
    whole.source = its.source;
    whole.tag = its.tag;
    whole.received = its.received;
    whole.is_too_long = its.is_too_long;
    whole.is_cancelled = its.is_cancelled;
    stream* last = nullptr;
    visit_runs(data_.typed(), static_cast<std::int64_t>(its.received),
               [&](std::byte* to, std::int64_t position, std::int64_t bytes) {
                 last = &order_copy(to, data_.on, packed_.data.get() + position, nullptr,
                                    static_cast<std::size_t>(bytes));
               });
    last != nullptr ? complete_after(*by_, *last, whole) : by_->complete(whole);
  }
  void end() override { packed_.data.reset(); }

  user_buffer data_;
  message_end from_;
  packet* found_;
  rank* by_ = nullptr;
  packed packed_;
};

ref<user_request> make_receive(const ref<communicator>& in, const user_buffer& data, message_end from,
                               bool is_persistent, packet* found) {
  if (data.on != nullptr && !data.is_contiguous() && from.rank != MPI_PROC_NULL)
    return ref<user_request>(new scattered_receive(in, data, from, is_persistent, found));
  return ref<user_request>(new receive_request(in, data, from, is_persistent, found));
}

}  // namespace

void pack_to_host(rank& by, const user_buffer& data, std::byte* to) {
  const std::int64_t bytes = data.bytes();
  if (data.on == nullptr) return pack(data.typed(), 0, to, bytes);
  // Copies the gaps, too: one copy instead of many.
  const address_range extent = data.extent();
  std::unique_ptr<std::byte[]> gapped;
  if (!data.is_contiguous()) gapped = std::make_unique_for_overwrite<std::byte[]>(extent.bytes);
  std::byte* const host = gapped ? gapped.get() : to;
  request q;
  begin_copy(by, q, host, nullptr, extent.first, data.on, extent.bytes);
  by.await(q);
  if (!gapped) return;
  const auto distance =
      reinterpret_cast<std::uintptr_t>(host) - reinterpret_cast<std::uintptr_t>(extent.first);
  typed_buffer copied = data.typed();
  copied.memory = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(copied.memory) + distance);
  pack(copied, 0, to, bytes);
}

ref<user_request> make_send(const ref<communicator>& in, const user_buffer& data, message_end to,
                            send_kind kind) {
  return ref<user_request>(new send_request(in, data, to, kind));
}
ref<user_request> make_receive(const ref<communicator>& in, const user_buffer& data, message_end from,
                               bool is_persistent) {
  return make_receive(in, data, from, is_persistent, nullptr);
}
ref<user_request> make_receive_of(const ref<communicator>& in, const user_buffer& data, packet* found) {
  const int from = found != nullptr ? found->head.source : MPI_PROC_NULL;
  return make_receive(in, data, {from, any_tag}, false, found);
}

// ---- buffered sends

void send_buffer::attach(void* address, std::int64_t bytes) {
  if (bytes < 0)
    throw error(MPI_ERR_ARG, "a buffer of " + std::to_string(bytes) + " bytes; give it none or more");
  if (is_attached_)
    throw error(MPI_ERR_BUFFER,
                "there is a buffer for buffered sends already; detach it by MPI_Buffer_detach first");
  is_attached_ = true;
  address_ = address;
  size_ = bytes;
}

std::pair<void*, std::int64_t> send_buffer::detach(rank& by) {
  for (auto& each : sends_) by.await(each.q);
  sends_.clear();
  used_ = 0;
  is_attached_ = false;
  return {std::exchange(address_, nullptr), std::exchange(size_, 0)};
}

void send_buffer::send(rank& by, const envelope& head, const user_buffer& data, int to) {
  std::erase_if(sends_, [this](const buffered_send& each) {
    if (each.q.is_done) used_ -= each.bytes;
    return each.q.is_done;
  });
  const std::int64_t bytes = data.bytes();
  const std::int64_t needed = bytes + MPI_BSEND_OVERHEAD;
  if (needed > size_ - used_)
    throw error(MPI_ERR_BUFFER, "a buffered send of " + std::to_string(bytes) + " bytes needs " +
                                    std::to_string(needed) + ", and " + std::to_string(size_ - used_) +
                                    " of " + std::to_string(size_) +
                                    " are free; attach more by MPI_Buffer_attach");
  buffered_send& each = sends_.emplace_back();
  each.bytes = needed;
  each.data = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  pack_to_host(by, data, each.data.get());
  used_ += needed;
  each.q.head = head;
  each.q.buffer = each.data.get();
  each.q.size = static_cast<std::uint64_t>(bytes);
  by.messages.send(each.q, to, send_mode::standard);
}

}  // namespace imbrex::mpi
