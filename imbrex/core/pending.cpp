// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pending.hpp>

#include <exception>

#include <imbrex/base/error.hpp>
#include <imbrex/core/collection_base.hpp>

namespace imbrex::detail {

pending_base::pending_base(const char* what, const message_type* entry) : what_(what), entry_(entry) {
  address_ = processor::here().replies().open(*this);
}

// While another exception unwinds the stack, that is the one to be told.
pending_base::~pending_base() {
  auto& pe = processor::here();
  pe.replies().close(address_);
  if (error_ && !awaited_ && std::uncaught_exceptions() == 0) [[unlikely]]
    fail_run(pe, error_.description() + " (nobody awaited " + description() + ")");
}

void pending_base::fail(std::uint32_t, carried_exception why) {
  error_ = std::move(why);
  arrived();
}

std::string pending_base::description() const {
  std::string text = what_;
  if (entry_ != nullptr)
    text += " " + std::string(short_name(entry_->chare_name)) + "::" + std::string(entry_->entry_name);
  return text;
}

void pending_base::throw_awaited_twice() const {
  throw error(description() + " was awaited twice: keep what the first co_await gave");
}

void pending_base::rethrow() {
  auto& known = entry_that_waits_->throwers;
  if (!known) known = std::make_unique<known_throwers>();
  known->add(error_.get(), error_.thrower());
  std::rethrow_exception(error_.take());
}

std::string pending_wait::description() const { return state_.description(); }

awaited pending_wait::cause() const { return {trace::wait_cause::call}; }

}  // namespace imbrex::detail
