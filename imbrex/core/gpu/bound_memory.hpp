// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/core/gpu/standing_item.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/device/attachment.hpp>
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

/// The memory in which one end of a persistent channel receives arrays. An end in the same process shares
/// this object and copies into it. The sender marks `filled`, waits for `read`, and uses the stream; the
/// receiver does the reverse. The ends access a slot's events in turn. `puts` and `releases` order these
/// accesses, because a signal to a chare that has moved may arrive by way of another process. The lock is for
/// a receiver that leaves its PE: the sender puts arrays under it. All members except the lock, `has_moved`
/// and the atomic ones belong to the receiver's PE.
struct bound_memory {
  struct slot {
    void* address = nullptr;
    const void* device = nullptr;
    std::size_t count = 0;
    void* held = nullptr;   ///< block of the pool; null for memory outside all pools
    shared_event filled{};  ///< the last array has been put
    shared_event read{};    ///< the last array has been read and may be overwritten
    /// `filled` is of this device, by an end that has arrived with its chare, and not of the sender's stream.
    bool has_travelled = false;
  };

  /// Throws imbrex::error unless all arrays are in memory of device `of`.
  bound_memory(device& of, const std::vector<bound_array>& arrays);
  bound_memory(const bound_memory&) = delete;
  bound_memory& operator=(const bound_memory&) = delete;
  ~bound_memory();

  device& on;
  const int pe;
  /// Streams by which other devices copy here. Copies to several arrays run side by side, as each has a long
  /// latency.
  std::vector<stream> arrivals;
  std::vector<slot> slots{};
  std::atomic<std::int64_t> puts = 0;      ///< arrays sent to this end, after the last `filled` was marked
  std::atomic<std::int64_t> releases = 0;  ///< arrays released by this end, after the last `read` was marked
  std::atomic<bool> is_unbound = false;    ///< the receiver has ended or moved
  std::mutex lock;                         ///< guards `has_moved`, and `slots` against a receiver that leaves
  bool has_moved = false;                  ///< the receiver has left with its chare, and remains bound
  bool is_exported = false;                ///< another process may write to the arrays
  bound_ends* end = nullptr;               ///< the owning end; null after it is unbound
  /// Number of arrays that have been read, if another process's end puts arrays here. Only these are reported
  /// to that end.
  std::int64_t read = 0;
};

/// Holds memory of another process open for putting arrays there. When the last owner ends, the destructor
/// notifies that process. Its PE's thread only.
class hold_elsewhere {
 public:
  hold_elsewhere(std::uint32_t pe, const reply_address& held) : pe_(pe), held_(held) {}
  hold_elsewhere(const hold_elsewhere&) = delete;
  hold_elsewhere& operator=(const hold_elsewhere&) = delete;
  ~hold_elsewhere();
  /// Transfers the duty to notify to another holder.
  void hand_on() noexcept { held_ = {}; }

 private:
  std::uint32_t pe_;
  reply_address held_;
};

/// The receiving memory of one end, sent to the other end.
struct bound_offer {
  bound_offer() = default;
  bound_offer(std::shared_ptr<bound_memory> here, std::int64_t arrays_received);

  std::shared_ptr<bound_memory> memory{};  ///< null in another process
  std::vector<std::uint64_t> counts{};     ///< elements of each array
  std::int64_t received = 0;               ///< number of arrays received so far

  // Fields for ends that have moved with their chares.
  std::uint64_t binding = 0;    ///< as `bound_members`; 0 in a first offer
  bool wants_answer = false;    ///< the other end is to send its offer again, too
  bool may_be_exported = true;  ///< false: other processes send arrays in messages; not sent

  // Fields for memory that other processes of this host can open.
  std::uint32_t pe = 0;
  reply_address held{};
  std::vector<memory_key> keys{};          ///< one for each array; empty if other processes cannot open them
  std::shared_ptr<hold_elsewhere> hold{};  ///< set in the receiving process

