// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <imbrex/mpi/api/balance_points.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/device_stage.hpp>
#include <imbrex/mpi/collective/reduction.hpp>
#include <imbrex/mpi/collective/schedule.hpp>
#include <imbrex/mpi/collective/team.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

/// Counts or displacements of a call, from its `int` or its large variant.
class numbers {
 public:
  numbers(const int* values) : short_(values) {}
  numbers(const MPI_Count* values) : long_(values) {}
  bool are_there() const { return short_ != nullptr || long_ != nullptr; }
  std::int64_t operator[](int i) const { return short_ != nullptr ? short_[i] : long_[i]; }

 private:
  const int* short_ = nullptr;
  const MPI_Count* long_ = nullptr;
};

/// Blocks for several ranks, or from them, as the arguments of a function of MPI name them. `Types` is one
/// datatype, or a pointer to one for each rank; displacements are in bytes then.
template <class Address, class Types>
struct blocks_argument {
  Address* address;
  numbers counts;
  numbers displacements;
  Types types;
};
template <class Address, class Counts, class Displacements, class Types>
blocks_argument(Address*, Counts, Displacements, Types) -> blocks_argument<Address, Types>;

/// A call of a collective function; checks the arguments. All member functions throw mpi::error.
class collective_call {
 public:
  /// If `is_blocking`, data on devices are fetched when their buffer is named, and `end` copies received data
  /// back. Else the result of `staged` does both.
  collective_call(rank_data& data, communicator& in, bool is_blocking)
      : data_(data), in_(in), is_blocking_(is_blocking) {}

  communicator& in() const { return in_; }
  class rank& self() const { return data_.self(); }
  /// The members' team if all live in this process; else null.
  class team* team() const { return team::of(in_, data_.self()); }
  bool is_inter() const { return in_.is_inter(); }
  int rank() const { return in_.rank(); }
  int others() const { return in_.remote().size(); }

  /// MPI_ERR_ROOT unless `root` is valid.
  void check_root(int root) const;
  /// Whether this rank is the root, in either group.
  bool is_root(int root) const { return is_inter() ? root == MPI_ROOT : root == rank(); }
  /// Whether this rank takes part.
  static bool takes_part(int root) { return root != MPI_PROC_NULL; }
  /// MPI_ERR_COMM for functions that only one group can call.
  void require_one_group() const;

  /// Whether the argument is MPI_IN_PLACE. MPI_ERR_BUFFER between two groups.
  bool is_in_place(const void* address) const;
  void check(const send_argument& which) const { (void)checked_shape(data_, which); }
  // Buffers on the host, even if the program's data are on a device. Those from pointers to constant data are
  // only read; the others are also received.
  user_buffer buffer(const send_argument& which) const { return named(writable(which), access::read); }
  user_buffer buffer(const receive_argument& which) const { return named(which, access::received); }
  /// Blocks for `n` ranks, consecutive if there is one count; each block is checked.
  block_list blocks(const send_argument& which, int n) const {
    return listed(writable(which), n, access::read);
  }
  block_list blocks(const receive_argument& which, int n) const { return listed(which, n, access::received); }
  template <class Types>
  block_list blocks(const blocks_argument<const void, Types>& which, int n) const {
    return listed(
        blocks_argument{const_cast<void*>(which.address), which.counts, which.displacements, which.types}, n,
        access::read);
  }
  template <class Types>
  block_list blocks(const blocks_argument<void, Types>& which, int n) const {
    return listed(which, n, access::received);
  }

  /// The maker of the schedule's plan; wraps `make` in copies from and to devices if data lie there.
  schedule::maker staged(schedule::maker make) const;
  /// Ends a blocking call: copies received data back to devices.
  void end() const {
    if (stage_ != nullptr) [[unlikely]]
      stage_->give_back(self());
  }
  /// MPI_ERR_BUFFER if the buffers are the same.
  static void check_apart(const user_buffer& send, const user_buffer& receive);

