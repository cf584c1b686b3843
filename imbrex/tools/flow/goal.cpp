// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/flow/goal.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::tools {
namespace {

constexpr std::uint32_t most_ranks = 1U << 24U;
constexpr std::uint32_t most_parts = 64;  // processors or network cards of a rank
constexpr std::uint64_t most_size = std::uint64_t{1} << 50U;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_part_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class goal_parser {
 public:
  goal_parser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  goal parse() {
    while (skip_to_statement()) statement();
    if (in_rank_) refuse("the text ends inside of rank " + std::to_string(rank_) + "; write } at its end");
    if (!has_ranks_) refuse("there is no num_ranks; write num_ranks N before the first rank");
    order_by_ranks();
    return std::move(found_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw usage_error(printable(file_) + ", line " + std::to_string(line_) + ": " + why);
  }
  [[noreturn]] void refuse_expected(const std::string& expected) {
    const std::string_view there = rest_.substr(0, std::min(rest_.find('\n'), std::size_t{30}));
    refuse("expected " + expected + ", not " +
           (there.empty() ? "the end of the line" : printable(std::string(there))));
  }

  void skip_comment() {
    const std::size_t end = rest_.find("*/", 2);
    if (end == rest_.npos) refuse("a comment is not closed; write */ at its end");
    line_ += static_cast<std::size_t>(std::ranges::count(rest_.substr(0, end), '\n'));
    rest_.remove_prefix(end + 2);
  }
  /// Skips blanks and comments of a line.
  void skip() {
    while (!rest_.empty()) {
      if (is_blank(rest_.front())) {
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        skip_comment();
      } else {
        return;
      }
    }
  }
  bool skip_to_statement() {
    for (skip(); !rest_.empty() && rest_.front() == '\n'; skip()) {
      rest_.remove_prefix(1);
      ++line_;
    }
    return !rest_.empty();
  }
  std::string_view word() {
    skip();
    const auto end = std::ranges::find_if_not(rest_, is_part_of_word);
    const std::string_view found = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(found.size());
    return found;
  }
  bool take(char c) {
    skip();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void end_of_statement() {
    skip();
    if (!rest_.empty() && rest_.front() != '\n' && rest_.front() != '}')
      refuse_expected("the end of the line");
  }
  std::uint64_t number(std::string_view text, std::uint64_t most, const char* of) {
    const auto read = parse_number<std::uint64_t>(text);
    if (!read || *read > most)
      refuse(printable(std::string(text)) + " is no " + of + " from 0 to " + std::to_string(most));
    return *read;
  }
  std::uint32_t number_or_any(const char* of) {
    const std::string_view text = word();
    if (text == "-1") return goal::any;
    return static_cast<std::uint32_t>(number(text, goal::any - 1, of));
  }

  void statement() {
    if (take('}')) {
      if (!in_rank_) refuse("a } without a rank before it");
      in_rank_ = false;
      return;
    }
    const std::string_view first = word();
    if (first == "num_ranks") return take_number_of_ranks();
    if (first == "rank" && !in_rank_) return begin_rank();
    if (!in_rank_) refuse("expected num_ranks, or rank N {, not " + printable(std::string(first)));
    if (take(':')) {
      const std::string_view what = word();
      const auto [at, is_new] =
          labels_.try_emplace(std::string(first), static_cast<std::uint32_t>(found_.operations.size()));
      if (!is_new) refuse("the label " + printable(std::string(first)) + " is there twice in this rank");
      return add_operation(what);
    }
    if (first == "send" || first == "recv" || first == "calc") return add_operation(first);
    const std::string_view how = word();
    if (how != "requires" && how != "irequires")
      refuse("expected an operation such as l1: calc 100, or l2 requires l1, not " +
             printable(std::string(first)) + " " + printable(std::string(how)));
    const std::uint32_t after = labelled(first);
    found_.dependencies.push_back({labelled(word()), after, how == "irequires"});
    end_of_statement();
  }

  void take_number_of_ranks() {
    if (has_ranks_) refuse("num_ranks is there twice");
    has_ranks_ = true;
    found_.ranks = static_cast<std::uint32_t>(number(word(), most_ranks, "number of ranks"));
    if (found_.ranks == 0) refuse("num_ranks 0: there must be at least one rank");
    has_begun_.resize(found_.ranks);
    end_of_statement();
  }

  void begin_rank() {
    if (!has_ranks_) refuse("there is no num_ranks; write num_ranks N before the first rank");
    rank_ = static_cast<std::uint32_t>(number(word(), found_.ranks - 1, "rank"));
    if (has_begun_[rank_]) refuse("rank " + std::to_string(rank_) + " is there twice");
    has_begun_[rank_] = true;
    if (!take('{')) refuse_expected("{");
    in_rank_ = true;
    labels_.clear();
  }

  std::uint32_t labelled(std::string_view label) {
    const auto found = labels_.find(std::string(label));
    if (found == labels_.end())
      refuse("the label " + printable(std::string(label)) + " is not defined before this line in its rank");
    return found->second;
  }

  void add_operation(std::string_view what) {
    goal::operation op;
    op.rank = rank_;
    if (what == "calc") {
      op.size = number(word(), most_size, "time");
    } else if (what == "send" || what == "recv") {
      op.what = what == "send" ? goal::kind::send : goal::kind::receive;
      std::string_view size = word();
      if (!size.ends_with('b')) refuse(printable(std::string(size)) + ": expected bytes, such as 10b");
      size.remove_suffix(1);
      op.size = number(size, most_size, "number of bytes");
      const std::string_view direction = what == "send" ? "to" : "from";
      if (word() != direction) refuse("expected " + std::string(direction) + " and a rank behind the bytes");
      op.peer = number_or_any("rank");
      const bool is_any = op.peer == goal::any;
      if (is_any ? what == "send" : op.peer >= found_.ranks)
        refuse("the other rank must be from 0 to " + std::to_string(found_.ranks - 1) +
               (what == "send" ? "" : ", or -1 for any"));
    } else {
      refuse("expected send, recv or calc, not " + printable(std::string(what)));
    }
    add_places(op);
    found_.operations.push_back(op);
  }

  void add_places(goal::operation& op) {
    for (std::string_view key = word(); !key.empty(); key = word()) {
      if (key == "tag" && op.what != goal::kind::compute) {
        op.tag = number_or_any("tag");
      } else if (key == "cpu") {
        op.cpu = static_cast<std::uint8_t>(number(word(), most_parts - 1, "processor"));
        found_.cpus = std::max<std::uint32_t>(found_.cpus, op.cpu + 1U);
      } else if (key == "nic" && op.what != goal::kind::compute) {
        op.nic = static_cast<std::uint8_t>(number(word(), most_parts - 1, "network card"));
        found_.nics = std::max<std::uint32_t>(found_.nics, op.nic + 1U);
      } else {
        refuse("expected tag, cpu or nic with a number, or the end of the line, not " +
               printable(std::string(key)));
      }
    }
    end_of_statement();
  }

  /// Ranks may come in any order in the text.
  void order_by_ranks() {
    std::vector<std::uint32_t> order(found_.operations.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(found_.operations[i].rank, i); });
    std::vector<std::uint32_t> place(order.size());
    std::vector<goal::operation> operations;
    for (const std::uint32_t i : order) {
      place[i] = static_cast<std::uint32_t>(operations.size());
      operations.push_back(found_.operations[i]);
    }
    found_.operations = std::move(operations);
    for (goal::dependency& d : found_.dependencies) {
      d.before = place[d.before];
      d.after = place[d.after];
    }
  }

  std::string_view rest_;
  const std::string& file_;
  std::size_t line_ = 1;
  goal found_;
  bool has_ranks_ = false;
  bool in_rank_ = false;
  std::uint32_t rank_ = 0;
  std::vector<bool> has_begun_;  ///< by rank
  std::unordered_map<std::string, std::uint32_t> labels_;
};

}  // namespace

goal parse_goal(std::string_view text, const std::string& file) { return goal_parser(text, file).parse(); }

}  // namespace imbrex::tools
