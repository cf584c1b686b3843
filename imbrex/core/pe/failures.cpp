// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/failures.hpp>

#include <optional>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

/// Reports an error. If that fails, for example for lack of memory, reports the failure instead.
template <class Telling>
void tell(Telling tell_it) noexcept {
  auto& pe = processor::here();
  try {
    tell_it();
  } catch (...) {
    pe.run().on_uncaught(pe.pe());
  }
}

}  // namespace

std::string describe_entry(const chare_header& element, const message_type& entry) {
  return element.home->element_name(element) + ", entry " + std::string(entry.entry_name) + ", on PE " +
         std::to_string(element.home->pe().pe());
}

carried_exception thrown_by_entry(const chare_header& element, const message_type& entry,
                                  std::exception_ptr why, const scope* begun) {
  const auto thrower = begun != nullptr ? begun->throwers.thrower_of(why) : std::nullopt;
  return carried_exception(std::move(why), thrower ? *thrower : describe_entry(element, entry));
}

void fail_entry(message& request, const chare_header& element, std::exception_ptr why,
                const scope* begun) noexcept {
  tell([&] {
    fail_request(request, describe_entry(element, request.shown_kind()),
                 thrown_by_entry(element, request.shown_kind(), std::move(why), begun));
  });
}

void fail_unanswered(const chare_header& element, const message_type& entry,
                     std::exception_ptr why) noexcept {
  tell([&] {
    const std::string who = describe_entry(element, entry);
    fail_run(processor::here(),
             who + ": " + thrown_by_entry(element, entry, std::move(why)).description(who));
  });
}

void fail_request(message& request, const std::string& who, carried_exception why) {
  if (request.reply) return send_failure(request.origin, request.reply, who, std::move(why));
  fail_run(processor::here(), who + ": " + why.description(who));
}

namespace {

/// A reply: the element does not exist.
struct none_found_message : message {
  static inline message_type type_record = runtime_message_type<none_found_message>(
      {.what = "reply that there is no such element", .answers = true});
  void serialize(auto&) {}
  void deliver() {
    const message_guard guard(*this);
    if (auto* target = processor::here().replies().find(reply)) target->found_none(reply.ordinal);
  }
};

}  // namespace

void answer_none_found(const message& request) {
  if (!request.reply) return;
  auto& m = make_message<none_found_message>();
  m.reply = request.reply;
  processor::here().dispatch(m, static_cast<int>(request.origin));
}

void end_entries(chare_header& element, const std::string& why) {
  while (element.entries != nullptr) {
    auto& request = static_cast<message&>(*element.entries->request);
    if (request.reply)
      send_failure(request.origin, request.reply, describe_entry(element, request.shown_kind()),
                   carried_exception(std::make_exception_ptr(error(why))));
    end_scope(*element.entries);
  }
}

}  // namespace imbrex::detail
