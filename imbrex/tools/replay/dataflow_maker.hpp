// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/tools/replay/dataflow.hpp>

namespace imbrex::tools {

/// Builds a dataflow while a trace is read; pieces of all PEs arrive in the order of time. With a listener it
/// builds no graph and holds only unfinished data. It then drops a piece when its item has ended and no
/// message or data use refers to it.
class dataflow_maker {
 public:
  explicit dataflow_maker(dataflow_listener* listener) : listener_(listener) {}

  dataflow flow;
  std::uint64_t start = 0;  ///< time of the first record

  bool is_graph() const { return listener_ == nullptr; }
  std::uint32_t add_piece(std::uint32_t pe, std::uint64_t time, bool is_item);
  /// The pieces of the PE's item have their final lengths.
  void item_ended(std::uint32_t pe);
  std::uint32_t add_message();
  void set_sender(std::uint32_t message, std::uint32_t piece);
  void set_item(std::uint32_t message, std::uint32_t piece);
  void set_user(std::uint32_t message, std::uint32_t piece);
  /// The message is complete; it has arrived if it has an item.
  void message_is_over(std::uint32_t message);
  std::uint32_t add_use(dataflow::data_use begun);
  void use_is_over(std::uint32_t use);
  void follow(std::uint32_t before, std::uint32_t after, std::uint64_t delay = 0);
  void add_event(std::uint32_t piece, std::uint64_t after, dataflow::event_kind kind, std::uint32_t what);

  /// Sorts events and followers by their pieces, and returns the dataflow.
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

  /// A free number, or the next new one.
  template <class T>
  static std::uint32_t take_number(std::vector<T>& all, std::vector<std::uint32_t>& free);
  void refer(std::uint32_t piece);
  void release(std::uint32_t piece);

  std::vector<edge> edges_;
  std::vector<piece_event> events_;

  // Used with a listener only:
  dataflow_listener* listener_;
  std::vector<std::uint32_t> references_;            // number of references to each piece; its item is one
  std::vector<std::vector<std::uint32_t>> running_;  // pieces of each PE's item
  std::vector<std::uint32_t> free_pieces_, free_messages_, free_uses_;
};

}  // namespace imbrex::tools
