// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/native.hpp>

namespace imbrex::resident {

template struct native<test::culprit>;

}  // namespace imbrex::resident
