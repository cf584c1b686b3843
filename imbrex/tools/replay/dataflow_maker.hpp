// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/tools/replay/dataflow.hpp>

namespace imbrex::tools {

/// A dataflow while it is read: pieces of all PEs come in the order of time. With a listener it is no graph,
/// and holds only what is not over: a piece until its item has ended and no message or stretch of data refers
/// to it any more.
class dataflow_maker {
 public:
  explicit dataflow_maker(dataflow_listener* told) : told_(told) {}

  dataflow flow;
  std::uint64_t start = 0;  ///< time of the first record

  bool is_graph() const { return told_ == nullptr; }
  std::uint32_t add_piece(std::uint32_t pe, std::uint64_t time, bool is_item);
  /// The pieces of a PE's item, and so their lengths, are complete.
  void item_ended(std::uint32_t pe);
  std::uint32_t add_message();
  void set_sender(std::uint32_t message, std::uint32_t piece);
  void set_item(std::uint32_t message, std::uint32_t piece);
  void set_user(std::uint32_t message, std::uint32_t piece);
  /// Nobody will know more of that message; it has come if it has an item.
  void message_is_over(std::uint32_t message);
  std::uint32_t add_use(dataflow::data_use begun);
  void use_is_over(std::uint32_t use);
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

  /// A number that is free, or the next.
  template <class T>
  static std::uint32_t take_number(std::vector<T>& all, std::vector<std::uint32_t>& free);
  void refer(std::uint32_t piece);
  void release(std::uint32_t piece);

  std::vector<edge> edges_;
  std::vector<piece_event> events_;

  // With a listener.
  dataflow_listener* told_;
  std::vector<std::uint32_t> references_;            // to each piece; one of them that of its item
  std::vector<std::vector<std::uint32_t>> running_;  // pieces of the item of each PE
  std::vector<std::uint32_t> free_pieces_, free_messages_, free_uses_;
};

}  // namespace imbrex::tools
