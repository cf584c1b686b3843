// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/memory_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>
#include <string>
#include <type_traits>

namespace imbrex::emulated {
namespace {

constexpr std::size_t page = 4096;
constexpr int for_ever = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// The words of a key.
enum : std::size_t { process, number_of_descriptor, device, file, offset };

void* map(void* at, std::size_t bytes, int access, int flags, int of, std::size_t from) {
  void* const mapped = ::mmap(at, bytes, access, flags, of, static_cast<off_t>(from));
  return mapped == MAP_FAILED ? nullptr : mapped;
}
void* reserve(void* at, std::size_t bytes) {
  const int there = at != nullptr ? MAP_FIXED : 0;
  return map(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | there, -1, 0);
}

}  // namespace

std::size_t memory_file::whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

memory_file::memory_file(std::size_t bytes)
    : size_(whole_pages(bytes)), file_(::memfd_create("imbrex device", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  struct stat what{};
  if (!file_ || ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0 ||
      ::fcntl(file_.get(), F_ADD_SEALS, for_ever) != 0 || ::fstat(file_.get(), &what) != 0)
    return;
  device_ = what.st_dev;
  number_ = what.st_ino;
  start_ = static_cast<std::byte*>(reserve(nullptr, size_));
  if (start_ != nullptr) free_.emplace(0, size_);
}

memory_file::~memory_file() {
  if (start_ != nullptr) ::munmap(start_, size_);
}

void* memory_file::take(std::size_t bytes) {
  const std::size_t rounded_size = whole_pages(bytes);
  for (auto room = free_.begin(); room != free_.end(); ++room) {
    const auto [from, size] = *room;
    if (size < rounded_size) continue;
    void* const at =
        map(start_ + from, rounded_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_.get(), from);
    if (at == nullptr) return nullptr;
    free_.erase(room);
    if (size > rounded_size) free_.emplace(from + rounded_size, size - rounded_size);
    return at;
  }
  return nullptr;
}

void memory_file::give_back(void* address, std::size_t bytes) noexcept {
  std::size_t from = offset_of(address);
  std::size_t size = whole_pages(bytes);
  ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
              static_cast<off_t>(size));
  reserve(address, size);
  auto next = free_.lower_bound(from);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == from) {
      from = before->first;
      size += before->second;
      free_.erase(before);
    }
  }
  if (next != free_.end() && from + size == next->first) {
    size += next->second;
    free_.erase(next);
  }
  free_.emplace(from, size);
}

bool memory_file::holds(const void* address) const noexcept {
  const auto* const at = static_cast<const std::byte*>(address);
  return start_ != nullptr && at >= start_ && at < start_ + size_;
}

std::optional<memory_key> memory_file::key_of(const void* address) const {
  if (!holds(address)) return std::nullopt;
  memory_key key;
  key.words[process] = static_cast<std::uint64_t>(::getpid());
  key.words[number_of_descriptor] = static_cast<std::uint64_t>(file_.get());
  key.words[device] = device_;
  key.words[file] = number_;
  key.words[offset] = offset_of(address);
  return key;
}

template <class Byte>
foreign_files<Byte>::~foreign_files() {
  for (const auto& [id, one] : files_) ::munmap(const_cast<std::byte*>(one.start), one.size);
}

template <class Byte>
Byte* foreign_files<Byte>::find(const memory_key& key) {
  constexpr bool writes = !std::is_const_v<Byte>;
  const std::pair id(key.words[device], key.words[file]);
  auto found = files_.find(id);
  if (found == files_.end()) {
    const std::string path = "/proc/" + std::to_string(key.words[process]) + "/fd/" +
                             std::to_string(key.words[number_of_descriptor]);
    const descriptor shared_file(::open(path.c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK));
    struct stat what{};
    // In another namespace that number is another process.
    if (!shared_file || ::fstat(shared_file.get(), &what) != 0 || what.st_dev != id.first ||
        what.st_ino != id.second || (::fcntl(shared_file.get(), F_GET_SEALS) & F_SEAL_SHRINK) == 0)
      return nullptr;
    const auto size = static_cast<std::size_t>(what.st_size);
    void* const at = map(nullptr, size, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED | MAP_NORESERVE,
                         shared_file.get(), 0);
    if (at == nullptr) return nullptr;
    found = files_.emplace(id, mapped{static_cast<Byte*>(at), size}).first;
  }
  return key.words[offset] < found->second.size ? found->second.start + key.words[offset] : nullptr;
}

template class foreign_files<const std::byte>;
template class foreign_files<std::byte>;

}  // namespace imbrex::emulated
