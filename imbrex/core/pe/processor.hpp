// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/reply_table.hpp>
#include <imbrex/core/pe/collection_part.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/net/endpoint.hpp>
#include <imbrex/net/transport.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex {

struct chare_header;

namespace detail {

class element_work;
class run_services;

/// The members of a section, of whatever type their keys are.
class section_base {
 public:
  explicit section_base(std::uint64_t of) : collection(of) {}
  virtual ~section_base() = default;

  const std::uint64_t collection;  ///< the array that they belong to
};

/// What a PE keeps of messages that go or come in pieces.
class pieces_of_messages {
 public:
  virtual ~pieces_of_messages() = default;
};

/// Collections of single chares have this bit; the rest of their number is that of their class. That of
/// arrays and groups is a place in a table (32 bits) and which of those that have had this place one after
/// the other it is (31 bits).
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

/// No collection has this number: default-constructed proxies do.
inline constexpr std::uint64_t nothing_created = 0;
/// What somebody is told who waits for an array that has ended.
carried_exception array_has_ended();

class processor;

/// How the messages of a PE reach elements of the same PE.
struct delivery_rules {
  bool direct = true;  ///< the PE queues what it sends to itself; else that travels, too
  /// Each element's copy of a broadcast is a message of its own, so that the machine can choose the order, or
  /// charge for each and let the PE block in between.
  bool separates_broadcasts = false;
  /// Memory of devices may be apart although both PEs are of one process, as if they were of two hosts.
  bool has_hosts_apart = false;
};

/// Says to the run that an exception left something that has nobody to tell: it ends.
void fail_run(processor& pe, std::string_view text);

/// Sends an exception to the one who asked; if nobody waits for it there, the run ends with `who` and its
/// text.
void send_failure(std::uint32_t caller, const reply_address& reply, const std::string& who,
                  carried_exception why);

/// Says that such a proxy was used, of a class and for an entry, as far as they are known.
[[noreturn]] void throw_names_nothing(std::string_view chare_name, std::string_view entry_name = {});

/// Says that a proxy was used that is of an earlier run of this process, or of another that goes on beside
/// this one.
[[noreturn]] void throw_proxy_of_another_run(std::string_view chare_name, std::string_view entry_name = {});

/// Says that a proxy was used that does not come from this run, of what is or was on that PE.
[[noreturn]] void throw_of_another_run(const char* what, std::uint64_t pe);

/// A scheduler with what the core keeps on each PE: its parts of all arrays and groups, and whom to answer.
class processor final : public scheduler {
 public:
  processor(run_services& run, int pe, const clock& time, std::optional<std::uint64_t> shuffle);
  ~processor() override;

  /// The PE whose entry runs on this thread. Throws imbrex::error on a thread that runs none.
  static processor& here() {
    scheduler* s = current();
    if (s == nullptr) [[unlikely]]
      throw_no_pe();
    return static_cast<processor&>(*s);
  }

  /// The same where one does: for what PEs run.
  static processor& running_here() { return static_cast<processor&>(*current()); }

  run_services& run() const { return run_; }
  int num_pes() const { return num_pes_; }
  reply_table& replies() { return replies_; }
  /// PEs in turn, this one first: where single chares go.
  int next_pe() {
    if (++chares_placed_ >= num_pes_) chares_placed_ = 0;
    return (pe() + chares_placed_) % num_pes_;
  }
  bool separates_broadcasts() const { return separates_broadcasts_; }

  /// Proxies hold numbers of collections with the mark of their run, so that those of one run name nothing in
  /// another; before the PE runs.
  void mark_proxies(std::uint32_t run) { mark_ = run; }
  /// The number of the collection that a proxy names, and what a proxy names a collection by.
  std::uint64_t number_of(std::uint64_t in_proxy) const { return in_proxy ^ mark_; }
  std::uint64_t in_proxy(std::uint64_t number) const { return number ^ mark_; }
  /// Throws imbrex::error if a collection that is not here is one of another run, or none at all.
  void check_run(std::uint64_t number, std::string_view chare_name, std::string_view entry_name = {}) const;

