// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/core/gpu/standing_item.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/device/device_part.hpp>
#include <imbrex/device/memory_key.hpp>
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

class bound_ends;

/// Where one end of a persistent channel takes what comes. In a process the other end knows it, too, and
/// copies there. It marks `filled`, waits for `read`, and uses the stream; the receiver does the reverse.
/// The ends take turns at a slot's events, and their signals order these turns, so that they need no lock.
/// The rest but `gone` is the receiver's PE's.
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
  const int pe;
  /// By which other devices copy here: those to several arrays go side by side, as each takes long to begin.
  std::vector<stream> arrivals;
  std::vector<slot> slots{};
  std::atomic<bool> gone = false;  ///< nobody will take what is put there
  bound_ends* end = nullptr;       ///< whose it is, until it is gone
  /// Arrays that are read, if an end of another process puts them here: it is told of no others.
  std::int64_t read = 0;
};

/// Keeps memory of another process where it is, for who puts arrays there, until the last one that shares
/// this is done. Its PE's.
class hold_elsewhere {
 public:
  hold_elsewhere(std::uint32_t pe, const reply_address& held) : pe_(pe), held_(held) {}
  hold_elsewhere(const hold_elsewhere&) = delete;
  hold_elsewhere& operator=(const hold_elsewhere&) = delete;
  ~hold_elsewhere();
  /// Somebody else will do so.
  void hand_on() noexcept { held_ = {}; }

 private:
  std::uint32_t pe_;
  reply_address held_;
};

/// What an end tells the other of where it takes what comes.
struct bound_offer {
  std::shared_ptr<bound_memory> memory{};  ///< null in another process
  std::vector<std::uint64_t> counts{};     ///< elements of each array
  std::int64_t received = 0;               ///< arrays so far

  // Of memory that processes of this host can find.
  std::uint32_t pe = 0;
  reply_address held{};
  std::vector<memory_key> keys{};          ///< of each array; none if others cannot find them
  std::shared_ptr<hold_elsewhere> hold{};  ///< where it has come to

  void serialize(writer& out);
  void serialize(reader& in);
};

/// How an array goes to the other end.
enum class way_to_put : std::uint8_t {
  in_order,    ///< by a copy in the order of the sender's stream
  to_device,   ///< by a stream of the receiver's device
  to_process,  ///< as in_order; a signal says that it has come, and so leaves late
  by_host,     ///< of a message that leaves late, when the array is on the host
  as_content,  ///< of a message
};

/// What an end of a persistent channel knows of both: where arrays go, and how far they are. Numbers of
/// arrays go on when the ends are bound anew. Its chare's PE.
class bound_ends {
 public:
  bound_ends() = default;
  bound_ends(const bound_ends&) = delete;
  bound_ends& operator=(const bound_ends&) = delete;
  ~bound_ends();

  /// Its chare leaves the PE.
  void unbind() noexcept;
  /// Takes what comes to these arrays from now on.
  std::unique_ptr<bound_offer> offer(const std::vector<bound_array>& to);
  /// Sends from these arrays, of elements of that size, to what the other end has offered.
  void bind(std::vector<bound_array> from, bound_offer* to, std::size_t size);

  /// True if the next array can be put, or the ends are not bound.
  bool has_room() const { return places_ == 0 || sent_ + promised_ - released_there_ < places_; }
  /// Puts the next array straight to where it goes, in the order of the stream, unless it can only be sent,
  /// as `copy_to_host` or `copy_to_send` give it.
  way_to_put put(stream& filled);
  /// Has the stream wait for an array that has been put to another device.
  void wait_for_put(stream& filled);
  /// A copy of the next array, in the order of the stream: on its device, or on the host.
  device_part copy_to_send(stream& filled);
  device_part copy_to_host(stream& filled);
  /// The next array has come, in memory of this end or as the content of a message.
  const bound_memory::slot& take(stream& order, device_part* content);
  void release(stream& read);

