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

/// The owner of memory that an attachment borrows. Destroyed when the attachment no longer needs the memory.
class memory_lender {
 public:
  virtual ~memory_lender() = default;
  /// Announces that the memory will have been read at that point, and is not needed afterwards.
  virtual void read(const shared_event& at) noexcept = 0;
};

/// Memory of a device that is sent with a message; the base of a `device_buffer`. While it is sent to another
/// process its contents are on the host, or follow the message in pieces. It belongs to its owner's thread.
class attachment {
 public:
  /// An empty part.
  attachment() noexcept = default;
  /// A part in borrowed memory, filled at `filled`, until it lands.
  attachment(const void* address, imbrex::device& of, std::size_t count, std::size_t size,
             shared_event filled, std::unique_ptr<memory_lender> lender) noexcept
      : of_(&of),
        count_(count),
        size_(size),
        ready_(std::move(filled)),
        borrowed_address_(address),
        lender_(std::move(lender)) {}
  /// Allocates `count` elements of `size` bytes. Throws `device_out_of_memory`.
  attachment(imbrex::device& of, std::size_t count, std::size_t size)
      : memory_(of, memory_kind::device, count, size), of_(&of), count_(count), size_(size) {}
  attachment(attachment&& other) noexcept
      : memory_(std::move(other.memory_)),
        of_(std::exchange(other.of_, nullptr)),
        count_(std::exchange(other.count_, 0)),
        size_(other.size_),
        ready_(std::move(other.ready_)),
        host_(std::move(other.host_)),
        borrowed_address_(other.borrowed_address_),
        lender_(std::move(other.lender_)) {}
  attachment& operator=(attachment&& other) noexcept {
    if (this == &other) return *this;
    memory_ = std::move(other.memory_);
    of_ = std::exchange(other.of_, nullptr);
    count_ = std::exchange(other.count_, 0);
    size_ = other.size_;
    ready_ = std::move(other.ready_);
    host_ = std::move(other.host_);
    borrowed_address_ = other.borrowed_address_;
    lender_ = std::move(other.lender_);
    return *this;
  }

  /// True if its contents have memory of a device that `address` names.
  bool has_memory() const noexcept { return static_cast<bool>(memory_); }
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
  /// Marks its contents as complete at a point that several parts may share.
  void ready_at(shared_event at) noexcept { ready_ = std::move(at); }
  const shared_event& ready() const noexcept { return ready_; }

  // Functions for sending to another process.

  /// True if its contents must be copied to the host, or exported, before it can be written.
  bool is_on_device() const noexcept { return memory_ || (lender_ != nullptr && host_ == nullptr); }
  /// True if its contents are on the host and in the same message.
  bool goes_with_message() const noexcept;
  /// The device of the part; null if it is not on a device.
  imbrex::device* on() const noexcept { return is_on_device() ? of_ : nullptr; }
  /// Copies memory of the stream's device to the host, in the stream's order. The contents are sent in the
  /// message, once the stream has done the copy.
  static attachment copied_to_host(const void* from, std::size_t count, std::size_t size, stream& filled);
  /// Starts the copy of its contents to the host, by a stream of its device. Complete when the work submitted
  /// so far to the stream is done.
  void begin_to_leave(stream& out);
  /// Ends the copy to the host: frees the device memory.
  void leave() noexcept;
  /// Marks its contents as sent in pieces, and returns the part that holds them.
  attachment leave_in_pieces();
  /// Copies a piece of its contents to the host, by a stream of its device, once they are complete.
  void copy_piece(const part_piece& to, stream& out);
  /// All of its contents in device memory, for a network that reads memory of devices. They are complete when
  /// the work submitted so far to the stream is done.
  part_piece whole_piece(stream& out);
  /// Ends the sending of its contents. The memory is freed when the work submitted so far to the stream is
  /// done.
  void has_left(stream& out) noexcept;
  /// True if its contents arrive in pieces, of which some are missing.
  bool is_pending() const noexcept;
  /// Sets the device that will hold its contents; null, or a device without room: the host.
  void expect_on(imbrex::device* here);
  /// Adds a received piece, copied by a stream of that device, if there is one. The piece must stay valid.
  void take_piece(part_piece& piece, stream* in);
  /// Ends the receipt: all pieces have arrived.
  void complete_receipt(stream* in);
  /// A key by which processes of this host find its contents; nothing if they cannot.
  std::optional<memory_key> key() const;
  /// Exports its contents, which are complete, to another process. Returns the part that must be kept until
  /// that process has read them.
  attachment export_memory(const far_memory& where);
  /// The exported memory of another process that has its contents; null if there is none, or the part has
  /// landed.
  const far_memory* far() const noexcept;
  /// Sets the lender, which is notified when the contents have been read.
  void borrow(std::unique_ptr<memory_lender> from) noexcept { lender_ = std::move(from); }
  /// Gives its contents to the archive's carrier, if that has one. Else writes them, and throws serial_error
  /// if they are not on the host. If bytes are only counted, contents not on the host do not count: they are
  /// sent apart from the message.
  void serialize(writer& out);
  /// Reads contents with elements of `size` bytes. It is then on no device until it lands, unless the
  /// archive's carrier has given them.
  void serialize(reader& in, std::size_t size);
  /// True unless it is empty or owns memory on that device.
  bool must_land(const imbrex::device& here) const noexcept {
    return host_ != nullptr || lender_ != nullptr || (memory_ && of_ != &here);
  }
  /// Moves the contents to memory of the part's own, on the device of the stream `in`. `out` is a stream of
  /// the source device, if that is another. The copies are ordered by events; no host thread waits. Throws
  /// `device_out_of_memory`.
  void land(stream& in, stream* out);
  /// Copies its contents to `address` on the stream's device, in the stream's order; the part is empty
  /// afterwards.
  void land_at(void* address, stream& in, stream* out);

 private:
  void make_room();

  struct host_copy;
  struct host_copy_deleter {
    void operator()(host_copy* c) const noexcept;
  };

  void copy_to_host(const void* from, stream& out);
  const void* source() const noexcept { return lender_ != nullptr ? borrowed_address_ : memory_.address(); }
  void copy_to(void* address, stream& in, stream* out);
  void copy_by_host(void* address, stream& in, stream& out);

  pooled_memory memory_;
  imbrex::device* of_ = nullptr;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
  shared_event ready_;
  std::unique_ptr<host_copy, host_copy_deleter> host_;
  const void* borrowed_address_ = nullptr;
  std::unique_ptr<memory_lender> lender_;
};

}  // namespace detail
}  // namespace imbrex
