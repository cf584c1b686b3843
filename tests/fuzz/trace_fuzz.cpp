// SPDX-License-Identifier: Apache-2.0
// Reports on arbitrary bytes as a trace. Records are read as far as they are valid, and the times of each PE
// must add up to the run's.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/tools/overlap/measured.hpp>
#include <imbrex/tools/replay/read_dataflow.hpp>
#include <imbrex/tools/replay/replay.hpp>
#include <imbrex/tools/trace/analysis.hpp>
#include <imbrex/tools/trace/convert_to_perfetto.hpp>
#include <imbrex/tools/trace/page/page.hpp>
#include <imbrex/tools/trace/report_json.hpp>
#include <imbrex/tools/trace/report_text.hpp>

#include "mutator.hpp"

namespace {

namespace trace = imbrex::trace;

void append(std::string& to, const auto& what) {
  to.append(reinterpret_cast<const char*>(&what), sizeof what);
}

/// A valid trace with few addresses, so that sends and receives match.
std::string a_valid_trace(std::mt19937& random) {
  std::string bytes;
  trace::file_header head;
  head.pes = 3;
  append(bytes, head);
  std::uint64_t times[3]{};
  for (auto chunks = random() % 8; chunks > 0; --chunks) {
    const auto track = static_cast<std::uint32_t>(random() % 3);
    const auto records = static_cast<std::uint32_t>(random() % 8);
    trace::chunk_header chunk{trace::chunk_magic, trace::chunk_kind::records, track,
                              records * static_cast<std::uint32_t>(sizeof(trace::record))};
    append(bytes, chunk);
    for (std::uint32_t k = 0; k < records; ++k) {
      trace::record r{};
      r.time = times[track] += random() % 4;
      r.kind = static_cast<trace::record_kind>(1 + random() % (trace::record_kinds - 1));
      r.detail = static_cast<std::uint8_t>(random() % 3);
      r.entry = static_cast<std::uint16_t>(random() % 3);
      r.group = static_cast<std::uint32_t>(random() % 3);
      r.a = random() % 4;
      r.b = random() % 4;
      append(bytes, r);
    }
  }
  append(bytes, trace::chunk_header{});
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  // Limits the number of processes, since the reader looks for a file of each.
  if (trace::file_header head; size >= sizeof head) {
    std::memcpy(&head, bytes.data(), sizeof head);
    head.processes %= 4;
    std::memcpy(bytes.data(), &head, sizeof head);
  }
  const imbrex::descriptor memory(::memfd_create("trace", MFD_CLOEXEC));
  if (!memory || ::write(memory.get(), bytes.data(), bytes.size()) != static_cast<::ssize_t>(bytes.size()))
    std::abort();
  try {
    const std::string file = "/proc/self/fd/" + std::to_string(memory.get());
    trace::reader in(file);
    const imbrex::tools::run_report run = imbrex::tools::analyse(in, nullptr, 8);
    for (const auto& pe : run.pes)
      if (pe.program + pe.runtime + pe.unrecorded + pe.idle_awake + pe.parked != run.length ||
          pe.overlap.covered > pe.overlap.communication)
        std::abort();
    if (imbrex::tools::report_text(run).empty() || imbrex::tools::report_json(std::vector{run}).empty())
      std::abort();
    trace::reader watched(file);
    imbrex::tools::timeline drawn({.bins = 64, .details = 8});
    imbrex::tools::timeline_json(drawn, imbrex::tools::analyse(watched, &drawn, 8));
    trace::reader again(file);
    imbrex::tools::convert_to_perfetto(again, "/dev/null");
    trace::reader third(file);
    const imbrex::tools::dataflow flow = imbrex::tools::read_dataflow(third);
    imbrex::tools::replay(flow, {imbrex::nanoseconds(2), 1'000'000, imbrex::nanoseconds(1)});
    imbrex::overlap::measure(flow, {}, "any");
  } catch (const imbrex::usage_error&) {  // the header is invalid, or records are missing
  }
  return 0;
}

// Starts from valid traces, since few random bytes are one.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  if (seed % 4 == 0) {
    std::mt19937 random(seed);
    const std::string valid = a_valid_trace(random);
    if (valid.size() <= max_size) size = valid.copy(reinterpret_cast<char*>(data), max_size);
    if (seed % 8 == 0) return size;
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
