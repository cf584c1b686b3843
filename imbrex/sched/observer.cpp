// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/observer.hpp>

#include <utility>

#include <imbrex/net/local/serializing.hpp>

namespace imbrex {

// The packed size; 0 for a message that cannot be packed, and need not be where it goes.
std::uint64_t departing_message::bytes() const {
  if (!std::exchange(is_measured_, true)) try {
      bytes_ = packed_size(message_);
    } catch (...) {
      bytes_ = 0;
    }
  return bytes_;
}

std::optional<packing_record> observer::packed(const detail::work& /*message*/) { return std::nullopt; }

void observer_levels::add(observer& o, observed what) {
  thread.add(o);
  if (what == observed::thread) return;
  if (what == observed::items || what == observed::everything) {
    items.add(o);
    if_items = &items;
  }
  if (what == observed::items) return;
  elements.add(o);
  if_elements = &elements;
  if (what == observed::elements) return;
  everything.add(o);
  if_everything = &everything;
}

void observer_list::add(observer& o) { all_.push_back(&o); }

void observer_list::turn_begins(const detail::local_array& part, const chare_header& element,
                                const detail::work_type& entry, const detail::work& broadcast) const {
  tell([&](observer& o) { o.turn_begins(part, element, entry, broadcast); });
}
void observer_list::turn_ends() const {
  tell_backward([](observer& o) { o.turn_ends(); });
}
std::optional<packing_record> observer_list::packed(const detail::work& message) const {
  std::optional<packing_record> record;
  tell([&](observer& o) {
    if (const auto its = o.packed(message)) record = its;
  });
  return record;
}
void observer_list::entered(const detail::local_array& part, const chare_header& element, bool is_new) const {
  tell([&](observer& o) { is_new ? o.created(part, element) : o.arrives(part, element); });
}
void observer_list::destroyed(const detail::local_array& part, const chare_header& element) const {
  tell([&](observer& o) { o.destroyed(part, element); });
}
void observer_list::suspended(const suspension& what) const {
  tell([&](observer& o) { o.suspended(what); });
}
void observer_list::resumed(const suspension& what) const {
  tell([&](observer& o) { o.resumed(what); });
}
void observer_list::abandoned(const scope& entry, trace::wait_cause cause) const {
  tell([&](observer& o) { o.abandoned(entry, cause); });
}
void observer_list::received(const detail::work& message, std::int64_t reference) const {
  tell([&](observer& o) { o.received(message, reference); });
}
void observer_list::gathered(const void* whole, std::uint64_t number, bool completes) const {
  tell([&](observer& o) { o.gathered(whole, number, completes); });
}

}  // namespace imbrex
