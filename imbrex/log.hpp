// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/log.hpp>
#include <imbrex/core/array/log.hpp>
