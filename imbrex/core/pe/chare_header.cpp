// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/chare_header.hpp>

#include <imbrex/base/pool.hpp>
#include <imbrex/base/work.hpp>

namespace imbrex {

chare_header::chare_header() = default;
chare_header::~chare_header() = default;

namespace detail {

void end_scope(scope& s) {
  auto& e = *static_cast<chare_header*>(s.chare);
  (s.previous != nullptr ? s.previous->next : e.entries) = s.next;
  if (s.next != nullptr) s.next->previous = s.previous;
  s.kind->destroy(s.body);
  s.request->type->destroy(*s.request);
  s.~scope();
  pool::release(&s, sizeof s);
}

}  // namespace detail
}  // namespace imbrex
