// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace imbrex::detail {

/// Gives a container that many elements, for bytes to be put there at once.
template <class T>
void resize_to_fill(T& value, std::size_t count) {
  value.clear();
  value.resize(count);
}

// A vector clears what it is resized by, and nothing in the standard keeps it from that. Of a long message
// that is a second pass through its memory, for a fifth of the time that it takes between processes.
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG) && !defined(_GLIBCXX_SANITIZE_VECTOR)

template <class Element, class Allocator>
struct uncleared : std::vector<Element, Allocator> {
  /// Only a derived class may name the member.
  static void resize(std::vector<Element, Allocator>& value, std::size_t count) {
    value.clear();
    value.reserve(count);
    auto& memory = value.*&uncleared::_M_impl;
    memory._M_finish = memory._M_start + count;
  }
};

/// Of elements that are copied as bytes: theirs are not specified until they are put there.
template <class Element, class Allocator>
void resize_to_fill(std::vector<Element, Allocator>& value, std::size_t count) {
  uncleared<Element, Allocator>::resize(value, count);
}

#endif

}  // namespace imbrex::detail
