// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/core/array/migrant.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex::detail {

/// Number of bytes of device memory that a message carries besides its own bytes.
std::size_t device_bytes(message& m);

/// Prepares device memory in messages to PEs of other processes, over any transport. A message waits until
/// its memory is on the host, or its memory follows it in pieces. Messages without device memory, and
/// messages within the process, pass unchanged, except for chares.
///
/// A chare that migrates to a PE of the same device passes as it is. For another device of the process it is
/// made anew from its bytes, and its device memory is copied from device to device. It leaves when the work
/// submitted so far to its device is done, and arrives when its members are complete.
class device_transport final : public transport, public arrival_desk {
 public:
  /// The carrier and the PE must outlive this object.
  device_transport(transport& carrier, processor& pe);

  void send(work& item, int to) override;
  bool keeps(migrant_base& m) override;

 private:
  bool shares_memory(int to) const;
  // Not inlined, so that messages without device memory save no registers.
  [[gnu::noinline]] void send_from_devices(message& m, int to);
  /// Sends a chare to a PE of this process.
  void send_chare(migrant_base& m, int to);
  /// Sends a message when its memory is on the host, or can be read by the receiver.
  void stage(message& m, int to);

  transport& carrier_;
  processor& pe_;
};

}  // namespace imbrex::detail
