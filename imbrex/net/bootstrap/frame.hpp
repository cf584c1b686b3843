// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `imbrex run` and the processes that it started say to each other over a socket of this host. A frame
// is 16 bytes (magic, kind, length of the payload) and the payload. A process says
//   gather   its text                   and is answered with gathered, when all have come, or failed
//   leave    with what status a run has ended, and is answered as gather is: all have come, or one will not
//   overdue  how long it has waited     and is answered with failed
//   finish   the status that it will end with; no answer
//   complaint  what the user should hear, unless the launcher knows better; no answer
// No process says gather or leave again before it has been answered. Unasked it may be told
//   left     what the first process said that left its run, while it has not left itself; no answer

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
  died  ///< one of the run, of whose end the launcher tells the user
};

struct frame {
  frame_kind kind;
  std::string payload;
};

/// No payload may be longer, in bytes.
inline constexpr std::uint64_t max_frame_payload = std::uint64_t{1} << 30;

/// The bytes of a frame. Throws `error` for a payload longer than `max_frame_payload`.
std::string encode_frame(frame_kind kind, std::string_view payload);

/// Takes frames out of a stream of bytes that may come in any pieces, and from anybody.
class frame_reader {
 public:
  void append(std::string_view bytes) { buffered_.append(bytes); }

  /// The next frame if all of it is there. Throws `error` as soon as the bytes cannot be of a frame; memory
  /// is never taken for bytes that have not come.
  std::optional<frame> next();

 private:
  std::string buffered_;
};

/// The payload of `gathered`.
std::string encode_texts(const std::vector<std::string>& texts);
/// The `size` texts of such a payload. Throws `error` if it is not one.
std::vector<std::string> decode_texts(std::string_view payload, int size);

/// The payload of `finish` and `leave`.
std::string encode_status(int status);
/// The status of such a payload. Throws `error` if it is not one.
int decode_status(std::string_view payload);
/// Of such payloads of all processes, in the order of their ranks: the first status that is not 0. Throws
/// `error`.
int first_failure(const std::vector<std::string>& payloads);

}  // namespace imbrex
