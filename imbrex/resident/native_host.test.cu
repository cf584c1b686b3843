// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/native.hpp>

namespace imbrex::resident {

template struct native<test::teller>;
template struct native<test::crew<cluster<2>>>;
template struct native<test::crew<whole_gpu>>;

}  // namespace imbrex::resident
