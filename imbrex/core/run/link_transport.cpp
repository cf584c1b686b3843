// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/link_transport.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/core/gpu/device_transport.hpp>
#include <imbrex/net/local/serializing.hpp>
#include <imbrex/net/packing.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex {

void link_transport::send(detail::work& item, int to) {
  if (!distant_(to)) return carrier_.send(item, to);
  const auto now = time_.now();
  detail::message_guard content(static_cast<detail::message&>(item));
  const auto due = entrance_.inject(model_, now, packed_size(item) + detail::device_bytes(content.get()));
  auto& envelope = detail::make_message<detail::late_message>(due);
  envelope.enclose(content.release());
  carrier_.send(envelope, to);
}

namespace detail {

message_type late_message::type_record = runtime_message_type<late_message>();

const work_type late_message::alarm_type{
    "the arrival of a message",
    [](work& item) { static_cast<alarm&>(item).envelope->open(); },
    [](work& item) noexcept { destroy_message<late_message>(*static_cast<alarm&>(item).envelope); },
    nullptr,
    nullptr,
    true};

late_message::late_message(nanoseconds due) {
  priority = first_priority;  // the PE's other work must not delay the check of the due time
  alarm_.type = &alarm_type;
  alarm_.priority = first_priority;
  alarm_.deadline = due;
  alarm_.envelope = this;
}

late_message::~late_message() {
  if (content_ != nullptr) content_->type->destroy(*content_);
}

void late_message::serialize(writer& out) {
  out(alarm_.deadline, content_->kind().id);
  content_->type->pack(*content_, out);
}

void late_message::serialize(reader& in) {
  const reader::level level(in);
  std::uint32_t kind = 0;
  in(alarm_.deadline, kind);
  content_ = static_cast<message*>(&unpacked(message_table::at(kind), in));
}

void late_message::deliver() {
  auto& pe = *scheduler::current();
  if (pe.now() >= alarm_.deadline) return open();
  pe.add_timer(alarm_);
}

void late_message::open() {
  scheduler& pe = *scheduler::current();
  // A PE that was busy receives the message late.
  if (const auto* const observers = pe.observers()) {
    const auto ago = std::max(nanoseconds(0), pe.now() - alarm_.deadline);
    observers->tell([&](observer& o) { o.arrived(*content_, ago); });
  }
  pe.push(*std::exchange(content_, nullptr));
  destroy_message<late_message>(*this);
}

}  // namespace detail
}  // namespace imbrex
