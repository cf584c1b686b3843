// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::test {

/// How often this process has shared memory by the stand-in for CUDA's runtime.
struct ipc_calls {
  int handles = 0;
  int opened = 0;
  int closed = 0;
};
ipc_calls calls_of_ipc();
/// From now on this process can open no memory of others, as a device that is no peer of theirs.
void refuse_to_open();

/// Waits for the streams that were destroyed: then no thread of the stand-in is left that a fork would lose.
void end_streams();

}  // namespace imbrex::test
