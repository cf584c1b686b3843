// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

// Functions of libFuzzer: LLVMFuzzerCustomMutator, which a fuzz target may define to change an input, and
// LLVMFuzzerMutate, which it may call to change bytes at random.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Changes an input at random. It often starts from a valid one, `make_valid(random)`, since few random bytes
/// are one. It often lets `repair(bytes)` make checksums right, so that what they guard is reached.
template <class MakeValid, class Repair>
std::size_t mutate_from_valid(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                              MakeValid make_valid, Repair repair) {
  if (seed % 4 == 0) {
    std::mt19937 random(seed);
    const std::string valid = make_valid(random);
    if (valid.size() <= max_size) size = valid.copy(reinterpret_cast<char*>(data), max_size);
    if (seed % 8 == 0) return size;
  }
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 3 == 0) return size;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  repair(bytes);
  return bytes.copy(reinterpret_cast<char*>(data), max_size);
}
