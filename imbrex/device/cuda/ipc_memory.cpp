// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/cuda/ipc_memory.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace imbrex::gpu {
namespace {

using word_type = std::atomic<std::uint64_t>;
static_assert(word_type::is_always_lock_free && sizeof(word_type) == 8);

constexpr std::size_t table_bytes = (1 + mapping_table::slots) * sizeof(word_type);
constexpr int for_ever = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

constexpr std::uint64_t ending = std::uint64_t{1} << 63U;
constexpr std::uint32_t most_uses = 0x7fffffff;

std::uint32_t use_in(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U) & most_uses; }
std::uint64_t word_of(std::uint32_t use) { return std::uint64_t{use & most_uses} << 32U; }

/// The mapped words of a table's file; null if it cannot be mapped.
word_type* words_of_file(const descriptor& of) {
  void* const at = ::mmap(nullptr, table_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, of.get(), 0);
  return at == MAP_FAILED ? nullptr : static_cast<word_type*>(at);
}

/// The words of a key: the driver's handle, then its owner, and the offset in the handle's allocation.
constexpr std::size_t words_of_handle = sizeof(cudaIpcMemHandle_t) / sizeof(std::uint64_t);
enum : std::size_t { process = words_of_handle, file, use_of_slot, offset, words };
static_assert(words == std::tuple_size_v<decltype(memory_key::words)>);

std::uint64_t joined(std::uint32_t below, std::uint32_t above) { return std::uint64_t{above} << 32U | below; }
std::uint32_t below(std::uint64_t both) { return static_cast<std::uint32_t>(both); }
std::uint32_t above(std::uint64_t both) { return static_cast<std::uint32_t>(both >> 32U); }

std::string text_of(cudaError_t result) {
  static_cast<void>(cudaGetLastError());
  return std::string(cudaGetErrorString(result)) + " (" + cudaGetErrorName(result) + ")";
}

}  // namespace

mapping_table::mapping_table(descriptor its, const place& at)
    : file_(std::move(its)), where_(at), words_(words_of_file(file_)) {}

