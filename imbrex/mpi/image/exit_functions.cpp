// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/exit_functions.hpp>

#include <cstddef>

namespace imbrex::mpi {

void exit_functions::add(const entry& new_entry) {
  const std::lock_guard hold(mutex_);
  entries_.push_back(new_entry);
}

void exit_functions::run(int status) {
  std::unique_lock hold(mutex_);
  while (!entries_.empty()) {
    const entry last = entries_.back();
    entries_.pop_back();
    hold.unlock();
    if (last.called_with_status != nullptr)
      last.called_with_status(status, last.argument);
    else
      last.called(last.argument);
    hold.lock();
  }
}

void exit_functions::run_of(void* module) {
  std::unique_lock hold(mutex_);
  for (std::size_t i = entries_.size(); i-- > 0;) {
    if (i >= entries_.size() || entries_[i].module != module || entries_[i].called == nullptr) continue;
    const entry one = entries_[i];
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
    hold.unlock();
    one.called(one.argument);
    hold.lock();
  }
}

void exit_functions::move_arguments(const std::byte* from, std::size_t size, std::byte* to) {
  const std::lock_guard hold(mutex_);
  for (entry& e : entries_) {
    const std::ptrdiff_t at = static_cast<const std::byte*>(e.argument) - from;
    if (static_cast<std::size_t>(at) < size) e.argument = to + at;
  }
}

}  // namespace imbrex::mpi
