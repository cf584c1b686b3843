// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/grid/suggest_odf.hpp>
