// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that a program needs. The first three hold what checks the program's calls: named here, they keep the
// lists of includes short in the compiler's messages about a wrong call.
#include <imbrex/core/message/member_traits.hpp>
#include <imbrex/core/name/operations.hpp>
#include <imbrex/serial/check.hpp>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/checkpoint/driver/enable.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/channel.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/log.hpp>
#include <imbrex/core/array/process_group.hpp>
#include <imbrex/core/array/section_reduction.hpp>
#include <imbrex/core/name/indices.hpp>
#include <imbrex/core/pe/executor.hpp>
#include <imbrex/core/pe/parallel_for.hpp>
#include <imbrex/core/pe/promise.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/pe/timeout.hpp>
#include <imbrex/core/record/tracing.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/coro/when_all.hpp>
#include <imbrex/coro/when_any.hpp>
