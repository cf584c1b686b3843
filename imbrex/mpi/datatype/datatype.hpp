// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/mpi/datatype/element.hpp>
#include <imbrex/mpi/datatype/loop.hpp>
#include <imbrex/mpi/object/attribute_set.hpp>
#include <imbrex/mpi/object/counted.hpp>

namespace imbrex::mpi {

class datatype;
using datatype_ref = ref<datatype>;

/// What MPI_Type_get_contents answers.
struct type_contents {
  int combiner = 0;       ///< MPI_COMBINER_...
  bool is_large = false;  ///< a function with MPI_Count has made the type: its counts stand in `counts`
  std::vector<int> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> counts;
  std::vector<datatype_ref> types;
};

/// `count` elements of a type, the first at `displacement` bytes, the others by its extent after one another.
struct type_block {
  std::int64_t displacement = 0;
  std::int64_t count = 0;
  datatype* type = nullptr;
};

/// A datatype of MPI: the elements that it has, and where. It does not change once it is made, but for its
/// name, its attributes and whether it is committed. All offsets and lengths are bytes.
class datatype : public counted {
 public:
  /// One element; `handle` is what programs know it by.
  datatype(const char* name, int handle, element of);
  /// The parts in their order. Throws mpi::error (MPI_ERR_ARG) if a size or an offset exceeds 63 bits.
  /// `aligned` says that the extent is rounded up as C does with a struct.
  explicit datatype(std::vector<type_block> blocks, bool aligned = false);
  /// `count` times a block of `length` elements of a type, `stride` bytes from block to block.
  datatype(std::int64_t count, std::int64_t length, std::int64_t stride, const datatype_ref& type);
  /// The same elements between other bounds.
  datatype(const datatype_ref& type, std::int64_t lower_bound, std::int64_t extent);

  std::int64_t size() const { return size_; }
  std::int64_t extent() const { return upper_ - lower_; }
  std::int64_t lower_bound() const { return lower_; }
  std::int64_t upper_bound() const { return upper_; }
  std::int64_t true_lower_bound() const { return true_lower_; }
  std::int64_t true_extent() const { return true_upper_ - true_lower_; }
  /// Whether the elements of any number of them lie one after the other in one run of bytes from the buffer's
  /// address.
  bool is_contiguous() const { return is_contiguous_; }
  /// The bytes of `count` of them. Throws mpi::error (MPI_ERR_COUNT) if count < 0, or they exceed 63 bits.
  std::int64_t bytes(std::int64_t count) const;
  /// Basic elements; their bytes in external32; the alignment of the strictest.
  std::int64_t elements() const { return elements_; }
  std::int64_t external_size() const { return external_size_; }
  int alignment() const { return alignment_; }

  /// What it is if it is a single element, and `element::none` otherwise.
  element single() const { return single_; }
  /// The one kind of elements that it has; `element::none` if there are several, or none.
  element only() const { return only_; }

  const loop& bytes_of_one() const { return *loop_; }
  /// Its parts: one block of its only type if it is a repetition.
  std::span<const type_block> blocks() const { return blocks_; }
  std::int64_t repetitions() const { return count_; }
  std::int64_t stride() const { return stride_; }

  /// Calls visit(element, address, n) for n elements that lie one after the other, in the order of the
  /// typemap, for `count` of the type whose origin is the address `at`.
  template <typename Visit>
  void visit_elements(std::uintptr_t at, std::int64_t count, Visit& visit) const;
  /// The basic elements that the first `bytes` packed bytes of many of the type begin; -1 if they end inside
  /// of one.
  std::int64_t elements_in(std::int64_t bytes) const;
  /// The packed bytes of the first `elements` basic elements of many of the type.
  std::int64_t bytes_in(std::int64_t elements) const;

  /// Not 0 if MPI itself defines it, or it may not be freed.
  int handle() const { return handle_; }
  void set_handle(int handle) { handle_ = handle; }
  bool is_committed() const { return is_committed_; }
  void commit() { is_committed_ = true; }

  type_contents contents;
  std::string name;
  attribute_set attributes;
  int handles = 0;  ///< that a program has for it

 private:
  void add_bounds(const type_block& block);
  void end_bounds(bool aligned);
  void add_counts(const datatype& part, std::int64_t count);
  void find_contiguity();

  std::int64_t size_ = 0;
  std::int64_t lower_ = 0, upper_ = 0;
  std::int64_t true_lower_ = 0, true_upper_ = 0;
  std::int64_t elements_ = 0;
  std::int64_t external_size_ = 0;
  loop_ref loop_;
  std::vector<type_block> blocks_;
  std::vector<datatype_ref> parts_;  ///< the types of the blocks
  std::int64_t count_ = 1;           ///< repetitions of the blocks
  std::int64_t stride_ = 0;
  int handle_ = 0;
  int alignment_ = 1;
  element single_ = element::none;
  element only_ = element::none;
  bool is_contiguous_ = false;
  bool is_committed_ = false;
  // Bounds that MPI_LB, MPI_UB or a resizing have set stay so in types that are made of this one.
  bool has_lower_ = false, has_upper_ = false;
  bool has_bounds_ = false, has_true_bounds_ = false;
};

template <typename Visit>
void datatype::visit_elements(std::uintptr_t at, std::int64_t count, Visit& visit) const {
  const auto step = std::uintptr_t(extent());
  if (single_ != element::none) {
    if (extent() == size_) {
      visit(single_, at, count);
    } else {
      for (; count > 0; --count, at += step) visit(single_, at, 1);
    }
    return;
  }
  for (; count > 0; --count, at += step)
    for (std::int64_t i = 0; i < count_; ++i)
      for (const type_block& b : blocks_)
        b.type->visit_elements(at + std::uintptr_t(i * stride_ + b.displacement), b.count, visit);
}

/// Checked arithmetic. Throws mpi::error (MPI_ERR_ARG), which says that `what` exceeds 63 bits.
std::int64_t product(std::int64_t a, std::int64_t b, const char* what);
std::int64_t sum(std::int64_t a, std::int64_t b, const char* what);

}  // namespace imbrex::mpi
