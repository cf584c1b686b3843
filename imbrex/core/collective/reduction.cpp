// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/reduction.hpp>

#include <utility>

#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

collector_base::collector_base(partial_result& whole, std::size_t expected)
    : whole_(&whole), missing_(expected) {
  whole_->count = expected;
  address_ = processor::here().replies().open(*this);
}

collector_base::~collector_base() { processor::here().replies().close(address_); }

void collector_base::give_to_part(const local_array& part, std::uint64_t broadcast) {
  to_ = destination::part;
  whole_->collection = part.id();
  whole_->number = broadcast;
}

void collector_base::send_to_root(const local_array& part, std::uint64_t broadcast) {
  give_to_part(part, broadcast);
  to_ = destination::root;
}

void collector_base::send_to_caller(std::uint32_t caller, const reply_address& reply, const char* what) {
  what_ = what;
  caller_ = caller;
  reply_ = reply;
}

void collector_base::report_to(std::uint32_t parent, const reply_address& reply) {
  send_to_caller(parent, reply);
  to_ = destination::parent;
}

message& collector_base::report(partial_result& of) const { return of; }

void collector_base::fail(std::uint32_t, carried_exception why) {
  const bool is_first = !whole_->error;
  if (is_first) whole_->error = std::move(why);
  if (is_first && missing_ > 1) processor::here().run().exception_waits();
  answered();
}

namespace {

void dispatch_to_root(partial_result& m) {
  dispatch_partial(m, root_of(m.collection, processor::here().num_pes()));
}

}  // namespace

void collector_base::send_report() {
  try {
    if (!whole_->error) {
      auto& m = report(*whole_);
      m.reply = reply_;
      return processor::here().dispatch(m, static_cast<int>(caller_));
    }
  } catch (...) {  // the value cannot be packed
    whole_->error = thrown_by_reduction(whole_->collection);
  }
  send_failure(caller_, reply_, "a reduction", std::move(whole_->error));
}

void collector_base::complete() {
  tell_complete(this, 0);
  try {
    if (!whole_->error) fold(*whole_);
  } catch (...) {
    whole_->error = thrown_by_reduction(whole_->collection);
  }
  switch (to_) {
    case destination::part: answer_from_here(*whole_.release()); break;
    case destination::root: dispatch_to_root(*whole_.release()); break;
    case destination::parent: send_report(); break;
    case destination::caller: answer(*whole_, caller_, reply_, what_); break;
  }
  delete this;
}

}  // namespace imbrex::detail
