// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::cells::detail {

/// Origin of a copy: an own cell, and the index in it.
struct copy_source {
  std::uint32_t cell = 0, place = 0;
};
/// Elements that another block has copies of, by its parts.
struct copy_selection {
  std::vector<copy_source> elements;
  std::vector<std::size_t> ends;

  void clear() {
    elements.clear();
    ends.clear();
  }
};

/// The elements of which there are copies, and the numbers of elements and copies. Own elements are numbered
/// cell by cell; copies begin with the images, and go on by partner.
class copy_numbers {
 public:
  void begin(std::size_t partners) {
    selections_.resize(partners);
    first_copy_.clear();
    copies_ = 0;
  }
  /// Elements that a partner has copies of.
  copy_selection& of(std::size_t partner) { return selections_[partner]; }
  const copy_selection& of(std::size_t partner) const { return selections_[partner]; }
  copy_selection& images() { return images_; }
  const copy_selection& images() const { return images_; }

  bool are_known() const { return !first_copy_.empty(); }
  /// Numbers the elements. `own` has the number of elements of each own cell, and `copies` of each partner.
  void assign(const std::vector<std::size_t>& own, const std::vector<std::size_t>& copies);
  std::size_t number(const copy_source& own) const { return first_own_[own.cell] + own.place; }
  std::size_t first_copy(std::size_t partner) const { return first_copy_[partner]; }
  std::size_t copies_of(std::size_t partner) const { return first_copy_[partner + 1] - first_copy_[partner]; }
  std::size_t copies() const { return copies_; }

  void serialize(auto& ar) { ar(selections_, images_, first_copy_, copies_, first_own_); }

 private:
  std::vector<copy_selection> selections_;
  copy_selection images_;
  std::vector<std::size_t> first_copy_;  ///< by partner, and then the end; known when all copies have arrived
  std::size_t copies_ = 0;
  std::vector<std::size_t> first_own_;  ///< by own cell: number of its first element
};

}  // namespace imbrex::cells::detail
