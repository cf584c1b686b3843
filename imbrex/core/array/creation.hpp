// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/core/pe/pending.hpp>

namespace imbrex::detail {

/// The PEs below this one in the tree of PEs whose root is the creator's.
std::vector<int> children_of(const processor& pe, int creator);

/// Asks all PEs for their parts of an array; ready when each has made its own.
pending<void> end_of_creation(std::uint64_t collection);

/// This PE's part of an array could not be created. Where it was made those hear of it who wait for its
/// creation; if nobody does, the run ends.
void fail_creation(std::uint64_t collection, std::exception_ptr why);
/// What threw was no constructor, but the array's placement, or memory ran out.
[[noreturn]] void rethrow_creation_failure(std::string_view chare_name, int pe);
[[noreturn]] void throw_wrong_shape(std::string_view chare_name, const std::string& shape);

}  // namespace imbrex::detail
