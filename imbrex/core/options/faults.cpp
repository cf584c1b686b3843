// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/options/faults.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex {

namespace {

/// A text that is read word by word. Commas are words.
class word_source {
 public:
  word_source(std::string_view option, std::string_view text) : option_(option), text_(text) {
    std::string word;
    const auto end_word = [&] {
      if (!word.empty()) words_.push_back(std::exchange(word, {}));
    };
    for (const char c : text) {
      if (c == ' ' || c == '\t' || c == ',' || c == ';')
        end_word();
      else
        word += c;
      if (c == ',' || c == ';') words_.emplace_back(1, c);
    }
    end_word();
  }

  bool is_at_end() const { return at_ == words_.size(); }
  /// True if the next words are these, which are then read.
  bool reads(std::initializer_list<std::string_view> words) {
    const auto rest = std::span(words_).subspan(at_);
    if (rest.size() < words.size() || !std::equal(words.begin(), words.end(), rest.begin())) return false;
    at_ += words.size();
    return true;
  }
  void expect(std::string_view word) {
    if (!reads({word})) refuse("\"" + std::string(word) + "\"");
  }
  template <class T>
  T number(T least) {
    const auto value = is_at_end() ? std::nullopt : parse_number<T>(words_[at_]);
    if (!value || *value < least) refuse("a whole number from " + std::to_string(least));
    ++at_;
    return *value;
  }
  nanoseconds time() {
    const auto value = is_at_end() ? std::nullopt : parse_duration(words_[at_]);
    if (!value || value->count() == 0) refuse("a time with its unit, such as 3.2s,");
    ++at_;
    return *value;
  }
  bool next_is_time() const { return !is_at_end() && parse_duration(words_[at_]).has_value(); }
  std::string take() { return is_at_end() ? std::string() : words_[at_++]; }
  [[noreturn]] void refuse(const std::string& expected) const {
    throw usage_error(printable(option_) + " " + printable(text_) + ": " + expected + " is missing " +
                      (is_at_end() ? "at the end" : "at \"" + printable(words_[at_]) + "\"") +
                      "; write \"pe 17 at 3.2s\", \"pe 17 at event 5000, pes 12\" or \"seed 7 every 3s\"");
  }

 private:
  const std::string_view option_;
  const std::string_view text_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

fault read_fault(word_source& in) {
  fault read;
  in.expect("pe");
  read.pe = in.number<int>(0);
  in.expect("at");
  if (in.reads({"event"}))
    read.when.events = in.number<std::uint64_t>(1);
  else
    read.when.time = in.time();
  if (in.reads({",", "pes"})) read.pes = in.number<int>(1);
  return read;
}

fault_settings::random_faults read_random(word_source& in) {
  fault_settings::random_faults read;
  read.seed = in.number<std::uint64_t>(0);
  in.expect("every");
  if (in.next_is_time()) {
    read.mean.time = in.time();
  } else {
    read.mean.events = in.number<std::uint64_t>(1);
    in.expect("events");
  }
  if (!in.reads({",", "pes"})) return read;
  const std::string range = in.take();
  const auto dots = range.find("..");
  const auto least = parse_number<int>(range.substr(0, dots));
  const auto most = dots == std::string::npos ? least : parse_number<int>(range.substr(dots + 2));
  if (!least || !most || *least < 1 || *most < *least) in.refuse("a number of PEs, such as 5, or 1..7,");
  read.least_pes = *least;
  read.most_pes = *most;
  return read;
}

/// True if moments are of one kind, and in their order.
bool is_before(const machine_moment& one, const machine_moment& other) {
  const bool are_alike = (one.events == 0) == (other.events == 0);
  return are_alike && one.time <= other.time && one.events <= other.events;
}

}  // namespace

std::string machine_moment::text() const {
  return events == 0 ? duration_text(time) : "event " + std::to_string(events);
}

fault_settings parse_faults(std::string_view option, std::string_view text) {
  fault_settings all;
  word_source in(option, text);
  if (in.reads({"seed"})) {
    all.random = read_random(in);
  } else {
    do {
      const fault next = read_fault(in);
      if (!all.listed.empty() && !is_before(all.listed.back().when, next.when))
        in.refuse("a later moment than " + all.listed.back().when.text());
      all.listed.push_back(next);
    } while (in.reads({";"}));
  }
  if (!in.is_at_end()) in.refuse("the end");
  return all;
}

}  // namespace imbrex
