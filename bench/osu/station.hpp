// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <imbrex/gpu.hpp>
#include <imbrex/serial/absent_bytes.hpp>

#include "bench/osu/plan.hpp"

namespace osu {

/// Bytes of host memory on their way.
struct host_bytes {
  std::vector<std::byte> bytes;
  imbrex::absent_bytes left_out{};  ///< with --no-data
};

/// How much has come to a chare so far, and who waits for more: what an entry tells another one of its chare
/// without a message.
class arrivals {
 public:
  void add() {
    ++count_;
    if (waiting_ && count_ >= awaited_) std::exchange(waiting_, nullptr).resume();
  }
  /// Ends when so many more have come than have been awaited before.
  auto next(int more) {
    awaited_ += more;
    struct awaiter {
      arrivals& of;
      bool await_ready() const { return of.count_ >= of.awaited_; }
      void await_suspend(std::coroutine_handle<> waiting) const { of.waiting_ = waiting; }
      void await_resume() const {}
    };
    return awaiter{*this};
  }

 private:
  std::int64_t count_ = 0;
  std::int64_t awaited_ = 0;
  std::coroutine_handle<> waiting_;
};

/// One of a pair: sends and receives windows of messages in one of the ways. What it receives is used only
/// when it is there, in the memory of the device if that is where it goes.
class station : public imbrex::chare<station, imbrex::index<1>> {
 public:
  /// Makes the buffers of a course; connects the channels.
  void prepare(const course& c);
  /// The seconds of a round, of the one who leads; else 0.
  imbrex::task<double> run();
  /// True unless the bytes that came last are others than were sent.
  imbrex::task<bool> is_right();

  imbrex::mailbox<host_bytes> messages;
  imbrex::channel<host_bytes> host_channel;
  imbrex::device_channel<std::byte> device_channel;
  imbrex::persistent_channel<std::byte> bound_channel;
  imbrex::mailbox<int> answers;  ///< to a window

  imbrex::device_place<std::byte> place(int slot, std::size_t count);
  void take(int slot, imbrex::device_argument<std::byte, &station::place> bytes);

 private:
  static constexpr std::size_t streams = 4;         ///< that what is received goes through
  static constexpr std::size_t bound_streams = 16;  ///< that persistent channels send after
  static constexpr std::size_t most_slots = 64;

  /// What a course needs in a device.
  struct on_device {
    explicit on_device(const course& c);
    imbrex::device_buffer<std::byte> out;
    std::vector<imbrex::device_buffer<std::byte>> in;
    std::optional<imbrex::pinned_buffer<std::byte>> staged_out, staged_in;
    std::vector<imbrex::stream> orders;
    std::vector<imbrex::stream>
        bound;  ///< that persistent channels send after, as each waits for what it sends
    imbrex::stream sending;
    imbrex::event_pool events;
  };

  bool keeps_data() const;
  bool in_device() const { return course_.memory == osu::place::device; }
  std::size_t slot_of(int message) const { return std::size_t(message) % most_slots; }
  imbrex::stream& order_of(int message) { return device_->orders[std::size_t(message) % streams]; }
  imbrex::element<station> other() const { return peers()[course_.other(int(where()[0]))]; }

  imbrex::task<> bind();
  imbrex::task<> exchange_round();
  imbrex::task<> send_window();
  imbrex::task<> receive_window();
  imbrex::task<> send(int message);
  imbrex::task<> receive(int message);
  /// When all that was received is in its memory.
  imbrex::task<> received();
  /// When all that was sent has been read.
  imbrex::task<> sent();
  host_bytes bytes_of(const std::byte* from) const;

  course course_;
  bool leads_ = false;
  std::optional<on_device> device_;
  std::vector<std::byte> host_out_, host_in_;
  std::vector<imbrex::device_loan<std::byte>> loans_;
  arrivals landed_;
  std::int64_t sent_ = 0, received_ = 0, answers_ = 0;  ///< messages of the mailboxes
};

}  // namespace osu
