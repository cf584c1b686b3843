// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/internal/zstd.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/internal/layout.hpp>

namespace imbrex::checkpoints::detail {

namespace {

/// zstd's own default.
constexpr int level = 3;

template <class Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

bool zstd::load() {
  void* const library = ::dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  return library != nullptr && find_function(library, "ZSTD_compressBound", bound_) &&
         find_function(library, "ZSTD_compress", compress_) &&
         find_function(library, "ZSTD_decompress", decompress_) &&
         find_function(library, "ZSTD_isError", is_error_) &&
         find_function(library, "ZSTD_getErrorName", error_name_);
}

const zstd* zstd::find() {
  static zstd library;
  static const bool is_here = library.load();
  return is_here ? &library : nullptr;
}

const zstd& zstd::get() {
  const zstd* const library = find();
  if (library == nullptr) throw error("this host has no libzstd.so.1; install it (Debian: libzstd1)");
  return *library;
}

void zstd::compress(std::span<const std::byte> bytes, std::vector<std::byte>& into) const {
  into.resize(bound_(bytes.size()));
  const std::size_t size = compress_(into.data(), into.size(), bytes.data(), bytes.size(), level);
  if (is_error_(size) != 0) throw error(std::string("zstd cannot compress: ") + error_name_(size));
  into.resize(size);
}

bool zstd::decompress(std::span<const std::byte> bytes, std::span<std::byte> into) const {
  const std::size_t size = decompress_(into.data(), into.size(), bytes.data(), bytes.size());
  return is_error_(size) == 0 && size == into.size();
}

void compress_part(std::span<const std::byte> part,
                   const std::function<void(std::span<const std::byte>)>& write) {
  const zstd& library = zstd::get();
  trailer last;
  std::memcpy(&last, part.data() + part.size() - sizeof last, sizeof last);
  const preamble first{.version = compressed_version, .bytes = part.size()};
  write(std::as_bytes(std::span(&first, 1)));
  std::vector<std::uint64_t> numbers;
  std::vector<std::byte> compressed;
  for (std::size_t begin = 0; begin < last.body; begin += block_size) {
    library.compress(part.subspan(begin, std::min<std::size_t>(block_size, last.body - begin)), compressed);
    write(compressed);
    numbers.push_back(compressed.size());
  }
  const std::size_t blocks = numbers.size();
  numbers.resize(2 * blocks);
  std::memcpy(numbers.data() + blocks, part.data() + last.body, blocks * sizeof(std::uint64_t));
  const auto tables = std::as_bytes(std::span(numbers));
  last.checksum = checksum_of(tables);
  last.digest = digest_of(last);
  write(tables);
  write(std::as_bytes(std::span(&last, 1)));
}

}  // namespace imbrex::checkpoints::detail
