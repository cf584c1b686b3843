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

/// Counts waits, and makes texts of the first.
class wait_teller {
 public:
  wait_teller(std::size_t most, const std::function<void(wait&&)>& tell) : most_(most), tell_(tell) {}

  void tell(std::string sentence) {
    if (count_++ < most_) tell_({std::move(sentence), "", ""});
  }
  /// `who` returns the name of the entry.
  template <class Who>
  void tell(const Who& who, const scope& entry) {
    const auto add = [&](const suspension* w) {
      if (count_++ >= most_) return;
      const bool has_place = w != nullptr && entry.kind != nullptr && entry.kind->place != nullptr;
      tell_({who(), w == nullptr ? "an awaitable that is not the runtime's" : w->description(),
             has_place ? entry.kind->place(entry.body) : ""});
    };
    if (entry.waits == nullptr) add(nullptr);
    for (const auto* w = entry.waits; w != nullptr; w = w->next()) add(w);
  }
  std::size_t count() const { return count_; }

 private:
  const std::size_t most_;
  const std::function<void(wait&&)>& tell_;
  std::size_t count_ = 0;
};

void tell_waits_of(const local_array& part, wait_teller& all) {
  std::vector<std::string> sentences;
  part.describe_held(sentences, known_waits::most_lines, true);
  part.describe_missing_in_sections(sentences, known_waits::most_lines);
  for (std::string& s : sentences) all.tell(std::move(s));
  for (const auto* e : part.locals())
    for (const scope* s = e->entries; s != nullptr; s = s->next)
      all.tell([&] { return describe_entry(*e, static_cast<const message*>(s->request)->shown_kind()); }, *s);
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

std::string wait::text() const {
  return who + (what.empty() ? "" : " waits for " + what) + (place.empty() ? "" : ", at " + place);
}

std::size_t tell_waits_of(processor& pe, std::size_t most, const std::function<void(wait&&)>& tell) {
  wait_teller all(most, tell);
  if (pe.pe() == 0 && pe.main.body != nullptr) all.tell([] { return "the main task"; }, pe.main);
  for (const auto* m : pe.held())
    all.tell("a message for an array that was never created waits on PE " + std::to_string(pe.pe()) +
             " (sent by PE " + std::to_string(m->origin) + ")");
  for_each_array(pe, [&](const local_array& part) { tell_waits_of(part, all); });
  return all.count();
}

void add_waits_of(processor& pe, known_waits& all) {
  std::ranges::move(held_exceptions_of(pe), std::back_inserter(all.thrown));
  const std::size_t room = known_waits::most_lines - std::min(all.waits.size(), known_waits::most_lines);
  const std::size_t count = tell_waits_of(pe, room, [&](wait&& w) { all.waits.push_back(w.text()); });
  all.more += count - std::min(count, room);
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
