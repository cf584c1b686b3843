// SPDX-License-Identifier: Apache-2.0
// ring.cu
#include <imbrex/resident/native.hpp>
#include "ring.hpp"
template struct imbrex::resident::native<ring>;
