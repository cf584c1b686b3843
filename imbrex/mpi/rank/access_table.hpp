// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace imbrex::mpi {

struct packet;

/// Consumer of packets of one-sided communication, which may arrive at any time.
class access_receiver {
 public:
  /// Consumes the packet. Called on the PE's stack, or on that of another rank.
  virtual void take_access(packet& p) = 0;

 protected:
  ~access_receiver() = default;
};

/// Receivers of one rank by the context of their packets. No rank sends packets before the receiver is added.
class access_table {
 public:
  void add(std::uint64_t context, access_receiver& receiver) { receivers_[context] = &receiver; }
  void remove(std::uint64_t context) { receivers_.erase(context); }

  void deliver(packet& p);

 private:
  std::unordered_map<std::uint64_t, access_receiver*> receivers_;
};

}  // namespace imbrex::mpi
