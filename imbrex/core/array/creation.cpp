// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/creation.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/point_stop.hpp>
#include <imbrex/core/array/proxy.hpp>
#include <imbrex/core/collective/reduction.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/pe/array_names.hpp>
#include <imbrex/core/pe/part_request.hpp>
#include <imbrex/core/pe/pe_tree.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

constexpr const char* of_an_array = "the creation of an array";

/// A request to a PE and its subtree in the tree with this root. The PE replies when all of them have made
/// their parts of an array.
struct creation_question : message {
  int root = 0;

  static inline message_type type_record = runtime_message_type<creation_question>();
  void serialize(auto& ar) { ar(root); }
  void deliver() {
    if (!is_passed_on_) pass_on(processor::here());
    deliver_to_part(*this, [this](const local_array& part) {
      const message_guard guard(*this);
      if (part.creation_failure.empty()) return send_end(origin, reply);
      send_failure(origin, reply, of_an_array, part.why_missing({}));
    });
  }

 private:
  /// Forwards the question to the children. From then on the question concerns this PE alone; the reply
  /// covers its subtree.
  void pass_on(const processor& pe) {
    is_passed_on_ = true;
    const auto children = children_of(pe, root);
    if (children.empty()) return;
    auto& answers = *new collector<nothing, completion_operation, std::uint64_t>(children.size() + 1);
    answers.send_to_caller(origin, reply, of_an_array);
    origin = static_cast<std::uint32_t>(pe.pe());
    reply = answers.expect(children.size(), 0);
    for (std::size_t i = 0; i < children.size(); ++i) {
      auto& m = make_message<creation_question>();
      m.collection = collection;
      m.root = root;
      m.reply = answers.expect(i, 0);
      processor::here().dispatch(m, children[i]);
    }
  }

  bool is_passed_on_ = false;
};

/// Sent to all PEs: an array lacks elements, so no all_reduce over it can end.
struct news_of_lack : message {
  std::vector<std::byte> why;  ///< as in `local_array::creation_failure`
  int root = 0;                ///< root of the tree along which the message is forwarded

  static inline message_type type_record = runtime_message_type<news_of_lack>();
  void serialize(auto& ar) { ar(why, root); }
  void deliver() {
    auto& pe = processor::here();
    if (!std::exchange(is_passed_on_, true))
      for (const int child : children_of(pe, root)) {
        auto& m = make_message<news_of_lack>();
        m.collection = collection;
        m.why = why;
        m.root = root;
        pe.dispatch(m, child);
      }
    deliver_to_part(*this, [this](local_array& part) {
      const message_guard guard(*this);
      if (part.is_closed()) return;
      if (part.creation_failure.empty()) part.creation_failure = std::move(why);
      std::uint64_t begun = 0;
      for (const auto* const e : part.locals()) begun = std::max(begun, e->reductions);
      for (std::uint64_t n = 0; n < begun; ++n) part.reductions().take_failure(n, part.why_missing({}));
    });
  }

 private:
  bool is_passed_on_ = false;
};

/// Sent to the PE that made an array: a part of it could not be created.
struct creation_failure : message {
  carried_exception why;

  static inline message_type type_record = runtime_message_type<creation_failure>();
  void serialize(auto& ar) { ar(why); }
  void deliver() {
    auto& pe = processor::here();
    const message_guard guard(*this);
    if (pe.has_ended(collection)) return;
    const auto* const part = array_at(pe, collection);
    if (part == nullptr || !part->is_failure_reported) fail_run(pe, why.description());
  }
};

}  // namespace

void fail_creation(std::uint64_t collection, std::exception_ptr why) {
  auto& pe = processor::here();
  carried_exception carried(std::move(why));
  auto* const part = array_at(pe, collection);
  if (part == nullptr) return fail_run(pe, carried.description());
  writer out;
  out(carried);
  part->creation_failure = out.take();
  auto& news = make_message<news_of_lack>();
  news.collection = collection;
  news.why = part->creation_failure;
  news.root = pe.pe();
  pe.dispatch(news, pe.pe());
  auto& m = make_message<creation_failure>();
  m.collection = collection;
  m.why = std::move(carried);
  pe.dispatch(m, part->creator());
}

std::span<const int> nodes_for_bricks(const processor& pe) {
  const run_services& run = pe.run();
  return run.how().placement == array_placement::bricks ? run.node_starts() : std::span<const int>();
}

std::uint64_t number_new_array(processor& pe, array_origin& origin, std::string_view shown_class) {
  if (origin.is_group()) origin.name = next_group_name(pe, shown_class);
  return number_for(pe, origin, shown_class);
}

namespace {

/// Throws usage_error if an array with a name cannot be in a checkpoint.
void check_can_be_saved(const array_origin& origin, std::string_view shown_class,
                        const element_class& elements) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error("--checkpoint: the array \"" + origin.name + "\" of " +
                      std::string(short_name(shown_class)) + " cannot be saved: " + why +
                      "; or leave its name out, and make it anew in each run");
  };
  if (!elements.has_serialize) refuse("its class needs `void serialize(auto& ar)` with all members");
  if (!elements.has_default_constructor) refuse("its class needs a default constructor");
  if (origin.placement.find("lambda") != origin.placement.npos)
    refuse(
        "its placement is a lambda, which another build would not find: use a function object with a name");
}

}  // namespace

void check_new_array(const processor& pe, const array_origin& origin, std::string_view shown_class,
                     const element_class& elements) {
  if (origin.name.empty()) return;
  if (!origin.is_group() && !pe.run().how().checkpoint.folder.empty())
    check_can_be_saved(origin, shown_class, elements);
  const std::string name = lasting_name(origin, shown_class);
  const collection_part* const other = find_named(pe, name);
  if (other == nullptr) return;
  throw error("there are two arrays named \"" + name + "\", of " +
              std::string(short_name(other->shown_name())) + " and of " +
              std::string(short_name(shown_class)) +
              ": a name stands for one array of the run, so give one of them another");
}

void join_stop(local_array& part) { part.pe().local<point_stop>().begin_for(part); }

pending<void> end_of_creation(std::uint64_t collection) {
  auto& pe = processor::here();
  if (auto* const part = array_at(pe, collection); part != nullptr && part->creator() == pe.pe())
    part->is_failure_reported = true;
  pending<void> result(of_an_array);
  auto& m = make_message<creation_question>();
  m.collection = collection;
  m.root = pe.pe();
  m.reply = result.address();
  pe.dispatch(m, pe.pe());
  return result;
}

std::vector<int> children_of(const processor& pe, int creator) {
  return place_in_tree(pe.pe(), creator, pe.num_pes(), pe.run().host_starts()).children;
}

void throw_wrong_shape(std::string_view chare_name, const std::string& shape) {
  throw error(
      "an array of " + std::string(short_name(chare_name)) + " cannot have the shape " + shape +
      ": each extent must be 0 or more, and there may be 2^40 elements at most; 2^62 in a sparse array");
}

void rethrow_creation_failure(std::string_view chare_name, int pe) {
  throw error("the placement of the array of " + std::string(short_name(chare_name)) +
              ", or its creation on PE " + std::to_string(pe) + ", threw " + describe_current_exception());
}

}  // namespace imbrex::detail
