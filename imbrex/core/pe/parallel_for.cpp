// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/parallel_for.hpp>

#include <mutex>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/pause.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

/// Makes a PE take chunks of a loop, one in each item.
struct loop_share final : message {
  std::shared_ptr<shared_loop> loop;

  loop_share() = default;
  explicit loop_share(std::shared_ptr<shared_loop> l) : loop(std::move(l)) { is_object = true; }

  static inline message_type type_record = runtime_message_type<loop_share>();
  void serialize(auto&) {}  // the message never leaves its process
  void deliver() {
    message_guard guard(*this);
    if (loop == nullptr || !loop->run_chunk()) return;
    auto& pe = processor::here();
    pe.dispatch(guard.release(), pe.pe());
  }
};

}  // namespace

void shared_loop::answer(const processor& pe, const reply_address& reply) {
  origin_ = pe.pe();
  reply_ = reply;
}

void shared_loop::begin(processor& pe, const reply_address& reply) {
  answer(pe, reply);
  const auto self = shared_from_this();
  std::uint64_t pe_count = chunks_;  // number of PEs
  for (int p = 0; p < pe.num_pes() && pe_count > 1; ++p) {
    if (p == pe.pe() || !pe.run().holds(p)) continue;
    auto& m = make_message<loop_share>(self);
    m.priority = last_priority;  // after all items that other PEs have queued there
    pe.dispatch(m, p);
    --pe_count;
  }
  pe.dispatch(make_message<loop_share>(self), pe.pe());
}

bool shared_loop::run_chunk() {
  inside_.fetch_add(1);
  const std::uint64_t chunk = next_.fetch_add(1);
  if (chunk >= chunks_) {
    inside_.fetch_sub(1);
    return false;
  }
  if (!has_failed_.load(std::memory_order_relaxed)) {
    try {
      run(chunk);
    } catch (...) {
      keep_exception();
    }
  }
  inside_.fetch_sub(1);
  end_chunk();
  return chunk + 1 < chunks_;
}

void shared_loop::keep_exception() {
  const std::lock_guard hold(error_lock_);
  if (!error_) error_ = std::current_exception();
  has_failed_.store(true, std::memory_order_relaxed);
}

/// Replies after the last chunk; by then all other PEs have left the function and `error_`.
void shared_loop::end_chunk() {
  if (ended_.fetch_add(1) + 1 != chunks_) return;
  if (error_)
    send_failure(static_cast<std::uint32_t>(origin_), reply_, "a parallel_for", carried_exception(error_));
  else
    send_end(static_cast<std::uint32_t>(origin_), reply_);
}

void shared_loop::cancel() noexcept {
  next_.store(chunks_);
  while (inside_.load() != 0) pause_processor();
}

void throw_wrong_chunk(std::int64_t chunk) {
  throw error("parallel_for: a chunk of " + std::to_string(chunk) +
              " is impossible: give the number of calls that a PE makes at a time, 1 or more");
}

}  // namespace imbrex::detail
