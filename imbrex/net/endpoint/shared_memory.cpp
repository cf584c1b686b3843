// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/shared_memory.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <imbrex/base/error.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::endpoints {

namespace {

/// Memory is touched in steps of this before it is used: else the first copies would be slow.
constexpr std::size_t page = 4096;

enum state : std::uint32_t { is_free = 0, is_full };

std::atomic_ref<std::uint32_t> state_of(std::byte* start, std::size_t granule) {
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(start + granule * shared_layout::state_distance));
}

std::byte* bytes_at(std::byte* start, const shared_block& where) {
  return start + shared_layout::states + where.first * shared_layout::granule;
}

[[noreturn]] void throw_no_memory(const char* call) {
  throw error(std::string("no memory for long messages between processes of this host: ") + call + ": " +
              std::strerror(errno));
}

/// Makes the file and seals its size, so that no process that has mapped it can touch a missing page.
descriptor file_of_memory() {
  descriptor file(::memfd_create("imbrex", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  constexpr int for_ever = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (!file || ::fchmod(file.get(), S_IRUSR | S_IWUSR) != 0 ||
      ::ftruncate(file.get(), shared_layout::size) != 0 || ::fcntl(file.get(), F_ADD_SEALS, for_ever) != 0)
    throw_no_memory("memfd_create");
  return file;
}

bool cannot_shrink(int file) { return (::fcntl(file, F_GET_SEALS) & F_SEAL_SHRINK) != 0; }

}  // namespace

mapped_memory::mapped_memory(int file)
    : start_(static_cast<std::byte*>(
          ::mmap(nullptr, shared_layout::size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))) {
  if (start_ == MAP_FAILED) throw_no_memory("mmap");
}

mapped_memory::~mapped_memory() { ::munmap(start_, shared_layout::size); }

shared_memory::shared_memory() : file_(file_of_memory()), memory_(file_.get()) {
  struct stat what{};
  if (::fstat(file_.get(), &what) != 0) throw_no_memory("fstat");
  key_ = {::getpid(), file_.get(), what.st_dev, what.st_ino};
  std::memset(memory_.start(), 0, shared_layout::size);
}

bool shared_memory::put(std::span<const std::byte> bytes, shared_block& where) {
  if (bytes.size() > shared_layout::longest_block) return false;
  take_back_what_is_read();
  // The first free room: granules freed last may still be cached.
  const std::size_t count = shared_layout::granules_of(bytes.size());
  const auto room = std::search_n(taken_.begin(), taken_.end(), count, false);
  if (room == taken_.end()) return false;
  std::fill_n(room, count, true);
  where = {static_cast<std::uint32_t>(room - taken_.begin()), static_cast<std::uint32_t>(bytes.size())};
  unread_.push_back(where);
  std::memcpy(bytes_at(memory_.start(), where), bytes.data(), bytes.size());
  state_of(memory_.start(), where.first).store(is_full, std::memory_order_release);
  return true;
}

void shared_memory::take_back_what_is_read() {
  std::erase_if(unread_, [this](const shared_block& block) {
    if (state_of(memory_.start(), block.first).load(std::memory_order_acquire) != is_free) return false;
    std::fill_n(taken_.begin() + block.first, shared_layout::granules_of(block.size), false);
    return true;
  });
}

std::unique_ptr<foreign_memory> foreign_memory::find(const shared_memory_key& key) {
  const std::string path = "/proc/" + std::to_string(key.process) + "/fd/" + std::to_string(key.descriptor);
  const descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat what{};
  // In another namespace that number is another process.
  if (!file || ::fstat(file.get(), &what) != 0 || what.st_dev != key.device || what.st_ino != key.file ||
      !cannot_shrink(file.get()) || what.st_size != static_cast<off_t>(shared_layout::size))
    return nullptr;
  try {
    std::unique_ptr<foreign_memory> found(new foreign_memory(file.get()));
    for (std::size_t at = 0; at < shared_layout::size; at += page)
      static_cast<void>(*static_cast<volatile std::byte*>(found->memory_.start() + at));
    return found;
  } catch (const error&) {  // no room for the mapping in this process
    return nullptr;
  }
}

std::span<const std::byte> foreign_memory::at(const shared_block& where) const {
  const bool can_be = where.size > 0 && where.size <= shared_layout::longest_block &&
                      where.first < shared_layout::granules &&
                      where.first + shared_layout::granules_of(where.size) <= shared_layout::granules;
  if (!can_be || state_of(memory_.start(), where.first).load(std::memory_order_acquire) != is_full)
    throw serial_error("malformed message: " + std::to_string(where.size) + " bytes in granule " +
                       std::to_string(where.first) + " of the sender's memory, where nothing is");
  return {bytes_at(memory_.start(), where), where.size};
}

void foreign_memory::release(const shared_block& where) {
  state_of(memory_.start(), where.first).store(is_free, std::memory_order_release);
}

}  // namespace imbrex::endpoints
