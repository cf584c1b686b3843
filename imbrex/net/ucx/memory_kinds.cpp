// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/memory_kinds.hpp>

#include <dlfcn.h>
#include <ucp/api/ucp.h>
#include <ucs/memory/memory_type.h>

#include <cstddef>
#include <memory>

#include <imbrex/base/error.hpp>

namespace imbrex::ucx {
namespace {

/// UCX as it is found at run time: the command `imbrex` asks this and is not linked with UCX, whose handlers
/// of signals it must not have else.
class library {
 public:
  explicit library(const char* name) : its_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (its_ == nullptr) throw error(std::string("UCX does not start: ") + ::dlerror());
  }

  template <class Symbol>
  Symbol* find(const char* name) const {
    void* const at = ::dlsym(its_, name);
    if (at == nullptr) throw error(std::string("UCX does not start: it has no ") + name);
    return reinterpret_cast<Symbol*>(at);
  }

 private:
  void* its_;  // for ever: UCX's threads and handlers may be in it
};

void check(ucs_status_t status, const char* what) {
  if (status != UCS_OK)
    throw error(std::string("UCX does not start: ") + what + " failed with status " + std::to_string(status));
}

}  // namespace

std::vector<std::string> memory_kinds() {
  const library ucp("libucp.so.0");
  const library ucs("libucs.so.0");
  ucp_config_t* config = nullptr;
  check(ucp.find<decltype(ucp_config_read)>("ucp_config_read")(nullptr, nullptr, &config), "ucp_config_read");
  const std::unique_ptr<ucp_config_t, decltype(&ucp_config_release)> settings(
      config, ucp.find<decltype(ucp_config_release)>("ucp_config_release"));
  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES;
  parameters.features = UCP_FEATURE_AM;
  ucp_context_h handle = nullptr;
  check(ucp.find<decltype(ucp_init_version)>("ucp_init_version")(UCP_API_MAJOR, UCP_API_MINOR, &parameters,
                                                                 config, &handle),
        "ucp_init");
  const std::unique_ptr<ucp_context, decltype(&ucp_cleanup)> asked(
      handle, ucp.find<decltype(ucp_cleanup)>("ucp_cleanup"));
  ucp_context_attr_t attributes{};
  attributes.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
  check(ucp.find<decltype(ucp_context_query)>("ucp_context_query")(handle, &attributes), "ucp_context_query");
  const char* const* const names = ucs.find<const char* const>("ucs_memory_type_names");
  std::vector<std::string> kinds;
  for (unsigned type = 0; type < UCS_MEMORY_TYPE_LAST; ++type)
    if ((attributes.memory_types & UCS_BIT(type)) != 0) kinds.emplace_back(names[type]);
  return kinds;
}

}  // namespace imbrex::ucx
