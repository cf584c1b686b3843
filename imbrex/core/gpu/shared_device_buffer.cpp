// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/shared_device_buffer.hpp>

#include <mutex>
#include <vector>

#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

/// The memory, and its copies on other devices of this process, which later owners there share.
struct shared_memory::record {
  explicit record(attachment&& owned) : part(std::move(owned)) {}

  const attachment part;
  std::mutex lock;  ///< guards `copies`
  std::vector<std::pair<const imbrex::device*, std::weak_ptr<record>>> copies;
};

namespace {

/// Keeps the memory that a part reads. The copying streams run before a later user of the memory.
class reader_of_shared final : public memory_lender {
 public:
  explicit reader_of_shared(std::shared_ptr<shared_memory::record> of) : of_(std::move(of)) {}
  void read(const shared_event&) noexcept override {}

 private:
  std::shared_ptr<shared_memory::record> of_;
};

attachment part_that_reads(const std::shared_ptr<shared_memory::record>& of) {
  const attachment& all = of->part;
  return {all.address(), *all.on(),   all.count(),
          all.size(),    all.ready(), std::make_unique<reader_of_shared>(of)};
}

/// Null for an empty part.
std::shared_ptr<shared_memory::record> record_of(attachment&& owned) {
  return owned.on() == nullptr ? nullptr : std::make_shared<shared_memory::record>(std::move(owned));
}

std::shared_ptr<shared_memory::record> copy_here(const std::shared_ptr<shared_memory::record>& of) {
  const imbrex::device* const here = &gpu();
  if (of->part.on() == here) return of;
  const std::lock_guard guard(of->lock);
  std::erase_if(of->copies, [](const auto& copy) { return copy.second.expired(); });
  for (const auto& [on, copy] : of->copies)
    if (on == here)
      if (auto kept = copy.lock()) return kept;
  attachment landing = part_that_reads(of);
  land_attachment(landing);
  auto landed = record_of(std::move(landing));
  of->copies.emplace_back(here, landed);
  return landed;
}

bool has_device_here() {
  const scheduler* const pe = scheduler::current();
  return pe != nullptr && pe->completions() != nullptr;
}

}  // namespace

shared_memory::shared_memory(attachment&& owned) : of_(record_of(std::move(owned))) {}

shared_memory::shared_memory(const shared_memory& other) {
  if (other.of_ == nullptr || has_device_here()) other.land();
  of_ = other.of_;
}

shared_memory shared_memory::passed_on() const {
  if (of_ == nullptr || !is_short_transfer(of_->part.bytes())) return *this;
  shared_memory copy;
  copy.of_ = of_;
  return copy;
}

shared_memory& shared_memory::operator=(const shared_memory& other) { return *this = shared_memory(other); }

const shared_memory::record* shared_memory::here() const {
  land();
  return of_.get();
}

const void* shared_memory::address() const {
  const record* const all = here();
  return all != nullptr ? all->part.address() : nullptr;
}

const void* shared_memory::device() const {
  const record* const all = here();
  return all != nullptr ? all->part.device() : nullptr;
}

const shared_event& shared_memory::ready() const {
  static const shared_event at_once;
  const record* const all = here();
  return all != nullptr ? all->part.ready() : at_once;
}

std::size_t shared_memory::count() const noexcept {
  if (of_ != nullptr) return of_->part.count();
  return crossing_ != nullptr ? crossing_->count() : 0;
}

attachment* shared_memory::part() {
  if (crossing_ == nullptr)
    crossing_ = std::make_unique<attachment>(of_ == nullptr ? attachment() : part_that_reads(of_));
  return crossing_.get();
}

void shared_memory::land() const {
  const bool came_by_host =
      crossing_ != nullptr && (crossing_->device() != nullptr || crossing_->goes_with_message());
  if (of_ != nullptr && !came_by_host) {
    crossing_.reset();
    of_ = copy_here(of_);
  } else if (crossing_ != nullptr) {
    const auto crossed = std::move(crossing_);
    land_attachment(*crossed);
    of_ = record_of(std::move(*crossed));
  }
}

}  // namespace imbrex::detail
