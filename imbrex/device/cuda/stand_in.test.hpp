// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::test {

/// The numbers of calls by which this process has shared memory, with the stand-in for CUDA's runtime.
struct ipc_calls {
  int handles = 0;
  int open_count = 0;
  int close_count = 0;
};
ipc_calls calls_of_ipc();
/// Makes all later mappings of other processes' memory fail, as on a device that is no peer of theirs.
void refuse_to_open();

/// Waits for the destroyed streams: then a fork loses no thread of the stand-in.
void end_streams();

}  // namespace imbrex::test
