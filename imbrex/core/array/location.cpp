// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/location.hpp>

namespace imbrex::detail {

template class element_map<index<1>>;
template class element_map<index<2>>;
template class element_map<index<3>>;

}  // namespace imbrex::detail
