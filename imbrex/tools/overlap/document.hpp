// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace imbrex::overlap {

/// The contents of a TOML or JSON file as a tree, with line numbers of TOML keys.
class document {
 public:
  /// Reads JSON if the text begins with a brace, else TOML. Throws `usage_error` for invalid text, duplicate
  /// keys, and more levels than any input needs.
  document(std::string_view text, std::string file);

  const nlohmann::json& root() const { return root_; }

  /// Throws `usage_error`. The text begins with the file and, for TOML, the line of `path`, such as
  /// "applications[0].name".
  [[noreturn]] void refuse(const std::string& path, const std::string& why) const;

 private:
  friend class toml_reader;

  void read_json(std::string_view text);
  void read_toml(std::string_view text);
  [[noreturn]] void refuse_at(std::size_t line, const std::string& why) const;

  std::string file_;
  nlohmann::json root_;
  // Lines of keys and tables, by path; numbers in long lists have no entry. Empty for JSON.
  std::unordered_map<std::string, std::size_t> lines_;
};

/// A value as written in its file, for errors: at most 60 printable ASCII characters, then dots.
std::string shown(const nlohmann::json& value);
/// A key as written in its file, for errors; without quotes if it needs none.
std::string shown_key(const std::string& key);

/// The path of a key of the table at `path`.
std::string path_of(const std::string& path, std::string_view key);
/// The path of an element of the list at `path`.
std::string path_of(const std::string& path, std::size_t index);

}  // namespace imbrex::overlap
