// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/replay/dataflow_maker.hpp>

#include <utility>

namespace imbrex::tools {

template <class T>
std::uint32_t dataflow_maker::take_number(std::vector<T>& all, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    all.emplace_back();
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  const std::uint32_t number = free.back();
  free.pop_back();
  all[number] = T();
  return number;
}

std::uint32_t dataflow_maker::add_piece(std::uint32_t pe, std::uint64_t time, bool is_item) {
  const std::uint32_t number = take_number(flow.pieces, free_pieces_);
  auto& piece = flow.pieces[number];
  piece.begun = time - start;
  piece.pe = pe;
  piece.is_item = is_item;
  if (is_graph()) return number;
  references_.resize(flow.pieces.size());
  references_[number] = 1;
  if (pe >= running_.size()) running_.resize(pe + 1);
  running_[pe].push_back(number);
  return number;
}

void dataflow_maker::item_ended(std::uint32_t pe) {
  if (is_graph() || pe >= running_.size()) return;
  for (const std::uint32_t piece : running_[pe]) {
    listener_->ended(piece, flow.pieces[piece]);
    release(piece);
  }
  running_[pe].clear();
}

void dataflow_maker::refer(std::uint32_t piece) {
  if (!is_graph() && piece != dataflow::none) ++references_[piece];
}

void dataflow_maker::release(std::uint32_t piece) {
  if (piece == dataflow::none || --references_[piece] > 0) return;
  listener_->forgotten(piece);
  free_pieces_.push_back(piece);
}

std::uint32_t dataflow_maker::add_message() { return take_number(flow.messages, free_messages_); }

void dataflow_maker::set_sender(std::uint32_t message, std::uint32_t piece) {
  flow.messages[message].sender = piece;
  refer(piece);
}

void dataflow_maker::set_item(std::uint32_t message, std::uint32_t piece) {
  flow.messages[message].item = flow.messages[message].user = piece;
  refer(piece);
  refer(piece);
}

void dataflow_maker::set_user(std::uint32_t message, std::uint32_t piece) {
  refer(piece);
  const std::uint32_t before = std::exchange(flow.messages[message].user, piece);
  if (!is_graph()) release(before);
}

void dataflow_maker::message_is_over(std::uint32_t message) {
  if (is_graph()) return;
  const auto& m = flow.messages[message];
  const auto pe_of = [&](std::uint32_t piece) {
    return piece == dataflow::none ? dataflow::none : flow.pieces[piece].pe;
  };
  if (m.item != dataflow::none) listener_->came(m, pe_of(m.sender), pe_of(m.item));
  for (const std::uint32_t piece : {m.sender, m.item, m.user}) release(piece);
  free_messages_.push_back(message);
}

std::uint32_t dataflow_maker::add_use(dataflow::data_use begun) {
  const std::uint32_t number = take_number(flow.data, free_uses_);
  refer(begun.piece);
  flow.data[number] = std::move(begun);
  return number;
}

void dataflow_maker::use_is_over(std::uint32_t use) {
  if (is_graph()) return;
  const std::uint32_t piece = flow.data[use].piece;
  if (piece != dataflow::none) listener_->used(flow.data[use]);
  release(piece);
  flow.data[use] = {};
  free_uses_.push_back(use);
}

void dataflow_maker::follow(std::uint32_t before, std::uint32_t after, std::uint64_t delay) {
  if (!is_graph()) return;
  edges_.push_back({before, {after, delay}});
  ++flow.pieces[after].needs;
}

void dataflow_maker::add_event(std::uint32_t piece, std::uint64_t after, dataflow::event_kind kind,
                               std::uint32_t what) {
  if (is_graph()) events_.push_back({piece, {after, what, kind}});
}

// A stable counting sort by piece.
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
