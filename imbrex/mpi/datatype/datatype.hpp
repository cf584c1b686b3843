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

/// The results of MPI_Type_get_contents.
struct type_contents {
  int combiner = 0;       ///< MPI_COMBINER_...
  bool is_large = false;  ///< an MPI_Count function has made the type; its counts are in `counts`
  std::vector<int> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> counts;
  std::vector<datatype_ref> types;
};

/// `count` elements of a type, one extent apart; the first at `displacement` bytes.
struct type_block {
  std::int64_t displacement = 0;
  std::int64_t count = 0;
  datatype* type = nullptr;
};

/// The bounds of a datatype, and the true ones, between which its elements lie. Bounds set by MPI_LB, MPI_UB
/// or resizing are inherited by types made of the type; they take precedence over those of elements.
struct type_bounds {
  std::int64_t lower = 0, upper = 0;
  std::int64_t true_lower = 0, true_upper = 0;
  bool is_lower_set = false, is_upper_set = false;
  bool are_known = false, are_true_known = false;

  std::int64_t extent() const { return upper - lower; }
  /// Adds `count` elements with these bounds, the first at `displacement`. Throws mpi::error (MPI_ERR_ARG).
  void add(const type_bounds& of, std::int64_t displacement, std::int64_t count);
  /// Rounds the extent up, unless the upper bound is set.
  void align(int alignment);
};

/// A datatype of MPI: its elements and their offsets. Immutable once made, except for name, attributes and
/// commitment. All offsets and lengths are in bytes.
class datatype : public counted {
 public:
  /// A type of one element; `handle` is the program's handle of it.
  datatype(const char* name, int handle, element of);
  /// A type of blocks in this order. Throws mpi::error (MPI_ERR_ARG) if a size or an offset exceeds 63 bits.
  /// `aligned` rounds the extent up, as C does for a struct.
  explicit datatype(std::vector<type_block> blocks, bool aligned = false);
  /// `count` blocks of `length` elements each, `stride` bytes apart.
  datatype(std::int64_t count, std::int64_t length, std::int64_t stride, const datatype_ref& type);
  /// A type with the elements of `type` and other bounds.
  datatype(const datatype_ref& type, std::int64_t lower_bound, std::int64_t extent);

  std::int64_t size() const { return size_; }
  std::int64_t extent() const { return bounds_.extent(); }
  std::int64_t lower_bound() const { return bounds_.lower; }
  std::int64_t upper_bound() const { return bounds_.upper; }
  std::int64_t true_lower_bound() const { return bounds_.true_lower; }
  std::int64_t true_extent() const { return bounds_.true_upper - bounds_.true_lower; }
  /// Whether any number of elements of this type form one contiguous run that starts at the buffer's address.
  bool is_contiguous() const { return is_contiguous_; }
  /// The data bytes of `count` elements. Throws mpi::error (MPI_ERR_COUNT) if count < 0, or if the result
  /// exceeds 63 bits.
  std::int64_t bytes(std::int64_t count) const;
  /// Number of basic elements; their size in external32; the strictest alignment.
  std::int64_t elements() const { return elements_; }
  std::int64_t external_size() const { return external_size_; }
  int alignment() const { return alignment_; }

  /// The element, if the type is a single one; else `element::none`.
  element single() const { return single_; }
  /// The kind of all elements; `element::none` if there are several kinds, or none.
  element only() const { return only_; }

  const loop& bytes_of_one() const { return *loop_; }
  /// The type's blocks; a repetition has one.
  std::span<const type_block> blocks() const { return blocks_; }
  std::int64_t repetitions() const { return count_; }
  std::int64_t stride() const { return stride_; }

  /// Calls visit(element, address, n) for each run of n adjacent elements, in typemap order, for `count`
  /// elements of the type. `at` is the address of the origin.
  template <typename Visit>
  void visit_elements(std::uintptr_t at, std::int64_t count, Visit& visit) const;
  /// Number of basic elements in the first `bytes` packed bytes of a sequence of the type; -1 if they end
  /// within one.
  std::int64_t elements_in(std::int64_t bytes) const;
  /// Packed bytes of the first `elements` basic elements of a sequence of the type.
  std::int64_t bytes_in(std::int64_t elements) const;

  /// Nonzero for a predefined type, or one that may not be freed.
  int handle() const { return handle_; }
  void set_handle(int handle) { handle_ = handle; }
  bool is_committed() const { return is_committed_; }
  void commit() { is_committed_ = true; }

  type_contents contents;
  std::string name;
  attribute_set attributes;
  int handles = 0;  ///< number of handles that the program has for the type

  /// For ranks that leave their process (datatype_archive.hpp): writes the type by an `object_writer`, or
  /// reads it.
  template <class To>
  void write(To& to) const;
  template <class From>
  static datatype_ref read(From& from);

 private:
  datatype() = default;
  void add_bounds(const type_block& block) {
    bounds_.add(block.type->bounds_, block.displacement, block.count);
  }
  void end_bounds(bool aligned);
  void add_counts(const datatype& part, std::int64_t count);
  void find_contiguity();

  std::int64_t size_ = 0;
  type_bounds bounds_;
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

/// Checked arithmetic. Throws mpi::error (MPI_ERR_ARG), whose text says that `what` exceeds 63 bits.
std::int64_t product(std::int64_t a, std::int64_t b, const char* what);
std::int64_t sum(std::int64_t a, std::int64_t b, const char* what);

}  // namespace imbrex::mpi
