// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that a program needs that gives work to devices.
#include <imbrex/imbrex.hpp>

#include <imbrex/core/gpu/combination.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/core/gpu/device_channel.hpp>
#include <imbrex/core/gpu/device_choice.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
#include <imbrex/core/gpu/device_reduction.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/persistent_channel.hpp>
#include <imbrex/core/gpu/shared_device_buffer.hpp>
#include <imbrex/core/gpu/stream_set.hpp>
#include <imbrex/core/gpu/work_request.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/event.hpp>
#include <imbrex/device/graph.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/stream.hpp>
