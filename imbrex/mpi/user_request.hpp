// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/device/backend.hpp>
#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/rank.hpp>

namespace imbrex::mpi {

/// What a handle of a request stands for: a send, a receive, a collective, or what a program does by itself.
/// It lives until its handle is freed and what was begun has ended.
class user_request : public counted {
 public:
  virtual ~user_request() = default;

  bool is_persistent() const { return is_persistent_; }
  /// Begun, and its end has not been told.
  bool is_active() const { return is_active_; }
  bool is_done() const { return !is_active_ || done_.tracked.is_done; }
  /// What is awaited for it.
  request& awaited() { return done_.tracked; }
  communicator* in() const { return in_.get(); }

  /// Begins, or begins again.
  void start(rank& by);
  virtual void cancel(rank& /*by*/) {}
  virtual bool is_generalised() const { return false; }
  /// Where it is done: tells its outcome and makes it inactive. Returns the code of an error, or MPI_SUCCESS.
  int finish(MPI_Status& status);
  /// The outcome, which it keeps.
  virtual int outcome(MPI_Status& status) = 0;

  /// Frees what a program has attached, when the end of one that is not persistent has been told. Returns the
  /// code of an error, or MPI_SUCCESS.
  virtual int release() { return MPI_SUCCESS; }

  /// Called with `of_end` when it is done: what it is a part of.
  void (*on_end)(void* of) = nullptr;
  void* of_end = nullptr;

 protected:
  explicit user_request(bool is_persistent, const ref<communicator>& in)
      : is_persistent_(is_persistent), in_(in) {}
  virtual void begin(rank& by) = 0;
  /// Called once, when it is done.
  virtual void end() {}

 private:
  struct tracked_request {
    request tracked;
    user_request* owner = nullptr;
  };
  static void ended(request& tracked);

  tracked_request done_;
  bool is_persistent_;
  bool is_active_ = false;
  ref<communicator> in_;
  ref<user_request> under_way_;  ///< itself, while what was begun has not ended
};

/// Data of a send or receive, as the program describes them.
struct user_buffer {
  void* address = nullptr;
  std::int64_t count = 0;
  datatype_ref type;
  device* on = nullptr;  ///< in whose memory they lie; null: the host's

  std::int64_t bytes() const { return type->bytes(count); }
  bool is_contiguous() const { return type->is_contiguous(); }
  typed_buffer typed() const { return {static_cast<std::byte*>(address), count, type.get()}; }
  /// From the first of their bytes to the last, with the gaps between.
  address_range extent() const;
  /// Where contiguous data begin.
  std::byte* begin() const { return static_cast<std::byte*>(address); }
};

enum class user_send { standard, buffered, synchronous, ready };

ref<user_request> make_send(const ref<communicator>& in, const user_buffer& data, int to, int tag,
                            user_send mode, bool is_persistent);
ref<user_request> make_receive(const ref<communicator>& in, const user_buffer& data, int from, int tag,
                               bool is_persistent);
/// Of a message that was taken out of the rank's matcher; null of one from MPI_PROC_NULL.
ref<user_request> make_receive_of(const ref<communicator>& in, const user_buffer& data, packet* found);

/// Packs all of the data to memory of the host. Of data on a device the rank waits for their copy.
void pack_to_host(rank& by, const user_buffer& data, std::byte* to);

/// What a receive has found, for a status.
int tell_receive(const request& done, MPI_Status& status);
void tell_no_process(MPI_Status& status);

}  // namespace imbrex::mpi
