// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <imbrex/core/message/message.hpp>
#include <imbrex/core/name/placement.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

/// The PEs below this one in the tree of PEs that has the creator as its root.
std::vector<int> children_of(const processor& pe, int creator);

/// The first PE of each node whose elements lie in bricks (`brick_placement`); empty if those of none do.
std::span<const int> nodes_for_bricks(const processor& pe);
/// The shape of an array with the bricks that it has in this run.
template <class Placement, class Index>
placed_shape<Index> shape_in_run([[maybe_unused]] const processor& pe, const Index& shape) {
  if constexpr (has_bricks<Index> && std::is_same_v<Placement, brick_placement>)
    return cut_into_bricks(shape, pe.num_pes(), nodes_for_bricks(pe));
  else
    return shape;
}

/// The number of an array that this PE makes now. Names it if it is a group.
std::uint64_t number_new_array(processor& pe, array_origin& origin, std::string_view shown_class);
/// Throws imbrex::error if this PE knows an array with the name of a new one, and usage_error if the run
/// writes checkpoints, and the new one has a name and cannot be saved.
void check_new_array(const processor& pe, const array_origin& origin, std::string_view shown_class,
                     const element_class& elements);

/// Lets the elements of a new part stop at their balance points if those of others are stopped.
void join_stop(local_array& part);

/// Queries all PEs for their parts of an array; ready when each PE has made its part.
pending<void> end_of_creation(std::uint64_t collection);

/// Reports that this PE's part of an array could not be created. On the creating PE, waiters for the creation
/// get the exception; without a waiter the run ends.
void fail_creation(std::uint64_t collection, std::exception_ptr why);
/// Rethrows an exception that no constructor threw: the array's placement did, or memory ran out.
[[noreturn]] void rethrow_creation_failure(std::string_view chare_name, int pe);
[[noreturn]] void throw_wrong_shape(std::string_view chare_name, const std::string& shape);

}  // namespace imbrex::detail
