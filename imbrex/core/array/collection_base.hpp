// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <imbrex/core/collective/array_end.hpp>
#include <imbrex/core/collective/broadcasts.hpp>
#include <imbrex/core/collective/reductions.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::detail {

/// One PE's part of an array, with its stations for collectives.
class collection_base : public local_array {
 public:
  collection_base(processor& pe, std::uint64_t id, const class_names& of, std::uint64_t initial_elements);
  ~collection_base() override;

  int creator() const override { return ending_.creator(); }
  void became_empty(std::optional<std::uint64_t> next_report) override;

 private:
  broadcast_station broadcasts_;
  reduction_station reductions_;
  end_station ending_;
};

}  // namespace imbrex::detail
