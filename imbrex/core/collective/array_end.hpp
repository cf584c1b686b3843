// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <imbrex/core/pe/array_listener.hpp>
#include <imbrex/core/pe/pending.hpp>

namespace imbrex::detail {

class local_array;

/// Destroys an array; ready when all its elements are destroyed.
pending<void> end_array(std::uint64_t collection);

/// A PE's counts of element events of an array. All counts only grow, so the larger of two reports is the
/// newer.
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

/// Ends an array and frees its resources.
///
/// Explicit destruction: the root makes every PE close its part. Closing destroys the elements there and,
/// from then on, those that arrive. Each PE reports the numbers of elements that have left it and that have
/// arrived. When all PEs have reported, and equally many elements have arrived as left, no element is left;
/// then the root has the parts removed.
///
/// Automatic end: the array began with elements, and all are destroyed. The array may be filled again, so it
/// stays until `kept_arrays` other arrays have become empty since. Then the root makes every PE freeze its
/// part: messages for it wait. If all parts are empty, and nothing is in flight between them, they are
/// removed; otherwise they continue.
///
/// The number of the array can be reused once its part is removed on the PE that made it. By then all PEs
/// have closed or frozen their parts. A part that the removal has not reached yet is replaced by its
/// successor.
class end_station final : public array_listener {
 public:
  end_station(local_array& part, std::uint64_t initial_elements);
  ~end_station();
  end_station(const end_station&) = delete;
  end_station& operator=(const end_station&) = delete;

  // Called on each PE.

  /// The PE that made the array.
  int creator() const { return creator_; }
  void set_creator(int pe) { creator_ = pe; }
  void element_inserted(chare_header&) override { ++counts_.inserted; }
  void element_destroyed(const chare_header&) override { ++counts_.destroyed; }
  void element_left(const chare_header&) override { ++counts_.departed; }
  void element_arrived(chare_header&) override { ++counts_.arrived; }
  const element_counts& counts() const { return counts_; }
  /// An element has arrived at a closed part, and was destroyed.
  void stray_arrived();
  /// Called on request of the root.
  void close();
  void freeze();

  // Called at the root.

  /// A PE has lost its last element.
  void became_empty(int pe, const element_counts& counts);
  /// The destruction of the array is requested.
  void requested(std::uint32_t caller, const reply_address& reply);
  /// A PE has closed or frozen its part, or another element has arrived there since.
  void answered(int pe, const element_counts& counts, bool is_empty);

  /// The approximate number of empty arrays that are kept per PE, in a run of `pes` PEs.
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
  bool listed_ = false;    ///< in the PE's list of empty arrays
  bool all_empty_ = true;  ///< true while all parts that have replied are empty
  int answers_ = 0;
  std::vector<bool> has_answered_;
  std::vector<element_counts> of_pes_;
  element_counts all_;  ///< sum of `of_pes_`
  std::vector<std::pair<std::uint32_t, reply_address>> waiters_;
};

}  // namespace imbrex::detail
