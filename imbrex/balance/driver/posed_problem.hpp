// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <imbrex/balance/driver/period_report.hpp>
#include <imbrex/balance/recorded.hpp>
#include <imbrex/balance/snapshot.hpp>

namespace imbrex::balance::detail {

/// The coordinates of the element with a key: writes at most six, and returns how many.
using coordinates_function = std::function<int(std::uint64_t array, std::uint64_t key, float* out)>;

/// The elements of PEs in the order of their names, each once. With `only`, those of other arrays stay.
std::vector<posed_object> objects_of(const std::vector<pe_loads>& loads,
                                     std::optional<std::uint64_t> only = std::nullopt);

/// Sorts elements by their names, and leaves each in once.
void sort_by_name(std::vector<posed_object>& objects);

/// The problem that the loads of a period pose, with the names of its objects.
class posed_problem {
 public:
  /// `has_sent`: it has the messages that objects send. `nodes`: of each PE.
  posed_problem(balanced_loads by, bool has_sent, std::vector<int> nodes);

  /// Poses the problem of elements in the order of their names. Devices are those of `loads`.
  void pose(const std::vector<posed_object>& objects, const std::vector<pe_loads>& loads,
            const coordinates_function& coordinates);
  /// Adds the sampled edges between the objects.
  void pose_edges(const std::vector<pe_loads>& loads);
  /// Another seed for the next solution.
  void renew_seed() { ++problem_.seed; }
  void set_seed(std::uint64_t seed) { problem_.seed = seed; }

  const std::vector<object_name>& names() const { return names_; }
  const snapshot& get() const { return problem_; }
  int pes() const { return problem_.pes; }
  /// The moves of a solution.
  std::vector<array_moves> moves_of(const std::vector<int>& solution) const;

 private:
  void pose_devices(const std::vector<pe_loads>& loads);
  void pose_coordinates(const coordinates_function& coordinates);

  const balanced_loads by_;
  const bool has_sent_;
  std::vector<object_name> names_;
  snapshot problem_;
};

/// The number of elements that moves are for.
std::uint64_t count_of(const std::vector<array_moves>& moves);
/// The way back.
std::vector<array_moves> reversed(std::vector<array_moves> moves);

}  // namespace imbrex::balance::detail
