// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/error.hpp>
#include <imbrex/net/ucx/library.hpp>
#include <imbrex/net/ucx/memory_kinds.hpp>
#include <imbrex/net/ucx/ucx_built.hpp>
#include <imbrex/net/ucx/ucx_fabric.hpp>

namespace imbrex::ucx {

bool is_built() { return false; }

std::string bundled_folder() { return {}; }

const library& load() { throw error("imbrex was built without UCX"); }

std::vector<std::string> memory_kinds() { return {}; }

std::unique_ptr<fabric> make_fabric() { return nullptr; }

std::unique_ptr<endpoints::fabric_endpoint> make_endpoint(std::unique_ptr<fabric_worker>, int,
                                                          const endpoints::places&, network::receiver&) {
  return nullptr;
}

}  // namespace imbrex::ucx
