// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace imbrex::checkpoints::detail {

/// The library zstd of the host (Debian: libzstd1), which is loaded when it is first needed.
class zstd {
 public:
  /// The library; null if this host has none.
  static const zstd* find();
  /// Throws imbrex::error with the remedy if this host has none.
  static const zstd& get();

  /// Replaces `into` by the compressed bytes. Throws imbrex::error with zstd's reason.
  void compress(std::span<const std::byte> bytes, std::vector<std::byte>& into) const;
  /// Fills `into` with what was compressed. Returns false if the bytes are no compression of as many bytes.
  bool decompress(std::span<const std::byte> bytes, std::span<std::byte> into) const;
  /// An upper bound for the compressed size of so many bytes.
  std::size_t bound(std::size_t bytes) const { return bound_(bytes); }

 private:
  zstd() = default;
  bool load();

  std::size_t (*bound_)(std::size_t) = nullptr;
  std::size_t (*compress_)(void*, std::size_t, const void*, std::size_t, int) = nullptr;
  std::size_t (*decompress_)(void*, std::size_t, const void*, std::size_t) = nullptr;
  unsigned (*is_error_)(std::size_t) = nullptr;
  const char* (*error_name_)(std::size_t) = nullptr;
};

/// Passes on the bytes of a complete part with compressed blocks. Throws imbrex::error if there is no zstd.
void compress_part(std::span<const std::byte> part,
                   const std::function<void(std::span<const std::byte>)>& write);

}  // namespace imbrex::checkpoints::detail