  /// Says how messages leave; before the first of them, and after observers have come. `beyond`: what carries
  /// those to PEs that are not of this process, if nothing in between wants to see them; or null.
  void connect(transport& wire, const delivery_rules& rules, const pe_range& here, endpoint* beyond) {
    wire_ = &wire;
    beyond_ = observers() == nullptr ? beyond : nullptr;
    here_ = here;
    direct_ = rules.direct;
    queues_plainly_ = rules.direct && observers() == nullptr && is_in_order();
    separates_broadcasts_ = rules.separates_broadcasts;
    has_hosts_apart_ = rules.has_hosts_apart;
    num_pes_ = here.total;
  }

  /// Tells the observers of this PE that a message leaves for another, or this one.
  void announce(message& m, int to) {
    if (observers() != nullptr) [[unlikely]]
      note_sent(m, to);
  }

  /// True if what the PE sends to itself only goes into its queue (`push_plain`): it does not travel, nobody
  /// is to be told, and nothing is shuffled.
  bool queues_plainly() const { return queues_plainly_; }

  /// Sends a message to a PE, which may be this one.
  void dispatch(message& m, int to) {
    if (to == pe() && queues_plainly_) [[likely]]
      return push_plain(m);
    dispatch_otherwise(m, to);
  }

  /// Gives a message that has been announced to the transport.
  void carry(message& m, int to) { wire_->send(m, to); }

  /// What takes short messages to that PE as bytes; null if messages must be made.
  endpoint* endpoint_for_written(int to) const {
    if (beyond_ == nullptr) return nullptr;
    const bool is_elsewhere = !here_.holds(to) && to >= 0 && to < num_pes_;  // places come off wires, too
    return is_elsewhere ? beyond_ : nullptr;
  }

  /// A number that no other array or group has, in any process.
  std::uint64_t new_collection();
  /// This PE's part of an array or group; null if it has not been created here yet, or has ended.
  collection_part* collection(std::uint64_t id) const {
    const auto& of_kind = (id & singles_bit) != 0 ? singles_ : arrays_;
    const std::uint32_t place = place_of_collection(id);
    return place < of_kind.size() && of_kind[place].id == id ? of_kind[place].part.get() : nullptr;
  }
  /// True if there will be no such array any more.
  bool has_ended(std::uint64_t id) const {
    const std::uint32_t place = place_of_collection(id);
    return (id & singles_bit) == 0 && place < arrays_.size() &&
           generation_of_collection(id) < arrays_[place].next_generation;
  }
  /// The same if it is of the class of that name.
  collection_part* collection_of(std::uint64_t id, std::string_view chare_name);
  /// The same if it is the one that `collection_of` found last; else null.
  collection_part* recent_collection(std::uint64_t id, std::string_view chare_name) const {
    if (recent_.id != id || recent_.chare_name != chare_name.data()) [[unlikely]]
      return nullptr;
    if (recent_.part == nullptr) __builtin_unreachable();
    return recent_.part;
  }
  void install(std::unique_ptr<collection_part> part);
  /// Takes a part out of the way: messages for it wait as if it had not been created.
  void freeze(std::uint64_t id);
  /// A part that is frozen, or null.
  collection_part* frozen(std::uint64_t id) const;
  /// Puts it back.
  void thaw(std::uint64_t id);
  /// Gives back what this PE keeps for an array that has ended.
  void remove(std::uint64_t id);
  /// The arrays that end here and have no elements, the oldest first.
  std::deque<std::uint64_t>& empty_arrays() { return empty_arrays_; }

  /// Keeps the members of a section that is made here, and returns its number. The array itself may not have
  /// come yet.
  std::uint64_t add_section(std::unique_ptr<section_base> members);
  /// The PE on which a section was made. Throws imbrex::error if this run has not so many.
  int root_of_section(std::uint64_t id) const;
  /// The members of a section of that array that was made here. Throws imbrex::error if there is none.
  const section_base& section(std::uint64_t collection, std::uint64_t id) const;

