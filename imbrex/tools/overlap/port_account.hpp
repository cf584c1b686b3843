// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include <imbrex/tools/replay/dataflow.hpp>

namespace imbrex::overlap {

/// Sums for the side that writes, or the side that reads.
struct side {
  double words = 0;  // total
  double time = 0;   // ns
  std::vector<std::uint64_t> order{};
  std::uint64_t number = 0;  ///< number of the stretch that `order` belongs to
};

/// All messages by one mailbox or entry method, and the work of the pieces that sent or needed them. Its size
/// depends on the number of PEs, plus a few bytes a message.
class port_account {
 public:
  /// Sums of one PE, as a sender or as a receiver.
  struct pe {
    double words = 0;  ///< received from other PEs
    double written = 0;
    double read = 0;
    side production;     ///< marked by the user in pieces that sent
    side consumption;    ///< marked by the user in pieces that needed received data
    double writing = 0;  ///< ns, total time of the pieces that sent
    double reading = 0;
    std::array<std::array<double, 2>, 2>
        shared{};               ///< ns of both at once: [production marked][consumption marked]
    std::vector<float> hidden;  ///< ns, for each message from other PEs
  };
  /// Messages from one PE to another.
  struct pair {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::vector<float> apart;  ///< ns, for messages whose piece marks the writing
  };

  /// Adds a message whose sender is on another PE.
  void add(const tools::dataflow::message& m, std::uint32_t sender_pe, std::uint32_t receiver_pe);

  bool is_exchanged() const { return !pairs.empty(); }
  double bytes() const { return bytes_; }
  /// The number of different reference numbers in received messages between PEs.
  std::size_t references() const { return references_.size(); }
  /// True if no pair of PEs exchanged messages in both directions with the same reference number.
  bool is_pipelined() const { return !is_two_way_; }

  std::map<std::uint32_t, pe> pes;
  std::map<std::pair<std::uint32_t, std::uint32_t>, pair> pairs;  ///< key: receiver, sender

 private:
  struct way {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t reference = 0;

    bool operator==(const way&) const = default;
  };
  struct way_hash {
    std::size_t operator()(const way& one) const {
      const auto ends = (std::uint64_t{one.from} << 32U) | one.to;
      return (ends * 0x9e37'79b9'7f4a'7c15U) ^
             (static_cast<std::uint64_t>(one.reference) * 0xc2b2'ae3d'27d4'eb4fU);
    }
  };

  double bytes_ = 0;
  bool is_two_way_ = false;
  std::unordered_set<std::int64_t> references_;
  std::unordered_set<way, way_hash> ways_;
};

}  // namespace imbrex::overlap
