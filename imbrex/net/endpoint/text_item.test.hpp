// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <imbrex/base/work.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::test {

/// An item that holds a text, which forms a block except for its beginning.
struct text : detail::work {
  explicit text(std::string of) : content(std::move(of)) {
    type = &kind;
    ++there_are;
  }
  ~text() { --there_are; }

  static text& read(reader& in) {
    auto* const t = new text(std::string(in.remaining(), ' '));
    in.rest(reinterpret_cast<std::byte*>(t->content.data()));
    return *t;
  }
  static void destroy(detail::work& item) noexcept { delete &static_cast<text&>(item); }
  static void pack(detail::work& item, writer& out) {
    auto& t = static_cast<text&>(item);
    const std::size_t beginning = std::min(t.content.size(), t.beginning);
    out.bytes(t.content.data(), beginning);
    if (t.while_packed) t.while_packed();
    out.block(t.content.data() + beginning, t.content.size() - beginning);
  }
  static detail::work* unpack(reader& in) { return &read(in); }
  static constexpr detail::work_type kind{"text", nullptr, &destroy, &pack, &unpack};

  static inline int there_are = 0;
  std::string content;
  std::size_t beginning = 8;
  std::function<void()> while_packed;
};

/// A text of that length, different in each thousand bytes.
inline std::string long_text(std::size_t size, char first) {
  std::string text(size, first);
  for (std::size_t i = 0; i < size; i += 1000) text[i] = static_cast<char>('a' + i / 1000 % 26);
  return text;
}

}  // namespace imbrex::test
