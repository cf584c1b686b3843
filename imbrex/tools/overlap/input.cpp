// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/input.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/tools/overlap/document.hpp>

namespace imbrex::overlap {
namespace {

using nlohmann::json;

constexpr double most_time = 1e12;                          // microseconds (11 days); nanoseconds for periods
constexpr double least_positive = 1e-6;                     // smallest time that is used as a divisor
constexpr std::int64_t most_words = 1'000'000'000'000'000;  // exact as a double
constexpr std::int64_t most_processors = 1'000'000'000;
constexpr std::size_t longest_file = std::size_t{64} << 20U;

/// Reads the keys of one table and remembers the known ones.
class table_reader {
 public:
  table_reader(const document& file, const json& table, std::string path)
      : file_(file), table_(table), path_(std::move(path)) {
    if (!table.is_object())
      file_.refuse(path_, path_ + " = " + shown(table) + " must be a table of keys and values");
  }

  bool has(std::string_view key) {
    known_.push_back(key);
    return table_.contains(key);
  }

  std::string name() {
    const json* const value = find_required("name");
    if (value == nullptr) return {};
    const bool fits = value->is_string() && !value->get_ref<const std::string&>().empty() &&
                      value->get_ref<const std::string&>().size() <= longest_name &&
                      std::ranges::all_of(value->get_ref<const std::string&>(),
                                          [](char c) { return c >= ' ' && c <= '~'; });
    if (!fits)
      refuse(
          "name", *value,
          "must be a text of 1 to " + std::to_string(longest_name) + " printable ASCII characters in quotes");
    return value->get<std::string>();
  }

  /// Index of the key's value in `words`; 0 if the key is missing.
  template <std::size_t n>
  std::size_t word(std::string_view key, const std::array<std::string_view, n>& words) {
    const json* const value = find(key);
    if (value == nullptr) return 0;
    const std::string input = value->is_string() ? value->get<std::string>() : std::string();
    const auto found = std::ranges::find(words, std::string_view(input));
    if (found == words.end()) {
      std::string all;
      for (const std::string_view one : words)
        all += (all.empty() ? "\"" : " or \"") + std::string(one) + "\"";
      const std::string_view meant = nearest(input, words);
      refuse(key, *value,
             "must be " + all + (meant.empty() ? "" : "; did you mean \"" + std::string(meant) + "\"?"));
    }
    return static_cast<std::size_t>(found - words.begin());
  }

  bool flag(std::string_view key, bool missing) {
    const json* const value = find(key);
    if (value == nullptr) return missing;
    if (!value->is_boolean()) refuse(key, *value, "must be true or false");
    return value->get<bool>();
  }

  /// A time or period used as a divisor.
  double positive(std::string_view key) {
    const json* const value = find_required(key);
    return value == nullptr ? 1 : number(key, *value, least_positive);
  }
  std::optional<microseconds> time(std::string_view key) {
    const json* const value = find(key);
    return value == nullptr ? std::nullopt : std::optional(microseconds(number(key, *value, 0)));
  }

  std::int64_t required_count(std::string_view key, std::int64_t most) {
    const json* const value = find_required(key);
    return value == nullptr ? 1 : whole(path_of(path_, key), *value, 1, most);
  }
  std::optional<std::int64_t> count(std::string_view key, std::int64_t least, std::int64_t most) {
    const json* const value = find(key);
    return value == nullptr ? std::nullopt : std::optional(whole(path_of(path_, key), *value, least, most));
  }

  /// `size` distinct numbers from 0 to `below` - 1.
  std::vector<std::uint64_t> positions(std::string_view key, std::uint64_t size, std::uint64_t below) {
    const json* const value = find_required(key);
    if (value == nullptr) return {};
    const std::string path = path_of(path_, key);
    if (!value->is_array() || value->size() != size)
      file_.refuse(path, path +
                             (value->is_array() ? " has " + std::to_string(value->size()) + " elements"
                                                : " = " + shown(*value)) +
                             " but must be a list of sent_words = " + std::to_string(size) +
                             " numbers, the position of each sent element");
    std::vector<std::uint64_t> found;
    for (std::size_t i = 0; i < value->size(); ++i)
      found.push_back(static_cast<std::uint64_t>(
          whole(path_of(path, i), (*value)[i], 0, static_cast<std::int64_t>(below) - 1)));
    auto sorted = found;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end())
      file_.refuse(path, path + " has " + std::to_string(*twice) +
                             " twice; every element must have a position of its own");
    return found;
  }

