// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/native.hpp>

namespace imbrex::resident {

template struct native<test::cube>;
template struct native<test::stepper>;
template struct native<test::boss, test::worker>;
template struct native<test::fleet>;

}  // namespace imbrex::resident
