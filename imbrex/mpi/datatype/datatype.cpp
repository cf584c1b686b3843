// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/datatype/datatype.hpp>

#include <algorithm>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

[[noreturn]] void too_large(const char* what) {
  throw error(MPI_ERR_ARG, std::string(what) + " of the datatype exceeds 63 bits; make it of fewer elements");
}

}  // namespace

std::int64_t product(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) too_large(what);
  return result;
}

std::int64_t sum(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t result;
  if (__builtin_add_overflow(a, b, &result)) too_large(what);
  return result;
}

datatype::datatype(const char* type_name, int handle, element of)
    : size_(size_of(of)),
      bounds_{.upper = size_of(of),
              .true_upper = size_of(of),
              .is_lower_set = handle == MPI_LB,
              .is_upper_set = handle == MPI_UB,
              .are_known = true,
              .are_true_known = of != element::none},
      elements_(of == element::none ? 0 : 1),
      external_size_(external_size_of(of)),
      loop_(loop::run(0, size_of(of))),
      handle_(handle),
      alignment_(alignment_of(of)),
      single_(of),
      only_(of),
      is_contiguous_(true),
      is_committed_(true) {
  make_permanent();
  contents.combiner = MPI_COMBINER_NAMED;
  name = type_name;
}

datatype::datatype(std::vector<type_block> blocks, bool aligned) : blocks_(std::move(blocks)) {
  std::erase_if(blocks_, [](const type_block& b) { return b.count == 0; });
  loop::builder loops;
  // Merge adjacent blocks of one type and length, the usual case, into one loop.
  const datatype* type = nullptr;
  std::int64_t count = 0;
  loop_ref repeated;
  for (const type_block& b : blocks_) {
    add_bounds(b);
    add_counts(*b.type, b.count);
    if (b.type != type || b.count != count) {
      repeated = loop::repeat(0, b.count, b.type->extent(), b.type->loop_);
      if (b.type != type) parts_.emplace_back(b.type);
      type = b.type, count = b.count;
    }
    loops.add(b.displacement, repeated);
  }
  loop_ = loops.build();
  end_bounds(aligned);
}

datatype::datatype(std::int64_t count, std::int64_t length, std::int64_t stride, const datatype_ref& type)
    : count_(count), stride_(stride) {
  if (count > 0 && length > 0) {
    blocks_.push_back({0, length, type.get()});
    parts_.push_back(type);
    add_bounds(blocks_[0]);
    add_bounds({product(count - 1, stride, "the length"), length, type.get()});
    add_counts(*type, product(count, length, "the number of elements"));
  }
  loop_ = loop::repeat(0, count, stride, loop::repeat(0, length, type->extent(), type->loop_));
  end_bounds(false);
}

datatype::datatype(const datatype_ref& type, std::int64_t lower_bound, std::int64_t extent) {
  blocks_.push_back({0, 1, type.get()});
  parts_.push_back(type);
  add_bounds(blocks_[0]);
  add_counts(*type, 1);
  loop_ = type->loop_;
  bounds_.is_lower_set = bounds_.is_upper_set = true;
  bounds_.lower = lower_bound;
  bounds_.upper = sum(lower_bound, extent, "the upper bound");
  end_bounds(false);
}

