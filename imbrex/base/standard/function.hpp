// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of <functional> that is std::function, without its searches, which include <unordered_map> and
// <algorithm>. Headers of programs include this file.

#include <cstddef>  // says which standard library this is

#if defined(_GLIBCXX_RELEASE) && __has_include(<bits/std_function.h>)
#include <bits/std_function.h>
#else
#include <functional>
#endif
