// SPDX-License-Identifier: Apache-2.0
#pragma once
// The algorithms of namespace std in <algorithm>, without those of std::ranges, which take longest to
// compile. Headers of programs include this file.

#include <cstddef>  // says which standard library this is

#if defined(_GLIBCXX_RELEASE) && __has_include(<bits/stl_algo.h>)
#include <bits/stl_algobase.h>
// Uses what the line above declares.
#include <bits/stl_algo.h>
#else
#include <algorithm>
#endif
