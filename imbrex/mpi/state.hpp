// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/device/stream.hpp>
#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/memory/device_blocks.hpp>
#include <imbrex/mpi/object/file_object.hpp>
#include <imbrex/mpi/object/session.hpp>
#include <imbrex/mpi/object/window_object.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>
#include <imbrex/mpi/rank/rank_objects.hpp>
#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// A message that a program has found by MPI_Mprobe and not yet received.
struct user_message : counted {
  user_message(packet& p, const ref<communicator>& c) : found(&p), in(c) {}
  ~user_message();
  packet* found;
  ref<communicator> in;
};

/// The memory that a program has attached for its buffered sends (MPI 3.1, section 3.6). Only its size is
/// used.
class send_buffer {
 public:
  /// Throws mpi::error (MPI_ERR_BUFFER) if a buffer is attached already.
  void attach(void* address, std::int64_t bytes);
  /// Waits for the buffered sends under way.
  std::pair<void*, std::int64_t> detach(rank& by);
  /// Begins a send of a copy of the data. Throws mpi::error (MPI_ERR_BUFFER) if the data do not fit into the
  /// space that sends under way leave free.
  void send(rank& by, const envelope& head, const user_buffer& data, int to);
  /// Writes or reads a buffer that no send uses.
  void write(writer& out) const;
  void read(reader& in);
  /// True if buffered sends are under way.
  bool is_sending() const {
    return std::ranges::any_of(sends_, [](const buffered_send& each) { return !each.q.is_done; });
  }

 private:
  struct buffered_send {
    request q;
    std::unique_ptr<std::byte[]> data;
    std::int64_t bytes = 0;  ///< bytes of the attached buffer that the send takes
  };
  std::list<buffered_send> sends_;
  void* address_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t used_ = 0;
  bool is_attached_ = false;
};

/// The collectives of all ranks that count as balance points of a rank.
struct collective_points {
  bool are_counted = false;  ///< the run has a balancer, and the program has not called AMPI_Migrate
  std::uint32_t passed = 0;  ///< collectives of all ranks so far
};

/// State that the functions of another language keep for a rank.
struct rank_part {
  virtual ~rank_part() = default;
};

/// All state that the functions of MPI keep for one rank.
class rank_data final : public rank_state {
 public:
  explicit rank_data(rank& of);
  ~rank_data() override;

  /// Data of the rank whose code runs on this thread. Ends the process with a message if there is none.
  static rank_data& here();

  rank_objects& objects() override { return objects_; }
  std::string obstacle() const override;
  void write(writer& out) override;
  void read(reader& in) override;
  const rank_objects& objects() const { return objects_; }
  rank& self() const { return self_; }
  communicator& world() const { return *world_; }

  /// Throws mpi::error (MPI_ERR_COMM) for a handle of no communicator, such as MPI_COMM_NULL.
  const ref<communicator>& at(MPI_Comm handle) const {
    return handle == MPI_COMM_WORLD ? world_ : other(handle);
  }
  /// Null unless the handle is MPI_COMM_WORLD or a communicator that the program has made.
  communicator* find(MPI_Comm handle) const {
    return handle == MPI_COMM_WORLD ? world_.get() : communicators_.find(handle);
  }
  /// Assigns a handle to a communicator of this rank.
  int add(const ref<communicator>& new_object);
  void remove(MPI_Comm handle);

  /// A context number that no other communicator of any rank has. O(1).
  context_id new_context();

  /// Whether a communicator is MPI_COMM_WORLD or MPI_COMM_SELF.
  bool is_predefined(const communicator& which) const {
    return &which == world_.get() || &which == own_.get();
  }
  /// Address of the value of an attribute that MPI itself sets; null for other keys.
  int* predefined_attribute(int key);

  object_table<user_request, handle_kind::request> requests;
  object_table<user_message, handle_kind::request> messages;
  object_table<window_object, handle_kind::window> windows;
  object_table<session, handle_kind::session> sessions;
  struct {
    object_table<file_object, handle_kind::file> open;
    file_object defaults;  ///< MPI_FILE_NULL: its error handler is that of files which are opened
  } files;
  send_buffer buffered;
  collective_points points;
  device_blocks blocks_on_devices;
  std::unique_ptr<stream> kernels;     ///< stream for the rank's kernels; null: none yet
  std::unique_ptr<rank_part> fortran;  ///< made on first use

  enum class phase : std::uint8_t { before, running, finalized };
  /// Whether the rank may call functions of MPI: from MPI_Init to MPI_Finalize, and while it has a session.
  phase now = phase::before;
  struct {
    phase initialised = phase::before;  ///< by MPI_Init and MPI_Finalize alone
    int open_sessions = 0;
    int thread_level = MPI_THREAD_SINGLE;
  } life;
  nanoseconds looked{0};  ///< total that MPI_Wtime adds where the clock stands still

  /// Throws mpi::error (MPI_ERR_OTHER) before MPI_Init and after MPI_Finalize.
  void require_running(const char* function) const {
    if (now != phase::running) [[unlikely]]
      throw_not_running(function);
  }

