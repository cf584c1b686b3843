// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/analysis.hpp>

#include <gtest/gtest.h>
