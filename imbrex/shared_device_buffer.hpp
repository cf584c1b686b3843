// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/gpu/shared_device_buffer.hpp>
