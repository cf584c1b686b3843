// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/sent_edges.hpp>

#include <imbrex/core/message/message.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

namespace {

/// One item of so many is sampled on average. The distance varies, since items repeat in patterns.
constexpr std::uint64_t items_a_sample = 16;

/// An edge ends when its earlier messages count for less bytes.
constexpr float least_bytes = 0.5F;

}  // namespace

sent_edges::sent_edges(processor& pe, chare_header* const& running)
    : pe_(pe), running_(running), random_(static_cast<std::uint64_t>(pe.pe())) {}

void sent_edges::run(work& item, chare_header* addressee) {
  if (--items_to_sample_ != 0) return pe_.run_measured(item, addressee);
  items_to_sample_ = 1 + random_.below(2 * items_a_sample - 1);
  sampling_ = pe_.observers() == nullptr ? observer_list() : *pe_.observers();
  sampling_.add(*this);
  const observed_sends sampled(pe_, sampling_);
  pe_.run_measured(item, addressee);
}

void sent_edges::sent(const departing_message& message) {
  const auto& m = static_cast<const detail::message&>(message.message());
  if (running_ == nullptr || m.kind().element == nullptr) return;
  const local_array& sender = *running_->home;
  bytes_[{sender.id(), sender.number_of(*running_), m.collection, m.kind().element(m)}] +=
      static_cast<float>(items_a_sample * message.bytes());
}

void sent_edges::age() {
  for (auto& [edge, bytes] : bytes_) bytes /= 2;
  std::erase_if(bytes_, [](const auto& each) { return each.second < least_bytes; });
  periods_ = (periods_ + 1) / 2;
}

}  // namespace imbrex::detail
