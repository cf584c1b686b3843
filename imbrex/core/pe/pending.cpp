// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/pending.hpp>

#include <exception>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

/// The `pe_` of a pending whose run is over: the address of a PE that no thread runs.
const scheduler* no_pe_any_more() {
  static constexpr char place = 0;
  return reinterpret_cast<const scheduler*>(&place);
}

}  // namespace

bool pending_base::renounce_elsewhere() noexcept {
  renounced_ = pe_ != no_pe_any_more();
  return !renounced_;
}

// While another exception unwinds the stack, only that exception is reported.
void pending_base::tell_unawaited() noexcept {
  if (awaited_ || std::uncaught_exceptions() > 0) return;
  auto& pe = processor::here();
  try {
    fail_run(pe, error_->description() + " (" + description() + " was not awaited)");
  } catch (...) {  // no memory for the description
    pe.run().fail("an exception arrived that was not awaited");
  }
}

void pending_base::abandon() noexcept {
  pe_ = no_pe_any_more();
  if (renounced_) return destroy();
  outlive_pe();
  ready_ = true;  // makes co_await report that there will be no result
  awaited_ = true;
}

void pending_base::drop_error::operator()(carried_exception* e) const noexcept { delete e; }

void pending_base::fail(std::uint32_t, carried_exception why) {
  if (ready_) return fail_promised_twice(processor::here(), *this);
  error_.reset(new carried_exception(std::move(why)));
  arrived();
}

std::string pending_base::description() const {
  std::string text = what_;
  if (entry_ != nullptr)
    text += " " + std::string(short_name(entry_->chare_name)) + "::" + std::string(entry_->entry_name);
  return text;
}

void pending_base::check_pe() const {
  if (scheduler::current() != pe_)
    throw error(description() +
                " was requested on another PE, from which its chare has moved since: await it before the "
                "chare may move");
}

void pending_base::throw_not_to_be_awaited() const {
  if (pe_ == no_pe_any_more())
    throw error(description() + " was awaited after its run had ended: await a pending within its run");
  throw error(description() + " was awaited twice: keep what the first co_await gave");
}

void pending_base::rethrow() {
  entry_that_waits_->throwers.add(error_->get(), error_->thrower());
  std::rethrow_exception(error_->take());
}

void fail_promised_twice(processor& pe, const pending_base& promised) {
  fail_run(pe, "a promise was set twice: " + promised.description() + " was there already");
}

void send_end(std::uint32_t caller, const reply_address& reply) { send_reply(caller, reply, nothing{}); }

std::string pending_wait::description() const { return state_.description(); }

awaited pending_wait::cause() const { return {trace::wait_cause::call}; }

}  // namespace imbrex::detail
