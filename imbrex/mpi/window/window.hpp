// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/object/window_object.hpp>
#include <imbrex/mpi/rank/access_table.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>
#include <imbrex/mpi/user_request.hpp>
#include <imbrex/mpi/window/access.hpp>
#include <imbrex/mpi/window/access_request.hpp>
#include <imbrex/mpi/window/exposed_memory.hpp>
#include <imbrex/mpi/window/lock_queue.hpp>

namespace imbrex::mpi {

/// The memory that a rank contributes to a new window.
struct window_memory {
  int flavour = 0;  ///< MPI_WIN_FLAVOR_...
  std::byte* base = nullptr;
  std::int64_t size = 0;
  std::int64_t unit = 1;      ///< bytes of a displacement
  bool is_contiguous = true;  ///< for a shared window: a rank's memory directly follows the previous rank's
};

/// A window of MPI (MPI 3.1, chapter 11) as one rank has it: the exposed memory and what is known of the
/// other ranks' memory.
///
/// The origin accesses memory of its own process directly: such an access is done when its call returns.
/// Accumulates lock the target's memory against each other. Everything else goes by packets: accesses to
/// another process, all accesses on machines that reorder messages, and all synchronisation. The PE of the
/// target serves packets, whatever code the target runs. Packets between two ranks arrive in the order of
/// sending. Long data follow their packet as a separate message, received into its destination; other
/// accumulates of the same origin wait for it.
///
/// Only the rank's PE uses a window, except for the exposed memory.
class window final : public window_object, private access_receiver {
 public:
  /// Collective over the communicator. Throws mpi::error (MPI_ERR_RMA_SHARED) for shared memory unless all
  /// ranks are in one process.
  static ref<window> make(rank& self, const ref<communicator>& of, context_id context,
                          const window_memory& memory);
  ~window() override;

  const communicator& in() const { return *in_; }
  int flavour() const { return flavour_; }
  /// Values of the window's predefined attributes, which point to these members.
  void* base() const { return memory_->base(); }
  MPI_Aint* size() { return &size_; }
  int* unit() { return &unit_; }
  int* flavour_place() { return &flavour_; }
  int* model() { return &model_; }

  /// For dynamic windows only. Throw mpi::error.
  void attach(void* at, std::int64_t bytes);
  void detach(const void* at);
  /// The memory of a rank in a shared window. MPI_PROC_NULL stands for the first rank whose memory is not
  /// empty.
  window_memory shared_memory(int of) const;

  /// Data of a target. `at` gives their count and type; its address is ignored.
  struct place {
    int rank;
    std::int64_t displacement;
    user_buffer at;
  };
  // Accesses. `rma_request` is the request to complete; may be null. All throw mpi::error.
  void put(const user_buffer& data, const place& to, access_request* rma_request);
  void get(const user_buffer& result, const place& from, access_request* rma_request);
  void accumulate(const user_buffer& data, const place& to, int operation, access_request* rma_request);
  void get_accumulate(const user_buffer& data, const user_buffer& result, const place& to, int operation,
                      access_request* rma_request);
  /// The place has one value.
  void compare_and_swap(const void* data, const void* compared, void* result, const place& to);

  // Synchronisation. All throw mpi::error (MPI_ERR_RMA_SYNC) if the window's present epoch does not allow the
  // call.
  void fence(int assertion);
  void post(const group& origins, int assertion);
  void start(const group& targets, int assertion);
  void complete();
  void wait();
  bool test();
  void lock(int type, int target, int assertion);
  void unlock(int target);
  void lock_all(int assertion);
  void unlock_all();
  void flush(int target);
  void flush_all();
  void flush_local(int target);
  void flush_local_all();
  void sync();
  /// Throws if the window is exposed or an epoch other than a fence's is open.
  void require_unused() const;
  /// Collective; all ranks call it before the window is destroyed.
  void leave();

  /// For reports of deadlocks: the window, and the rank that this one waits for.
  std::string description() const override;

 private:
  enum class epoch : std::uint8_t { none, fence, start, lock, lock_all };
  enum class lock_state : std::uint8_t { none, requested, held, unchecked };
  struct target {
    exposed_memory* memory = nullptr;  ///< null if it is in another process
    std::byte* base = nullptr;         ///< an address in the target's process
    std::int64_t size = 0;
    std::int64_t unit = 1;
    std::uint32_t process = 0;
    std::uint32_t pending = 0;  ///< transfers in progress to or from the target that use this rank's memory
    std::uint32_t posts = 0;    ///< exposures that the target has posted and no `start` has used yet
    lock_state lock = lock_state::none;
    bool is_started = false;
    bool is_dirty = false;  ///< accesses were sent since the last flush
  };
  /// The state that a target keeps per origin.
  struct origin {
    std::uint32_t accumulates = 0;  ///< accumulates whose data have not arrived
    std::deque<packet*> waiting;
  };
  struct outgoing_data;
  struct result_receive;
  struct incoming_data;

