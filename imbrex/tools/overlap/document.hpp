// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace imbrex::overlap {

/// What a file of TOML or JSON says, as a tree, and where it says it.
class document {
 public:
  /// Reads JSON if the text begins with a brace, else TOML. Throws `usage_error` for what is neither, for
  /// keys that are there twice and for more levels than any input needs.
  document(std::string_view text, std::string file);

  const nlohmann::json& root() const { return root_; }

  /// Throws `usage_error` that begins with the file and, of TOML, the line of what has this path, such as
  /// "applications[0].name".
  [[noreturn]] void refuse(const std::string& path, const std::string& why) const;

 private:
  friend class toml_reader;

  void read_json(std::string_view text);
  void read_toml(std::string_view text);
  [[noreturn]] void refuse_at(std::size_t line, const std::string& why) const;

  std::string file_;
  nlohmann::json root_;
  // Of keys and tables, by path; not of each number in a list, which may be long. Empty for JSON.
  std::unordered_map<std::string, std::size_t> lines_;
};

/// A value as its file has it, for errors: at most 60 printable ASCII characters, then dots.
std::string shown(const nlohmann::json& value);
/// The same of a key, without quotes where it needs none.
std::string shown_key(const std::string& key);

/// The path of a key of the table at `path`.
std::string path_of(const std::string& path, std::string_view key);
/// The path of an element of the list at `path`.
std::string path_of(const std::string& path, std::size_t index);

}  // namespace imbrex::overlap
