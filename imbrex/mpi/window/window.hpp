// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <imbrex/mpi/access_table.hpp>
#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/object/window_object.hpp>
#include <imbrex/mpi/rank.hpp>
#include <imbrex/mpi/user_request.hpp>
#include <imbrex/mpi/window/access.hpp>
#include <imbrex/mpi/window/access_request.hpp>
#include <imbrex/mpi/window/exposed_memory.hpp>
#include <imbrex/mpi/window/lock_queue.hpp>

namespace imbrex::mpi {

/// What a rank brings into a new window.
struct window_memory {
  int flavour = 0;  ///< MPI_WIN_FLAVOR_...
  std::byte* base = nullptr;
  std::int64_t size = 0;
  std::int64_t unit = 1;      ///< bytes of a displacement
  bool is_contiguous = true;  ///< of a shared one: the memory of a rank follows that of the rank before
};

/// A window of MPI (MPI 3.1, chapter 11), as one rank has it: what it exposes, and what it knows of what the
/// others expose.
///
/// The origin reaches memory of its own process by itself: an access has been done when its call returns.
/// Accumulates lock the target's memory against each other. All else is done by packets, which the PE of the
/// target serves, whatever the target does: accesses to another process, all accesses on machines that
/// deliver messages in an order of their own, and locks and other synchronisation everywhere. The packets of
/// two ranks come in the order in which they were sent. Long data follow their packet as a message, which
/// lands where it belongs; other accumulates of the same rank wait for them.
///
/// All is the rank's PE's, but for the memory.
class window final : public window_object, private access_receiver {
 public:
  /// All ranks of a communicator call it. Throws mpi::error (MPI_ERR_RMA_SHARED) for shared memory if they
  /// are not all in one process.
  static ref<window> make(rank& self, const ref<communicator>& of, context_id context,
                          const window_memory& memory);
  ~window() override;

  const communicator& in() const { return *in_; }
  int flavour() const { return flavour_; }
  /// What attributes point to.
  void* base() const { return memory_->base(); }
  MPI_Aint* size() { return &size_; }
  int* unit() { return &unit_; }
  int* flavour_place() { return &flavour_; }
  int* model() { return &model_; }

  /// Of dynamic windows. Throws mpi::error.
  void attach(void* at, std::int64_t bytes);
  void detach(const void* at);
  /// What a rank has in a shared window; MPI_PROC_NULL stands for the first that has any memory.
  window_memory shared_memory(int of) const;

  // Accesses. `at` says where: how many elements of which type; its address means nothing. `told` may be
  // null. All throw mpi::error.
  void put(const user_buffer& data, int target, std::int64_t displacement, const user_buffer& at,
           access_request* told);
  void get(const user_buffer& result, int target, std::int64_t displacement, const user_buffer& at,
           access_request* told);
  void accumulate(const user_buffer& data, int target, std::int64_t displacement, const user_buffer& at,
                  int operation, access_request* told);
  void get_accumulate(const user_buffer& data, const user_buffer& result, int target,
                      std::int64_t displacement, const user_buffer& at, int operation, access_request* told);
  void compare_and_swap(const void* data, const void* compared, void* result, int target,
                        std::int64_t displacement, const datatype_ref& type);

  // Synchronisation. All throw mpi::error (MPI_ERR_RMA_SYNC) where it does not fit to what has gone before.
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
  /// Throws unless nothing is going on that the window is needed for.
  void require_unused() const;
  /// All ranks call it, before the window is destroyed.
  void leave();

  /// For reports: its name, and whom the rank waits for.
  std::string description() const override;

 private:
  enum class epoch : std::uint8_t { none, fence, start, lock, lock_all };
  enum class lock_state : std::uint8_t { none, asked_for, held, unchecked };
  struct target {
    exposed_memory* memory = nullptr;  ///< null if it is in another process
    std::byte* base = nullptr;         ///< an address of its process
    std::int64_t size = 0;
    std::int64_t unit = 1;
    std::uint32_t process = 0;
    std::uint32_t pending = 0;  ///< data on their way to or from it that use the program's memory here
    std::uint32_t posts = 0;    ///< exposures that it has begun, and no access here
    lock_state lock = lock_state::none;
    bool is_started = false;
    bool is_dirty = false;  ///< packets were sent there that it was not asked about since
  };
  /// As which a target knows a rank.
  struct origin {
    std::uint32_t accumulates = 0;  ///< whose data have not come
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
  /// That one, which may be accessed now.
  target& accessible(int rank);
  std::int64_t place_in(const target& t, std::int64_t displacement) const;
  bool is_direct(const target& t) const { return is_direct_ && t.memory != nullptr; }
  void check_range(const target& t, std::int64_t place, const user_buffer& at) const;
  std::int32_t next_tag() { return static_cast<std::int32_t>(tags_++ & 0x3fffffffU); }

  void send(int to, access_header header);
  /// A packet with data, or one that says that they follow.
  void send_data(int to, access_header header, const user_buffer& at, const user_buffer& data,
                 access_request* told);
  void expect_result(int from, std::int32_t tag, const user_buffer& into, access_request* told);

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

  /// Waits until the condition holds, which is looked at when something has come.
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
  /// Asks whether what was sent there has been done.
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
  std::unique_ptr<std::byte, void (*)(void*)> own_;  ///< of allocated windows
  std::vector<target> targets_;
  std::unordered_map<int, origin> origins_;
  lock_queue locks_;

  epoch access_ = epoch::none;
  bool has_accessed_ = false;       ///< since the last fence
  int locks_held_ = 0;              ///< of single targets
  bool is_unchecked_ = false;       ///< nobody locks what is locked as all
  std::vector<int> started_;        ///< targets
  bool is_exposed_ = false;         ///< to those that `post` has named
  std::uint32_t ends_awaited_ = 0;  ///< of these
  std::uint32_t ends_ = 0;
  std::vector<int> locked_;  ///< of all, those that are locked indeed
  std::vector<int> dirty_;
  std::uint64_t pending_ = 0;  ///< of all targets
  std::uint32_t answers_ = 0;  ///< that are to come
  std::uint32_t tags_ = 0;

  request waits_;
  const void* condition_ = nullptr;
  bool (*test_)(const void*) = nullptr;
  const char* awaited_ = nullptr;
  int awaited_rank_ = -1;
};

}  // namespace imbrex::mpi
