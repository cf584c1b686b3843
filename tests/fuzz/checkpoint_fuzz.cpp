// SPDX-License-Identifier: Apache-2.0
// Reads parts of checkpoints, and manifests, from arbitrary bytes. Each must be read, or be refused by an
// error with the name of the part.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/internal/zstd.hpp>
#include <imbrex/checkpoint/manifest.hpp>
#include <imbrex/checkpoint/part_image.hpp>
#include <imbrex/checkpoint/part_reader.hpp>
#include <imbrex/checkpoint/repaired_part.test.hpp>
#include <imbrex/serial/archive.hpp>

#include "mutator.hpp"

namespace {

namespace checkpoints = imbrex::checkpoints;

std::vector<std::byte> a_valid_part(std::mt19937& random) {
  checkpoints::part_image image;
  image.begin({random() % 3, random() % 3, 0, 1, 1, "program", {{"a", "b"}}});
  const unsigned sections = random() % 3 + 1;
  for (unsigned i = 0; i < sections; ++i)
    image.open_section({static_cast<checkpoints::section_kind>(random() % checkpoints::section_kinds),
                        std::string(random() % 5, 'n'),
                        imbrex::schema_of<int>(),
                        {}});
  for (auto left = random() % 6; left > 0; --left) {
    const std::string key(random() % 12, 'k');
    image.begin_record(static_cast<int>(random() % sections), std::as_bytes(std::span(key)))(
        std::string(random() % 40, 'r'), image.intern(key));
    image.end_record();
  }
  image.seal();
  const auto bytes = image.complete();
  std::vector<std::byte> part(bytes.begin(), bytes.end());
  if (random() % 3 != 0 || checkpoints::detail::zstd::find() == nullptr) return part;
  std::vector<std::byte> compressed;
  checkpoints::detail::compress_part(
      part, [&](auto piece) { compressed.insert(compressed.end(), piece.begin(), piece.end()); });
  return compressed;
}

void read_part(std::span<const std::byte> bytes) {
  try {
    const checkpoints::part_reader in(bytes, "part");
    std::size_t sum = in.header().program.size() + in.strings().size();
    for (std::size_t section = 0; section < in.sections().size(); ++section)
      for (std::size_t record = 0; record < in.records(section); ++record) {
        for (const std::byte b : in.key(section, record)) sum += static_cast<std::size_t>(b);
        for (const std::byte b : in.record(section, record)) sum += static_cast<std::size_t>(b);
        if (in.record(section, record).size() != in.size(section, record)) std::abort();
      }
    in.verify();
    if (sum == 1) return;  // so that all bytes are read
  } catch (const imbrex::error& why) {
    if (!std::string_view(why.what()).starts_with("\"part\" ")) std::abort();
  }
}

void read_manifest(std::string_view text) {
  try {
    if (to_json(checkpoints::parse_manifest(text)) != text) std::abort();
  } catch (const imbrex::error&) {  // refused
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 8 == 0) {
    read_manifest({reinterpret_cast<const char*>(data + 1), size - 1});
    return 0;
  }
  std::vector<std::byte> bytes(size - 1);
  if (size > 1) std::memcpy(bytes.data(), data + 1, size - 1);
  if (data[0] % 2 == 0) checkpoints::test::repair(bytes);
  read_part(bytes);
  return 0;
}

// Starts from valid parts and manifests, since few random bytes are one.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  if (seed % 4 != 0) return LLVMFuzzerMutate(data, size, max_size);
  std::mt19937 random(seed);
  std::vector<std::byte> valid;
  if (random() % 4 == 0) {
    const std::string text =
        checkpoints::to_json({random() % 9, random(), 2, "program", "2026", {{0, 9, 8}, {1, 7, 6}}});
    valid.assign(1 + text.size(), std::byte{});
    std::memcpy(valid.data() + 1, text.data(), text.size());
  } else {
    valid = a_valid_part(random);
    valid.insert(valid.begin(), static_cast<std::byte>(random() % 7 + 1));
  }
  if (valid.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, valid.data(), valid.size());
  return seed % 8 == 0 ? valid.size() : LLVMFuzzerMutate(data, valid.size(), max_size);
}
