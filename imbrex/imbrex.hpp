// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that a program needs. The first three hold what checks the program's calls: named here, they keep the
// lists of includes short in the compiler's messages about a wrong call.
#include <imbrex/core/member_traits.hpp>
#include <imbrex/core/operations.hpp>
#include <imbrex/serial/check.hpp>

#include <imbrex/core/balance_point.hpp>
#include <imbrex/core/channel.hpp>
#include <imbrex/core/create.hpp>
#include <imbrex/core/run.hpp>
#include <imbrex/core/section.hpp>
#include <imbrex/core/sleep.hpp>
#include <imbrex/core/spend.hpp>
#include <imbrex/core/tracing.hpp>
#include <imbrex/coro/when_all.hpp>
#include <imbrex/coro/when_any.hpp>
