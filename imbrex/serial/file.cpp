// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/file.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/host/replace_file.hpp>

namespace imbrex::detail {

namespace {

/// What stands before the bytes. The number of the version is wrong on a machine of the other byte order.
struct header {
  char magic[8] = {'I', 'm', 'b', 'r', 'e', 'x', 'V', '\n'};
  std::uint64_t version = 1;
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;
};

/// FNV-1a of 64 bits: every changed byte changes it.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const std::byte b : bytes) sum = (sum ^ static_cast<std::uint64_t>(b)) * 0x100000001b3U;
  return sum;
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw serial_error("\"" + file + "\" " + why);
}

}  // namespace

void write_bytes_file(const std::string& file, std::span<const std::byte> bytes) {
  header before;
  before.size = bytes.size();
  before.checksum = checksum_of(bytes);
  std::string contents(sizeof before + bytes.size(), '\0');
  std::memcpy(contents.data(), &before, sizeof before);
  if (!bytes.empty()) std::memcpy(contents.data() + sizeof before, bytes.data(), bytes.size());
  if (const std::error_code failed = replace_file(file, contents))
    throw error("cannot write \"" + file + "\": " + failed.message());
}

std::vector<std::byte> read_bytes_file(const std::string& file) {
  std::string contents;
  try {
    contents = read_file(file, std::numeric_limits<std::size_t>::max());
  } catch (const error& why) {
    throw error("cannot read \"" + file + "\": " + why.what());
  }
  header before;
  const header right;
  if (contents.size() >= sizeof before) std::memcpy(&before, contents.data(), sizeof before);
  if (contents.size() < sizeof before || std::memcmp(before.magic, right.magic, sizeof before.magic) != 0)
    refuse(file, "is no file of imbrex::to_file");
  if (before.version != right.version)
    refuse(file, "has version " + std::to_string(before.version) + ", not " + std::to_string(right.version) +
                     ": it is of another Imbrex, or of a machine of the other byte order");
  const auto bytes = std::as_bytes(std::span(contents)).subspan(sizeof before);
  if (bytes.size() != before.size)
    refuse(file, "is not whole: it has " + std::to_string(bytes.size()) + " bytes of " +
                     std::to_string(before.size));
  if (checksum_of(bytes) != before.checksum) refuse(file, "is damaged: its checksum is another");
  return {bytes.begin(), bytes.end()};
}

void throw_in_file(const std::string& file, const serial_error& what) {
  refuse(file, std::string("does not hold the wanted type: ") + what.what());
}

}  // namespace imbrex::detail
