// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/device/backend.hpp>
#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/file_object.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>

namespace imbrex::mpi {

class partitioned_request;

/// The object behind an MPI_Request: a send, a receive, a collective, or a generalised request. Lives until
/// its handle is freed and its operation has ended.
class user_request : public counted {
 public:
  virtual ~user_request() = default;

  bool is_persistent() const { return is_persistent_; }
  /// True from the start until the outcome has been reported.
  bool is_active() const { return is_active_; }
  bool is_done() const { return !is_active_ || done_.tracked.is_done; }
  /// The internal request to wait for.
  request& awaited() { return done_.tracked; }
  communicator* in() const { return in_.get(); }
  /// The file whose error handler gets the operation's errors instead of the communicator's; null for most.
  virtual ref<file_object> file_of_errors() const { return {}; }
  /// The reason of a failure in words; empty if the error code says all.
  virtual std::string reason() const { return {}; }

  /// Starts the operation, also again if it is persistent.
  void start(rank& by);
  virtual void cancel(rank& /*by*/) {}
  virtual bool is_generalised() const { return false; }
  virtual partitioned_request* as_partitioned() { return nullptr; }
  /// Reports the outcome of a done request and makes it inactive. Returns an error code or MPI_SUCCESS.
  int finish(MPI_Status& status);
  /// The outcome, which the request keeps.
  virtual int outcome(MPI_Status& status) = 0;

  /// Frees data that the program has attached. Called for a request that is not persistent once its end has
  /// been reported. Returns an error code or MPI_SUCCESS.
  virtual int release() { return MPI_SUCCESS; }

  /// Called with `of_end`, the object that this request is a part of, when the request is done.
  void (*on_end)(void* of) = nullptr;
  void* of_end = nullptr;

 protected:
  explicit user_request(bool is_persistent, const ref<communicator>& in)
      : is_persistent_(is_persistent), in_(in) {}
  virtual void begin(rank& by) = 0;
  /// Called once, on completion.
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
  ref<user_request> under_way_;  ///< reference to itself until the operation has ended
};

/// Data of a send or receive as the program has described them.
struct user_buffer {
  void* address = nullptr;
  std::int64_t count = 0;
  datatype_ref type;
  device* on = nullptr;  ///< device that holds the memory; null: the host

  std::int64_t bytes() const { return type->bytes(count); }
  bool is_contiguous() const { return type->is_contiguous(); }
  typed_buffer typed() const { return {static_cast<std::byte*>(address), count, type.get()}; }
  /// Address range from the first byte to the last, gaps included.
  address_range extent() const;
  /// First byte of contiguous data.
  std::byte* begin() const { return static_cast<std::byte*>(address); }
};

enum class user_send { standard, buffered, synchronous, ready };

struct send_kind {
  user_send mode;
  bool is_persistent = false;
};
/// The other end of a message: a rank of the communicator, and the tag.
struct message_end {
  int rank;
  int tag;
};

ref<user_request> make_send(const ref<communicator>& in, const user_buffer& data, message_end to,
                            send_kind kind);
ref<user_request> make_receive(const ref<communicator>& in, const user_buffer& data, message_end from,
                               bool is_persistent);
/// Receive of a message that was taken out of the rank's matcher; null: a message from MPI_PROC_NULL.
ref<user_request> make_receive_of(const ref<communicator>& in, const user_buffer& data, packet* found);

/// Packs all data to host memory. For data on a device, the rank waits for their copy.
void pack_to_host(rank& by, const user_buffer& data, std::byte* to);

/// Sets a status to the outcome of a receive. Returns an error code or MPI_SUCCESS.
int tell_receive(const request& done, MPI_Status& status);
void tell_no_process(MPI_Status& status);

}  // namespace imbrex::mpi
