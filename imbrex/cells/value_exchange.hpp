// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <imbrex/cells/parcel.hpp>

namespace imbrex::cells::detail {

/// The progress of a refresh, or of values that are given back: the received values of each partner.
template <class T>
class value_exchange {
 public:
  void begin(activity what, std::size_t partners) {
    what_ = what;
    is_active_ = true;
    parcels_.clear();
    parcels_.resize(partners);
    arrived_.assign(partners, 0);
    missing_ = partners;
  }
  void end() {
    parcels_.clear();
    is_active_ = false;
  }

  activity what() const { return what_; }
  bool is_active() const { return is_active_; }
  bool is_missing_values() const { return missing_ != 0; }
  const std::vector<parcel<T>>& parcels() const { return parcels_; }
  /// By partner: nonzero once its values have arrived.
  const std::vector<std::uint8_t>& arrived() const { return arrived_; }
  /// Notes the values of a partner. False if they had arrived before.
  bool arrive(std::size_t partner) {
    if (arrived_[partner] != 0) return false;
    arrived_[partner] = 1;
    return true;
  }
  void add(std::size_t partner, parcel<T>&& p) {
    parcels_[partner] = std::move(p);
    --missing_;
  }

  void serialize(auto& ar) { ar(what_, is_active_, parcels_, arrived_, missing_); }

 private:
  activity what_ = activity::none;
  bool is_active_ = false;
  std::vector<parcel<T>> parcels_;
  std::vector<std::uint8_t> arrived_;
  std::size_t missing_ = 0;
};

}  // namespace imbrex::cells::detail
