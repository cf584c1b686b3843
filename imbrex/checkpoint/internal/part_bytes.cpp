// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/internal/part_bytes.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/internal/zstd.hpp>

namespace imbrex::checkpoints::detail {
namespace {

constexpr const char* another = "; begin from another checkpoint (imbrex checkpoint list shows them)";

}  // namespace

void part_bytes::refuse(const std::string& why) const { throw error("\"" + printable(name_) + "\" " + why); }

void part_bytes::refuse_damaged(const std::string& where) const { refuse("is damaged: " + where + another); }

part_bytes::part_bytes(const std::string& file)
    : name_(file),
      file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // a named pipe would block
  struct ::stat found{};
  if (!file_ || ::fstat(file_.get(), &found) != 0)
    refuse(std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(found.st_mode)) refuse("is no part of a checkpoint: it is no regular file");
  size_ = static_cast<std::uint64_t>(found.st_size);
  read_frame();
  make_room();
}

void part_bytes::make_room() {
  void* const room = ::mmap(nullptr, trailer_.body, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) refuse("cannot be read: there is no room for " + std::to_string(size_) + " bytes");
  mapping_ = static_cast<std::byte*>(room);
  memory_ = mapping_;
}

part_bytes::part_bytes(std::span<const std::byte> memory, std::string name)
    : name_(std::move(name)), source_(memory.data()), memory_(source_), size_(memory.size()) {
  read_frame();
  if (!compressed_at_.empty()) make_room();
}

part_bytes::~part_bytes() {
  if (mapping_ != nullptr) ::munmap(mapping_, trailer_.body);
}

void part_bytes::read(std::uint64_t at, std::span<std::byte> to) const {
  if (!file_) {
    std::memcpy(to.data(), source_ + at, to.size());
    return;
  }
  while (!to.empty()) {
    const ssize_t got = ::pread(file_.get(), to.data(), to.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) refuse_damaged("it ends at byte " + std::to_string(at));
    at += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

/// Reads the preamble, the trailer and the checksums.
void part_bytes::read_frame() {
  preamble first;
  const preamble right;
  if (size_ >= sizeof first) read(0, std::as_writable_bytes(std::span(&first, 1)));
  if (size_ < sizeof first || first.magic != right.magic)
    refuse("is no part of a checkpoint: begin from a folder that --checkpoint has written");
  if (first.order != byte_order)
    refuse("was written on a machine of the other byte order: begin from it on such a machine");
  const bool is_compressed = first.version == compressed_version;
  if (first.version != format_version && !is_compressed)
    refuse("has format " + std::to_string(first.version) + ", and this Imbrex reads formats " +
           std::to_string(format_version) + " and " + std::to_string(compressed_version) +
           ": begin from it by the Imbrex that has written it");
  if (!file_ && !is_compressed) size_ = std::min(size_, first.bytes);
  if (first.bytes != size_ && !is_compressed)
    refuse_damaged("it has " + std::to_string(size_) + " bytes of " + std::to_string(first.bytes));
  if (size_ < sizeof first + sizeof trailer_) refuse_damaged("it has no trailer");
  read(size_ - sizeof trailer_, std::as_writable_bytes(std::span(&trailer_, 1)));
  const trailer& t = trailer_;
  if (t.magic != trailer{}.magic || t.digest != digest_of(t)) refuse_damaged("its trailer is another");
  const bool are_in_order =
      t.records_end >= sizeof first && t.records_end <= t.index_end && t.index_end <= t.body;
  // Each block of the body has a checksum, and a size if it is compressed.
  const std::uint64_t numbers_of_block = is_compressed ? 2 : 1;
  const std::uint64_t most_blocks = size_ / (numbers_of_block * sizeof(std::uint64_t));
  const bool has_its_size = first.bytes == t.body + blocks_of(t.body) * sizeof(std::uint64_t) + sizeof t;
  if (!are_in_order || !has_its_size || blocks_of(t.body) > most_blocks)
    refuse_damaged("its tables are in no place where they can be");
  const std::uint64_t tables = numbers_of_block * blocks_of(t.body) * sizeof(std::uint64_t);
  const std::uint64_t tables_at =
      is_compressed ? size_ - sizeof t - std::min(tables, size_ - sizeof t) : t.body;
  if (tables_at < sizeof first || size_ - sizeof t != tables_at + tables)
    refuse_damaged("its tables are in no place where they can be");
  std::vector<std::uint64_t> numbers(numbers_of_block * blocks_of(t.body));
  read(tables_at, std::as_writable_bytes(std::span(numbers)));
  if (checksum_of(std::as_bytes(std::span(numbers))) != t.checksum)
    refuse_damaged("its checksums have another checksum");
  sums_.assign(numbers.end() - static_cast<std::ptrdiff_t>(blocks_of(t.body)), numbers.end());
  if (is_compressed) read_sizes(tables_at, std::span(numbers).first(sums_.size()));
  is_checked_.resize(sums_.size());
}

/// Notes where the compressed blocks are. `end`: the offset of the byte behind them.
void part_bytes::read_sizes(std::uint64_t end, std::span<const std::uint64_t> sizes) {
  if (zstd::find() == nullptr)
    refuse("is compressed, and this host has no libzstd.so.1: install it (Debian: libzstd1)");
  std::uint64_t at = sizeof(preamble);
  for (const std::uint64_t size : sizes) {
    compressed_at_.push_back(at);
    if (size > zstd::get().bound(block_size) || size > end - at)
      refuse_damaged("a compressed block is longer than it can be");
    at += size;
  }
  compressed_at_.push_back(at);
  if (at != end) refuse_damaged("its compressed blocks end at byte " + std::to_string(at));
}

void part_bytes::read_block(std::uint64_t block, std::span<std::byte> to) const {
  if (compressed_at_.empty()) return read(block * block_size, to);
  std::vector<std::byte> compressed(compressed_at_[block + 1] - compressed_at_[block]);
  read(compressed_at_[block], compressed);
  if (!zstd::get().decompress(compressed, to))
    refuse_damaged("block " + std::to_string(block) + " cannot be decompressed");
}

std::uint64_t part_bytes::size_of_block(std::uint64_t block) const {
  return std::min<std::uint64_t>(block_size, trailer_.body - block * block_size);
}

void part_bytes::check_block(std::uint64_t block, std::span<const std::byte> bytes) {
  if (checksum_of(bytes) == sums_[block]) return;
  refuse_damaged("the checksum of its bytes " + std::to_string(block * block_size) + " to " +
                 std::to_string(block * block_size + bytes.size()) + " is another");
}

std::span<const std::byte> part_bytes::checked(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return {};
  const std::lock_guard lock(mutex_);
  for (std::uint64_t block = begin / block_size; block * block_size < end; ++block) {
    if (is_checked_[block]) continue;
    const std::uint64_t at = block * block_size;
    if (mapping_ != nullptr) read_block(block, {mapping_ + at, size_of_block(block)});
    check_block(block, {memory_ + at, size_of_block(block)});
    is_checked_[block] = true;
  }
  return {memory_ + begin, end - begin};
}

void part_bytes::check_all() {
  std::vector<std::byte> room(mapping_ != nullptr ? std::min<std::uint64_t>(block_size, trailer_.body) : 0);
  for (std::uint64_t block = 0; block < sums_.size(); ++block) {
    std::span<const std::byte> bytes(memory_ + block * block_size, size_of_block(block));
    if (mapping_ != nullptr) {
      read_block(block, std::span(room).first(bytes.size()));
      bytes = std::span(room).first(bytes.size());
    }
    check_block(block, bytes);
  }
}

}  // namespace imbrex::checkpoints::detail
