// SPDX-License-Identifier: Apache-2.0
// Passes arbitrary bytes to `imbrex run` and to its processes. The first byte determines how the rest is cut
// into pieces. The launcher receives the rest from one process, and a process receives it as a reply.

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/net/bootstrap/frame.hpp>
#include <imbrex/tools/exchange.hpp>

#include "mutator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] + std::size_t{1};
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  constexpr int processes = 2;
  imbrex::tools::exchange job({"rank 0", "rank 1"});
  imbrex::frame_reader in;
  try {
    for (std::size_t i = 0; i < bytes.size(); i += piece) {
      in.append(bytes.substr(i, piece));
      while (auto message = in.next()) {
        if (message->kind == imbrex::frame_kind::gathered)
          imbrex::decode_texts(message->payload, processes);
        else
          job.take(0, *std::move(message));
      }
    }
  } catch (const imbrex::error&) {  // both sides refuse such bytes with an error
  }
  return 0;
}

// Starts from valid frames, since few random bytes are one.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  if (seed % 8 == 0) {
    using imbrex::frame_kind;
    std::mt19937 random(seed);
    std::string valid(1, static_cast<char>(random()));
    for (auto left = random() % 4 + 1; left > 0; --left) {
      const std::string text(random() % 40, 'x');
      switch (random() % 5) {
        case 0: valid += encode_frame(frame_kind::gather, text); break;
        case 1: valid += encode_frame(frame_kind::overdue, text); break;
        case 3: valid += encode_frame(frame_kind::leave, ""); break;
        case 2:
          valid += encode_frame(frame_kind::finish, imbrex::encode_status(static_cast<int>(random())));
          break;
        default: valid += encode_frame(frame_kind::gathered, imbrex::encode_texts({text, ""})); break;
      }
    }
    if (valid.size() <= max_size) {
      valid.copy(reinterpret_cast<char*>(data), valid.size());
      size = valid.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
