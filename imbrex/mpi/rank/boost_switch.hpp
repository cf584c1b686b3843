// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/extension/fiber.hpp>

namespace imbrex::mpi {

using extension::fiber;

/// The switch of Boost.Context, which makes no system call.
extern const extension::stack_switch boost_switch;

}  // namespace imbrex::mpi
