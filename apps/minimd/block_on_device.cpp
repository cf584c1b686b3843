// SPDX-License-Identifier: Apache-2.0
// The part of a block that computes on its PE's device.
#include <algorithm>
#include <string>
#include <utility>

#include <imbrex/error.hpp>

#include "apps/minimd/block.hpp"

namespace minimd {

imbrex::task<> block::renew_on_device() {
  if (expected_) {  // a device without data has no atoms to renew
    if (!is_stored_) device_->reserve(*expected_);
    is_stored_ = true;
    co_return;
  }
  if (is_stored_) co_await device_->download(store_);
  co_await renew();
  co_await device_->upload(store_, list_, plan_of(cells));
}

const halo_part& block::partner(const imbrex::index<3>& with) const {
  const auto all = device_->partners();
  const auto found = std::ranges::find(all, with, &halo_part::with);
  if (found == all.end())
    throw imbrex::error("block " + imbrex::to_string(where()) + " has no copies of block " +
                        imbrex::to_string(with) + ", which sent some");
  return *found;
}

// Messages are prioritised so that all PEs receive for their blocks in one order, by z. Then neighbouring
// blocks of different PEs compute at about the same time. The next block in a PE's row then has all its
// messages while the device computes the last one. With different orders, PEs would wait for each other's
// last block in every step.
imbrex::task<> block::exchange_by_host() {
  constexpr int priorities = 32;
  co_await device_->packed();
  const auto blocks = peers();
  for (const halo_part& to : device_->partners()) {
    const auto values = device_->outgoing(to);
    host_halo halo{where()};
    if (device_->keeps_data())
      halo.values.assign(values.begin(), values.end());
    else
      halo.left_out.count = values.size_bytes();
    imbrex::spend_copy(values.size_bytes());
    imbrex::send<&block::halos_by_host>(blocks[to.with].with_priority(to.with[2] % priorities), exchange_,
                                        std::move(halo));
  }
  for (std::size_t n = device_->partners().size(); n > 0; --n) {
    const host_halo halo = co_await halos_by_host.receive(exchange_);
    const halo_part& from = partner(halo.from);
    const auto to = device_->incoming(from);
    if (device_->keeps_data()) {
      if (halo.values.size() != to.size())
        throw imbrex::error("block " + imbrex::to_string(where()) + " expects " + std::to_string(to.size()) +
                            " numbers of copies from block " + imbrex::to_string(halo.from) +
                            ", which sent " + std::to_string(halo.values.size()));
      std::ranges::copy(halo.values, to.begin());
    }
    imbrex::spend_copy(to.size_bytes());
  }
}

imbrex::task<> block::exchange_by_messages() {
  const auto blocks = peers();
  for (const halo_part& to : device_->partners())
    imbrex::send<&block::halos_on_device>(blocks[to.with], exchange_,
                                          device_halo{where(), device_->take(to)});
  for (std::size_t n = device_->partners().size(); n > 0; --n) {
    device_halo halo = co_await halos_on_device.receive(exchange_);
    device_->put(partner(halo.from), std::move(halo.values));
  }
}

imbrex::task<> block::exchange_on_device(halo_values what) {
  ++exchange_;
  // Run at most one exchange ahead of the device. Otherwise message buffers would pile up, and transfers of
  // later steps would delay earlier ones that partners wait for.
  if (use_.by == communication::message) co_await device_->packed();
  device_->begin_exchange(what);
  if (use_.by == communication::host)
    co_await exchange_by_host();
  else
    co_await exchange_by_messages();
  device_->end_exchange();
}

imbrex::task<> block::compute_forces_on_device(bool wants_sums) {
  if (device_->has_slopes()) {
    device_->compute_slopes();
    co_await exchange_on_device(halo_values::slopes);
  }
  device_->compute_forces(wants_sums);
}

imbrex::task<thermo_sums> block::run_on_device(std::int64_t last) {
  if (!is_stored_) {
    co_await renew_on_device();
    co_await compute_forces_on_device(true);
  }
  while (step_ < last) {
    device_->advance();
    ++step_;
    if (step_ % what_.renewal == 0 && !expected_)
      co_await renew_on_device();
    else
      co_await exchange_on_device(halo_values::positions);
    co_await compute_forces_on_device(step_ == last);
    device_->kick();
  }
  pairs_ = co_await device_->sums();
  if (expected_) co_return thermo_sums{.step = step_, .atoms = static_cast<std::int64_t>(expected_->own)};
  co_await device_->download(store_);
  co_return sums();
}

}  // namespace minimd
