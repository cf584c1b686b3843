// SPDX-License-Identifier: Apache-2.0
// Reads a type with many members from arbitrary bytes. A value that is accepted must survive being written
// and read again. Build:
//   clang++ -std=c++20 -I. -fsanitize=fuzzer,address,undefined tests/fuzz/serial_fuzz.cpp
//       imbrex/serial/archive.cpp

#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/sample.test.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "mutator.hpp"

namespace {

std::vector<std::byte> written(const imbrex::sample::everything& value) {
  imbrex::writer out;
  out(value);
  return out.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  imbrex::reader in(std::as_bytes(std::span(data, size)));
  imbrex::sample::everything value;
  try {
    in(value);
  } catch (const imbrex::serial_error&) {
    return 0;
  }
  const std::vector<std::byte> bytes = written(value);
  imbrex::reader again(bytes);
  imbrex::sample::everything copy;
  again(copy);  // throws, and so fails, if the reader refuses the writer's output
  again.finish();
  // Compared by size, since a NaN in the input is not equal to itself, and hashed containers have no order.
  if (written(copy).size() != bytes.size()) std::abort();
  return 0;
}

// Starts from valid messages, since random bytes rarely form one.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  if (seed % 16 == 0) {
    std::mt19937 random(seed);
    const std::vector<std::byte> valid = written(imbrex::sample::make_everything(random));
    if (valid.size() <= max_size) {
      std::memcpy(data, valid.data(), valid.size());
      size = valid.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
