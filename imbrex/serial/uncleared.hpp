// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace imbrex::detail {

/// Resizes a container whose elements are stored right afterwards.
template <class T>
void resize_to_fill(T& value, std::size_t count) {
  value.clear();
  value.resize(count);
}

// A vector initialises the elements that resize adds, and the standard has no way around it. For a long
// message this is a second pass through its memory: a fifth of its time between processes.
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG) && !defined(_GLIBCXX_SANITIZE_VECTOR)

template <class Element, class Allocator>
struct uncleared : std::vector<Element, Allocator> {
  /// Resizes without clearing. Only a derived class may name the member.
  static void resize(std::vector<Element, Allocator>& value, std::size_t count) {
    value.clear();
    value.reserve(count);
    auto& memory = value.*&uncleared::_M_impl;
    memory._M_finish = memory._M_start + count;
  }
};

/// Resizes a vector of elements that are copied as bytes. The elements are unspecified until they are stored.
template <class Element, class Allocator>
void resize_to_fill(std::vector<Element, Allocator>& value, std::size_t count) {
  uncleared<Element, Allocator>::resize(value, count);
}

#endif

}  // namespace imbrex::detail
