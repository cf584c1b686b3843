// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/tree_reduction.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

#include <imbrex/core/pe/part_request.hpp>
#include <imbrex/core/pe/pending.hpp>

namespace imbrex::detail {

namespace {

/// Sent from the root down the tree: a reduction has failed.
using failed_reduction = request_to_part<&tree_reduction::fail, "failed reduction">;

/// The message with the result; null if there is an exception instead.
message* result_of(partial_result& all) {
  if (all.error) return nullptr;
  try {
    return &all.result();
  } catch (...) {
    all.error = thrown_by_reduction(all.collection);
    return nullptr;
  }
}

}  // namespace

void dispatch_partial(partial_result& m, int to) {
  auto& pe = processor::here();
  const std::uint64_t collection = m.collection;
  owned_partial spare(m.spare());
  try {
    return pe.dispatch(m, to);
  } catch (...) {
    if (spare == nullptr) throw;
    spare->error = thrown_by_reduction(collection);
  }
  pe.dispatch(*spare.release(), to);
}

void answer_from_here(partial_result& m) {
  m.is_report = true;
  m.deliver();
}

void partial_result::serialize_counts(writer& out) {
  out(is_report, has_elements, number, count, change, error);
}
void partial_result::serialize_counts(reader& in) {
  in(is_report, has_elements, number, count, change, error);
}

void partial_result::deliver() {
  deliver_to_part(*this, [this](local_array& part) {
    if (!part.is_closed()) return part.reduction_over(section).add(*this);
    const message_guard guard(*this);
  });
}

void shared_result::deliver() {
  deliver_to_part(*this, [this](local_array& part) { part.reduction_over(section).receive(*this); });
}

carried_exception thrown_by_reduction(std::uint64_t collection) {
  const auto& pe = processor::here();
  const auto* const part = array_at(pe, collection);
  const std::string over =
      part != nullptr ? " over the array of " + std::string(short_name(part->shown_name())) : "";
  return carried_exception(std::current_exception(),
                           "a reduction" + over + ", on PE " + std::to_string(pe.pe()));
}

void answer(partial_result& all, std::uint32_t caller, const reply_address& reply, const char* what) {
  try {
    if (message* const m = result_of(all)) {
      m->reply = reply;
      return processor::here().dispatch(*m, static_cast<int>(caller));
    }
  } catch (...) {  // the value cannot be packed
    all.error = thrown_by_reduction(all.collection);
  }
  send_failure(caller, reply, what, std::move(all.error));
}

partial_result& contributions_base::combine(std::uint64_t collection) {
  whole_->collection = collection;
  whole_->count = size();
  try {
    fold(*whole_);
  } catch (...) {
    whole_->error = thrown_by_reduction(collection);
  }
  return *whole_.release();
}

namespace {

void prepare(partial_result& part) {
  try {
    if (!part.error) part.prepare();
  } catch (...) {
    part.error = thrown_by_reduction(part.collection);
  }
}

}  // namespace

bool reduction_values::add(partial_result& part) {
  owned_partial partial(&part);
  if (!empty() && parts_.front()->kind().id != part.kind().id) return false;
  if (parts_.size() == 1)
    prepare(*parts_.front());  // the first part stays as received if no other part
                               // follows
  if (!empty()) prepare(part);
  auto at = parts_.end();
  while (at != parts_.begin() && (*std::prev(at))->origin > part.origin) --at;
  parts_.insert(at, std::move(partial));
  return true;
}

owned_partial reduction_values::combine() {
  owned_partial all = std::move(parts_.front());
  try {
    for (std::size_t i = 1; i < parts_.size() && !all->error; ++i) all->error = parts_[i]->error;
    if (!all->error) all->merge(std::span(parts_).subspan(1));
  } catch (...) {
    all->error = thrown_by_reduction(all->collection);
  }
  return all;
}

carried_exception reduction_values::error() const {
  const auto failed = std::ranges::find_if(parts_, [](const auto& part) { return bool(part->error); });
  return failed != parts_.end() ? (*failed)->error : carried_exception();
}

bool gathered_reports::add(partial_result& part) {
  reports += part.is_report ? 1 : 0;
  count += part.count;
  change += part.change;
  return values.add(part);
}

void tree_reduction::receive(shared_result& result) {
  message_guard<message> guard(result);
  if (!is_root()) pass_down(result);
  if (!result.is_shared_work()) return take_result(result);
  guard.release();
  take_work(owner<shared_result, message_deleter>(&result));
}

void tree_reduction::receive_failure(std::uint64_t number, const carried_exception& error) {
  if (!is_root())
    for (const int child : children()) send_failure_to(child, number, error);
  take_failure(number, error);
}

void tree_reduction::fail(local_array& part, std::uint64_t section, std::uint64_t number,
                          const carried_exception& error) {
  part.reduction_over(section).receive_failure(number, error);
}

void tree_reduction::report_up(std::uint64_t number, gathered_reports&& done, bool has_elements) {
  auto& m = *done.values.combine().release();
  m.collection = part_.id();
  m.section = section_;
  m.number = number;
  m.origin = static_cast<std::uint32_t>(part_.pe().pe());
  m.is_report = true;
  m.has_elements = has_elements;
  m.count = done.count;
  m.change = done.change;
  dispatch_partial(m, parent());
}

void tree_reduction::send_to_members(partial_result& all, std::uint64_t number) {
  auto& pe = part_.pe();
  if (auto* const result = static_cast<shared_result*>(result_of(all))) {
    result->collection = part_.id();
    result->section = section_;
    result->number = number;
    pass_down(*result);
    return pe.dispatch(*result, pe.pe());
  }
  for (const int child : children()) send_failure_to(child, number, all.error);
  send_failure_to(pe.pe(), number, all.error);
}

void tree_reduction::pass_down(const shared_result& result) {
  bool is_repeated = false;
  for (const int child : children()) {
    carried_exception thrown;
    try {
      auto& m = result.copy();
      m.collection = part_.id();
      m.section = section_;
      m.number = result.number;
      m.is_repeated = std::exchange(is_repeated, true);
      part_.pe().dispatch(m, child);
    } catch (...) {  // the result cannot be copied or packed
      thrown = thrown_by_reduction(part_.id());
    }
    if (!thrown) continue;
    send_failure_to(child, result.number, thrown);
    if (result.is_shared_work()) work_has_begun(result.number, thrown);  // that subtree will send no report
  }
}

void tree_reduction::send_failure_to(int pe, std::uint64_t number, const carried_exception& error) const {
  send_request<failed_reduction>(part_, pe, section_, number, error);
}

}  // namespace imbrex::detail
