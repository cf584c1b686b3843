// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <imbrex/device/memory_key.hpp>
#include <imbrex/device/part_piece.hpp>
#include <imbrex/device/pooled_memory.hpp>
#include <imbrex/device/shared_event.hpp>

namespace imbrex {

class reader;
class writer;

namespace detail {

/// Whose memory a part of a message is that does not own it. It is destroyed when the part needs it no more.
class memory_lender {
 public:
  virtual ~memory_lender() = default;
  /// The memory will have been read then, and is needed no more.
  virtual void read(const shared_event& at) noexcept = 0;
};

/// The part of a message that lies in a device's memory: what a `device_buffer` is made of. While it crosses
/// to another process its contents are on the host, or follow it in pieces. Its owner's thread.
class device_part {
 public:
  /// Of nothing.
  device_part() noexcept = default;
  /// Memory of another that is filled then, until it lands.
  device_part(const void* address, imbrex::device& of, std::size_t count, std::size_t size,
              shared_event filled, std::unique_ptr<memory_lender> lender) noexcept
      : of_(&of),
        count_(count),
        size_(size),
        ready_(std::move(filled)),
        lent_(address),
        lender_(std::move(lender)) {}
  /// So many elements of that size. Throws `device_out_of_memory`.
  device_part(imbrex::device& of, std::size_t count, std::size_t size)
      : memory_(of, memory_kind::device, count, size), of_(&of), count_(count), size_(size) {}
  device_part(device_part&& other) noexcept
      : memory_(std::move(other.memory_)),
        of_(std::exchange(other.of_, nullptr)),
        count_(std::exchange(other.count_, 0)),
        size_(other.size_),
        ready_(std::move(other.ready_)),
        host_(std::move(other.host_)),
        lent_(other.lent_),
        lender_(std::move(other.lender_)) {}
  device_part& operator=(device_part&& other) noexcept {
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

  void* address() const noexcept { return memory_.address(); }
  std::size_t count() const noexcept { return count_; }
  std::size_t bytes() const noexcept { return count_ * size_; }
  std::size_t size() const noexcept { return size_; }
  const void* device() const noexcept { return memory_.device(); }
  void release() noexcept {
    memory_.release();
    count_ = 0;
  }

  void ready_after(stream& work);
  /// The same of a point that several share.
  void ready_at(shared_event at) noexcept { ready_ = std::move(at); }
  const shared_event& ready() const noexcept { return ready_; }

  // While it crosses to another process.

  /// True if its contents must be copied to the host, or lent, before it can be written.
  bool is_on_device() const noexcept { return memory_ || (lender_ != nullptr && host_ == nullptr); }
  /// True if its contents are on the host and go with their message.
  bool goes_with_message() const noexcept;
  /// The device that it is on, if it is on one.
  imbrex::device* on() const noexcept { return is_on_device() ? of_ : nullptr; }
  /// Contents of memory of the stream's device, which is copied to the host in its order. They go with their
  /// message, once the stream has done that.
  static device_part copied_to_host(const void* from, std::size_t count, std::size_t size, stream& filled);
  /// Begins to copy its contents to the host, by a stream of its device; done with what the stream has done
  /// then.
  void begin_to_leave(stream& out);
  /// That is done: the memory of the device is given back.
  void leave() noexcept;
  /// Its contents will be sent in pieces instead. Returns them.
  device_part leave_in_pieces();
  /// Copies some of its contents to the host, by a stream of its device, once they are there.
  void copy_piece(const part_piece& to, stream& out);
  /// All of its contents where they are, for a network that reads memory of devices. They are there when the
  /// stream has done what it was given then.
  part_piece whole_piece(stream& out);
  /// Nothing more of it will be read: its memory is given back when the stream has done what it was given.
  void has_left(stream& out) noexcept;
  /// True if its contents come in pieces, and are not all there.
  bool is_to_come() const noexcept;
  /// They come to memory of that device; to the host if that is null, or has no room.
  void expect_on(imbrex::device* here);
  /// A piece has come; it is copied by a stream of that device, if there is one. The piece must stay.
  void take_piece(part_piece& piece, stream* in);
  /// All have come.
  void has_come(stream* in);
  /// How processes of this host find its contents; none if they cannot.
  std::optional<memory_key> key() const;
  /// Its contents, which are there, will be found by others instead. Returns what must be kept until they
  /// have read them.
  device_part lend(const far_memory& where);
  /// What it was lent as, if it has come from another process so and has not landed; else null.
  const far_memory* far() const noexcept;
  /// Whom to tell when such contents have been read.
  void borrow(std::unique_ptr<memory_lender> from) noexcept { lender_ = std::move(from); }
  /// Its contents on the host, to be written. Throws serial_error if they are not there. Where bytes are only
  /// counted its contents are only if they are there: else they do not go with the message.
  void serialize(writer& out) const;
  /// Reads them, as elements of that size; then it is on no device until it lands.
  void serialize(reader& in, std::size_t size);
  /// True unless it is memory of its own on that device, or of nothing.
  bool must_land(const imbrex::device& here) const noexcept {
    return host_ != nullptr || lender_ != nullptr || (memory_ && of_ != &here);
  }
  /// Brings it to memory of its own on the device that `in` is a stream of. `out` is a stream of the device
  /// where it is, if that is another; the copies are ordered, nobody waits. Throws `device_out_of_memory`.
  void land(stream& in, stream* out);
  /// Copies its contents to that memory of the same device, in the order of the stream; then it is of
  /// nothing.
  void land_at(void* address, stream& in, stream* out);

 private:
  void make_room();

  struct host_copy;
  struct host_copy_deleter {
    void operator()(host_copy* c) const noexcept;
  };

  void copy_to_host(const void* from, stream& out);
  const void* source() const noexcept { return lender_ != nullptr ? lent_ : memory_.address(); }
  void copy_to(void* address, stream& in, stream* out);
  void copy_by_host(void* address, stream& in, stream& out);

  pooled_memory memory_;
  imbrex::device* of_ = nullptr;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
  shared_event ready_;
  std::unique_ptr<host_copy, host_copy_deleter> host_;
  const void* lent_ = nullptr;
  std::unique_ptr<memory_lender> lender_;
};

}  // namespace detail
}  // namespace imbrex
