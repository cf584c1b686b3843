// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/waits.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <imbrex/core/collective/reductions.hpp>
#include <imbrex/core/pe/failures.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/net/packing.hpp>

namespace imbrex::detail {

void known_waits::join(known_waits&& others) {
  std::ranges::move(others.thrown, std::back_inserter(thrown));
  std::ranges::move(others.waits, std::back_inserter(waits));
  more += others.more;
}

std::string known_waits::text() const {
  std::string text;
  for (const std::string& line : waits) text += "\n  " + line;
  if (more > 0) text += "\n  and " + std::to_string(more) + " more";
  return text;
}

namespace {

void add_waits(const std::string& who, const scope& entry, known_waits& all) {
  if (entry.waits == nullptr) all.add(who + " waits for an awaitable that is not the runtime's");
  const bool has_place = entry.kind != nullptr && entry.kind->place != nullptr;
  const std::string place = has_place ? ", at " + entry.kind->place(entry.body) : "";
  for (const auto* w = entry.waits; w != nullptr; w = w->next())
    all.add(who + " waits for " + w->description() + place);
}

void add_waits_of(const local_array& part, known_waits& all) {
  part.describe_held(all.waits, known_waits::most_lines, true);
  part.describe_missing_in_sections(all.waits, known_waits::most_lines);
  for (const auto* e : part.locals())
    for (const scope* s = e->entries; s != nullptr; s = s->next)
      add_waits(describe_entry(*e, static_cast<const message*>(s->request)->shown_kind()), *s, all);
}

}  // namespace

std::vector<std::string> held_exceptions_of(processor& pe) {
  std::vector<std::string> thrown;
  const auto add = [&](const carried_exception& held) {
    if (held) thrown.push_back(held.description());
  };
  pe.replies().for_each([&](const reply_target& target) { add(target.held_error()); });
  for_each_array(
      pe, [&](const local_array& part) { std::ranges::for_each(part.reductions().held_errors(), add); });
  return thrown;
}

void add_waits_of(processor& pe, known_waits& all) {
  std::ranges::move(held_exceptions_of(pe), std::back_inserter(all.thrown));
  if (pe.pe() == 0 && pe.main.body != nullptr) add_waits("the main task", pe.main, all);
  for (const auto* m : pe.held())
    all.add("a message for an array that was never created waits on PE " + std::to_string(pe.pe()) +
            " (sent by PE " + std::to_string(m->origin) + ")");
  for_each_array(pe, [&](const local_array& part) { add_waits_of(part, all); });
}

namespace {

/// A request to a PE for its waiting entries.
struct waits_question : message {
  static inline message_type type_record =
      runtime_message_type<waits_question>({"request for waiting entries"});
  void serialize(auto&) {}
  void deliver() {
    const message_guard guard(*this);
    auto& pe = processor::here();
    known_waits here;
    add_waits_of(pe, here);
    auto& answer = make_message<reply_message<known_waits>>(std::move(here));
    answer.reply = reply;
    pe.dispatch(answer, static_cast<int>(origin));
  }
};

/// The replies of all PEs, in the order of PEs.
class waits_survey final : public reply_target {
 public:
  explicit waits_survey(std::function<void(known_waits&&)> tell)
      : tell_(std::move(tell)),
        answers_(static_cast<std::size_t>(processor::here().num_pes())),
        missing_(answers_.size()),
        address_(processor::here().replies().open(*this)) {}

  void ask() {
    auto& here = processor::here();
    for (std::size_t pe = 0; pe < answers_.size(); ++pe) {
      auto& question = make_message<waits_question>();
      question.reply = address_;
      question.reply.ordinal = static_cast<std::uint32_t>(pe);
      here.dispatch(question, static_cast<int>(pe));
    }
  }
  void accept(std::uint32_t pe, void* answer) override {
    answers_[pe] = std::move(*static_cast<known_waits*>(answer));
    if (--missing_ == 0) end();
  }
  void fail(std::uint32_t, carried_exception) override {
    if (--missing_ == 0) end();
  }
  void abandon() noexcept override { delete this; }

 private:
  void end() {
    const std::unique_ptr<waits_survey> self(this);
    processor::here().replies().close(address_);
    known_waits all;
    for (known_waits& answer : answers_) all.join(std::move(answer));
    tell_(std::move(all));
  }

  const std::function<void(known_waits&&)> tell_;
  std::vector<known_waits> answers_;
  std::size_t missing_;
  const reply_address address_;
};

}  // namespace

void ask_who_waits(std::function<void(known_waits&&)> tell) { (new waits_survey(std::move(tell)))->ask(); }

}  // namespace imbrex::detail
