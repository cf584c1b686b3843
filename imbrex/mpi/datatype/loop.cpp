// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/datatype/loop.hpp>

#include <utility>

namespace imbrex::mpi {

loop_ref loop::run(std::int64_t offset, std::int64_t bytes) {
  auto l = std::make_shared<loop>();
  if (bytes == 0) return l;
  l->form_ = form::run;
  l->offset_ = offset;
  l->size_ = bytes;
  return l;
}

loop_ref loop::repeat(std::int64_t offset, std::int64_t count, std::int64_t stride, const loop_ref& of) {
  if (count == 0 || of->size_ == 0) return run(0, 0);
  if (count == 1 && offset == 0) return of;
  auto l = std::make_shared<loop>();
  l->form_ = form::strided;
  l->offset_ = offset;
  l->count_ = count;
  l->stride_ = stride;
  l->part_ = of->size_;
  l->size_ = count * of->size_;
  l->of_ = of;
  // Merge the loop with an inner run, or with an inner repetition of runs that continues it.
  const loop& inner = *of;
  if (inner.form_ == form::run) {
    l->offset_ += inner.offset_;
    l->of_ = nullptr;
  } else if (inner.form_ == form::strided && (count == 1 || stride == inner.count_ * inner.stride_)) {
    l->offset_ += inner.offset_;
    l->count_ *= inner.count_;
    l->stride_ = inner.stride_;
    l->part_ = inner.part_;
    l->of_ = inner.of_;
  }
  if (!l->of_ && (l->count_ == 1 || l->stride_ == l->part_)) return run(l->offset_, l->size_);
  return l;
}

void loop::builder::add_run(std::int64_t offset, std::int64_t bytes) {
  if (!parts_.empty() && !parts_.back().of && parts_.back().offset + parts_.back().bytes == offset)
    parts_.back().bytes += bytes;
  else
    parts_.push_back({offset, bytes, nullptr});
}

void loop::builder::add(std::int64_t offset, const loop_ref& part) {
  if (part->form_ == form::empty) return;
  if (part->form_ == form::run)
    add_run(offset + part->offset_, part->size_);
  else
    parts_.push_back({offset, part->size_, part});
}

loop_ref loop::builder::build() {
  if (parts_.empty()) return run(0, 0);
  const auto of = [](const part& p) { return p.of ? p.of : run(0, p.bytes); };
  const part& first = parts_.front();
  if (parts_.size() == 1) return repeat(first.offset, 1, 0, of(first));
  const std::int64_t stride = parts_[1].offset - first.offset;
  bool is_regular = true;
  for (std::size_t i = 1; i < parts_.size() && is_regular; ++i)
    is_regular = parts_[i].of == first.of && parts_[i].bytes == first.bytes &&
                 parts_[i].offset - parts_[i - 1].offset == stride;
  if (is_regular) return repeat(first.offset, std::int64_t(parts_.size()), stride, of(first));

  auto l = std::make_shared<loop>();
  l->form_ = form::list;
  l->entries_.reserve(parts_.size());
  for (part& p : parts_) {
    l->entries_.push_back({p.offset, l->size_, p.of.get()});
    l->size_ += p.bytes;
    if (p.of && (l->parts_.empty() || l->parts_.back() != p.of)) l->parts_.push_back(std::move(p.of));
  }
  parts_.clear();
  return l;
}

std::int64_t loop::cost() const {
  std::int64_t n = 1 + 3 * std::int64_t(entries_.size());
  if (of_) n += of_->cost();
  for (const loop_ref& p : parts_) n += p->cost();
  return n;
}

}  // namespace imbrex::mpi
