// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/promise.hpp>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

namespace {

/// A number that no array has: its place (0) is that of empty proxies.
constexpr std::uint64_t number_of_promises = std::uint64_t{1} << generation_shift;

}  // namespace

reply_target* promised(processor& pe, const reply_address& reply) {
  auto* const target = static_cast<pending_base*>(pe.replies().find(reply));
  if (target == nullptr || !target->ready()) return target;
  fail_promised_twice(pe, *target);
  return nullptr;
}

std::uint64_t mark_of_promise(const processor& pe) { return pe.in_proxy(number_of_promises); }

void check_promise(const processor& pe, std::uint64_t mark) {
  if (mark == 0)
    throw error(
        "a default-constructed promise was set: it stands for nothing until it is assigned what "
        "make_promise returns");
  if (pe.number_of(mark) != number_of_promises)
    throw error(
        "a promise was set that belongs to an earlier run of this process, or to a concurrent one: promises "
        "are valid only within their run");
}

void check_unsaved_promise(std::uint64_t mark, std::string_view type) {
  if (mark == 0) return;
  refuse_to_save(type,
                 "stands for a result that somebody awaits in this run: set it before, or leave it out of "
                 "serialize");
}

}  // namespace imbrex::detail
