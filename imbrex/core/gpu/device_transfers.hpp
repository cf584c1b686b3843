// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/core/gpu/transfer_streams.hpp>

namespace imbrex::detail {

class device_part;
class processor;

/// Those of the PE on this thread. Throws imbrex::error if it has no device.
transfer_streams& transfers_here();

/// Streams by which this PE copies to and from a device of its process, which may be another than its own.
stream& stream_into(device& of);
stream& stream_out_of(device& of);

/// True if a transfer of so many bytes begins without a rendezvous, so that several one after the other take
/// no longer than side by side.
bool is_short_transfer(std::size_t bytes);
/// The stream by which so many bytes come to this PE's device: `in` if they are few, else one beside others.
stream& stream_to_land(std::size_t bytes);

/// True if that PE, of another process, finds memory of this process's devices by its keys, and shall.
bool may_share_memory(const processor& pe, int with);
/// True if any other process does.
bool has_readers(const processor& pe);
/// Says that it cannot, although `--gpu-path shared` was given; returns if that was not.
void require_no_sharing(const processor& pe, int with, device& of);
/// True if the network takes memory of this process's devices to that PE.
bool may_send_memory(const processor& pe, int with);
/// Says that it cannot, although `--gpu-path network` was given; returns if that was not.
void require_no_sending(const processor& pe, int with, device& of);

/// A stream of the device where a part is; null if it is on none, or on this PE's.
stream* stream_out_of(const device_part& part);

}  // namespace imbrex::detail
