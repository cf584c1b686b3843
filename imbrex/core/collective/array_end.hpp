// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <imbrex/core/pe/pending.hpp>

namespace imbrex::detail {

class local_array;

/// Destroys an array; ready when all its elements are destroyed.
pending<void> end_array(std::uint64_t collection);

/// What a PE has seen of the elements of an array. All only grow, so of two reports the one that says more is
/// the newer.
struct element_counts {
  std::uint64_t inserted = 0;
  std::uint64_t destroyed = 0;
  std::uint64_t departed = 0;
  std::uint64_t arrived = 0;

  void take_newer(const element_counts& other);
  element_counts& operator+=(const element_counts& other);
  element_counts& operator-=(const element_counts& other);
  void serialize(auto& ar) { ar(inserted, destroyed, departed, arrived); }
};

/// How an array ends, and what it took is given back.
///
/// Somebody destroys it: the root has every PE close its part. That destroys the elements there and, from
/// then on, those that arrive; each PE says how many have left it and arrived. When all have said so, and as
/// many have arrived as left, no element is left, and the root has the parts removed.
///
/// Or the array began with elements, and all are destroyed. It may be filled again, so it stays until as many
/// others have become empty since as `kept_arrays` says; then the root has every PE freeze its part: messages
/// for it wait. If all parts are empty, and nothing is under way between them, they are removed; else they go
/// on.
///
/// The number of the array is free for another one when it is removed where it was made. By then all have
/// closed their parts, or frozen them; a part that the news of its removal has not reached gives way to its
/// successor.
class end_station {
 public:
  end_station(local_array& part, std::uint64_t initial_elements);
  ~end_station();
  end_station(const end_station&) = delete;
  end_station& operator=(const end_station&) = delete;

  // On each PE.

  /// The PE that made the array.
  int creator() const { return creator_; }
  void set_creator(int pe) { creator_ = pe; }
  void element_inserted() { ++counts_.inserted; }
  void element_destroyed() { ++counts_.destroyed; }
  void element_left() { ++counts_.departed; }
  void element_arrived() { ++counts_.arrived; }
  const element_counts& counts() const { return counts_; }
  /// An element has come to a part that is closed, and was destroyed.
  void stray_arrived();
  /// Asked by the root.
  void close();
  void freeze();

  // At the root.

  /// A PE has no element.
  void became_empty(int pe, const element_counts& counts);
  /// Somebody destroys the array.
  void requested(std::uint32_t caller, const reply_address& reply);
  /// A PE has closed its part or frozen it, or another element has come to it since.
  void answered(int pe, const element_counts& counts, bool is_empty);

  /// So many arrays without elements, about, are kept in a run of so many PEs on each of them.
  static std::size_t kept_arrays(int pes);

 private:
  enum class phase : std::uint8_t { lives, closes, freezes, has_ended };

  template <class M>
  void send_all();
  void send_answer(bool is_empty);
  void reported(int pe, const element_counts& counts);
  bool seems_empty() const;
  void look_at_oldest();
  void begin(phase next);
  void finish_freezing();
  void finish();

  local_array& part_;
  const std::uint64_t initial_;
  int creator_ = -1;
  element_counts counts_;

  phase phase_ = phase::lives;
  bool listed_ = false;    ///< among the PE's empty arrays
  bool all_empty_ = true;  ///< that have answered
  int answers_ = 0;
  std::vector<bool> has_answered_;
  std::vector<element_counts> of_pes_;
  element_counts all_;  ///< their sum
  std::vector<std::pair<std::uint32_t, reply_address>> waiters_;
};

}  // namespace imbrex::detail