  /// True if the other end is on this PE and need not be sent signals: `tell_of_array`, `tell_of_release`. It
  /// may know less of this one, if it came only after this one had told it where to put arrays.
  bool is_beside() const { return beside_; }
  void tell_of_array() {
    bound_ends& other = *there_->end;
    ++other.arrived_;
    ++other.told_;
    if (other.first_waiting_ != nullptr) other.item_->queue();
  }
  void tell_of_release() {
    if (there_->end != nullptr) there_->end->note_released(released_);
  }
  /// An array has been put from another process.
  void note_put_from_afar() { from_afar_ = true; }
  bool are_put_from_afar() const { return from_afar_; }
  /// What must be kept until an array has been put to another process, or until it is known there that
  /// arrays have been read here.
  const std::shared_ptr<hold_elsewhere>& hold() const { return hold_; }
  const std::shared_ptr<bound_memory>& here() const { return here_; }
  std::int64_t released() const { return released_; }
  /// The stream that is done when all arrays that were released have been read.
  stream& reads();

  /// How many arrays this end has released; the other end is about to be told.
  std::int64_t announced() { return announced_ = from_afar_ ? here_->read : released_; }
  /// True if all places are taken as far as the other end knows, and are not.
  bool must_announce() const {
    return announced_ < released_ && here_ != nullptr && !from_afar_ &&
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
  friend class wait_for_array;
  const bound_array& next_to_send(const stream& filled) const;
  std::size_t slot_to_send() const;
  void promise_room();
  /// The first of the receives that wait goes on, if its array is there.
  static void go_on(void* self);
  void find_elsewhere(bound_offer& to);
  /// True if so many bytes surely go with their message, by the host.
  bool go_by_host(std::size_t bytes) const;

  std::shared_ptr<bound_memory> here_, there_;
  std::vector<void*> elsewhere_;  ///< where the arrays go in another process; of none if they cannot be put
  std::shared_ptr<hold_elsewhere> hold_;
  int other_pe_ = 0;
  bool beside_ = false;
  bool from_afar_ = false;
  bool has_left_over_ = false;  ///< arrays that had come, and were not received, when it was bound anew
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
  std::int64_t told_ = 0;  ///< of those, arrays that no message tells of, and nobody has received
  std::int64_t released_there_ = 0;
  std::vector<class wait_for_room*> waiting_;
  class wait_for_array* first_waiting_ = nullptr;
  class wait_for_array** after_last_waiting_ = &first_waiting_;
  standing_item* item_ = nullptr;  ///< while it is bound
};

/// A receive that waits: for a message, or for the end beside, which tells of its array without one.
class wait_for_array {
 public:
  wait_for_array() = default;
  wait_for_array(const wait_for_array&) = delete;
  wait_for_array& operator=(const wait_for_array&) = delete;

  /// True once it has been told of its array, for which no message comes.
  bool is_told() const { return is_told_; }

 protected:
  ~wait_for_array() { leave_if_waiting(); }
  /// True if an array is there that no message tells of.
  bool ask(bound_ends& of) {
    is_told_ = of.told_ > 0 && of.first_waiting_ == nullptr;
    if (is_told_) --of.told_;
    return is_told_;
  }
  void join(bound_ends& those, const waiter& who) {
    of_ = &those;
    waiter_ = who;
    before_ = those.after_last_waiting_;
    *before_ = this;
    those.after_last_waiting_ = &later_;
  }
  void leave_if_waiting() {
    if (before_ != nullptr) leave();
  }

 private:
  friend class bound_ends;
  /// It waits for no message from now on.
  virtual void forget_message() = 0;
  void leave() {
    *before_ = later_;
    (later_ != nullptr ? later_->before_ : of_->after_last_waiting_) = before_;
    before_ = nullptr;
  }

  bound_ends* of_ = nullptr;
  bool is_told_ = false;
  wait_for_array* later_ = nullptr;    ///< among those that wait
  wait_for_array** before_ = nullptr;  ///< what points to it there; null unless it waits
  waiter waiter_;
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