  /// MPI_ERR_OP unless the operation accepts the type.
  reduction how(MPI_Datatype type, MPI_Op op) const;

 private:
  enum class access : std::uint8_t { read, received };
  void check_lists(numbers counts, bool displacements, int n) const;
  static receive_argument writable(const send_argument& which) {
    return {const_cast<void*>(which.address), which.count, which.type};
  }
  user_buffer named(const receive_argument& which, access how) const;
  block_list listed(const receive_argument& which, int n, access how) const;
  block_list listed(const blocks_argument<void, MPI_Datatype>& which, int n, access how) const;
  block_list listed(const blocks_argument<void, const MPI_Datatype*>& which, int n, access how) const;
  /// Copies device memory to the host; `address` becomes the address in the copy.
  void stage(const address_range& extent, device& on, void*& address) const;
  void stage_blocks(block_list& all, int n, access how) const;

  rank_data& data_;
  communicator& in_;
  bool is_blocking_;
  mutable std::shared_ptr<device_stage> stage_;  ///< null if all data are on the host
};

/// Waits for the collective's end; throws mpi::error if it has failed.
void run_collective(rank_data& data, communicator& in, purpose of, schedule::maker make);
void begin_collective(rank_data& data, communicator& in, schedule::maker make, bool is_persistent,
                      MPI_Request* handle);

constexpr bool needs_messages(auto&&...) { return false; }

#define IMBREX_MPI_PARAMETERS(...) __VA_ARGS__ __VA_OPT__(, )
#define IMBREX_MPI_ARGUMENTS(...) __VA_OPT__(, ) __VA_ARGS__

/// Defines a collective function in its three forms. `make` returns the schedule's maker of plans; `meet`
/// runs the blocking form in the process's memory, and returns false if that is not possible.
#define IMBREX_MPI_COLLECTIVE(name, name_of_nonblocking, suffix, make, parameters, arguments)          \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(name, name_of_nonblocking, suffix, make, needs_messages, parameters, \
                                  arguments)
#define IMBREX_MPI_COLLECTIVE_IN_MEMORY(name, name_of_nonblocking, suffix, make, meet, parameters,        \
                                        arguments)                                                        \
  IMBREX_MPI_DEFINE(int, name##suffix, (IMBREX_MPI_PARAMETERS parameters MPI_Comm comm)) {                \
    return journey::follow(call_on("MPI_" #name #suffix, comm, [&](rank_data& data, communicator& in) {   \
      const collective_call call(data, in, true);                                                         \
      if (!meet(call IMBREX_MPI_ARGUMENTS arguments))                                                     \
        run_collective(data, in, purpose::collective, make(call IMBREX_MPI_ARGUMENTS arguments));         \
      call.end();                                                                                         \
      pass_collective(data, in);                                                                          \
    }));                                                                                                  \
  }                                                                                                       \
  IMBREX_MPI_DEFINE(int, name_of_nonblocking##suffix,                                                     \
                    (IMBREX_MPI_PARAMETERS parameters MPI_Comm comm, MPI_Request * request)) {            \
    return call_on("MPI_" #name_of_nonblocking #suffix, comm, [&](rank_data& data, communicator& in) {    \
      const collective_call call(data, in, false);                                                        \
      begin_collective(data, in, call.staged(make(call IMBREX_MPI_ARGUMENTS arguments)), false, request); \
    });                                                                                                   \
  }                                                                                                       \
  IMBREX_MPI_DEFINE(                                                                                      \
      int, name##_init##suffix,                                                                           \
      (IMBREX_MPI_PARAMETERS parameters MPI_Comm comm, MPI_Info /*info*/, MPI_Request * request)) {       \
    return call_on("MPI_" #name "_init" #suffix, comm, [&](rank_data& data, communicator& in) {           \
      const collective_call call(data, in, false);                                                        \
      begin_collective(data, in, call.staged(make(call IMBREX_MPI_ARGUMENTS arguments)), true, request);  \
    });                                                                                                   \
  }

}  // namespace imbrex::mpi
