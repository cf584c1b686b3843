// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/pending.hpp>

#include <exception>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

/// The PE of a pending whose run is over: one that no thread runs.
const scheduler* no_pe_any_more() {
  static constexpr char place = 0;
  return reinterpret_cast<const scheduler*>(&place);
}

}  // namespace

pending_base::pending_base(const char* what, const message_type* entry) : what_(what), entry_(entry) {
  auto& pe = processor::here();
  pe_ = &pe;
  address_ = pe.replies().open(*this);
}

// While another exception unwinds the stack, that is the one to be told.
bool pending_base::renounce() noexcept {
  if (scheduler::current() != pe_) [[unlikely]] {
    renounced_ = pe_ != no_pe_any_more();
    return !renounced_;
  }
  auto& pe = processor::here();
  pe.replies().close(address_);
  if (error_ && !awaited_ && std::uncaught_exceptions() == 0) [[unlikely]]
    try {
      fail_run(pe, error_.description() + " (nobody awaited " + description() + ")");
    } catch (...) {  // no memory for the words
      pe.run().fail("an exception came that nobody awaited");
    }
  return true;
}

void pending_base::abandon() noexcept {
  pe_ = no_pe_any_more();
  if (renounced_) return destroy();
  outlive_pe();
  ready_ = true;  // to say at co_await that there will be no result
  awaited_ = true;
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

void pending_base::check_pe() const {
  if (scheduler::current() != pe_)
    throw error(
        description() +
        " was asked for on another PE, from which its chare has moved since: await it before the chare "
        "may move");
}

void pending_base::throw_not_to_be_awaited() const {
  if (pe_ == no_pe_any_more())
    throw error(description() +
                " was awaited after its run had ended, and with it the result: a pending does not "
                "outlive its run");
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
