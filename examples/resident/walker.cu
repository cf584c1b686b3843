// SPDX-License-Identifier: Apache-2.0
// walker.cu
#include <imbrex/resident/native.hpp>
#include "walker.hpp"
template struct imbrex::resident::native<walker>;
