// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/base/owner.hpp>

namespace imbrex::detail {

/// The keys of single chares. A key consists of the home PE, the creating PE, and a number that counts the
/// chares created by one PE on the other. PEs have 8 bits each in a run of up to 256 PEs, otherwise 16. The
/// number has 48 bits, otherwise 32. The upper half of the numbers is for chares that an earlier run has
/// created and saved; the lower half lasts for four million creations a second for a year.
class single_keys {
 public:
  explicit single_keys(int pes, std::uint64_t first = 1);
  ~single_keys();

  /// At the creator: a new key. Throws imbrex::error when all numbers are used.
  std::uint64_t next(int home, int creator);
  int home(std::uint64_t key) const { return static_cast<int>(key >> (64U - pe_bits_)); }
  int creator(std::uint64_t key) const {
    return static_cast<int>(key >> number_bits() & ((std::uint64_t{1} << pe_bits_) - 1));
  }
  std::uint64_t number(std::uint64_t key) const { return key & (2 * first_saved() - 1); }

  /// The key with these parts.
  std::uint64_t key_of(int home, int creator, std::uint64_t number) const;
  /// The first number for chares that an earlier run has saved. It stands for all that were destroyed before.
  std::uint64_t first_saved() const { return std::uint64_t{1} << (number_bits() - 1); }

  /// At the home: the chare has been created.
  void created(std::uint64_t key);
  /// At the home: true if the chare has ever been created; if it is now on no PE, it was destroyed. Numbers
  /// have no gaps, so destroyed chares take no memory. `has_saved`: the chares that an earlier run has saved
  /// are in this run by now.
  bool was_created(std::uint64_t key, bool has_saved) const;

 private:
  struct record;

  unsigned number_bits() const { return 64U - 2 * pe_bits_; }
  std::uint64_t last_number() const { return first_saved() - 1; }

  const unsigned pe_bits_;
  const std::uint64_t first_;  ///< the first number: 1, except in tests of the last number
  std::vector<std::uint64_t> issued_;
  owner<record> record_;  ///< null until the first chare has been created here
};

/// The single chares of a PE that an earlier run has saved. A `local` object of the PE.
struct saved_singles {
  bool are_here = false;  ///< false until they have been read; messages for them wait
};

}  // namespace imbrex::detail
