// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

/// Gates: pieces of code, one for each function that replaces one of the C library for copies. The slot of
/// each copy maps all gates, so that a gate's address identifies the copy. A gate stores the calling copy in
/// a variable of its thread, then jumps to the function with the caller's arguments. All threads call through
/// gates, also those that no rank runs on.
class call_gates {
 public:
  /// Throws error if memory is short or gates for this processor are not implemented.
  explicit call_gates(const function_table& functions);

  /// Bytes of all gates: whole pages, which all copies share.
  std::size_t bytes() const noexcept { return bytes_; }
  /// Offset of a function's gate; nullopt if copies call the library's function.
  std::optional<std::uint64_t> place_of(std::string_view function) const;
  /// Maps the gates at `begin`. Throws error if the system provides no more mappings.
  void map(std::byte* begin) const;

  /// An address in the copy that called last on this thread. A function must read it before it calls others
  /// or waits; a signal handler restores it.
  static const std::byte* caller() noexcept;
  static void set_caller(const std::byte* address) noexcept;

 private:
  std::size_t bytes_ = 0;
  descriptor code_;  // a file in memory
  std::unordered_map<std::string_view, std::uint64_t> places_;
};

}  // namespace imbrex::mpi
