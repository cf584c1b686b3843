// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/exchange_part.hpp>

#include <utility>

#include <imbrex/core/collective/reductions.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/pe/pending.hpp>

namespace imbrex::detail {

namespace {

/// The content of a receipt: the number of further receipts, for columns that were forwarded.
struct exchange_receipt {
  std::int32_t more = 0;

  void serialize(auto& ar) { ar(more); }
};

}  // namespace

exchange_part::exchange_part(local_array& part, std::uint64_t number)
    : array_(part), number_(number), all_have_joined_(part.reductions().has_closed(number)) {
  address_ = part.pe().replies().open(*this);
}

exchange_part::~exchange_part() {
  if (!is_abandoned_) array_.pe().replies().close(address_);
}

bool exchange_part::flush() {
  all_have_joined_ = true;
  send_outgoing();
  sort_out();
  return is_taken();
}

void exchange_part::take(exchange_columns& received) {
  waiting_.push_back({owned_columns(&received), received.origin, received.reply, 0});
  if (nobody_will_flush()) sort_out();
}

void exchange_part::element_left() {
  if (nobody_will_flush()) sort_out();
}

void exchange_part::accept(std::uint32_t ordinal, void* result) {
  strays_ += static_cast<exchange_receipt*>(result)->more;
  was_taken(ordinal);
}

void exchange_part::fail(std::uint32_t ordinal, carried_exception why) {
  if (!error_) error_ = std::move(why);
  was_taken(ordinal);
}

/// True if no member here will flush the values. A PE without elements closes a reduction only on request,
/// possibly after its senders have closed theirs.
bool exchange_part::nobody_will_flush() const { return all_have_joined_ || array_.locals().empty(); }

void exchange_part::send_outgoing() {
  columns_by_pe all;
  try {
    fill(all);
  } catch (...) {  // thrown by an operation
    if (!error_) error_ = thrown_by_reduction(array_.id());
  }
  for (auto& [pe, values] : all)
    if (values->size() > 0) send(*values.release(), pe);
}

void exchange_part::send(exchange_columns& values, int to) {
  values.reply = address_;
  try {
    array_.pe().dispatch(values, to);
    ++bundles_on_the_way_;
  } catch (...) {  // the values cannot be packed
    error_ = thrown_by_reduction(array_.id());
  }
}

void exchange_part::was_taken(std::uint32_t ordinal) {
  --(ordinal == of_stray ? strays_ : bundles_on_the_way_);
  if (is_taken()) array_.reductions().exchange_was_taken(number_);
}

/// Gives received values to the members that have joined, and forwards values for elements that are not here.
/// The other values stay in `waiting_`.
void exchange_part::sort_out() {
  for (auto& a : std::exchange(waiting_, {})) {
    owned_columns rest;
    sort_out(a, rest);
    if (rest != nullptr)
      waiting_.push_back({std::move(rest), a.sender, a.reply, a.more});
    else
      send_reply(a.sender, a.reply, exchange_receipt{a.more});
  }
}

void exchange_part::sort_out(arrival& a, owned_columns& rest) {
  std::vector<exchange_member*> members;
  members.reserve(a.values->size());
  for (std::size_t column = 0; column < a.values->size(); ++column) {
    members.push_back(member_of(*a.values, column));
    if (members.back() == nullptr) set_aside(a, column, rest);
  }
  give_columns(*a.values, members);
}

/// Forwards or keeps the values for a member that has not joined here.
void exchange_part::set_aside(arrival& a, std::size_t column, owned_columns& rest) {
  if (const auto* const element = element_of(*a.values, column)) {
    // Otherwise the member joined on another PE, and its result was dropped there.
    if (element->reductions <= number_) move_column(*a.values, column, rest);
    return;
  }
  ++a.more;
  owned_columns alone;
  move_column(*a.values, column, alone);
  alone->origin = a.sender;
  alone->reply = a.reply;
  alone->reply.ordinal = of_stray;
  forward(std::move(alone));
}

}  // namespace imbrex::detail
