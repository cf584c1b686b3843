// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/native.hpp>

namespace imbrex::resident {

template struct native<test::ring>;
template struct native<test::crew<cluster<2>>>;
template struct native<test::crew<whole_gpu>>;
template struct native<test::storm>;
template struct native<test::fleet>;
template struct native<test::circus>;
template struct native<test::beacon>;
template struct native<test::gossip<block_of_cluster<4>>>;
template struct native<test::lockstep>;
template struct native<test::wanderer>;
template struct native<test::cube>;
template struct native<test::stepper>;
template struct native<test::boss, test::worker>;
template struct native<test::caller>;
template struct native<test::teller>;
template struct native<test::culprit>;

}  // namespace imbrex::resident
