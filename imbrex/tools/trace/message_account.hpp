// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/tools/trace/chain_store.hpp>
#include <imbrex/tools/trace/message_table.hpp>
#include <imbrex/tools/trace/message_times.hpp>
#include <imbrex/trace/reader.hpp>
#include <imbrex/trace/record.hpp>

namespace imbrex::tools {

/// Follows messages from the sending PE to the PE on which they begin. Within a process a message is
/// identified by its address; when packed, by its packing track and a number.
class message_account {
 public:
  /// `in`: the trace that the records come from.
  message_account(chain_store& chains, const trace::reader& in) : chains_(chains), in_(in) {}

  /// A message that has begun, with its known times.
  struct begun {
    message_in_flight message;
    message_times times;
    std::uint32_t receiver = 0;  ///< track on which it began
  };

  const message_table& in_flight() const { return table_; }
  /// Prefetches the memory that a message's record will change.
  void fetch(const trace::record& r, std::uint32_t process) const { table_.fetch(process, r.a); }

  // `track`: the reader's number of the record's track. `process`: its process.
  /// Returns a message that began at the same time on a track that was read before.
  std::optional<begun> sent(const trace::record& r, std::uint32_t track, std::uint32_t process,
                            std::uint32_t chain);
  /// The number of the message that is sent next.
  std::uint32_t next_number() const { return static_cast<std::uint32_t>(sent_ + 1); }
  /// Returns a message that, by differing clocks, arrived before it was packed, and has begun.
  std::optional<begun> packed(const trace::record& r, std::uint32_t track, std::uint32_t process);
  /// Maps the numbers in `arrived` records to the reader's tracks that pack.
  using tracks_by_number = std::unordered_map<std::uint32_t, std::uint32_t>;
  void arrived(const trace::record& r, std::uint32_t process, const tracks_by_number& packers);
  /// Empty if the send was not recorded, or, at an element's turn in a broadcast, if the message had begun
  /// before. The caller must release its chain.
  std::optional<begun> begin(const trace::record& r, std::uint32_t track, std::uint32_t process);
  /// True if the message was not available at its receiver when it was sent.
  static bool had_to_arrive(const message_in_flight& message);

  /// Counts of incomplete messages.
  struct gaps {
    std::uint64_t arrived_before_sent = 0;  ///< by the recorded clocks
    std::uint64_t unknown = 0;              ///< begun without a recorded send
    std::uint64_t forgotten = 0;            ///< dropped while in flight, as there were too many
  };
  const gaps& unaccounted() const { return gaps_; }

 private:
  // A message that arrived before it was packed: the receiver's clock is behind.
  struct early {
    std::uint32_t process = 0;
    std::uint64_t address = 0;
    std::uint64_t arrived = 0;
    std::optional<std::pair<std::uint64_t, std::uint32_t>> begun{};  // time and track of its begin
  };
  using place = std::pair<std::uint32_t, std::uint64_t>;

  // A message that began without a recorded send, at the time up to which all is read.
  struct unsent {
    std::uint64_t address = 0;
    std::uint32_t process = 0;
    std::uint32_t track = 0;
  };

  /// Whether the record can be the begin of this message: it has the same entry.
  bool calls_entry(const message_in_flight& message, const trace::record& r, std::uint32_t process) const;
  message_in_flight& place_for(std::uint32_t place, std::uint64_t address);
  void forget_old();
  void forget_early(place number);

  chain_store& chains_;
  const trace::reader& in_;
  message_table table_;
  std::map<place, early> early_;           // key: packing track and number
  std::map<place, place> early_messages_;  // process and address to the key in `early_`
  std::vector<unsent> unsent_;
  std::uint64_t unsent_time_ = 0;
  std::uint64_t sent_ = 0;
  gaps gaps_;
};

}  // namespace imbrex::tools
