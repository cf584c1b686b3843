// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/checkpoint/driver/enable.hpp>
#include <imbrex/core/run/run.hpp>