  window(rank& self, const ref<communicator>& in, const window_memory& memory);
  void meet(const window_memory& memory);
  void share(bool is_contiguous);

  int world_rank(int rank) const { return in_->members().world_rank(rank); }
  target& target_at(int rank);
  /// The target, checked to be accessible in the present epoch. Throws mpi::error.
  target& accessible(int rank);
  std::int64_t place_in(const target& t, std::int64_t displacement) const;
  bool is_direct(const target& t) const { return is_direct_ && t.memory != nullptr; }
  void check_range(const target& t, std::int64_t place, const user_buffer& at) const;
  std::int32_t next_tag() { return static_cast<std::int32_t>(tags_++ & 0x3fffffffU); }

  void send(int to, access_header header);
  /// Sends a packet with the data, or one that announces a separate message with them.
  void send_data(int to, access_header header, const user_buffer& at, const user_buffer& data,
                 access_request* rma_request);
  void expect_result(int from, std::int32_t tag, const user_buffer& into, access_request* rma_request);

  void take_access(packet& p) override;
  static bool must_wait(const origin& from, access_kind kind);
  void serve_waiting(origin& from);
  void serve(origin& from, packet& p);
  void serve_access(origin& from, int source, const access_packet& a);
  void receive_data(origin& from, int source, const access_packet& a, const datatype_ref& type,
                    std::byte* at);
  void fold(int source, const access_header& header, const std::byte* data, const typed_buffer& at);
  void swap(int source, const access_header& header, const std::byte* data, const typed_buffer& at);
  void answer(int to, access_kind kind);
  void send_result(int to, std::int32_t tag, const typed_buffer& of);
  void send_packed(int to, std::int32_t tag, std::unique_ptr<std::byte[]> packed, std::int64_t bytes);
  void send_result(int to, std::int32_t tag, std::byte* begin, std::unique_ptr<std::byte[]> packed,
                   std::int64_t bytes);

  /// Waits until the condition holds; `note` evaluates it again after each received packet.
  template <typename Condition>
  void await(const Condition& holds, const char* what, int of = -1) {
    if (holds()) return;
    awaited_ = what;
    awaited_rank_ = of;
    waits_ = {};
    waits_.peer = request::is_several;
    condition_ = &holds;
    test_ = [](const void* c) { return (*static_cast<const Condition*>(c))(); };
    self_.await(waits_);
    awaited_ = nullptr;
  }
  void note();
  void ask_for_lock(int rank, bool is_exclusive);
  void await_lock(int rank);
  void release(int rank);
  void await_answers();
  bool take_dirty(int rank);
  /// Requests a reply once all accesses sent to the rank are done.
  void ask(int rank);
  void finish(int rank);
  void finish_all();
  void begin_access(epoch next, const char* function);
  void require_passive(int rank, const char* function);
  int rank_in_window(const group& members, int i) const;
  void barrier(purpose of);

  rank& self_;
  ref<communicator> in_;
  int flavour_;
  int unit_ = 1;
  int model_;
  MPI_Aint size_ = 0;
  bool is_direct_;
  std::unique_ptr<exposed_memory> memory_;
  std::unique_ptr<std::byte, void (*)(void*)> own_;  ///< memory of an allocated window
  std::vector<target> targets_;
  std::unordered_map<int, origin> origins_;
  lock_queue locks_;

  epoch access_ = epoch::none;
  bool has_accessed_ = false;       ///< an access was made since the last fence
  int locks_held_ = 0;              ///< locks of single targets
  bool is_unchecked_ = false;       ///< `lock_all` was called with MPI_MODE_NOCHECK
  std::vector<int> started_;        ///< targets of the last `start`
  bool is_exposed_ = false;         ///< to the origins that `post` has named
  std::uint32_t ends_awaited_ = 0;  ///< number of origins that `post` has named
  std::uint32_t ends_ = 0;
  std::vector<int> locked_;  ///< targets that the rank has really locked under `lock_all`
  std::vector<int> dirty_;
  std::uint64_t pending_ = 0;  ///< sum of `pending` over all targets
  std::uint32_t answers_ = 0;  ///< `flushed` replies to receive
  std::uint32_t tags_ = 0;

  request waits_;
  const void* condition_ = nullptr;
  bool (*test_)(const void*) = nullptr;
  const char* awaited_ = nullptr;
  int awaited_rank_ = -1;
};

}  // namespace imbrex::mpi
