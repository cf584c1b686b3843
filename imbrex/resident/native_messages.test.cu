// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/native.hpp>

namespace imbrex::resident {

template struct native<test::ring>;
template struct native<test::storm>;
template struct native<test::wanderer>;
template struct native<test::caller>;
template struct native<test::gossip<block_of_cluster<4>>>;

}  // namespace imbrex::resident
