// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/collective/reduction.hpp>
#include <imbrex/mpi/collective/schedule.hpp>
#include <imbrex/mpi/collective/team.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

/// Counts or displacements of a call, as its `int` or its large variant gives them.
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

/// A call of a collective function, whose arguments are checked here. All throw mpi::error.
class collective_call {
 public:
  collective_call(rank_data& data, communicator& in) : data_(data), in_(in) {}

  communicator& in() const { return in_; }
  class rank& self() const { return data_.self(); }
  /// Of the members, if all live in this process; else null.
  class team* team() const { return team::of(in_, data_.self()); }
  bool is_inter() const { return in_.is_inter(); }
  int rank() const { return in_.rank(); }
  int others() const { return in_.remote().size(); }

  /// MPI_ERR_ROOT if it is no root.
  void check_root(int root) const;
  /// Whether this rank is it, in whichever group.
  bool is_root(int root) const { return is_inter() ? root == MPI_ROOT : root == rank(); }
  /// Whether this rank takes part.
  static bool takes_part(int root) { return root != MPI_PROC_NULL; }
  /// MPI_ERR_COMM for functions that only one group can call.
  void require_one_group() const;

  /// Whether the argument is MPI_IN_PLACE. MPI_ERR_BUFFER between two groups.
  bool is_in_place(const void* address) const;
  user_buffer buffer(const void* address, std::int64_t count, MPI_Datatype type) const {
    return checked_buffer(data_, address, count, type);
  }
  /// For `n` ranks, one after the other; each is checked.
  block_list blocks(const void* address, std::int64_t count, MPI_Datatype type, int n) const;
  block_list blocks(const void* address, numbers counts, numbers displacements, MPI_Datatype type,
                    int n) const;
  /// Displacements in bytes.
  block_list blocks(const void* address, numbers counts, numbers displacements, const MPI_Datatype types[],
                    int n) const;
  /// MPI_ERR_BUFFER if data are sent from where others are received.
  static void check_apart(const user_buffer& send, const user_buffer& receive);

  /// MPI_ERR_OP if it does not take the type.
  reduction how(MPI_Datatype type, MPI_Op op) const;

 private:
  void check_lists(numbers counts, bool displacements, int n) const;

  rank_data& data_;
  communicator& in_;
};

/// Waits until it has ended; throws mpi::error if it has failed.
void run_collective(rank_data& data, communicator& in, schedule::maker make);
/// Waits until all members have called it: MPI_Barrier of another function.
void meet_all(rank_data& data, communicator& in);
void begin_collective(rank_data& data, communicator& in, schedule::maker make, bool is_persistent,
                      MPI_Request* handle);

constexpr bool needs_messages(auto&&...) { return false; }

#define IMBREX_MPI_PARAMETERS(...) __VA_ARGS__ __VA_OPT__(, )
#define IMBREX_MPI_ARGUMENTS(...) __VA_OPT__(, ) __VA_ARGS__

/// Defines a collective function in its three forms. `make` returns what the schedule makes its plan by;
/// `meet` does the blocking form in the process's memory, and returns false if it cannot be done there.
#define IMBREX_MPI_COLLECTIVE(name, name_of_nonblocking, suffix, make, parameters, arguments)          \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(name, name_of_nonblocking, suffix, make, needs_messages, parameters, \
                                  arguments)
#define IMBREX_MPI_COLLECTIVE_IN_MEMORY(name, name_of_nonblocking, suffix, make, meet, parameters,      \
                                        arguments)                                                      \
  IMBREX_MPI_DEFINE(int, name##suffix, (IMBREX_MPI_PARAMETERS parameters MPI_Comm comm)) {              \
    return call_on("MPI_" #name #suffix, comm, [&](rank_data& data, communicator& in) {                 \
      const collective_call call(data, in);                                                             \
      if (!meet(call IMBREX_MPI_ARGUMENTS arguments))                                                   \
        run_collective(data, in, make(call IMBREX_MPI_ARGUMENTS arguments));                            \
    });                                                                                                 \
  }                                                                                                     \
  IMBREX_MPI_DEFINE(int, name_of_nonblocking##suffix,                                                   \
                    (IMBREX_MPI_PARAMETERS parameters MPI_Comm comm, MPI_Request * request)) {          \
    return call_on("MPI_" #name_of_nonblocking #suffix, comm, [&](rank_data& data, communicator& in) {  \
      begin_collective(data, in, make(collective_call(data, in) IMBREX_MPI_ARGUMENTS arguments), false, \
                       request);                                                                        \
    });                                                                                                 \
  }                                                                                                     \
  IMBREX_MPI_DEFINE(                                                                                    \
      int, name##_init##suffix,                                                                         \
      (IMBREX_MPI_PARAMETERS parameters MPI_Comm comm, MPI_Info /*info*/, MPI_Request * request)) {     \
    return call_on("MPI_" #name "_init" #suffix, comm, [&](rank_data& data, communicator& in) {         \
      begin_collective(data, in, make(collective_call(data, in) IMBREX_MPI_ARGUMENTS arguments), true,  \
                       request);                                                                        \
    });                                                                                                 \
  }

}  // namespace imbrex::mpi
