// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/replay/dataflow_maker.hpp>

#include <utility>

namespace imbrex::tools {

std::uint32_t dataflow_maker::add_piece(std::uint32_t pe, std::uint64_t time, bool is_item) {
  auto& made = flow.pieces.emplace_back();
  made.begun = time - start;
  made.pe = pe;
  made.is_item = is_item;
  return static_cast<std::uint32_t>(flow.pieces.size() - 1);
}

void dataflow_maker::follow(std::uint32_t before, std::uint32_t after, std::uint64_t delay) {
  edges_.push_back({before, {after, delay}});
  ++flow.pieces[after].needs;
}

void dataflow_maker::add_event(std::uint32_t piece, std::uint64_t after, dataflow::event_kind kind,
                               std::uint32_t what) {
  events_.push_back({piece, {after, what, kind}});
}

// Counts, then puts each at its place: a stable sort by piece.
dataflow dataflow_maker::finish() {
  for (const edge& one : edges_) ++flow.pieces[one.before].followers;
  for (const piece_event& one : events_) ++flow.pieces[one.piece].events;
  std::uint32_t followers = 0;
  std::uint32_t events = 0;
  for (auto& piece : flow.pieces) {
    piece.first_follower = followers;
    piece.first_event = events;
    followers += std::exchange(piece.followers, 0);
    events += std::exchange(piece.events, 0);
  }
  flow.followers.resize(followers);
  flow.events.resize(events);
  for (const edge& one : edges_) {
    auto& piece = flow.pieces[one.before];
    flow.followers[piece.first_follower + piece.followers++] = one.after;
  }
  for (const piece_event& one : events_) {
    auto& piece = flow.pieces[one.piece];
    flow.events[piece.first_event + piece.events++] = one.what;
  }
  return std::move(flow);
}

}  // namespace imbrex::tools
