// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/net/bootstrap/bootstrap.hpp>

#include <memory>

namespace imbrex {

/// Whether a launcher that serves PMIx started this process.
bool pmix_serves_this_process();

/// Loads PMIx's library and connects to the launcher. Throws `error` if there is no such library, or no
/// reply.
std::unique_ptr<bootstrap> start_pmix_bootstrap();

}  // namespace imbrex
