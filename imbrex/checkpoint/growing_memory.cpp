// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/growing_memory.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::checkpoints {
namespace {

constexpr std::size_t least = std::size_t{1} << 20U;
constexpr std::size_t huge_page = std::size_t{2} << 20U;

}  // namespace

growing_memory::~growing_memory() {
  if (data_ != nullptr) ::munmap(data_, capacity_);
}

void growing_memory::grow(std::size_t count) {
  const std::size_t needed = std::max({used_ + count, capacity_ + capacity_ / 2, least});
  const std::size_t capacity = (needed + huge_page - 1) / huge_page * huge_page;
  void* memory = MAP_FAILED;
  if (count > PTRDIFF_MAX - used_ - huge_page)
    errno = ENOMEM;
  else if (file_ && ::ftruncate(file_.get(), static_cast<off_t>(capacity)) != 0)
    memory = MAP_FAILED;
  else if (data_ != nullptr)
    memory = ::mremap(data_, capacity_, capacity, MREMAP_MAYMOVE);
  else
    memory = ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                    file_ ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file_ ? file_.get() : -1, 0);
  if (memory == MAP_FAILED)
    throw error("a checkpoint needs " + std::to_string(capacity) + " bytes of memory in this process: " +
                std::strerror(errno) + "; use more processes, or take no checkpoints");
  data_ = static_cast<std::byte*>(memory);
  capacity_ = capacity;
  ::madvise(data_, capacity_, MADV_HUGEPAGE);  // fewer faults; no harm where it is not known
}

}  // namespace imbrex::checkpoints
