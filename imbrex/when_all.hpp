// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/coro/when_all.hpp>
