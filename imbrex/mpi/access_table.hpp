// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include <imbrex/mpi/packet.hpp>

namespace imbrex::mpi {

/// Who takes packets of one-sided communication, whatever the rank does meanwhile.
class access_receiver {
 public:
  /// On the PE's stack, or on that of another rank. It consumes the packet.
  virtual void accessed(packet& p) = 0;

 protected:
  ~access_receiver() = default;
};

/// Those of one rank, by the context of their packets. A packet may come before the one that it is for.
class access_table {
 public:
  access_table() = default;
  ~access_table() {
    for (auto& [context, packets] : early_)
      for (packet* const p : packets) packet::release(*p);
  }
  access_table(const access_table&) = delete;
  access_table& operator=(const access_table&) = delete;

  /// It is given at once what has come for it.
  void add(std::uint64_t context, access_receiver& receiver) {
    receivers_[context] = &receiver;
    const auto packets = early_.extract(context);
    if (packets.empty()) return;
    for (packet* const p : packets.mapped()) receiver.accessed(*p);
  }
  void remove(std::uint64_t context) { receivers_.erase(context); }

  void deliver(packet& p) {
    const auto found = receivers_.find(p.head.context);
    if (found != receivers_.end()) return found->second->accessed(p);
    early_[p.head.context].push_back(&p);
  }

 private:
  std::unordered_map<std::uint64_t, access_receiver*> receivers_;
  std::unordered_map<std::uint64_t, std::vector<packet*>> early_;
};

}  // namespace imbrex::mpi
