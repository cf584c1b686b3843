// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_loan.hpp>

#include <mutex>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/device/error.hpp>

namespace imbrex::detail {
namespace {

bool over(const shared_event& event) {
  try {
    return event.done();
  } catch (const error&) {
    return true;  // the device has failed, which `done` reports
  }
}

}  // namespace

loan_record::loan_record(const void* address, device& on, shared_event filled)
    : address_(address),
      on_(on),
      filled_(std::move(filled)),
      held_(on.memory(memory_kind::device).hold(address)) {}

loan_record::~loan_record() {
  if (held_ != nullptr && !on_.ended()) on_.memory(memory_kind::device).let_go(held_);
}

std::shared_ptr<loan_record> loan_record::of_read(const void* address, device& on, const shared_event& read) {
  auto record = std::allocate_shared<loan_record>(pool_allocator<loan_record>(), address, on, read);
  record->first_read_ = read;
  return record;
}

/// Counts one part that will read the memory. It exists only in messages, and its memory comes from the same
/// pool.
class loan_record::reader_of_loan final : public memory_lender {
 public:
  static void* operator new(std::size_t bytes) { return pool::allocate(bytes); }
  static void operator delete(void* p, std::size_t bytes) noexcept { pool::release(p, bytes); }

  explicit reader_of_loan(std::shared_ptr<loan_record> record) : record_(std::move(record)) {
    const std::lock_guard guard(record_->lock_);
    ++record_->readers_;
  }
  ~reader_of_loan() override { record_->end_reading(std::move(read_)); }
  void read(const shared_event& at) noexcept override { read_ = at; }

 private:
  std::shared_ptr<loan_record> record_;
  shared_event read_;
};

attachment loan_record::part(const std::shared_ptr<loan_record>& self, std::size_t count, std::size_t size) {
  return {self->address_, self->on_, count, size, self->filled_, std::make_unique<reader_of_loan>(self)};
}

void loan_record::end_reading(shared_event&& read) noexcept {
  std::vector<waiter> waiters;
  {
    const std::lock_guard guard(lock_);
    if (read && first_read_) {
      std::erase_if(others_, over);
      others_.push_back(std::move(read));
    } else if (read) {
      first_read_ = std::move(read);
    }
    if (--readers_ == 0) waiters.swap(waiting_);
  }
  if (waiters.empty()) return;
  if (scheduler::current() == nullptr) return;  // the run has ended
  for (const waiter& w : waiters) send_end(w.pe, w.address);
}

bool loan_record::is_read() {
  const std::lock_guard guard(lock_);
  return readers_ != 0;
}

bool loan_record::will_tell(const waiter& who) {
  const std::lock_guard guard(lock_);
  if (readers_ == 0) return false;
  waiting_.push_back(who);
  return true;
}

task<> loan_record::done(std::shared_ptr<loan_record> self) {
  if (self->is_read()) {
    const pending<void> all_have_read("the reading of lent memory");
    if (self->will_tell({static_cast<std::uint32_t>(processor::here().pe()), all_have_read.address()}))
      co_await all_have_read;
  }
  stream& out = transfers_here().out;
  {
    const std::lock_guard guard(self->lock_);
    out.wait(std::exchange(self->first_read_, {}));
    for (const shared_event& read : std::exchange(self->others_, {})) out.wait(read);
  }
  co_await out.done();
}

task<> loan_record::done_at(shared_event read) {
  stream& out = transfers_here().out;
  out.wait(read);
  co_await out.done();
}

void check_loan(const void* device, const stream& filled) {
  if (device == filled.on().info().id) return;
  throw device_error(filled.on().info().label(), filled.owner(), "zero_copy",
                     "the memory is on " +
                         (device == nullptr ? std::string("no device") : info_of(device).label()) +
                         "; give a stream of the device where the memory is");
}

void throw_moved_loan() {
  throw error("a loan is sent that has been moved from; send a copy of what it was moved to");
}

}  // namespace imbrex::detail
