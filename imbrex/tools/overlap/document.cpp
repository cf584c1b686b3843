// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/document.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/strict_toml.hpp>

namespace imbrex::overlap {

using nlohmann::json;

namespace {

/// The deepest input: numbers in lists in tables in lists in tables in lists in a table.
constexpr int most_levels = 6;
const std::string too_deep = "there are more levels of lists and tables than the keys have";

/// Checks JSON while it is parsed for faults that the tree no longer shows: duplicate keys and too many
/// levels.
class json_watch {
 public:
  /// The fault found; empty if there is none.
  const std::string& problem() const { return problem_; }

  bool see(int depth, json::parse_event_t event, const json& what) {
    if (depth > most_levels) problem_ = too_deep;
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key && !keys_.back().insert(what.get<std::string>()).second)
      problem_ = "the key " + shown_key(what.get<std::string>()) + " is there twice; remove one";
    if (!problem_.empty()) throw problem_seen{};
    return true;
  }

  struct problem_seen {};

 private:
  std::vector<std::set<std::string>> keys_;
  std::string problem_;
};

}  // namespace

/// Converts nodes of TOML to nodes of JSON.
class toml_reader {
 public:
  explicit toml_reader(document& into) : into_(into) {}

  json read(const toml::node& from, const std::string& path, int level) {
    const std::size_t line = from.source().begin.line;
    if (level > most_levels) into_.refuse_at(line, too_deep);
    if (const auto* const table = from.as_table()) {
      into_.lines_.try_emplace(path, line);
      json result = json::object();
      for (const auto& [key, node] : *table) {
        const std::string inner = path_of(path, key.str());
        into_.lines_.emplace(inner, key.source().begin.line);
        result[std::string(key.str())] = read(node, inner, level + 1);
      }
      return result;
    }
    if (const auto* const list = from.as_array()) {
      json result = json::array();
      for (const toml::node& one : *list)
        result.push_back(read(one, path_of(path, result.size()), level + 1));
      return result;
    }
    if (const auto* const text = from.as_string()) return text->get();
    if (const auto* const whole = from.as_integer()) return whole->get();
    if (const auto* const number = from.as_floating_point()) return number->get();
    if (const auto* const flag = from.as_boolean()) return flag->get();
    into_.refuse_at(line, path + " is a date or a time of day, which no key takes");
  }

 private:
  document& into_;
};

document::document(std::string_view text, std::string file) : file_(std::move(file)) {
  try {
    require_printable(text);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '{')
      read_json(text);
    else
      read_toml(text);
  } catch (const text_refusal& e) {
    refuse_at(e.line, e.why);
  }
}

void document::read_json(std::string_view text) {
  json_watch watch;
  try {
    root_ = json::parse(text, [&](int depth, json::parse_event_t event, const json& what) {
      return watch.see(depth, event, what);
    });
    return;
  } catch (const json_watch::problem_seen&) {
    refuse({}, watch.problem());
  } catch (const json::parse_error& e) {
    const auto line = std::ranges::count(text.substr(0, e.byte), '\n') + 1;
    const std::string_view what = e.what();  // "[json...] parse error at line 1, column 2: the reason"
    refuse_at(static_cast<std::size_t>(line),
              "this is no JSON, as a file that begins with a brace must be: " +
                  std::string(what.substr(what.find(": ") + 2)));
  } catch (const json::out_of_range&) {
    refuse({}, "there is a number too large to be one; write a smaller one");
  }
}

void document::read_toml(std::string_view text) {
  const toml::table parsed = parse_strict_toml(text);
  root_ = toml_reader(*this).read(parsed, {}, 0);
}

void document::refuse(const std::string& path, const std::string& why) const {
  auto known = lines_.find(path);
  if (known == lines_.end()) known = lines_.find(path.substr(0, path.rfind('[')));
  if (known != lines_.end()) refuse_at(known->second, why);
  throw usage_error(file_ + ": " + why);
}

void document::refuse_at(std::size_t line, const std::string& why) const {
  throw usage_error(file_ + ", line " + std::to_string(line) + ": " + why);
}

std::string shown(const json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_array()) return "a list";
  if (value.is_object()) return "a table";
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return std::isnan(value.get<double>()) ? "nan" : "inf";
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

std::string shown_key(const std::string& key) {
  const std::string quoted = shown(key);
  return quoted == "\"" + key + "\"" ? key : quoted;
}

std::string path_of(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

std::string path_of(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

}  // namespace imbrex::overlap
