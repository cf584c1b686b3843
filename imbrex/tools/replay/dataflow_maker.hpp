// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <imbrex/tools/replay/dataflow.hpp>

namespace imbrex::tools {

/// A dataflow while it is read: pieces of all PEs come in the order of time.
class dataflow_maker {
 public:
  dataflow flow;
  std::uint64_t start = 0;  ///< time of the first record

  std::uint32_t add_piece(std::uint32_t pe, std::uint64_t time, bool is_item);
  void follow(std::uint32_t before, std::uint32_t after, std::uint64_t delay = 0);
  void add_event(std::uint32_t piece, std::uint64_t after, dataflow::event_kind kind, std::uint32_t what);

  /// Puts events and followers in the order of their pieces.
  dataflow finish();

 private:
  struct edge {
    std::uint32_t before;
    dataflow::follower after;
  };
  struct piece_event {
    std::uint32_t piece;
    dataflow::event what;
  };

  std::vector<edge> edges_;
  std::vector<piece_event> events_;
};

}  // namespace imbrex::tools
