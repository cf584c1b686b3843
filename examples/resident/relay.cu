// SPDX-License-Identifier: Apache-2.0
// relay.cu
#include <imbrex/resident/native.hpp>
#include "relay.hpp"
template struct imbrex::resident::native<relay>;
