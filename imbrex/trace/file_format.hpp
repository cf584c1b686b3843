// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <imbrex/trace/record.hpp>

namespace imbrex::trace {

// The files of a trace, described in docs/trace-format.md: one for each process, a header and then chunks, in
// the order in which they were written. The last chunk of a killed process's file may be incomplete.

/// Process 0 writes FILE itself, process k writes FILE.k.
std::string file_of_process(const std::string& file, std::uint32_t process);

inline constexpr std::array<char, 8> file_magic{'i', 'm', 'b', 'r', 'e', 'x', 't', '1'};
inline constexpr std::uint32_t format_version = 1;

enum file_flags : std::uint32_t {
  simulated_clock = 1,  ///< times are those of a model
  one_pe_a_process =
      2,  ///< processes of the program cannot have more, as those of a Python with a global lock
};

struct file_header {
  std::array<char, 8> magic = file_magic;
  std::uint32_t version = format_version;
  std::uint32_t bytes = sizeof(file_header);  ///< size of this header; readers skip what later versions add
  std::uint32_t process = 0;
  std::uint32_t processes = 1;
  std::uint32_t first_pe = 0;
  std::uint32_t pes = 1;        ///< number of PEs of this process
  std::uint64_t job = 0;        ///< equal in the files of one run
  std::uint64_t started = 0;    ///< time of this process's clock when recording began, ns
  std::int64_t wall_clock = 0;  ///< wall clock at that moment, ns since 1970
  std::uint32_t flags = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(file_header) == 64);

enum class chunk_kind : std::uint32_t {
  records = 1,  ///< records of one track, in the order in which they were written: times never decrease
  names = 2,    ///< `name_header`s, each followed by its text
  clock = 3,    ///< one `clock_reading`
  end = 4,      ///< the run has ended, and the file is complete; no bytes
};

inline constexpr std::uint32_t chunk_magic = 0x6b6e'6863;  // "chnk"

struct chunk_header {
  std::uint32_t magic = chunk_magic;
  chunk_kind kind = chunk_kind::end;
  std::uint32_t track = 0;  ///< for records: their track
  std::uint32_t bytes = 0;  ///< size of the content after this header, at most `largest_chunk`
};
static_assert(sizeof(chunk_header) == 16);
inline constexpr std::uint32_t largest_chunk = 1U << 24U;

/// The header of a name. Texts are UTF-8, and padded with zeros to a multiple of 8 bytes.
struct name_header {
  name_table table = name_table::entries;
  std::array<std::uint8_t, 3> reserved{};
  std::uint32_t id = 0;
  std::uint64_t key = 0;     ///< for elements and streams: their key
  std::uint32_t length = 0;  ///< bytes of the text, without the padding
  std::uint32_t reserved_too = 0;
};
static_assert(sizeof(name_header) == 24);

/// Offset of process 0's clock from this process's at a moment. Process 0's clock showed `here + ahead`, with
/// an error of up to half of `round_trip`. Readings are in the order of `here`.
struct clock_reading {
  std::uint64_t here = 0;
  std::int64_t ahead = 0;
  std::uint64_t round_trip = 0;
};
static_assert(sizeof(clock_reading) == 24);

}  // namespace imbrex::trace
