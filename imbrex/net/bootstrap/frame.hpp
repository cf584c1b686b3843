// SPDX-License-Identifier: Apache-2.0
#pragma once
// The protocol between `imbrex run` and the processes that it has started, over a socket of this host. A
// frame is 16 bytes (magic, kind, length of the payload) and the payload. A process sends
//   gather     its text; the reply is gathered when all have sent theirs, or failed
//   leave      the status of the ended run; replies as for gather: all have sent theirs, or one will not
//   overdue    the time that it has waited; the reply is failed
//   finish     its future exit status; no reply
//   complaint  a text for the user, unless the launcher knows better; no reply
// A process sends gather or leave again only after the reply. Without a request, it may receive
//   left       the payload of the first process that left its run, unless it has left itself; no reply

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex {

enum class frame_kind : std::uint32_t {
  gather = 1,
  overdue,
  finish,
  gathered,
  failed,
  complaint,
  leave,
  left,
  died  ///< a process of the run has ended; the launcher reports this to the user
};

struct frame {
  frame_kind kind;
  std::string payload;
};

/// Limit of a payload's length, in bytes.
inline constexpr std::uint64_t max_frame_payload = std::uint64_t{1} << 30;

/// The bytes of a frame. Throws `error` for a payload longer than `max_frame_payload`.
std::string encode_frame(frame_kind kind, std::string_view payload);

/// Extracts frames from a stream of bytes, which may arrive in any pieces and from any sender.
class frame_reader {
 public:
  void append(std::string_view bytes) { buffered_.append(bytes); }

  /// The next frame if it is complete. Throws `error` as soon as the bytes cannot be a frame. Allocates only
  /// for received bytes.
  std::optional<frame> next();

 private:
  std::string buffered_;
};

/// The payload of `gathered`.
std::string encode_texts(const std::vector<std::string>& texts);
/// The `size` texts of a payload of `gathered`. Throws `error` for any other bytes.
std::vector<std::string> decode_texts(std::string_view payload, int size);

/// The payload of `finish` and `leave`.
std::string encode_status(int status);
/// The status of a payload of `finish` or `leave`. Throws `error` for any other bytes.
int decode_status(std::string_view payload);
/// The first status that is not 0, in the payloads of all processes by rank. Throws `error`.
int first_failure(const std::vector<std::string>& payloads);

}  // namespace imbrex
