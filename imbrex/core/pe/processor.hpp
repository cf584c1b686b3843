// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/reply_table.hpp>
#include <imbrex/core/pe/collection_part.hpp>
#include <imbrex/core/pe/local_objects.hpp>
#include <imbrex/core/pe/sent_messages.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/net/endpoint.hpp>
#include <imbrex/net/transport.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex {

struct chare_header;

namespace detail {

class element_work;
class load_meter;
class run_services;

/// Collections of single chares have this bit; the other bits of their number identify the class. The number
/// of an array or group consists of a place in a table (32 bits) and a generation (31 bits). The generation
/// counts the collections that have used the place.
inline constexpr std::uint64_t singles_bit = std::uint64_t{1} << 63U;
inline constexpr unsigned generation_shift = 32;
constexpr std::uint32_t place_of_collection(std::uint64_t id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t generation_of_collection(std::uint64_t id) {
  return static_cast<std::uint32_t>((id & ~singles_bit) >> generation_shift);
}
/// The PE that numbers the broadcasts of an array and ends its reductions.
constexpr int root_of(std::uint64_t id, int pes) {
  return static_cast<int>(place_of_collection(id) % static_cast<std::uint32_t>(pes));
}

/// The number in default-constructed proxies; no collection has it.
inline constexpr std::uint64_t nothing_created = 0;
/// The error for waiters of an array that has ended.
carried_exception array_has_ended();

class processor;

/// The rules by which messages of a PE reach elements of the same PE.
struct delivery_rules {
  bool direct = true;  ///< the PE queues messages to itself; else they go through the transport, too
  /// Each element's copy of a broadcast is a message of its own. The machine can then choose the order, or
  /// charge for each copy and let the PE block in between.
  bool separates_broadcasts = false;
};

/// Ends the run because of an exception that has no receiver.
void fail_run(processor& pe, std::string_view text);

/// Sends an exception to the caller; if it is not awaited there, the run ends with `who` and the exception's
/// text.
void send_failure(std::uint32_t caller, const reply_address& reply, const std::string& who,
                  carried_exception why);

/// Throws imbrex::error: a default-constructed proxy was used. The class and entry are given as far as they
/// are known.
[[noreturn]] void throw_names_nothing(std::string_view chare_name, std::string_view entry_name = {});

/// Throws imbrex::error: the proxy belongs to an earlier run of this process, or to a concurrent one.
[[noreturn]] void throw_proxy_of_another_run(std::string_view chare_name, std::string_view entry_name = {});

/// Throws imbrex::error: the proxy does not come from this run; `pe` is the PE of the named object.
[[noreturn]] void throw_of_another_run(const char* what, std::uint64_t pe);

/// A scheduler with the core's data of each PE: its parts of all arrays and groups, and its reply table.
class processor final : public scheduler {
 public:
  /// `shared`: as of `scheduler`.
  processor(run_services& run, int pe, const clock& time, std::optional<std::uint64_t> shuffle,
            pool* shared = nullptr);
  ~processor() override;

  /// The PE whose entry runs on this thread. Throws imbrex::error on a thread that runs none.
  static processor& here() {
    scheduler* s = current();
    if (s == nullptr) [[unlikely]]
      throw_no_pe();
    return static_cast<processor&>(*s);
  }

  /// Like `here`, without the check: for code that runs on PEs.
  static processor& running_here() { return static_cast<processor&>(*current()); }

  run_services& run() const { return run_; }
  int num_pes() const { return num_pes_; }
  reply_table& replies() { return replies_; }
  /// PEs in turn, this one first: the PEs for new single chares.
  int next_pe() {
    if (++chares_placed_ >= num_pes_) chares_placed_ = 0;
    return (pe() + chares_placed_) % num_pes_;
  }
  bool separates_broadcasts() const { return separates_broadcasts_; }

  /// Sets the run's mark in proxies. Proxies hold marked collection numbers, so that those of one run are
  /// invalid in another. Call before the PE runs.
  void mark_proxies(std::uint32_t run) { mark_ = run; }
  /// Conversions between the number in a proxy and the collection's number.
  std::uint64_t number_of(std::uint64_t in_proxy) const { return in_proxy ^ mark_; }
  std::uint64_t in_proxy(std::uint64_t number) const { return number ^ mark_; }
  /// Throws imbrex::error if a collection that is not here belongs to another run, or is none at all.
  void check_run(std::uint64_t number, std::string_view chare_name, std::string_view entry_name = {}) const;

  /// Sets the transport of messages; call before the first message, and after observers are attached.
  /// `remote_endpoint`: the endpoint for messages to PEs of other processes, if nothing in between has to see
  /// them; or null.
  void connect(transport& wire, const delivery_rules& rules, const pe_range& here,
               endpoint* remote_endpoint) {
    wire_ = &wire;
    remote_endpoint_ = observers() == nullptr ? remote_endpoint : nullptr;
    here_ = here;
    direct_ = rules.direct;
    sent_.set_plain(rules.direct && observers() == nullptr && is_in_order());
    separates_broadcasts_ = rules.separates_broadcasts;
    num_pes_ = here.total;
  }

  /// Notifies the observers of this PE that a message leaves, possibly to this PE.
  void announce(message& m, int to) {
    if (observers() != nullptr) [[unlikely]]
      note_sent(m, to);
  }

  /// The messages that the code of this PE has sent. Messages of the PE to itself are plain if they only go
  /// into its queue (`push_plain`): no transport, no observers, no shuffling.
  sent_messages& sent() { return sent_; }
  const sent_messages& sent() const { return sent_; }

  /// Sends a message to a PE, which may be this one.
  void dispatch(message& m, int to) {
    if (to == pe() && sent_.are_plain()) [[likely]]
      return push_plain(m);
    dispatch_otherwise(m, to);
  }

  /// Gives the transport a message that has been announced.
  void carry(message& m, int to) { wire_->send(m, to); }

  /// The endpoint that takes short messages to PE `to` as bytes; null if messages must be made.
  endpoint* endpoint_for_written(int to) const {
    if (remote_endpoint_ == nullptr) return nullptr;
    const bool is_elsewhere = !here_.holds(to) && to >= 0 && to < num_pes_;  // `to` may come from the
                                                                             // network, so it is checked
    return is_elsewhere ? remote_endpoint_ : nullptr;
  }

  /// A number that no other array or group has, in any process.
  std::uint64_t new_collection();
  /// This PE's part of an array or group; null if it has not been created here yet, or has ended.
  collection_part* collection(std::uint64_t id) const {
    const auto& of_kind = (id & singles_bit) != 0 ? singles_ : arrays_;
    const std::uint32_t place = place_of_collection(id);
    return place < of_kind.size() && of_kind[place].id == id ? of_kind[place].part.get() : nullptr;
  }
  /// True if the array has ended.
  bool has_ended(std::uint64_t id) const {
    const std::uint32_t place = place_of_collection(id);
    return (id & singles_bit) == 0 && place < arrays_.size() &&
           generation_of_collection(id) < arrays_[place].next_generation;
  }
  /// Like `collection`, if the part's class has this name; else null.
  collection_part* collection_of(std::uint64_t id, std::string_view chare_name);
  /// Like `collection_of`, only for the part that it found last; else null.
  collection_part* recent_collection(std::uint64_t id, std::string_view chare_name) const {
    if (recent_.id != id || recent_.chare_name != chare_name.data()) [[unlikely]]
      return nullptr;
    if (recent_.part == nullptr) __builtin_unreachable();
    return recent_.part;
  }
  void install(owner<collection_part> part);
  /// Hides a part: messages for it wait as if it had not been created.
  void freeze(std::uint64_t id);
  /// A frozen part, or null.
  collection_part* frozen(std::uint64_t id) const;
  /// Makes a frozen part available again.
  void thaw(std::uint64_t id);
  /// Frees this PE's data for an array that has ended.
  void remove(std::uint64_t id);

  /// The object of type T that another room keeps on this PE; its first use makes it. It is destroyed with
  /// the chares.
  template <class T>
  T& local() {
    return locals_.get<T>();
  }

  /// Keeps a message for an array that is not known here yet. Throws imbrex::error, and destroys the message,
  /// if a default-constructed proxy has sent it.
  void hold(message& m);

  /// The meter of the elements' loads; null if they are not measured.
  load_meter* loads() const { return loads_; }
  /// For `load_meter::attach`: keeps the meter as long as the PE lives. Both name the same object.
  void set_loads(load_meter& meter, owner<item_meter> kept) {
    loads_ = &meter;
    meter_ = std::move(kept);
    sent_.set_read();
  }

  /// Visits all collections here.
  template <class Visitor>
  void for_each_collection(Visitor visit) const {
    for (const auto* of_kind : {&arrays_, &singles_})
      for (const auto& c : *of_kind)
        if (c.part) visit(*c.part);
  }
  const std::vector<message*>& held() const { return held_; }

  /// Destroys all chares and unread messages; after the run, called by the thread that has activated this PE.
  /// The parts of arrays stay, since destructors of chares on their way to other PEs may use them.
  void clear() noexcept;
  /// Destroys the parts, when no chare is left on any PE or in transit.
  void clear_parts() noexcept;

  scope main;  ///< scope of the main task, on PE 0

  /// The element in use, where the item does not name it: while a broadcast is delivered, or code runs that
  /// is no entry.
  struct element_at_work {
    const chare_header* element = nullptr;
    const message_type* entry = nullptr;
  };
  const element_at_work& at_work() const { return at_work_; }

 private:
  friend class element_work;
  friend class observed_sends;

  struct slot {
    std::uint64_t id = 0;  ///< number of the part, while there is one
    owner<collection_part> part;
    std::uint32_t next_generation = 0;  ///< all earlier generations have ended here
  };

  /// Parts by their place in collection numbers.
  using part_table = std::vector<slot>;
  /// The last part looked up; its class is identified by the address of its name.
  struct recent_part {
    std::uint64_t id = 0;
    const char* chare_name = nullptr;
    collection_part* part = nullptr;
  };

  [[noreturn]] static void throw_no_pe();
  void note_sent(message& m, int to);
  void dispatch_otherwise(message& m, int to);
  slot& slot_to_change(std::uint64_t id);
  /// The messages held for an array that exists now, or has ended.
  std::vector<message*> take_held(std::uint64_t id);

  run_services& run_;
  transport* wire_ = nullptr;
  endpoint* remote_endpoint_ = nullptr;
  pe_range here_;
  bool direct_ = true;
  bool separates_broadcasts_ = false;
  int num_pes_ = 1;
  int chares_placed_ = -1;
  std::uint32_t mark_ = 0;
  recent_part recent_;
  part_table arrays_;
  part_table singles_;
  local_objects locals_;
  std::vector<message*> held_;
  reply_table replies_;
  sent_messages sent_;
  load_meter* loads_ = nullptr;
  owner<item_meter> meter_;
  element_at_work at_work_;
};

/// While it exists, `observers` are those of all events of a PE, and messages take the long ways by which
/// their sends are reported.
class observed_sends {
 public:
  observed_sends(processor& pe, const observer_list& observers)
      : pe_(pe),
        observers_(std::exchange(pe.observers_.if_everything, &observers)),
        remote_endpoint_(std::exchange(pe.remote_endpoint_, nullptr)),
        are_plain_(pe.sent_.are_plain()) {
    pe.sent_.set_plain(false);
  }
  observed_sends(const observed_sends&) = delete;
  observed_sends& operator=(const observed_sends&) = delete;
  ~observed_sends() {
    pe_.observers_.if_everything = observers_;
    pe_.remote_endpoint_ = remote_endpoint_;
    pe_.sent_.set_plain(are_plain_);
  }

 private:
  processor& pe_;
  const observer_list* const observers_;
  endpoint* const remote_endpoint_;
  const bool are_plain_;
};

/// Records, for the description of a crash, which element the PE works on, until the end of the block.
class element_work {
 public:
  explicit element_work(processor& pe) : pe_(pe), before_(pe.at_work_) {}
  element_work(processor& pe, const chare_header& element) : element_work(pe) { begin(element, nullptr); }
  element_work(const element_work&) = delete;
  element_work& operator=(const element_work&) = delete;
  ~element_work() { pe_.at_work_ = before_; }

  /// `entry`: null for code that is no entry, such as a constructor.
  void begin(const chare_header& element, const message_type* entry) { pe_.at_work_ = {&element, entry}; }

 private:
  processor& pe_;
  const processor::element_at_work before_;
};

}  // namespace detail
}  // namespace imbrex
