// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/network.hpp>
#include <imbrex/net/ucx/handles.hpp>
#include <imbrex/serial/writer.hpp>

namespace imbrex::ucx {

/// Where a PE of another process is reached, and which process that is.
struct remote_pe {
  std::string address;
  int process = 0;
  bool on_this_host = false;
};

/// One PE's worker and its endpoints. All is the PE's thread's, but the two counters, which anybody may read;
/// when no PE runs any more, that of whoever ends the network.
class ucx_port final : public port {
 public:
  /// `pes`: all PEs of the job, by number; `first_pes`: of each process; complete before the first send.
  ucx_port(ucp_context_h context, int process, const std::vector<remote_pe>& pes,
           const std::vector<int>& first_pes, network::receiver& to);
  ~ucx_port() override;

  void send(work& item, int to) override;
  void notify(int process, std::span<const std::byte> bytes) override;
  bool progress() override;
  bool arm() override;
  int descriptor() const override { return descriptor_; }
  bool sending() const override { return departing_ > 0; }

  /// The worker's address, as bytes for other processes.
  std::string address() const;
  /// True when nothing that was sent is still here; moves what can be moved.
  bool flushed();

  std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
  std::uint64_t received() const { return received_.load(std::memory_order_relaxed); }

 private:
  enum kind : unsigned { item_message, notice_message };
  struct departure;
  struct arrival;
  struct peer;

  /// Null if UCX cannot connect; then what was to be sent is gone, and the receiver knows of it.
  ucp_ep_h endpoint_to(int pe);
  /// Sends what `out_` holds, which is empty afterwards.
  void send_written(kind what, int to);
  void take(kind what, std::span<const std::byte> bytes) noexcept;
  static ucs_status_t on_arrival(kind what, ucx_port& self, void* data, std::size_t length,
                                 const ucp_am_recv_param_t& how);
  void lost(int process, ucs_status_t why) noexcept;

  const int process_;
  const std::vector<remote_pe>& pes_;
  const std::vector<int>& first_pes_;
  network::receiver& to_;
  worker worker_;
  int descriptor_ = -1;
  std::vector<std::unique_ptr<peer>> peers_;
  writer out_;
  std::unique_ptr<departure> next_departure_;
  std::size_t departing_ = 0;  ///< sends that UCX has not finished with
  std::size_t arriving_ = 0;   ///< receives that UCX has not finished with
  bool took_ = false;          ///< something came in since progress() began
  bool closing_ = false;
  ucs_status_ptr_t flush_ = nullptr;  ///< of the whole worker, at the end
  std::exception_ptr problem_;        ///< of a callback: exceptions do not pass through UCX
  std::atomic<std::uint64_t> sent_ = 0;
  std::atomic<std::uint64_t> received_ = 0;
};

}  // namespace imbrex::ucx
