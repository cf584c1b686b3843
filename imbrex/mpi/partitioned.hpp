// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// Partitioned communication (MPI 4.1, chapter 4): a persistent send whose data leave in parts, as the
/// program declares them ready, and a receive that tells which parts have arrived.
///
/// The two requests match once, when both have been made: the sender introduces itself with the tag that the
/// program gives, and names the tags of its parts. Each start sends a message for each partition of the
/// sender. Both sides have equally many bytes, and may cut them differently.
class partitioned_request : public user_request {
 public:
  int partitions() const { return partitions_; }
  /// Sends a partition. Throws mpi::error for a receive, and for a partition that is not to be sent now.
  virtual void send_partition(int partition);
  /// True if a partition has arrived, or if the request is inactive. Throws mpi::error for a send, and for a
  /// partition that does not exist.
  virtual bool has_arrived(int partition);
  partitioned_request* as_partitioned() override { return this; }

 protected:
  partitioned_request(const ref<communicator>& in, const user_buffer& partition, int partitions,
                      message_end other);
  /// Throws mpi::error (MPI_ERR_ARG) for a number of no partition.
  void check(int partition) const;

  user_buffer whole_;  ///< all partitions
  int partitions_;
  message_end other_;
  rank* by_ = nullptr;
};

/// `partition`: the first one; the others follow it in memory.
ref<user_request> make_partitioned_send(rank& by, const ref<communicator>& in, const user_buffer& partition,
                                        int partitions, message_end to);
ref<user_request> make_partitioned_receive(rank& by, const ref<communicator>& in,
                                           const user_buffer& partition, int partitions, message_end from);

}  // namespace imbrex::mpi
