// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex::tools {

/// A schedule in the language GOAL (Hoefler et al. 2009): operations of ranks, and their dependencies.
struct goal {
  static constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();  ///< any source, any tag

  enum class kind : std::uint8_t { send = 1, receive = 2, compute = 3 };
  struct operation {
    std::uint64_t size = 0;  ///< bytes; of a computation its time
    std::uint32_t peer = 0;
    std::uint32_t tag = 0;
    std::uint32_t rank = 0;
    std::uint8_t cpu = 0;
    std::uint8_t nic = 0;
    kind what = kind::compute;
  };
  /// An operation that waits for the end of another, or for its start.
  struct dependency {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    bool on_start = false;
  };

  std::uint32_t ranks = 0;
  std::uint32_t cpus = 1;             ///< processors of each rank
  std::uint32_t nics = 1;             ///< network cards of each rank
  std::vector<operation> operations;  ///< rank by rank, in the order of the text
  std::vector<dependency> dependencies;
};

/// Reads GOAL from a text; `file` names it in errors. Throws `usage_error` with the line and what is expected
/// there.
goal parse_goal(std::string_view text, const std::string& file);

}  // namespace imbrex::tools