  /// Reads each table of a non-empty list.
  template <class Read>
  void tables(std::string_view key, const Read& read) {
    const json* const value = find_required(key);
    if (value == nullptr) return;
    const std::string path = path_of(path_, key);
    if (!value->is_array() || value->empty())
      file_.refuse(path, path + (value->is_array() ? " is empty" : " = " + shown(*value)) +
                             " but must be a list of one or more tables: in TOML write [[" +
                             std::string(key == "data" ? "applications.data" : key) + "]] before each");
    std::set<std::string> names;
    for (std::size_t i = 0; i < value->size(); ++i) {
      const std::string one = path_of(path, i);
      const std::string name = read((*value)[i], one);
      if (!names.insert(name).second)
        file_.refuse(path_of(one, "name"), path_of(one, "name") + " = \"" + name +
                                               "\" is the name of another one too; choose another");
    }
  }

  bool misses_a_key() const { return !missing_.empty(); }

  [[noreturn]] void refuse(std::string_view key, const std::string& why) const {
    file_.refuse(path_of(path_, key), path_of(path_, key) + " " + why);
  }

  /// Refuses unknown keys first, then missing ones: a key may be missing because it is misspelled.
  void finish() const {
    for (const auto& [key, value] : table_.items()) {
      if (std::ranges::find(known_, key) != known_.end()) continue;
      const std::string_view meant = nearest(key, known_);
      file_.refuse(path_of(path_, key),
                   "there is no key " + path_of(path_, shown_key(key)) +
                       (meant.empty() ? "; remove it" : "; did you mean " + std::string(meant) + "?"));
    }
    if (!missing_.empty()) file_.refuse(path_, "the key " + path_of(path_, missing_) + " is missing; add it");
  }

 private:
  const json* find(std::string_view key) {
    known_.push_back(key);
    const auto found = table_.find(key);
    return found == table_.end() ? nullptr : &*found;
  }
  /// Null if the key is missing; `finish` reports it.
  const json* find_required(std::string_view key) {
    const json* const found = find(key);
    if (found == nullptr && missing_.empty()) missing_ = key;
    return found;
  }

  double number(std::string_view key, const json& value, double least) const {
    const double found = value.is_number() ? value.get<double>() : -1;
    if (!(found >= least && found <= most_time))
      refuse(key, value, std::string("must be a number from ") + (least > 0 ? "1e-6" : "0") + " to 1e12");
    return found + 0.0;  // turns -0 into 0
  }
  std::int64_t whole(const std::string& path, const json& value, std::int64_t least,
                     std::int64_t most) const {
    const bool fits = value.is_number_integer() &&
                      !(value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(most)) &&
                      value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
    if (!fits)
      file_.refuse(path, path + " = " + shown(value) + " must be a whole number from " +
                             std::to_string(least) + " to " + std::to_string(most));
    return value.get<std::int64_t>();
  }
  [[noreturn]] void refuse(std::string_view key, const json& value, const std::string& why) const {
    refuse(key, "= " + shown(value) + " " + why);
  }

