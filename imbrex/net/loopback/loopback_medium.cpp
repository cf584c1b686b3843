// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/loopback/loopback_medium.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex::loopback {

std::size_t medium::add() {
  auto p = std::make_unique<place>();
  p->wake = descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!p->wake) throw error(std::string("eventfd: ") + std::strerror(errno));
  const std::lock_guard hold(lock_);
  places_.push_back(std::move(p));
  return places_.size() - 1;
}

void medium::remove(std::size_t worker) {
  const std::lock_guard hold(lock_);
  place& own_place = *places_[worker];
  own_place.has_ended = true;
  for (const auto& offer : own_place.offered) offer->what = nullptr;
  for (const parcel& message : own_place.unread)
    if (message.offered) end(*message.offered);
  own_place.offered.clear();
  own_place.unread.clear();
}

bool medium::has(std::size_t worker) const {
  const std::lock_guard hold(lock_);
  return worker < places_.size() && !places_[worker]->has_ended;
}

bool medium::put(std::size_t to, parcel&& message) {
  const std::lock_guard hold(lock_);
  place& there = *places_[to];
  if (there.has_ended) {
    if (message.offered) end(*message.offered);
    return true;  // the message has no receiver any more
  }
  if (there.unread.size() >= how_.most_unread_messages) return false;
  if (message.offered) places_[message.offered->from]->offered.push_back(message.offered);
  spoil(there, message);
  wake(there);
  return true;
}

/// Puts the message into `where`, perhaps after a delay, twice, changed or not at all.
void medium::spoil(place& where, parcel& message) {
  const faults& wrong = how_.wrong;
  if (happens(wrong.delayed)) message.looks_to_wait = 1 + static_cast<int>(random_.below(20));
  if (message.offered) return where.unread.push_back(std::move(message));
  if (happens(wrong.lost)) return;
  if (happens(wrong.corrupted) && !message.body.empty())
    message.body[random_.below(message.body.size())] ^= std::byte{1};
  if (happens(wrong.duplicated)) where.unread.push_back(message);
  const auto overtaken = happens(wrong.reordered) ? random_.below(where.unread.size() + 1) : 0;
  where.unread.insert(where.unread.end() - static_cast<std::ptrdiff_t>(overtaken), std::move(message));
}

bool medium::take(std::size_t worker, parcel& message) {
  const std::lock_guard hold(lock_);
  auto& unread = places_[worker]->unread;
  if (unread.empty() || unread.front().looks_to_wait-- > 0) return false;
  message = std::move(unread.front());
  unread.pop_front();
  return true;
}

bool medium::fetch(offer& from, std::span<std::byte> to) {
  const std::lock_guard hold(lock_);
  if (from.what == nullptr) return false;
  if (!to.empty()) std::memcpy(to.data(), from.body.data(), to.size());
  end(from);
  return true;
}

void medium::drop(offer& unwanted) {
  const std::lock_guard hold(lock_);
  end(unwanted);
}

void medium::end(offer& o) {
  fabric_transfer* const what = std::exchange(o.what, nullptr);
  if (what == nullptr) return;
  place& sender = *places_[o.from];
  std::erase_if(sender.offered, [&](const auto& other) { return other.get() == &o; });
  if (happens(how_.wrong.unnoted)) return;
  sender.ended.push_back(what);
  wake(sender);
}

std::vector<fabric_transfer*> medium::take_ended(std::size_t worker) {
  const std::lock_guard hold(lock_);
  return std::exchange(places_[worker]->ended, {});
}

bool medium::arm(std::size_t worker) {
  const std::lock_guard hold(lock_);
  place& own_place = *places_[worker];
  std::uint64_t ignored = 0;
  static_cast<void>(::read(own_place.wake.get(), &ignored, sizeof ignored) == 0);
  own_place.is_armed = own_place.unread.empty() && own_place.ended.empty();
  return own_place.is_armed;
}

int medium::descriptor_of(std::size_t worker) const {
  const std::lock_guard hold(lock_);
  return places_[worker]->wake.get();
}

void medium::wake(place& who) {
  if (!std::exchange(who.is_armed, false)) return;
  const std::uint64_t one = 1;
  static_cast<void>(::write(who.wake.get(), &one, sizeof one) == 0);
}

}  // namespace imbrex::loopback
