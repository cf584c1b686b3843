// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/creation.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/proxy.hpp>
#include <imbrex/core/collective/reduction.hpp>
#include <imbrex/core/message/carried_exception.hpp>

namespace imbrex::detail {

namespace {

/// Is answered by a PE when it has made its part of an array.
struct creation_question : message {
  static inline message_type type_record = runtime_message_type<creation_question>();
  void serialize(auto&) {}
  void deliver() {
    auto& pe = processor::here();
    if (pe.collection(collection) == nullptr) return pe.hold(*this);
    const message_guard mine(*this);
    send_reply(origin, reply, nothing{});
  }
};

}  // namespace

pending<void> end_of_creation(std::uint64_t collection) {
  auto& pe = processor::here();
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

void throw_wrong_shape(std::string_view chare_name, const std::string& shape) {
  throw error(
      "make_array: an array of " + std::string(short_name(chare_name)) + " cannot have the shape " + shape +
      ": each extent must be 1 or more, and there may be 2^40 elements at most; 2^62 in a sparse array");
}

void rethrow_creation_failure(std::string_view chare_name, int pe) {
  throw error("the placement of the array of " + std::string(short_name(chare_name)) +
              ", or its creation on PE " + std::to_string(pe) + ", threw " + describe_current_exception());
}

}  // namespace imbrex::detail
