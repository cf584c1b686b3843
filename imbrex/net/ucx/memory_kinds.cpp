// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/memory_kinds.hpp>

#include <imbrex/net/ucx/handles.hpp>

namespace imbrex::ucx {

std::vector<std::string> memory_kinds() {
  const context probe_context = make_context(connecting::may_block);
  ucp_context_attr_t attributes{};
  attributes.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
  check(ucp.context_query(probe_context.get(), &attributes), "ucp_context_query");
  std::vector<std::string> kinds;
  for (unsigned type = 0; type < UCS_MEMORY_TYPE_LAST; ++type)
    if ((attributes.memory_types & UCS_BIT(type)) != 0) kinds.emplace_back((*ucs.memory_type_names)[type]);
  return kinds;
}

}  // namespace imbrex::ucx