void type_bounds::add(const type_bounds& of, std::int64_t displacement, std::int64_t count) {
  const std::int64_t last = product(count - 1, of.extent(), "the length");
  const std::int64_t below = sum(displacement, std::min<std::int64_t>(last, 0), "the lower bound");
  const std::int64_t above = sum(displacement, std::max<std::int64_t>(last, 0), "the upper bound");
  const std::int64_t new_lower = sum(below, of.lower, "the lower bound");
  const std::int64_t new_upper = sum(above, of.upper, "the upper bound");
  if (!are_known || (of.is_lower_set && !is_lower_set))
    lower = new_lower;
  else if (of.is_lower_set == is_lower_set)
    lower = std::min(lower, new_lower);
  if (!are_known || (of.is_upper_set && !is_upper_set))
    upper = new_upper;
  else if (of.is_upper_set == is_upper_set)
    upper = std::max(upper, new_upper);
  is_lower_set = is_lower_set || of.is_lower_set;
  is_upper_set = is_upper_set || of.is_upper_set;
  are_known = true;

  if (!of.are_true_known) return;
  const std::int64_t new_true_lower = sum(below, of.true_lower, "the lower bound");
  const std::int64_t new_true_upper = sum(above, of.true_upper, "the upper bound");
  true_lower = are_true_known ? std::min(true_lower, new_true_lower) : new_true_lower;
  true_upper = are_true_known ? std::max(true_upper, new_true_upper) : new_true_upper;
  are_true_known = true;
}

void type_bounds::align(int alignment) {
  if (is_upper_set) return;
  if (const std::int64_t over = extent() % alignment; over != 0)
    upper = sum(upper, alignment - over, "the upper bound");
}

void datatype::end_bounds(bool aligned) {
  if (aligned) bounds_.align(alignment_);
  std::int64_t unused;
  if (__builtin_sub_overflow(bounds_.upper, bounds_.lower, &unused)) too_large("the extent");
  is_contiguous_ = size_ == 0 || (loop_->is_run() && loop_->offset() == 0 && extent() == size_);
}

void datatype::add_counts(const datatype& part, std::int64_t count) {
  only_ = elements_ == 0 ? part.only_ : only_ == part.only_ || part.elements_ == 0 ? only_ : element::none;
  size_ = sum(size_, product(count, part.size_, "the size"), "the size");
  elements_ =
      sum(elements_, product(count, part.elements_, "the number of elements"), "the number of elements");
  external_size_ = sum(external_size_, product(count, part.external_size_, "the size in external32"),
                       "the size in external32");
  alignment_ = std::max(alignment_, part.alignment_);
}

std::int64_t datatype::bytes(std::int64_t count) const {
  if (count < 0)
    throw error(MPI_ERR_COUNT, "the count is " + std::to_string(count) + "; it must not be negative");
  std::int64_t result;
  if (__builtin_mul_overflow(count, size_, &result))
    throw error(MPI_ERR_COUNT, std::to_string(count) + " elements of " + std::to_string(size_) +
                                   " bytes exceed 63 bits; take fewer");
  return result;
}

std::int64_t datatype::elements_in(std::int64_t bytes) const {
  if (bytes == 0 || size_ == 0) return bytes == 0 ? 0 : -1;
  if (single_ != element::none) return bytes % size_ == 0 ? bytes / size_ : -1;
  std::int64_t found = bytes / size_ * elements_;
  std::int64_t left = bytes % size_;
  if (left == 0) return found;
  std::int64_t of_blocks = size_ / count_;
  found += left / of_blocks * (elements_ / count_);
  left %= of_blocks;
  for (const type_block& b : blocks_) {
    if (left == 0) break;
    const std::int64_t here = std::min(left, b.count * b.type->size_);
    if (here == 0) continue;
    const std::int64_t n = b.type->elements_in(here);
    if (n < 0) return -1;
    found += n, left -= here;
  }
  return found;
}

std::int64_t datatype::bytes_in(std::int64_t elements) const {
  if (elements == 0 || elements_ == 0) return 0;
  if (single_ != element::none) return bytes(elements);
  std::int64_t found = bytes(elements / elements_);
  std::int64_t left = elements % elements_;
  if (left == 0) return found;
  const std::int64_t of_blocks = elements_ / count_;
  found += left / of_blocks * (size_ / count_);
  left %= of_blocks;
  for (const type_block& b : blocks_) {
    const std::int64_t here = std::min(left, b.count * b.type->elements_);
    found += b.type->bytes_in(here), left -= here;
  }
  return found;
}

}  // namespace imbrex::mpi
