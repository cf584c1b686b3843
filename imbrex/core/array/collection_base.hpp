// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <imbrex/core/collective/array_end.hpp>
#include <imbrex/core/collective/broadcasts.hpp>
#include <imbrex/core/collective/reductions.hpp>
#include <imbrex/core/pe/part_request.hpp>

namespace imbrex::detail {

struct chare_functions;

/// The arrays whose elements have arrived in the bundle that a PE delivers now. Their parts report all
/// arrivals at its end.
class bundled_arrivals {
 public:
  /// The arrays of the bundle that this thread delivers; null if it delivers none.
  static bundled_arrivals* open() { return open_; }

  bundled_arrivals() { open_ = this; }
  bundled_arrivals(const bundled_arrivals&) = delete;
  bundled_arrivals& operator=(const bundled_arrivals&) = delete;
  ~bundled_arrivals() { open_ = nullptr; }

  std::vector<std::uint64_t> arrays;

 private:
  static inline constinit thread_local bundled_arrivals* open_ = nullptr;
};

/// The elements with which an array begins, on all PEs.
struct array_beginning {
  std::uint64_t elements = 0;
  /// True if each index of the shape has had an element: one that is missing was destroyed, and the array
  /// ends with its last element.
  bool filled = false;
};

/// One PE's part of an array, with its stations for collectives.
class collection_base : public local_array {
 public:
  collection_base(processor& pe, std::uint64_t id, const class_names& of, const array_beginning& begins);
  ~collection_base() override;

  int creator() const override { return ending_.creator(); }
  tree_reduction& reduction_over(std::uint64_t section) override;
  void became_empty(std::optional<std::uint64_t> next_report) override;
  /// At the root: a PE has no elements of the array.
  void notified_empty(const requester& from, std::optional<std::uint64_t> next_report, element_counts counts);

  /// The functions of the elements' class.
  virtual const chare_functions& chares() const = 0;
  /// Writes the components of the index with this number, at most six. Returns how many; 0 if keys are no
  /// indices.
  virtual int write_coordinates(std::uint64_t key, float* out) const = 0;
  /// Destroys an element that is here.
  virtual void destroy(chare_header& e) = 0;
  /// Sends an element to PE `to`. `restart` calls the entry again that was at a balance point; null if there
  /// was none. The element's class can migrate.
  virtual void depart(chare_header& e, int to, message* restart) = 0;
  /// Adds an element that has arrived from PE `from`. Takes `restart`, unless an exception is thrown.
  virtual void arrive(chare_header& e, message*& restart, int from) = 0;
  /// Reports the arrivals of a bundle of elements that have left PE `from`.
  virtual void report_arrivals(int from) = 0;

 private:
  // The order in which they hear of elements: an empty part sends the counts of `ending_`.
  end_station ending_;
  reduction_station reductions_;
  broadcast_station broadcasts_;
};

}  // namespace imbrex::detail