  void serialize(writer& out);
  void serialize(reader& in);
};

/// The path of an array to the other end.
enum class way_to_put : std::uint8_t {
  in_order,    ///< a copy in the order of the sender's stream
  to_device,   ///< a copy by a stream of the receiver's device
  to_process,  ///< a copy as in_order; its signal leaves when it is complete
  by_host,     ///< the content of a message that leaves when the array is on the host
  as_content,  ///< the content of a message
};

/// One end's knowledge of both ends: the arrays' addresses, and the progress. Counts of arrays continue when
/// the ends are bound again. Its chare's PE only.
class bound_ends {
 public:
  bound_ends() = default;
  bound_ends(const bound_ends&) = delete;
  bound_ends& operator=(const bound_ends&) = delete;
  ~bound_ends();

  /// Drops the binding; called when its chare leaves the PE.
  void unbind() noexcept;
  /// Receives to these arrays from now on, beginning with the next one. Returns the offer for the other end.
  std::unique_ptr<bound_offer> offer(const std::vector<bound_array>& to);
  /// Sends from these arrays, of elements of `size` bytes, to the memory that the other end has offered.
  void bind(std::vector<bound_array> from, bound_offer* to, std::size_t size);

  /// True if the next array can be put, or if the ends are not bound.
  bool has_room() const { return places_ == 0 || sent_ + promised_ - released_there_ < places_; }
  /// Puts the next array into the other end's memory, in the order of the stream. If the result is `by_host`
  /// or `as_content` nothing was put: send the part that `copy_to_host` or `copy_to_send` returns.
  way_to_put put(stream& filled);
  /// Makes the stream wait until an array put to another device is complete.
  void wait_for_put(stream& filled);
  /// Copies the next array, in the order of the stream: on its device, or to the host.
  attachment copy_to_send(stream& filled);
  attachment copy_to_host(stream& filled);
  /// Returns the slot of the next array, which is in memory of this end or, unless null, in `content`.
  const bound_memory::slot& take(stream& order, attachment* content);
  void release(stream& read);

  /// True if the other end is on this PE and needs no signals: use `tell_of_array` and `tell_of_release`. The
  /// other end may not know this, if it arrived here after this end had sent it the offer.
  bool is_beside() const { return beside_ && there_->end != nullptr; }
  void tell_of_array() {
    bound_ends& other = *there_->end;
    ++other.arrived_;
    ++other.local_arrivals_;
    if (other.first_waiting_ != nullptr) other.item_->queue();
  }
  void tell_of_release() { there_->end->note_released(released_); }
  /// Another process has put an array here.
  void note_put_from_afar() { from_afar_ = true; }
  bool are_put_from_afar() const { return from_afar_; }
  /// The other process's memory. Keep it until an array has been put there, or until that process knows that
  /// arrays have been read here.
  const std::shared_ptr<hold_elsewhere>& hold() const { return hold_; }
  const std::shared_ptr<bound_memory>& here() const { return here_; }
  std::int64_t released() const { return released_; }
  /// A stream that completes when all released arrays have been read.
  stream& reads();

  /// The number of arrays released by this end; call it just before sending it to the other end.
  std::int64_t announced() { return announced_ = from_afar_ ? here_->read : released_; }
  /// True if the other end assumes that all slots are taken, although some are released.
  bool must_announce() const {
    return announced_ < released_ && here_ != nullptr && !from_afar_ &&
           arrived_ - announced_ >= static_cast<std::int64_t>(here_->slots.size());
  }
  void note_arrival() { ++arrived_; }
  /// The other end has released `arrays` arrays in total.
  void note_released(std::int64_t arrays) {
    if (arrays > released_there_) released_there_ = arrays;
    if (!waiting_.empty()) [[unlikely]]
      promise_room();
  }

  void serialize(auto& ar) {
    ar(sent_, received_, released_, announced_, arrived_, released_there_, first_sent_, first_received_,
       local_arrivals_);
  }

