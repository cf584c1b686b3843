// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: a stream has no end: co_await stream.done
#include <imbrex/gpu.hpp>

imbrex::task<> wait(imbrex::stream& s) { co_await s; }