  const document& file_;
  const json& table_;
  std::string path_;
  std::vector<std::string_view> known_;
  std::string_view missing_;
};

void read_order(table_reader& in, datum& of) {
  static constexpr std::array<std::string_view, 2> names{"same", "reverse"};
  const bool production = in.has("production_order");
  const bool consumption = in.has("consumption_order");
  const bool named = in.has("order");
  if (!production && !consumption) {
    of.order = in.word("order", names) == 0 ? named_order::same : named_order::reverse;
    return;
  }
  if (in.misses_a_key()) return;  // the lists may depend on the missing key, which `finish` reports
  if (named) in.refuse("order", "stands beside lists of positions; remove it or them");
  for (const auto& [key, all] : {std::pair("produced_words", of.produced), {"consumed_words", of.consumed}})
    if (all < of.sent)
      in.refuse(key, "= " + std::to_string(all) + " is less than sent_words = " + std::to_string(of.sent) +
                         ", so that not every element has a position; write order = \"same\" or \"reverse\" "
                         "instead of lists");
  listed_order listed;
  listed.production = in.positions("production_order", of.sent, of.produced);
  listed.consumption = in.positions("consumption_order", of.sent, of.consumed);
  of.order = std::move(listed);
}

/// Reads the times of section 3.4's techniques, and of the independent work without them.
void read_independent_work(table_reader& in, datum& of) {
  constexpr microseconds none{0};
  const std::array<std::pair<std::string_view, std::optional<microseconds>>, 7> input{
      {{"additional_produce_us", in.time("additional_produce_us")},
       {"additional_consume_us", in.time("additional_consume_us")},
       {"loop_distribution_us", in.time("loop_distribution_us")},
       {"produce_loop_indexing_us", in.time("produce_loop_indexing_us")},
       {"consume_loop_indexing_us", in.time("consume_loop_indexing_us")},
       {"rearranged_subroutines_us", in.time("rearranged_subroutines_us")},
       {"local_part_us", in.time("local_part_us")}}};
  if (of.kind == execution::pipelined)
    for (const auto& [key, time] : input)
      if (time.value_or(none) > none)
        in.refuse(key,
                  "must be 0: pipelined data have no independent work; remove it, or kind = "
                  "\"pipelined\"");
  of.additional_produce = input[0].second.value_or(none);
  of.additional_consume = input[1].second.value_or(none);
  of.loop_distribution = input[2].second.value_or(none);
  of.produce_loop_indexing = input[3].second;
  of.consume_loop_indexing = input[4].second;
  of.rearranged_subroutines = input[5].second.value_or(none);
  of.local_part = input[6].second.value_or(none);
}

datum read_datum(const document& file, const json& table, const std::string& path) {
  static constexpr std::array<std::string_view, 2> kinds{"concurrent", "pipelined"};
  using nanoseconds = std::chrono::duration<double, std::nano>;
  table_reader in(file, table, path);
  datum found;
  found.name = in.name();
  found.kind = in.word("kind", kinds) == 0 ? execution::concurrent : execution::pipelined;
  found.produce_period = nanoseconds(in.positive("produce_period_ns"));
  found.consume_period = nanoseconds(in.positive("consume_period_ns"));
  found.produced = static_cast<std::uint64_t>(in.required_count("produced_words", most_words));
  found.consumed = static_cast<std::uint64_t>(in.required_count("consumed_words", most_words));
  found.sent = static_cast<std::uint64_t>(in.required_count("sent_words", most_words));
  read_order(in, found);
  read_independent_work(in, found);
  found.dependent_work = in.flag("dependent_work", found.kind == execution::pipelined);
  if (found.kind == execution::pipelined && !found.dependent_work)
    in.refuse("dependent_work", "must be true: pipelined data have no other work; remove it");
  in.finish();
  return found;
}

application read_application(const document& file, const json& table, const std::string& path) {
  table_reader in(file, table, path);
  application found;
  found.name = in.name();
  found.computation = microseconds(in.positive("computation_time_us"));
  found.processors = static_cast<int>(in.required_count("processors", most_processors));
  found.collectives = static_cast<int>(in.count("collectives", 0, most_processors).value_or(0));
  if (const auto members = in.count("collective_processors", 1, most_processors))
    found.collective_processors = static_cast<int>(*members);
  in.tables("data", [&](const json& one, const std::string& at) {
    found.data.push_back(read_datum(file, one, at));
    return found.data.back().name;
  });
  in.finish();
  return found;
}

}  // namespace

std::vector<application> parse_applications(std::string_view text, const std::string& file) {
  const document read(text, file);
  table_reader in(read, read.root(), {});
  std::vector<application> found;
  in.tables("applications", [&](const json& one, const std::string& at) {
    found.push_back(read_application(read, one, at));
    return found.back().name;
  });
  in.finish();
  return found;
}

std::vector<application> read_applications(const std::string& path) {
  std::string text;
  try {
    text = read_file(path, longest_file);
  } catch (const error& e) {
    throw usage_error(path + " cannot be read: " + e.what() +
                      "; give the path of a file of TOML or JSON of at most 64 MiB");
  }
  return parse_applications(text, path);
}

}  // namespace imbrex::overlap
