// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/core/pe/processor.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex::detail {

/// Number of bytes of device memory that a message carries besides its own bytes.
std::size_t device_bytes(message& m);

/// Prepares device memory in messages to PEs of other processes, over any transport. A message waits until
/// its memory is on the host, or its memory follows it in pieces. Messages without device memory, and
/// messages within the process, pass unchanged.
class device_transport final : public transport {
 public:
  /// The carrier and the PE must outlive this object.
  device_transport(transport& carrier, processor& pe) : carrier_(carrier), pe_(pe) {}

  void send(work& item, int to) override;

 private:
  bool shares_memory(int to) const;
  // Not inlined, so that messages without device memory save no registers.
  [[gnu::noinline]] void send_from_devices(message& m, int to);

  transport& carrier_;
  processor& pe_;
};

}  // namespace imbrex::detail
