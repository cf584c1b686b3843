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

/// Bytes of host memory in a message.
struct host_bytes {
  std::vector<std::byte> bytes;
  imbrex::absent_bytes left_out{};  ///< set with --no-data
};

/// Counts received arrays and resumes a coroutine that waits for more: communication between entries of one
/// chare without messages.
class arrivals {
 public:
  void add() {
    ++count_;
    if (waiting_ && count_ >= awaited_) std::exchange(waiting_, nullptr).resume();
  }
  /// Completes when `more` arrays beyond those awaited before have been counted.
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

/// One chare of a pair: sends and receives windows of messages by one transport. Received data count only
/// when they are complete in their memory, device memory if that is their destination.
class station : public imbrex::chare<station, imbrex::index<1>> {
 public:
  /// Creates the buffers of a course and connects the channels.
  void prepare(const course& c);
  /// The seconds of a round for the leading chare; otherwise 0.
  imbrex::task<double> run();
  /// True unless the last received bytes differ from the sent ones.
  imbrex::task<bool> is_right();

  imbrex::mailbox<host_bytes> messages;
  imbrex::channel<host_bytes> host_channel;
  imbrex::device_channel<std::byte> device_channel;
  imbrex::persistent_channel<std::byte> bound_channel;
  imbrex::mailbox<int> answers;  ///< replies to windows

  imbrex::device_place<std::byte> place(int slot, std::size_t count);
  void take(int slot, imbrex::device_argument<std::byte, &station::place> bytes);

 private:
  static constexpr std::size_t streams = 4;         ///< streams for received data
  static constexpr std::size_t bound_streams = 16;  ///< streams from which persistent channels send
  static constexpr std::size_t most_slots = 64;

  /// The objects of a course on a device.
  struct on_device {
    explicit on_device(const course& c);
    imbrex::device_buffer<std::byte> out;
    std::vector<imbrex::device_buffer<std::byte>> in;
    std::optional<imbrex::pinned_buffer<std::byte>> staged_out, staged_in;
    std::vector<imbrex::stream> orders;
    std::vector<imbrex::stream>
        bound;  ///< streams from which persistent channels send, as each send waits for its array
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
  /// Completes when all received data are in their memory.
  imbrex::task<> received();
  /// Completes when all sent data have been read.
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
