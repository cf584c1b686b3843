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
      upper_(size_of(of)),
      true_upper_(size_of(of)),
      elements_(of == element::none ? 0 : 1),
      external_size_(external_size_of(of)),
      loop_(loop::run(0, size_of(of))),
      handle_(handle),
      alignment_(alignment_of(of)),
      single_(of),
      only_(of),
      is_contiguous_(true),
      is_committed_(true),
      has_lower_(handle == MPI_LB),
      has_upper_(handle == MPI_UB),
      has_bounds_(true),
      has_true_bounds_(of != element::none) {
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
  has_lower_ = has_upper_ = true;
  lower_ = lower_bound;
  upper_ = sum(lower_bound, extent, "the upper bound");
  end_bounds(false);
}

void datatype::add_bounds(const type_block& b) {
  const datatype& t = *b.type;
  const std::int64_t last = product(b.count - 1, t.extent(), "the length");
  const std::int64_t below = sum(b.displacement, std::min<std::int64_t>(last, 0), "the lower bound");
  const std::int64_t above = sum(b.displacement, std::max<std::int64_t>(last, 0), "the upper bound");
  const std::int64_t lower = sum(below, t.lower_, "the lower bound");
  const std::int64_t upper = sum(above, t.upper_, "the upper bound");
  // Explicitly set bounds take precedence over those of elements.
  if (!has_bounds_ || (t.has_lower_ && !has_lower_))
    lower_ = lower;
  else if (t.has_lower_ == has_lower_)
    lower_ = std::min(lower_, lower);
  if (!has_bounds_ || (t.has_upper_ && !has_upper_))
    upper_ = upper;
  else if (t.has_upper_ == has_upper_)
    upper_ = std::max(upper_, upper);
  has_lower_ = has_lower_ || t.has_lower_;
  has_upper_ = has_upper_ || t.has_upper_;
  has_bounds_ = true;

  if (!t.has_true_bounds_) return;
  const std::int64_t true_lower = sum(below, t.true_lower_, "the lower bound");
  const std::int64_t true_upper = sum(above, t.true_upper_, "the upper bound");
  true_lower_ = has_true_bounds_ ? std::min(true_lower_, true_lower) : true_lower;
  true_upper_ = has_true_bounds_ ? std::max(true_upper_, true_upper) : true_upper;
  has_true_bounds_ = true;
}

void datatype::end_bounds(bool aligned) {
  if (aligned && !has_upper_)
    if (const std::int64_t over = extent() % alignment_; over != 0)
      upper_ = sum(upper_, alignment_ - over, "the upper bound");
  std::int64_t unused;
  if (__builtin_sub_overflow(upper_, lower_, &unused)) too_large("the extent");
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
