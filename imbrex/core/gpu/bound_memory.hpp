// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <imbrex/core/pe/pending.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/device/device_part.hpp>
#include <imbrex/device/shared_event.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::detail {

/// An array in a device's memory.
struct bound_array {
  const void* address = nullptr;
  const void* device = nullptr;
  std::size_t count = 0;
};

template <class Span>
std::vector<bound_array> bound_arrays(const std::vector<Span>& spans) {
  std::vector<bound_array> arrays;
  for (const auto& span : spans) arrays.push_back({span.data(), span.device(), span.size()});
  return arrays;
}

/// Where one end of a persistent channel takes what comes. In a process the other end knows it, too, and
/// copies there. It marks `filled`, waits for `read`, and uses the stream; the receiver does the reverse.
/// The ends take turns at a slot's events, and their signals order these turns, so that they need no lock.
struct bound_memory {
  struct slot {
    void* address = nullptr;
    const void* device = nullptr;
    std::size_t count = 0;
    void* held = nullptr;   ///< the block of the pool; null for memory that no pool has
    shared_event filled{};  ///< of what has been put last
    shared_event read{};    ///< when what was put last is needed no more
  };

  /// Throws imbrex::error unless the memory is of that device.
  bound_memory(device& of, const std::vector<bound_array>& arrays);
  bound_memory(const bound_memory&) = delete;
  bound_memory& operator=(const bound_memory&) = delete;
  ~bound_memory();

  device& on;
  stream arrivals;  ///< by which other devices copy here
  std::vector<slot> slots{};
  std::atomic<bool> gone = false;  ///< nobody will take what is put there
};

/// What an end tells the other of where it takes what comes.
struct bound_offer {
  std::shared_ptr<bound_memory> memory;  ///< null in another process
  std::vector<std::uint64_t> counts;     ///< elements of each array
  std::int64_t received = 0;             ///< arrays so far

  void serialize(auto& ar) { ar(counts, received); }
};

/// What an end of a persistent channel knows of both: where arrays go, and how far they are. Numbers of
/// arrays go on when the ends are bound anew. Its chare's PE.
class bound_ends {
 public:
  bound_ends() = default;
  bound_ends(bound_ends&&) noexcept = default;
  bound_ends& operator=(bound_ends&&) noexcept = default;
  ~bound_ends();

  /// Takes what comes to these arrays from now on.
  std::unique_ptr<bound_offer> offer(const std::vector<bound_array>& to);
  /// Sends from these arrays, of elements of that size, to what the other end has offered.
  void bind(std::vector<bound_array> from, bound_offer* to, std::size_t size);

  /// True if the next array can be put, or the ends are not bound.
  bool has_room() const { return places_ == 0 || sent_ + promised_ - released_there_ < places_; }
  /// Puts the next array straight to where it goes, in the order of the stream. False if it can only be sent,
  /// as `copy_to_send` gives it.
  bool put(stream& filled);
  /// A copy of the next array, in the order of the stream.
  device_part copy_to_send(stream& filled);
  /// The next array has come, in memory of this end or as the content of a message.
  const bound_memory::slot& take(stream& order, device_part* content);
  void release(stream& read);

  /// How many arrays this end has released; the other end is about to be told.
  std::int64_t announced() { return announced_ = released_; }
  /// True if all places are taken as far as the other end knows, and are not.
  bool must_announce() const {
    return announced_ < released_ && here_ != nullptr &&
           arrived_ - announced_ >= static_cast<std::int64_t>(here_->slots.size());
  }
  void note_arrival() { ++arrived_; }
  /// The other end has released so many.
  void note_released(std::int64_t arrays) {
    if (arrays > released_there_) released_there_ = arrays;
    if (!waiting_.empty()) [[unlikely]]
      promise_room();
  }

  void serialize(auto& ar) { ar(sent_, received_, released_, announced_, arrived_, released_there_); }

 private:
  friend class wait_for_room;

  const bound_array& next_to_send(const stream& filled) const;
  void promise_room();

  std::shared_ptr<bound_memory> here_, there_;
  std::vector<bound_array> from_;
  std::vector<shared_event> ready_;  ///< when those of `from_` were filled, for other devices
  std::size_t size_ = 0;             ///< of an element
  std::int64_t places_ = 0;          ///< of the other end; none before it is bound
  std::int64_t first_sent_ = 0;      ///< when it was bound
  std::int64_t first_received_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t promised_ = 0;  ///< places for sends that go on soon
  std::int64_t received_ = 0;
  std::int64_t released_ = 0;
  std::int64_t announced_ = 0;  ///< released arrays that the other end has been told of
  std::int64_t arrived_ = 0;
  std::int64_t released_there_ = 0;
  std::vector<class wait_for_room*> waiting_;
};

/// A send that waits until the other end has released an array.
class wait_for_room {
 public:
  wait_for_room() = default;
  wait_for_room(const wait_for_room&) = delete;
  wait_for_room& operator=(const wait_for_room&) = delete;
  ~wait_for_room() {
    if (of_ != nullptr) [[unlikely]]
      end();
  }

  /// False if it need not wait.
  bool begin(bound_ends& of, const waiter& who, scope& entry);
  /// It goes on, if it has waited.
  void resume() {
    if (of_ == nullptr) [[likely]]
      return;
    wait_->await_resume();
    end();
  }

 private:
  friend class bound_ends;

  void end();

  bound_ends* of_ = nullptr;  ///< while it waits
  bool promised_ = false;
  std::unique_ptr<pending_state<void>, pending_deleter<void>> state_;
  std::optional<pending_awaiter<void>> wait_;
};

}  // namespace imbrex::detail
