// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/device/emulated/emulation.hpp>
#include <imbrex/device/emulated/simulated_time.hpp>

namespace imbrex::emulated {

/// Emulated devices in simulated time: the thread that advances the time runs the bodies.
class simulated_emulation final : public emulation {
 public:
  /// Throws `error` if this time has devices already.
  explicit simulated_emulation(const emulated_options& emulation_options);
  ~simulated_emulation() override;

  engine& core() override { return engine_; }
  void value_changed() override { engine_.value_changed(); }
  bool seen(const completion& awaited) override;
  void wait(const completion& awaited, int device) override;
  void stop(int device) noexcept override;
  std::uint32_t marked(const completion* last) override;
  void asks(std::uint32_t mark) override;
  void submitted(const operation& op, std::span<const completion_ref> after) override;
  void begin(operation& started) override;
  void end(operation& over) override;

 private:
  void enter() override {}
  void leave() noexcept override {}
  nanoseconds charge(host_call what, std::size_t operations) override;

  static constexpr std::uint64_t most_in_vain = 10'000'000;

  simulated_time& time_;
  engine engine_;
  nanoseconds query_time_{0};
  std::uint64_t failed_queries_ = 0;  ///< unsuccessful queries at the time `query_time_`
};

}  // namespace imbrex::emulated
