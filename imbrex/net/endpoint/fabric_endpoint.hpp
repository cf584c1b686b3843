// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <imbrex/net/endpoint/places.hpp>

namespace imbrex::endpoints {

/// An endpoint on a fabric, as its network sees it. Any thread may read the counters. All else belongs to one
/// thread; once no PE runs any more, to the thread that ends the network.
class fabric_endpoint : public detail::endpoint {
 public:
  /// `where` must be complete before the first send, and outlive this.
  fabric_endpoint(int process, const places& where, detail::network::receiver& to)
      : process_(process), where_(where), to_(to) {}

  /// Declares that only that PE uses the endpoint; without this call items carry the number of their PE.
  /// Before the first item.
  void belong_to(int pe) { pe_ = pe; }
  /// The address, as bytes for other processes.
  virtual std::string address() const = 0;
  /// True once everything sent has left; makes progress. From the first call on nothing more is sent, and
  /// arrivals are dropped.
  virtual bool flushed() = 0;
  /// Drops all connections and the messages that they hold. False if the fabric was still working on some.
  virtual bool close() = 0;
  /// Number of messages that the fabric has not sent yet.
  virtual std::size_t departing() const = 0;

  std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
  std::uint64_t received() const { return received_.load(std::memory_order_relaxed); }
  void count_sent() { sent_.store(sent() + 1, std::memory_order_relaxed); }
  void count_received() { received_.store(received() + 1, std::memory_order_relaxed); }
  /// The only PE that uses the endpoint; nothing if several do.
  const std::optional<int>& own_pe() const { return pe_; }
  /// Index of this endpoint among all.
  std::size_t own_number() const {
    return pe_ ? where_.endpoint_of_pe[static_cast<std::size_t>(*pe_)]
               : where_.first_endpoint[static_cast<std::size_t>(process_)];
  }
  std::string name() const {
    return pe_ ? "PE " + std::to_string(*pe_) : "process " + std::to_string(process_);
  }

 protected:
  const int process_;
  const places& where_;
  std::optional<int> pe_;
  detail::network::receiver& to_;

 private:
  std::atomic<std::uint64_t> sent_ = 0;
  std::atomic<std::uint64_t> received_ = 0;
};

/// Makes an endpoint of a fabric's worker.
using endpoint_maker = std::unique_ptr<fabric_endpoint> (*)(std::unique_ptr<fabric_worker>, int process,
                                                            const places&, detail::network::receiver&);

}  // namespace imbrex::endpoints