mapping_table::mapping_table()
    : file_(::memfd_create("imbrex device memory", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  struct stat what{};
  if (!file_ || ::ftruncate(file_.get(), static_cast<off_t>(table_bytes)) != 0 ||
      ::fcntl(file_.get(), F_ADD_SEALS, for_ever) != 0 || ::fstat(file_.get(), &what) != 0)
    return;
  where_ = {static_cast<std::uint32_t>(::getpid()), static_cast<std::uint32_t>(file_.get()), what.st_ino};
  words_ = words_of_file(file_);
}

std::unique_ptr<mapping_table> mapping_table::find(const place& at) {
  const std::string path = "/proc/" + std::to_string(at.process) + "/fd/" + std::to_string(at.descriptor);
  descriptor shared_file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat what{};
  // In another namespace that number is another process.
  if (!shared_file || ::fstat(shared_file.get(), &what) != 0 || what.st_ino != at.file ||
      what.st_size != static_cast<off_t>(table_bytes) ||
      (::fcntl(shared_file.get(), F_GET_SEALS) & F_SEAL_SHRINK) == 0)
    return nullptr;
  std::unique_ptr<mapping_table> found(new mapping_table(std::move(shared_file), at));
  return *found ? std::move(found) : nullptr;
}

mapping_table::~mapping_table() {
  if (words_ != nullptr) ::munmap(words_, table_bytes);
}

std::optional<mapping_table::use> mapping_table::begin() {
  for (std::uint32_t tried = 0; tried < slots && in_use_ < slots; ++tried) {
    const std::uint32_t slot = next_++ % slots;
    const std::uint64_t is = word(slot).load(std::memory_order_relaxed);
    if (is != word_of(use_in(is)) || use_in(is) % 2 != 0) continue;  // odd ones are in use
    word(slot).store(word_of(use_in(is) + 1), std::memory_order_release);
    ++in_use_;
    return use{slot, use_in(is) + 1};
  }
  return std::nullopt;
}

bool mapping_table::end(const use& of) noexcept {
  word(of.slot).fetch_or(ending, std::memory_order_acq_rel);
  words_[0].fetch_add(1, std::memory_order_release);
  return is_free(of);
}

bool mapping_table::is_free(const use& of) noexcept {
  std::uint64_t alone = word_of(of.number) | ending;
  const bool is_over =
      word(of.slot).compare_exchange_strong(alone, word_of(of.number + 1), std::memory_order_acq_rel);
  in_use_ -= is_over ? 1 : 0;
  return is_over;
}

bool mapping_table::enter(const use& of) noexcept {
  if (of.slot >= slots) return false;
  std::uint64_t is = word(of.slot).load(std::memory_order_acquire);
  while ((is & ending) == 0 && use_in(is) == of.number)
    if (word(of.slot).compare_exchange_weak(is, is + 1, std::memory_order_acq_rel)) return true;
  return false;
}

void mapping_table::leave(const use& of) noexcept { word(of.slot).fetch_sub(1, std::memory_order_acq_rel); }

bool mapping_table::ends(const use& of) const noexcept {
  return (word(of.slot).load(std::memory_order_acquire) & ending) != 0;
}

std::uint64_t mapping_table::ends_so_far() const noexcept {
  return words_[0].load(std::memory_order_acquire);
}

bool exported_memory::remove(void* base) {
  const auto node = all_.extract(base);
  if (node.empty() || !node.mapped().is_exported) return true;
  if (table_->end(node.mapped().use)) return true;
  kept_.push_back({base, node.mapped().use});
  return false;
}

void* exported_memory::next_to_free() {
  const auto one = std::ranges::find_if(kept_, [this](const kept& k) { return table_->is_free(k.use); });
  if (one == kept_.end()) return nullptr;
  void* const base = one->base;
  kept_.erase(one);
  return base;
}

std::string exported_memory::export_problem(const void* base, allocation& its) {
  if (its.bytes % detail::sharable_bytes != 0)
    return "it is of no more than " + std::to_string(detail::sharable_bytes / 2) +
           " bytes, and may lie beside other memory in what the driver would share";
  if (table_ == nullptr) table_ = std::make_unique<mapping_table>();
  has_failed_ = !*table_;
  if (has_failed_) return "the system has no files in memory to share";
  const auto use = table_->begin();
  if (!use) return "this process shares " + std::to_string(mapping_table::slots) + " pieces already";
  const cudaError_t result = cudaIpcGetMemHandle(&its.handle, const_cast<void*>(base));
  has_failed_ = result != cudaSuccess;
  if (has_failed_) return "the driver gives no handle of it: " + text_of(result);
  its.use = *use;
  its.is_exported = true;
  return {};
}

std::optional<memory_key> exported_memory::key_of(const void* address) {
  if (!has_failed_) problem_.clear();
  const auto next = all_.upper_bound(address);
  if (next == all_.begin()) return std::nullopt;
  const void* const base = std::prev(next)->first;
  allocation& its = std::prev(next)->second;
  const auto from =
      static_cast<std::size_t>(static_cast<const std::byte*>(address) - static_cast<const std::byte*>(base));
  if (from >= its.bytes) return std::nullopt;
  if (!its.is_exported) {
    if (has_failed_) return std::nullopt;
    problem_ = export_problem(base, its);
    if (!problem_.empty()) return std::nullopt;
  }
  memory_key key;
  std::memcpy(key.words.data(), &its.handle, sizeof its.handle);
  const mapping_table::place& at = table_->where();
  key.words[process] = joined(at.process, at.descriptor);
  key.words[file] = at.file;
  key.words[use_of_slot] = joined(its.use.slot, its.use.number);
  key.words[offset] = from;
  return key;
}

std::byte* imported_memory::find(const memory_key& key) {
  owner& of = owners_[key.words[file]];
  if (of.table == nullptr)
    of.table = mapping_table::find({below(key.words[process]), above(key.words[process]), key.words[file]});
  if (of.table == nullptr) return nullptr;
  close_ended(of);
  const mapping_table::use use{below(key.words[use_of_slot]), above(key.words[use_of_slot])};
  const id which(key.words[file], use.slot, use.number);
  auto found = mapped_.find(which);
  if (found == mapped_.end()) {
    if (!of.table->enter(use)) return nullptr;
    cudaIpcMemHandle_t handle;
    std::memcpy(&handle, key.words.data(), sizeof handle);
    void* base = nullptr;
    if (cudaIpcOpenMemHandle(&base, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      of.table->leave(use);
      return nullptr;
    }
    found = mapped_.emplace(which, mapping{base, of.table.get(), use}).first;
  }
  return static_cast<std::byte*>(found->second.base) + key.words[offset];
}

void imported_memory::close_ended(owner& of) noexcept {
  const std::uint64_t ends = of.table->ends_so_far();
  if (std::exchange(of.ends_seen, ends) == ends) return;
  std::erase_if(mapped_, [&of](const auto& each) {
    const mapping& its = each.second;
    if (its.table != of.table.get() || !its.table->ends(its.use)) return false;
    static_cast<void>(cudaIpcCloseMemHandle(its.base));
    its.table->leave(its.use);
    return true;
  });
}

void imported_memory::close_ended() noexcept {
  for (auto& [file, of] : owners_)
    if (of.table != nullptr) close_ended(of);
}

void imported_memory::close_all() noexcept {
  for (const auto& [which, its] : mapped_) {
    static_cast<void>(cudaIpcCloseMemHandle(its.base));
    its.table->leave(its.use);
  }
  mapped_.clear();
}

}  // namespace imbrex::gpu
