// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/mailbox.hpp>

#include <utility>

#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::detail {

void unread_nodes::put_into_bucket(mailbox_node_base& l) {
  if (!buckets_.empty()) append(l);
  if (size_ <= few || size_ <= 2 * buckets_.size()) return;
  buckets_.assign(4 * size_, {});
  for (mailbox_node_base* each = first_; each != nullptr; each = each->later) append(*each);
}

void unread_nodes::take_out_of_bucket(mailbox_node_base& l) {
  if (size_ == 0) return buckets_.clear();
  auto& b = buckets_[place(l.reference)];
  mailbox_node_base* before = nullptr;
  for (mailbox_node_base* at = b.first; at != &l; at = at->same_bucket) before = at;
  (before != nullptr ? before->same_bucket : b.first) = l.same_bucket;
  if (b.last == &l) b.last = before;
}

void unread_nodes::append(mailbox_node_base& l) {
  l.same_bucket = nullptr;
  auto& b = buckets_[place(l.reference)];
  (b.last != nullptr ? b.last->same_bucket : b.first) = &l;
  b.last = &l;
}

void unread_nodes::discard() noexcept {
  while (mailbox_node_base* l = first_) {
    remove(*l);
    l->owner->type->destroy(*l->owner);
  }
}

mailbox_base::mailbox_base(mailbox_base&& other) noexcept : unread_(std::exchange(other.unread_, {})) {}

bool mailbox_base::receiver::accept_unread() {
  if (next_ != nullptr && from_.first_waiting_ != nullptr)
    return false;  // a receiver in order that waits
                   // behind others
  auto* const l =
      expected_reference_ != nullptr ? from_.unread_.find(*expected_reference_) : from_.unread_.first();
  if (l == nullptr) return false;
  accept(*l);
  return true;
}

void mailbox_base::receiver::give_up() noexcept {
  if (before_ != nullptr) leave();
  if (got_ != nullptr) release();
}

void mailbox_base::receiver::tell_taken(const observer_list& observers, bool has_waited) const {
  if (has_waited) observers.resumed(*this);
  observers.received(*got_->owner, got_->reference);
}

std::string mailbox_base::receiver::description() const {
  const std::size_t unread = from_.unread_.size();
  const std::string others = unread == 0 ? "" : " (" + std::to_string(unread) + " unread ";
  std::string text = describe_port(entry(), &from_);
  if (next_ != nullptr) {
    text += ", of which it has received " + std::to_string(*next_) + (*next_ == 1 ? " value" : " values");
    return others.empty() ? text : text + others + "that were sent later)";
  }
  text += expected_reference_ != nullptr ? " with reference " + std::to_string(reference_)
                                         : " with any reference";
  return others.empty() ? text : text + others + "with other references)";
}

std::string describe_port(const scope& entry, const void* port) {
  std::string_view name;
  if (entry.chare != nullptr) {
    const auto& e = *static_cast<const chare_header*>(entry.chare);
    name = e.home->port_name(e, port);
  }
  return name.empty() ? "a mailbox that nothing in this program sends to" : std::string(name);
}

bool is_own_port(const scope& entry, const void* port) {
  if (entry.chare == nullptr) return false;
  const auto& e = *static_cast<const chare_header*>(entry.chare);
  return e.home->is_member(e, port);
}

bool mailbox_base::receiver::can_move() const {
  return waiter_.object() == entry().body && is_own_port(entry(), &from_);
}

awaited mailbox_base::receiver::cause() const { return {trace::wait_cause::mailbox, reference_}; }

}  // namespace imbrex::detail