  /// Keeps a message for an array of which this PE has not heard yet. Throws imbrex::error, and destroys the
  /// message, if a default-constructed proxy has sent it.
  void hold(message& m);

  /// Of messages in pieces: what goes to all PEs, by -1 and 0, to each, by that and 0, and each message of
  /// which not all has come, by the PE that sends it and its number for it.
  using pieces_table = std::map<std::pair<int, std::uint32_t>, std::unique_ptr<pieces_of_messages>>;
  pieces_table& pieces() { return pieces_; }

  /// Visits all collections here.
  template <class Visitor>
  void for_each_collection(Visitor visit) const {
    for (const auto* of_kind : {&arrays_, &singles_})
      for (const auto& c : *of_kind)
        if (c.part) visit(*c.part);
  }
  const std::vector<message*>& held() const { return held_; }

  /// Destroys all chares and unread messages; after the run, by whoever has activated this PE. Its parts of
  /// arrays stay for chares on their way to others, whose destructors may ask where they are.
  void clear() noexcept;
  /// Destroys those too, when no chare is left on any PE or between them.
  void clear_parts() noexcept;

  scope main;  ///< of the main task, on PE 0

  /// What it does with an element where its item does not say so: gives it a broadcast, or runs what is no
  /// entry.
  struct element_at_work {
    const chare_header* element = nullptr;
    const message_type* entry = nullptr;
  };
  const element_at_work& at_work() const { return at_work_; }

 private:
  friend class element_work;

  struct slot {
    std::uint64_t id = 0;  ///< of the part, while it is there
    std::unique_ptr<collection_part> part;
    std::uint32_t next_generation = 0;  ///< all before have ended here
  };

  /// Parts by their place.
  using part_table = std::vector<slot>;
  /// The part that was looked for last, of a class that is known by where its name lies.
  struct recent_part {
    std::uint64_t id = 0;
    const char* chare_name = nullptr;
    collection_part* part = nullptr;
  };

  [[noreturn]] static void throw_no_pe();
  void note_sent(message& m, int to);
  void dispatch_otherwise(message& m, int to);
  slot& slot_to_change(std::uint64_t id);
  /// What was held for an array that is there now, or has ended.
  std::vector<message*> take_held(std::uint64_t id);

  run_services& run_;
  transport* wire_ = nullptr;
  endpoint* beyond_ = nullptr;
  pe_range here_;
  bool direct_ = true;
  bool queues_plainly_ = false;
  bool separates_broadcasts_ = false;
  bool has_hosts_apart_ = false;
  int num_pes_ = 1;
  int chares_placed_ = -1;
  std::uint32_t mark_ = 0;
  recent_part recent_;
  part_table arrays_;
  part_table singles_;
  std::map<std::uint64_t, std::unique_ptr<collection_part>> frozen_;
  std::deque<std::uint64_t> empty_arrays_;
  std::unordered_map<std::uint64_t, std::unique_ptr<section_base>> sections_;
  std::uint64_t sections_made_ = 0;
  std::vector<message*> held_;
  pieces_table pieces_;
  reply_table replies_;
  element_at_work at_work_;
};

/// Says, for the description of a crash, what a PE does with which elements, until the end of the block.
class element_work {
 public:
  explicit element_work(processor& pe) : pe_(pe), before_(pe.at_work_) {}
  element_work(processor& pe, const chare_header& element) : element_work(pe) { begin(element, nullptr); }
  element_work(const element_work&) = delete;
  element_work& operator=(const element_work&) = delete;
  ~element_work() { pe_.at_work_ = before_; }

  /// `entry`: null for what is none, such as a constructor.
  void begin(const chare_header& element, const message_type* entry) { pe_.at_work_ = {&element, entry}; }

 private:
  processor& pe_;
  const processor::element_at_work before_;
};

}  // namespace detail
}  // namespace imbrex
