// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/message_account.hpp>

#include <algorithm>

namespace imbrex::tools {

namespace {

constexpr std::size_t most_in_flight = 700'000;
constexpr std::size_t most_early = 10'000;
constexpr std::size_t most_unsent = 1'000;  // a model's clock may stand still for long
constexpr std::uint64_t not_yet = ~std::uint64_t{0};

message_times times_of(const message_in_flight& message, std::uint64_t begun) {
  const auto ready = message.ready == not_yet ? message.sent : std::max(message.ready, message.sent);
  return {message.sent, ready, std::max(begun, ready)};
}

}  // namespace

// Addresses and numbers are reused: a message still in that slot is lost and replaced.
message_in_flight& message_account::place_for(std::uint32_t place, std::uint64_t address) {
  if (auto* const before = table_.find(place, address)) {
    chains_.release(before->chain);
    return *before;
  }
  if (table_.size() >= most_in_flight) forget_old();
  return table_.add(place, address);
}

void message_account::forget_old() {
  table_.erase_sent_before(table_.mean_sent() + 1, [this](const message_in_flight& message) {
    chains_.release(message.chain);
    ++gaps_.forgotten;
  });
}

void message_account::forget_early(place number) {
  const auto known = early_.find(number);
  if (known == early_.end()) return;
  const auto there = early_messages_.find({known->second.process, known->second.address});
  if (there != early_messages_.end() && there->second == number) early_messages_.erase(there);
  early_.erase(known);
}

std::optional<message_account::begun> message_account::sent(const trace::record& r, std::uint32_t track,
                                                            std::uint32_t process, std::uint32_t chain) {
  const auto number = static_cast<std::uint32_t>(++sent_);
  const auto message = [&]() -> message_in_flight {
    return {r.a, r.time, not_yet, r.b, process, track, number, chain, r.entry, r.group};
  };
  if (unsent_time_ == r.time) {
    const auto here = std::find_if(unsent_.begin(), unsent_.end(), [&](const unsent& one) {
      return one.address == r.a && one.process == process;
    });
    if (here != unsent_.end()) {
      const begun known{message(), {r.time, r.time, r.time}, here->track};
      unsent_.erase(here);
      --gaps_.unknown;
      return known;
    }
  }
  place_for(process, r.a) = message();
  return std::nullopt;
}

std::optional<message_account::begun> message_account::packed(const trace::record& r, std::uint32_t track,
                                                              std::uint32_t process) {
  auto* const found = table_.find(process, r.a);
  if (found == nullptr) return std::nullopt;
  message_in_flight message = *found;
  table_.erase(found);
  if (!early_.empty()) {
    const auto known = early_.find({track, r.group});
    if (known != early_.end()) {
      const early here = known->second;
      forget_early({track, r.group});
      message.ready = here.arrived;
      message.found = true;
      if (message.ready < message.sent) ++gaps_.arrived_before_sent;
      if (here.begun) {
        --gaps_.unknown;
        return begun{message, times_of(message, here.begun->first), here.begun->second};
      }
      message.place = here.process;
      message.address = here.address;
      place_for(message.place, message.address) = message;
      return std::nullopt;
    }
  }
  message.place = track | packed_place;
  message.address = r.group;
  place_for(message.place, message.address) = message;
  return std::nullopt;
}

void message_account::arrived(const trace::record& r, std::uint32_t process,
                              const tracks_by_number& packers) {
  if (r.b == 0) {
    if (auto* const message = table_.find(process, r.a)) {
      message->ready = std::max(r.time - std::min<std::uint64_t>(r.group, r.time), message->sent);
      message->found = false;
    }
    return;
  }
  const std::uint64_t named = r.b - 1;
  const auto packer = packers.find(static_cast<std::uint32_t>(named));
  if (packer == packers.end() || packer->first != named) return;
  if (auto* const found = table_.find(packer->second | packed_place, r.group)) {
    message_in_flight message = *found;
    table_.erase(found);
    message.place = process;
    message.address = r.a;
    message.ready = r.time;
    message.found = true;
    if (message.ready < message.sent) ++gaps_.arrived_before_sent;
    place_for(message.place, message.address) = message;
    return;
  }
  // The packing of some messages was never recorded; their entries stay until this limit.
  if (early_.size() >= most_early) {
    early_.clear();
    early_messages_.clear();
  }
  // A message recorded earlier at this address has left it.
  if (auto* const old = table_.find(process, r.a)) {
    chains_.release(old->chain);
    table_.erase(old);
  }
  const place number{packer->second, r.group};
  const place address{process, r.a};
  forget_early(number);
  if (const auto old = early_messages_.find(address); old != early_messages_.end()) forget_early(old->second);
  early_[number] = {process, r.a, r.time};
  early_messages_[address] = number;
}

// Ids of entries that are named at run time are local to each process.
bool message_account::calls_entry(const message_in_flight& message, const trace::record& r,
                                  std::uint32_t process) const {
  if (message.entry == r.entry) return true;
  const std::uint32_t sender = in_.tracks()[message.sender].file;
  const auto& files = in_.files();
  const auto sent = files[sender]->name(trace::name_table::entries, message.entry);
  const auto begun = files[process]->name(trace::name_table::entries, r.entry);
  // Sender and receiver name a reply by their own view of the request.
  const auto is_reply = [](std::string_view name) { return name.starts_with("reply "); };
  return (sender != process && sent == begun) || (is_reply(sent) && is_reply(begun));
}

bool message_account::had_to_arrive(const message_in_flight& message) { return message.ready != not_yet; }

std::optional<message_account::begun> message_account::begin(const trace::record& r, std::uint32_t track,
                                                             std::uint32_t process) {
  const bool turn = r.kind == trace::record_kind::entry_begin;  // a turn; its item began with another message
  const std::uint64_t time = r.time;
  const std::uint64_t address = r.a;
  if (auto* const found = table_.find(process, address)) {
    std::optional<begun> known(std::in_place, *found, times_of(*found, time), track);
    table_.erase(found);
    if (turn || calls_entry(known->message, r, process)) return known;
    // The old message began while nothing was recorded, and its address was reused.
    chains_.release(known->message.chain);
  }
  if (turn) return std::nullopt;
  ++gaps_.unknown;
  if (unsent_time_ != time) unsent_.clear();
  unsent_time_ = time;
  if (unsent_.size() < most_unsent) unsent_.push_back({address, process, track});
  if (!early_.empty()) {
    if (const auto number = early_messages_.find({process, address}); number != early_messages_.end()) {
      early_.at(number->second).begun = {time, track};
      early_messages_.erase(number);  // the address may be reused
    }
  }
  return std::nullopt;
}

}  // namespace imbrex::tools
