// SPDX-License-Identifier: Apache-2.0
// expect: no such words in any compiler's messages
static_assert(sizeof(int) == 0, "the message; [with separators]");