  /// Calls visit(handle, communicator) for the communicators that the program has made.
  void for_each_communicator(auto&& visit) const { communicators_.for_each(visit); }

 private:
  [[noreturn]] void throw_not_running(const char* function) const;
  const ref<communicator>& other(MPI_Comm handle) const;

  rank& self_;
  rank_objects objects_;
  ref<communicator> world_;
  ref<communicator> own_;
  object_table<communicator, handle_kind::communicator> communicators_;
  std::uint32_t contexts_ = 0;
  struct predefined_attributes {
    int tag_ub, host, io, wtime_is_global, universe_size, last_used_code, appnum;
  };
  predefined_attributes attributes_{};
};

/// "MPI_COMM_WORLD", or the name that the program has set.
std::string describe_communicator(const void* which);

/// The object whose error handler gets the errors of a call. Keeps it alive until the call returns, although
/// its handle may be freed before.
class error_owner {
 public:
  explicit error_owner(const rank_data& data) : target(data.objects().world) {}
  error_owner(const error_owner&) = delete;
  error_owner& operator=(const error_owner&) = delete;

  void set(const ref<communicator>& in) {
    share_ = in;
    target = in.get();
  }
  void set(const ref<file_object>& of) {
    share_of_file_ = of;
    target = of.get();
  }

  error_target* target;

 private:
  ref<communicator> share_;
  ref<file_object> share_of_file_;
};

/// Like `run_call`, between MPI_Init and MPI_Finalize. Calls body(data, owner), which may set the owner of
/// errors.
template <typename Body>
int call_for_owner(const char* function, Body&& body) {
  rank_data& data = rank_data::here();
  error_owner owner(data);
  return run_call(data.objects(), function, owner.target, [&] {
    data.require_running(function);
    const call_frame frame(data.self(), {function, nullptr, nullptr});
    body(data, owner);
  });
}

/// Like `call_for_owner`; errors go to MPI_COMM_WORLD. Calls body(data).
template <typename Body>
int call_running(const char* function, Body&& body) {
  return call_for_owner(function, [&](rank_data& data, error_owner&) { body(data); });
}

/// Like `call_for_owner`; errors go to the communicator `handle`. Calls body(data, communicator).
template <typename Body>
int call_on(const char* function, MPI_Comm handle, Body&& body) {
  rank_data& data = rank_data::here();
  error_owner owner(data);
  return run_call(data.objects(), function, owner.target, [&] {
    data.require_running(function);
    const ref<communicator> in = data.at(handle);
    owner.set(in);
    const call_frame frame(data.self(), {function, &describe_communicator, in.get()});
    body(data, *in);
  });
}

/// Data as the arguments of a function of MPI name them. `Address` is `const void` if they are only read.
template <class Address>
struct buffer_argument {
  Address* address;
  std::int64_t count;
  MPI_Datatype type;

  operator buffer_argument<const void>() const
    requires(!std::is_const_v<Address>)
  {
    return {address, count, type};
  }
};
using send_argument = buffer_argument<const void>;
using receive_argument = buffer_argument<void>;

/// Memory in which the data of a call may lie.
enum class memory_use : std::uint8_t { host, host_or_device };
/// The data of a call, checked: the count is not negative, the type is committed, and the address is valid.
/// For callers that check by themselves where the data lie.
user_buffer checked_shape(rank_data& data, const send_argument& which);
/// Like `checked_shape`; also checks that all data lie in one block of a device's memory, or in the host's.
user_buffer checked_buffer(rank_data& data, const send_argument& which, memory_use where = memory_use::host);
/// Throws mpi::error (MPI_ERR_BUFFER) if an address of the running rank lies in a device's memory. `what`
/// names the memory in the message.
void require_host_memory(const void* address, const char* what);
/// Fast check for the common case, by the handle alone: the data are contiguous, in host memory and valid for
/// `checked_buffer`. Sets `bytes` to their size.
inline bool is_plain(rank& of, const send_argument& which, std::uint64_t& bytes) {
  const auto size = static_cast<std::uint64_t>(basic_size(which.type));
  const auto count = static_cast<std::uint64_t>(which.count);
  bytes = count * size;
  constexpr std::uint64_t most = std::uint64_t{1} << 48U;
  return size > 0 && count < most && which.address != nullptr && which.address != MPI_IN_PLACE &&
         of.devices.find(which.address) == nullptr;
}

[[noreturn]] void throw_wrong_rank(const communicator& in, int rank, const char* what);
[[noreturn]] void throw_wrong_tag(int tag);
inline constexpr int most_tag = 0x3fffffff;
/// Throws mpi::error (MPI_ERR_RANK) unless the rank is in the (remote) group or is MPI_PROC_NULL.
inline void check_rank(const communicator& in, int rank, const char* what) {
  if ((rank < 0 || rank >= in.remote().size()) && rank != MPI_PROC_NULL) [[unlikely]]
    throw_wrong_rank(in, rank, what);
}
inline void check_tag(int tag) {
  if (tag < 0 || tag > most_tag) [[unlikely]]
    throw_wrong_tag(tag);
}

}  // namespace imbrex::mpi
