// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/frame.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/serial/archive.hpp>

#include <cstring>
#include <span>

namespace imbrex {
namespace {

/// The last character is the version of the protocol.
constexpr std::uint32_t frame_magic = 'I' | 'M' << 8 | 'X' << 16 | '2' << 24;

struct header {
  std::uint32_t magic;
  std::uint32_t kind;
  std::uint64_t length;
};
static_assert(sizeof(header) == 16);

[[noreturn]] void refuse(const std::string& why) {
  throw error("bytes that are not of the protocol between imbrex run and its processes (" + why +
              "); were the two built from different versions of Imbrex?");
}

template <class T>
std::string encode(const T& value) {
  writer out;
  out(value);
  const std::vector<std::byte> bytes = out.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
T decode(std::string_view payload) {
  T value{};
  try {
    reader in(std::as_bytes(std::span(payload)));
    in(value);
    in.finish();
  } catch (const serial_error& e) {
    refuse(e.what());
  }
  return value;
}

}  // namespace

std::string encode_frame(frame_kind kind, std::string_view payload) {
  if (payload.size() > max_frame_payload)
    throw error("a text of " + std::to_string(payload.size()) +
                " bytes is too long for the exchange between processes: at most " +
                std::to_string(max_frame_payload) + " bytes, and those of all processes together");
  const header head{frame_magic, static_cast<std::uint32_t>(kind), payload.size()};
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes.append(payload);
}

std::optional<frame> frame_reader::next() {
  header head{};
  if (buffered_.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, buffered_.data(), sizeof head);
  if (head.magic != frame_magic) refuse("a frame begins with " + std::to_string(head.magic));
  if (head.kind < static_cast<std::uint32_t>(frame_kind::gather) ||
      head.kind > static_cast<std::uint32_t>(frame_kind::died))
    refuse("a frame of kind " + std::to_string(head.kind));
  if (head.length > max_frame_payload) refuse("a frame of " + std::to_string(head.length) + " bytes");
  if (buffered_.size() - sizeof head < head.length) return std::nullopt;
  frame taken{static_cast<frame_kind>(head.kind), buffered_.substr(sizeof head, head.length)};
  buffered_.erase(0, sizeof head + head.length);
  return taken;
}

std::string encode_texts(const std::vector<std::string>& texts) { return encode(texts); }

std::vector<std::string> decode_texts(std::string_view payload, int size) {
  auto texts = decode<std::vector<std::string>>(payload);
  if (texts.size() != static_cast<std::size_t>(size))
    refuse(std::to_string(texts.size()) + " texts of " + std::to_string(size) + " processes");
  return texts;
}

std::string encode_status(int status) { return encode(status); }

int decode_status(std::string_view payload) { return decode<int>(payload); }

int first_failure(const std::vector<std::string>& payloads) {
  for (const std::string& payload : payloads)
    if (const int status = decode_status(payload); status != 0) return status;
  return 0;
}

}  // namespace imbrex
