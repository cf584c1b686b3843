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

/// Follows messages from the PE that sends them to the one on which they begin. Within a process one is known
/// by its address, as bytes by the track that packed it and a number.
class message_account {
 public:
  /// Of that trace.
  message_account(chain_store& chains, const trace::reader& in) : chains_(chains), in_(in) {}

  /// A message that has begun, and what is known of it.
  struct begun {
    message_in_flight message;
    message_times times;
    std::uint32_t receiver = 0;  ///< the track on which it began
  };

  const message_table& in_flight() const { return table_; }
  /// Asks for what a record of a message will change.
  void fetch(const trace::record& r, std::uint32_t process) const { table_.fetch(process, r.a); }

  // Records of a track: its number among those of the reader, and the process it is of.
  /// What it gives has begun at the same time on a track that was read before.
  std::optional<begun> sent(const trace::record& r, std::uint32_t track, std::uint32_t process,
                            std::uint32_t chain);
  /// The number that the message which is sent next will have.
  std::uint32_t next_number() const { return static_cast<std::uint32_t>(sent_ + 1); }
  /// What it gives has arrived by clocks that do not agree, and so before it was packed.
  std::optional<begun> packed(const trace::record& r, std::uint32_t track, std::uint32_t process);
  /// Which of the reader's tracks has a number: one that packs is named so by `arrived`.
  using tracks_by_number = std::unordered_map<std::uint32_t, std::uint32_t>;
  void arrived(const trace::record& r, std::uint32_t process, const tracks_by_number& packers);
  /// Nothing if nobody has told that it was sent, or at the turn of an element in a broadcast if it had begun
  /// before. Its chain is the caller's to release.
  std::optional<begun> begin(const trace::record& r, std::uint32_t track, std::uint32_t process);
  /// It was not there as soon as it was sent.
  static bool had_to_arrive(const message_in_flight& message);

  /// What is not known of messages.
  struct gaps {
    std::uint64_t arrived_before_sent = 0;  ///< by the clocks
    std::uint64_t unknown = 0;              ///< begun, but nobody has recorded that they were sent
    std::uint64_t forgotten = 0;            ///< still on their way when there were too many
  };
  const gaps& unaccounted() const { return gaps_; }

 private:
  // Arrived before it was packed: its clock is behind.
  struct early {
    std::uint32_t process = 0;
    std::uint64_t address = 0;
    std::uint64_t arrived = 0;
    std::optional<std::pair<std::uint64_t, std::uint32_t>> begun{};  // when, and on which track
  };
  using place = std::pair<std::uint32_t, std::uint64_t>;

  // Began without having been sent, at the moment up to which all has been read.
  struct unsent {
    std::uint64_t address = 0;
    std::uint32_t process = 0;
    std::uint32_t track = 0;
  };

  /// What begins by this record, in a process, can be that message: it calls the same entry.
  bool calls_entry(const message_in_flight& message, const trace::record& r, std::uint32_t process) const;
  message_in_flight& place_for(std::uint32_t place, std::uint64_t address);
  void forget_old();
  void forget_early(place number);

  chain_store& chains_;
  const trace::reader& in_;
  message_table table_;
  std::map<place, early> early_;           // by packing track and number
  std::map<place, place> early_messages_;  // by process and address, where they are in early_
  std::vector<unsent> unsent_;
  std::uint64_t unsent_time_ = 0;
  std::uint64_t sent_ = 0;
  gaps gaps_;
};

}  // namespace imbrex::tools
