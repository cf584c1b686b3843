// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/count_sent.hpp>

#include <imbrex/core/message/message.hpp>
#include <imbrex/core/pe/load_meter.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

void count_sent(processor& pe, message& m) {
  pe.sent().add(departing_message(m, 0).bytes() + pe.loads()->bytes_beside(m));
}

void restart_sent(processor& pe) {
  pe.sent().restart();
  if (pe.loads() != nullptr) pe.loads()->restart_sent();
}

}  // namespace imbrex::detail
