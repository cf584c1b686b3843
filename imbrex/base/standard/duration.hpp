// SPDX-License-Identifier: Apache-2.0
#pragma once
// The durations and clocks of <chrono>, without its calendar and its texts. These cost each program 0.1 s to
// compile, and headers of programs need none of them.

#include <cstddef>  // says which standard library this is

#if defined(_GLIBCXX_RELEASE) && __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif
