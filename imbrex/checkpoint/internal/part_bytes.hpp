// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/checkpoint/internal/layout.hpp>

namespace imbrex::checkpoints::detail {

/// The bytes of a part, in a file or in memory, by blocks that are checked when they are first read.
class part_bytes {
 public:
  explicit part_bytes(const std::string& file);
  part_bytes(std::span<const std::byte> memory, std::string name);
  ~part_bytes();
  part_bytes(const part_bytes&) = delete;
  part_bytes& operator=(const part_bytes&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  const trailer& last() const { return trailer_; }

  /// Bytes of the body, which has that many, checked.
  std::span<const std::byte> checked(std::uint64_t begin, std::uint64_t end);
  /// Checks all blocks, without keeping those of a file.
  void check_all();

  /// Throws `error` with the name of the part.
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse_damaged(const std::string& where) const;

 private:
  void read_frame();
  void make_room();
  void read_sizes(std::uint64_t end, std::span<const std::uint64_t> sizes);
  /// Reads a block of the body, and decompresses it.
  void read_block(std::uint64_t block, std::span<std::byte> to) const;
  void read(std::uint64_t at, std::span<std::byte> to) const;
  void check_block(std::uint64_t block, std::span<const std::byte> bytes);
  std::uint64_t size_of_block(std::uint64_t block) const;

  const std::string name_;
  descriptor file_;
  const std::byte* source_ = nullptr;  ///< a part in memory
  const std::byte* memory_ = nullptr;  ///< the body
  std::byte* mapping_ = nullptr;       ///< room for the blocks of a file, or for decompressed ones
  std::uint64_t size_ = 0;
  trailer trailer_;
  std::vector<std::uint64_t> sums_;
  /// Offsets of the compressed blocks in the file, and their end; empty if they are not compressed.
  std::vector<std::uint64_t> compressed_at_;
  std::mutex mutex_;
  std::vector<bool> is_checked_;
};

}  // namespace imbrex::checkpoints::detail
