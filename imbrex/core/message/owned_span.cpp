// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/owned_span.hpp>

namespace imbrex::detail {

template class owned_span<std::byte>;

}  // namespace imbrex::detail
