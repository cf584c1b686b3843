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

/// Pieces of code, one for each function that copies call instead of the C library's. Each copy has them in
/// its slot, so that a gate's address tells the copy. A gate notes on its thread which copy calls, and goes
/// on in the function with the caller's arguments. So all threads call, also those that no rank runs on.
class call_gates {
 public:
  /// Throws error if there is no memory, or no gates for this processor.
  explicit call_gates(const function_table& functions);

  /// The bytes that they take: whole pages, which all copies share.
  std::size_t bytes() const noexcept { return bytes_; }
  /// Where the gate of a function lies among them; none if copies call the library's.
  std::optional<std::uint64_t> place_of(std::string_view function) const;
  /// Puts them there. Throws error if the machine gives no more mappings.
  void map(std::byte* begin) const;

  /// An address in the copy that has called last on this thread. A function reads it before it calls or
  /// waits; a handler of a signal puts it back.
  static const std::byte* caller() noexcept;
  static void set_caller(const std::byte* address) noexcept;

 private:
  std::size_t bytes_ = 0;
  descriptor code_;  // of a file in memory
  std::unordered_map<std::string_view, std::uint64_t> places_;
};

}  // namespace imbrex::mpi
