// SPDX-License-Identifier: Apache-2.0
// Reads records of balancers from arbitrary bytes. Each must yield problems that strategies solve, or an
// error.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <imbrex/balance/internal/record_format.hpp>
#include <imbrex/balance/record_reader.hpp>
#include <imbrex/balance/record_writer.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>

#include "mutator.hpp"

namespace {

namespace balance = imbrex::balance;

std::string path_of(const imbrex::descriptor& file) { return "/proc/self/fd/" + std::to_string(file.get()); }

imbrex::descriptor memory_file() {
  imbrex::descriptor memory(::memfd_create("record", MFD_CLOEXEC));
  if (!memory) std::abort();
  return memory;
}

/// Makes the checksums and the length right, since few changed files would come past them.
void repair(std::string& bytes) {
  balance::detail::record_header header;
  if (bytes.size() < sizeof header) return;
  std::memcpy(bytes.data(), &header, sizeof header.magic + sizeof header.version);
  std::size_t at = sizeof header;
  balance::detail::record_block_header block;
  while (bytes.size() - at >= sizeof block) {
    std::memcpy(&block, bytes.data() + at, sizeof block);
    const std::size_t left = bytes.size() - at - sizeof block;
    if (block.bytes > left) break;
    const std::string content = bytes.substr(at + sizeof block, block.bytes);
    block.checksum = balance::detail::checksum_of(std::as_bytes(std::span(content)));
    std::memcpy(bytes.data() + at, &block, sizeof block);
    at += sizeof block + block.bytes;
  }
  header.whole = at;
  std::memcpy(bytes.data(), &header, sizeof header);
}

std::string a_valid_record(std::mt19937& random) {
  const imbrex::descriptor memory = memory_file();
  balance::record_writer out(path_of(memory));
  const int pes = 1 + static_cast<int>(random() % 4);
  out.write({.strategy = "segments", .pes = pes});
  for (auto periods = random() % 4; periods > 0; --periods) {
    balance::recorded_period period;
    std::vector<balance::object_name> names;
    period.problem.dimensions = 2;
    for (std::uint64_t i = 0; i < 1 + random() % 6; ++i) {
      names.push_back({i / 3, i});
      period.problem.pe.push_back(static_cast<int>(random() % static_cast<unsigned>(pes)));
      period.problem.load.push_back(static_cast<double>(random() % 9));
      period.problem.coordinates.insert(period.problem.coordinates.end(), {1.0F * random(), 2.0F});
      period.measured.push_back(1);
    }
    out.write(names, period);
  }
  std::string bytes(4096, '\0');
  bytes.resize(static_cast<std::size_t>(::pread(memory.get(), bytes.data(), bytes.size(), 0)));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const imbrex::descriptor memory = memory_file();
  if (::write(memory.get(), data, size) != static_cast<::ssize_t>(size)) std::abort();
  try {
    balance::record_reader in(path_of(memory));
    while (in.next()) {
      const balance::problem p = in.period().problem.view();
      if (p.on.pes > 1000) break;  // arrays of that many PEs take long
      for (const char* const name : {"auto", "bisect"})
        if (balance::find_strategy(name).solve(p).size() != p.size()) std::abort();
    }
  } catch (const imbrex::usage_error& e) {
    if (std::string(e.what()).find("/proc/self/fd/") == std::string::npos) std::abort();
  }
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  return mutate_from_valid(data, size, max_size, seed, a_valid_record, repair);
}
