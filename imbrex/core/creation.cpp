// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/creation.hpp>

#include <exception>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/core/collection_base.hpp>
#include <imbrex/core/proxy.hpp>
#include <imbrex/core/reduction.hpp>

namespace imbrex::detail {

namespace {

/// Is answered by a PE when it has made its part of an array, or failed to.
struct creation_question : message {
  static inline message_type type_record = runtime_message_type<creation_question>();
  void serialize(auto&) {}
  void deliver() {
    auto& pe = processor::here();
    const std::string* const why = pe.why_withdrawn(collection);
    if (why == nullptr && pe.collection(collection) == nullptr) return pe.hold(*this);
    const message_guard mine(*this);
    if (why == nullptr) return send_reply(origin, reply, nothing{});
    send_failure(origin, reply, "a creation", carried_exception(std::make_exception_ptr(error(*why))));
  }
};

/// To the PE that made an array, from one that could not make its part.
struct creation_failure : message {
  std::string why;

  static inline message_type type_record = runtime_message_type<creation_failure>();
  void serialize(auto& ar) { ar(why); }
  void deliver() {
    const message_guard mine(*this);
    auto& pe = processor::here();
    const auto* part = pe.collection(collection);
    // Withdrawn: make_array itself has thrown. Awaited: the answer to the question says it.
    if (part == nullptr || part->is_creation_awaited()) return;
    fail_run(pe, why);
  }
};

}  // namespace

pending<void> end_of_creation(std::uint32_t collection) {
  auto& pe = processor::here();
  if (auto* part = pe.collection(collection)) part->await_creation();
  pending<void> result("the creation of an array");
  const int pes = pe.num_pes();
  auto& answers = *new collector<nothing, completion_operation, std::uint64_t>(static_cast<std::size_t>(pes));
  answers.send_to_caller(static_cast<std::uint32_t>(pe.pe()), result.address());
  for (int p = 0; p < pes; ++p) {
    auto& m = make_message<creation_question>();
    m.collection = collection;
    m.reply = answers.expect(static_cast<std::size_t>(p), 0);
    pe.dispatch(m, p);
  }
  return result;
}

void tell_of_failed_creation(processor& pe, std::uint32_t collection, int maker) {
  auto& m = make_message<creation_failure>();
  m.collection = collection;
  m.why = *pe.why_withdrawn(collection);
  pe.dispatch(m, maker);
}

}  // namespace imbrex::detail
