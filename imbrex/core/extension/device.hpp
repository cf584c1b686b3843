// SPDX-License-Identifier: Apache-2.0
#pragma once
// Devices as a front end uses them: streams of transfers, completions, and memory in messages. All of it is
// for the thread of a PE; what needs the PE's device throws imbrex::error if it has none.

#include <memory>
#include <span>

#include <imbrex/core/gpu/device_channel.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>

namespace imbrex::extension {

/// The devices of this process in the run of this PE, by number.
std::span<const std::unique_ptr<device>> devices_of_run();

/// `transfers_here()`: the streams by which this PE's messages carry memory to its device (`in`), from it
/// (`out`), and to it side by side (`beside()`).
using detail::transfers_here;
/// `stream_into(device)`: a stream of this PE for copies to a device of its process.
using detail::stream_into;
/// `stream_out_of(device)`: a stream of this PE for copies from a device of its process.
using detail::stream_out_of;

/// `notify_here(stream, receiver)`: calls the receiver when the work submitted so far is complete, or the
/// device has failed. Returns null if it is complete already; then it calls nothing.
using detail::notify_here;

/// True if PE `with`, of another process, can open memory of this process's devices by keys, and is allowed
/// to.
bool may_share_memory(int with);
/// Throws the reason why memory of `of` cannot be shared with PE `with` if `--gpu-path shared` is set.
void require_no_sharing(int with, device& of);

/// `read_attachment(in, part, size)`: reads device memory of a message, with elements of `size` bytes.
using detail::read_attachment;
/// `land_attachment(part)`: copies received memory to this PE's device, if it is not there yet. Waits for no
/// copy. Throws `device_out_of_memory`.
using detail::land_attachment;
/// `receive_at(part, address, device, count, order)`: copies received memory to this address, in the order of
/// the stream. Throws imbrex::error if the lengths differ.
using detail::receive_at;

}  // namespace imbrex::extension
