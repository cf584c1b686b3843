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

/// An endpoint on a fabric, as its network sees it. The counters anybody may read; all else is one thread's,
/// and when no PE runs any more, that of whoever ends the network.
class fabric_endpoint : public detail::endpoint {
 public:
  /// `where` must be complete before the first send, and outlive this.
  fabric_endpoint(int process, const places& where, detail::network::receiver& to)
      : process_(process), where_(where), to_(to) {}

  /// Only that PE uses it; else items come with the number of theirs. Before the first of them.
  void belong_to(int pe) { pe_ = pe; }
  /// As bytes for other processes.
  virtual std::string address() const = 0;
  /// True when nothing that was sent is still here; moves what can be moved. From the first call on nothing
  /// more is sent, and what comes is dropped.
  virtual bool flushed() = 0;
  /// Drops all connections and what they still hold. False if the fabric was still working on some of it.
  virtual bool close() = 0;
  /// Messages that the fabric has not sent yet.
  virtual std::size_t departing() const = 0;

  std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
  std::uint64_t received() const { return received_.load(std::memory_order_relaxed); }

 protected:
  void count_sent() { sent_.store(sent() + 1, std::memory_order_relaxed); }
  void count_received() { received_.store(received() + 1, std::memory_order_relaxed); }
  /// Of this endpoint, among all.
  std::size_t own_number() const {
    return pe_ ? where_.endpoint_of_pe[static_cast<std::size_t>(*pe_)]
               : where_.first_endpoint[static_cast<std::size_t>(process_)];
  }
  std::string name() const {
    return pe_ ? "PE " + std::to_string(*pe_) : "process " + std::to_string(process_);
  }

  const int process_;
  const places& where_;
  std::optional<int> pe_;
  detail::network::receiver& to_;

 private:
  std::atomic<std::uint64_t> sent_ = 0;
  std::atomic<std::uint64_t> received_ = 0;
};

/// How an endpoint is made of a fabric's worker.
using endpoint_maker = std::unique_ptr<fabric_endpoint> (*)(std::unique_ptr<fabric_worker>, int process,
                                                            const places&, detail::network::receiver&);

}  // namespace imbrex::endpoints
