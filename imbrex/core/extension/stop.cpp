// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/stop.hpp>

#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::extension {

pending<void> quiescence_of_stop() {
  pending<void> result("quiescence of the stopped elements");
  detail::processor::running_here().run().await_quiescence_of_stop(result.address());
  return result;
}

}  // namespace imbrex::extension