 private:
  friend class bound_members;
  friend class wait_for_room;
  friend class wait_for_array;
  const bound_array& next_to_send(const stream& filled) const;
  void promise_room();
  /// Receives to these arrays from now on.
  void receive_to(const std::vector<bound_array>& to);
  /// Sends to the memory that the other end has offered.
  void send_to(const bound_offer& to);
  /// Resumes the first waiting receive, if its array has arrived.
  static void go_on(void* self);
  /// True if an array of this size is always sent within its message, through the host.
  bool go_by_host(std::size_t bytes) const;

  std::shared_ptr<bound_memory> here_, there_;
  std::vector<void*> elsewhere_;  ///< addresses of the arrays in another process; empty if they cannot be put
  std::shared_ptr<hold_elsewhere> hold_;
  int other_pe_ = 0;
  bool beside_ = false;
  bool from_afar_ = false;
  bool has_left_over_ = false;  ///< some arrays had arrived and were not received when it was bound again
  std::vector<bound_array> from_;
  std::vector<shared_event> ready_;  ///< events after which `from_` is filled, for copies by other devices
  std::size_t size_ = 0;             ///< bytes of an element
  std::int64_t places_ = 0;          ///< number of slots of the other end; 0 before it is bound
  std::int64_t first_sent_ = 0;      ///< `sent_` when it was bound
  std::int64_t first_received_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t promised_ = 0;  ///< slots reserved for sends that will resume
  std::int64_t received_ = 0;
  std::int64_t released_ = 0;
  std::int64_t announced_ = 0;  ///< released arrays that the other end knows of
  std::int64_t arrived_ = 0;
  std::int64_t local_arrivals_ = 0;  ///< arrived arrays without a message that no receive has taken
  std::int64_t released_there_ = 0;
  std::vector<class wait_for_room*> waiting_;
  class wait_for_array* first_waiting_ = nullptr;
  class wait_for_array** after_last_waiting_ = &first_waiting_;
  standing_item* item_ = nullptr;  ///< null unless bound
};

/// A waiting receive: for a message, or for an end on the same PE, which sends no message for its array.
class wait_for_array {
 public:
  wait_for_array() = default;
  wait_for_array(const wait_for_array&) = delete;
  wait_for_array& operator=(const wait_for_array&) = delete;

  /// True once its array has arrived without a message.
  bool has_arrived() const { return has_arrived_; }

 protected:
  ~wait_for_array() { leave_if_waiting(); }
  /// Takes an array that arrived without a message. False if there is none, or if another receive waits for
  /// it.
  bool ask(bound_ends& of) {
    has_arrived_ = of.local_arrivals_ > 0 && of.first_waiting_ == nullptr;
    if (has_arrived_) --of.local_arrivals_;
    return has_arrived_;
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
  /// Cancels the wait for a message.
  virtual void forget_message() = 0;
  void leave() {
    *before_ = later_;
    (later_ != nullptr ? later_->before_ : of_->after_last_waiting_) = before_;
    before_ = nullptr;
  }

  bound_ends* of_ = nullptr;
  bool has_arrived_ = false;
  wait_for_array* later_ = nullptr;    ///< next waiting receive
  wait_for_array** before_ = nullptr;  ///< pointer to this in the list; null unless it waits
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

  /// False if no wait is needed.
  bool begin(bound_ends& of, const waiter& who, scope& entry);
  /// Continues after a wait, if there was one.
  void resume() {
    if (of_ == nullptr) [[likely]]
      return;
    wait_->await_resume();
    end();
  }

 private:
  friend class bound_ends;

  void end();

  bound_ends* of_ = nullptr;  ///< null unless it waits
  bool promised_ = false;
  std::unique_ptr<pending_state<void>, pending_deleter<void>> state_;
  std::optional<pending_awaiter<void>> wait_;
};

}  // namespace imbrex::detail
