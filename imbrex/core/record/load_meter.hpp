// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include <imbrex/base/clock.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex::detail {

/// Measures the load of each element of a PE, for load balancers. The load is the time of its entries, and
/// the messages and bytes that they send, by recipient. It needs all observer callbacks.
class load_meter final : public observer {
 public:
  /// The recipient of messages: an element, or a whole array (`of_all`).
  struct recipient {
    static constexpr std::uint64_t of_all = ~std::uint64_t{0};

    std::uint64_t collection = 0;
    std::uint64_t element = of_all;  ///< from `local_array::number_of`

    friend bool operator==(const recipient&, const recipient&) = default;
  };
  struct traffic {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  struct recipient_hash {
    std::size_t operator()(const recipient& r) const {
      return static_cast<std::size_t>((r.collection * 0x9e3779b97f4a7c15U) ^
                                      (r.element * 0xc2b2ae3d27d4eb4fU));
    }
  };
  struct load {
    nanoseconds time{0};  ///< in the PE's clock
    traffic sent;
    std::unordered_map<recipient, traffic, recipient_hash> to;
  };

  explicit load_meter(const processor& pe) : pe_(pe) {}

  /// The element whose entry is running; null if there is none.
  const chare_header* running() const { return running_; }
  /// The loads of elements on this PE that have run since they arrived, or since `clear`. The running
  /// element's time is counted up to its last switch.
  const std::unordered_map<const chare_header*, load>& loads() const { return loads_; }
  void clear() { loads_.clear(); }

  void item_begins(const work& item) override;
  void item_ends() override;
  void turn_begins(const local_array& part, const chare_header& element, const work_type& entry,
                   const work& broadcast) override;
  void turn_ends() override;
  void resumed(const suspension& what) override;
  void sent(const departing_message& what) override;
  void destroyed(const local_array& part, const chare_header& element) override;
  void departs(const local_array& part, const chare_header& element, int to) override;

 private:
  /// Charges the time from now on to `next`.
  void run(const chare_header* next);
  void forget(const chare_header& element);

  const processor& pe_;
  const chare_header* running_ = nullptr;
  const chare_header* of_item_ = nullptr;  ///< element whose entry the current item calls
  nanoseconds since_{0};
  std::unordered_map<const chare_header*, load> loads_;
};

}  // namespace imbrex::detail
