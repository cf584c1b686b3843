// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/core/gpu/transfer_streams.hpp>

namespace imbrex {

class reader;
class writer;

namespace detail {

class attachment;
class pooled_memory;
class processor;

/// The transfer streams of this thread's PE. Throws imbrex::error if it has no device.
transfer_streams& transfers_here();

/// Streams of this PE for copies to and from a device of its process, also another than its own.
stream& stream_into(device& of);
stream& stream_out_of(device& of);

/// True if a transfer of this size begins without a rendezvous. Then several in sequence take no longer than
/// side by side.
bool is_short_transfer(std::size_t bytes);
/// The stream for copies of this size to this PE's device: `in` for short ones, else one that runs beside
/// others.
stream& stream_to_land(std::size_t bytes);

/// True if PE `with`, of another process, can open memory of this process's devices by keys, and is allowed
/// to.
bool may_share_memory(const processor& pe, int with);
/// True if any other process can open memory of this process's devices.
bool has_readers(const processor& pe);
/// Throws the reason why memory cannot be shared if `--gpu-path shared` is set; returns otherwise.
void require_no_sharing(const processor& pe, int with, device& of);
/// True if the network can send memory of this process's devices to that PE.
bool may_send_memory(const processor& pe, int with);
/// Throws the reason why memory cannot be sent if `--gpu-path network` is set; returns otherwise.
void require_no_sending(const processor& pe, int with, device& of);

/// Deserialises a part with elements of `size` bytes. Keeps the address to notify after the copy, if the
/// sender wants a notification.
void read_attachment(reader& in, attachment& part, std::size_t size);
/// Copies a received part to this PE's device if it is not there yet. Enqueues the copies and waits for none
/// of them. Throws imbrex::error if the PE has no device, and `device_out_of_memory`.
void land_attachment(attachment& part);

/// Writes `bytes` of pinned memory, which no work of a device changes any more; and reads elements of `size`
/// bytes into new pinned memory of this PE's device. Reading throws serial_error, `device_out_of_memory`, and
/// imbrex::error if the PE has no device.
void write_pinned(writer& out, const pooled_memory& memory, std::size_t bytes);
void read_pinned(reader& in, pooled_memory& memory, std::size_t size);

/// A stream of the part's device; null if it is on no device, or on this PE's.
stream* stream_out_of(const attachment& part);

}  // namespace detail
}  // namespace imbrex
