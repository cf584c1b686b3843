// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/loopback/loopback_worker.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/base/options/number.hpp>

namespace imbrex::loopback {
namespace {

constexpr fabric_status done{0};
constexpr fabric_status kept{1};

std::size_t number_of(const fabric_connection& to) { return reinterpret_cast<std::size_t>(to.handle) - 1; }

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

loopback_worker::loopback_worker(std::shared_ptr<medium> in) : medium_(std::move(in)), self_(medium_->add()) {
  const options& settings = medium_->how();
  can_.ordered = settings.wrong.are_hidden ||
                 (!settings.wrong.spoil_order() && settings.longest_unoffered >= longest_short);
  can_.reliable = settings.wrong.are_hidden || !settings.wrong.spoil_reliability();
  can_.longest_header = settings.longest_header;
}

fabric_status loopback_worker::connect(fabric_connection& connection, const fabric_destination& to) {
  const auto number = parse_number<std::size_t>(to.address);
  if (!number || !medium_->has(*number)) return {-1};
  connection.handle = reinterpret_cast<void*>(*number + 1);
  return done;
}

fabric_status loopback_worker::send(fabric_connection& to, unsigned kind, std::span<const std::byte> header,
                                    std::span<const std::byte> body, fabric_transfer& what) {
  const waiting message{number_of(to), kind, header, body, &what};
  const bool others_wait =
      std::ranges::any_of(waiting_, [&](const waiting& other) { return other.to == message.to; });
  if (!others_wait && put(message)) return is_offered(message) ? kept : done;
  waiting_.push_back(message);
  return kept;
}

bool loopback_worker::is_offered(const waiting& message) const {
  return message.body.size() > medium_->how().longest_unoffered;
}

bool loopback_worker::put(const waiting& message) {
  parcel p{message.kind, copy_of(message.header), {}, nullptr, 0};
  if (is_offered(message))
    p.offered = std::make_shared<offer>(offer{message.body, message.what, self_});
  else
    p.body = copy_of(message.body);
  return medium_->put(message.to, std::move(p));
}

void loopback_worker::accept(void* offered, std::span<std::byte> place, fabric_transfer& what) {
  const bool is_there = medium_->fetch(*static_cast<offer*>(offered), place);
  std::erase_if(kept_, [&](const auto& o) { return o.get() == offered; });
  if (!is_there) return what.events->filled(what, fabric_receipt::lost, {});
  // Alternates between notifying at once and later, since a fabric may do either.
  if (std::exchange(notifies_at_once_, !notifies_at_once_))
    what.events->filled(what, fabric_receipt::whole, {});
  else
    copied_.push_back(&what);
}

void loopback_worker::decline(void* offered) noexcept {
  medium_->drop(*static_cast<offer*>(offered));
  std::erase_if(kept_, [&](const auto& o) { return o.get() == offered; });
}

bool loopback_worker::progress() noexcept {
  bool moved = false;
  for (fabric_transfer* const what : medium_->take_ended(self_)) what->events->departed(*what), moved = true;
  for (fabric_transfer* const what : std::exchange(copied_, {}))
    what->events->filled(*what, fabric_receipt::whole, {}), moved = true;
  std::vector<std::size_t> crowded;
  std::vector<fabric_transfer*> left;
  for (auto message = waiting_.begin(); message != waiting_.end();) {
    if (std::ranges::find(crowded, message->to) == crowded.end() && put(*message)) {
      if (!is_offered(*message)) left.push_back(message->what);
      message = waiting_.erase(message);
      moved = true;
    } else {
      crowded.push_back(message->to);
      ++message;
    }
  }
  for (fabric_transfer* const what : left) what->events->departed(*what);
  parcel message;
  for (int taken = 0; taken < most_taken_at_once && medium_->take(self_, message); ++taken) {
    hand_over(std::move(message));
    moved = true;
  }
  return moved;
}

void loopback_worker::hand_over(parcel message) noexcept {
  if (!message.offered) return events_->came(message.kind, message.header, message.body);
  const auto offered = message.offered;
  kept_.push_back(offered);
  const bool is_kept = events_->offered(message.kind, message.header, offered->body.size(), offered.get());
  const bool is_accepted = std::ranges::find(kept_, offered) == kept_.end();
  if (!is_kept && !is_accepted) decline(offered.get());
}

void loopback_worker::disconnect(fabric_connection& connection) noexcept {
  std::erase_if(waiting_, [&](const waiting& w) { return w.to == number_of(connection); });
}

}  // namespace imbrex::loopback
