// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/load_meter.hpp>

#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/coro/scope.hpp>

namespace imbrex::detail {

namespace {

bool is_for_element(const work& item) {
  return item.type->pack != nullptr && static_cast<const message&>(item).kind().element != nullptr;
}

}  // namespace

void load_meter::run(const chare_header* next) {
  if (next == running_) return;
  const auto now = pe_.now();
  if (running_ != nullptr) loads_[running_].time += now - since_;
  running_ = next;
  since_ = now;
}

void load_meter::forget(const chare_header& element) {
  if (running_ == &element) running_ = nullptr;
  if (of_item_ == &element) of_item_ = nullptr;
  loads_.erase(&element);
}

void load_meter::item_begins(const work& item) {
  of_item_ = nullptr;
  if (is_for_element(item)) {
    const auto& m = static_cast<const message&>(item);
    const auto* const part = array_at(pe_, m.collection);
    if (part != nullptr && part->chare_name() == m.kind().chare_name) of_item_ = part->addressee(m);
  }
  run(of_item_);
}

void load_meter::item_ends() {
  run(nullptr);
  of_item_ = nullptr;
}

void load_meter::turn_begins(const local_array&, const chare_header& element, const work_type&, const work&) {
  run(&element);
}

void load_meter::turn_ends() { run(of_item_); }

void load_meter::resumed(const suspension& what) {
  run(static_cast<const chare_header*>(what.entry().chare));
}

void load_meter::sent(const departing_message& what) {
  if (running_ == nullptr) return;
  const auto& m = static_cast<const message&>(what.message());
  if (m.collection == nothing_created) return;  // a reply
  recipient to{m.collection};
  if (is_for_element(m)) to.element = m.kind().element(m);
  auto& its = loads_[running_];
  for (traffic* const t : {&its.sent, &its.to[to]}) {
    ++t->messages;
    t->bytes += what.bytes();
  }
}

void load_meter::destroyed(const local_array&, const chare_header& element) { forget(element); }

void load_meter::departs(const local_array&, const chare_header& element, int) { forget(element); }

}  // namespace imbrex::detail
