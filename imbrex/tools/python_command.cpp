// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/python_command.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace imbrex::tools {
namespace {

/// The code that the command line makes Python execute.
struct python_code {
  std::string module, text, script;
};

/// Parses Python's options: single letters after a dash, possibly several together as in "-uc CODE".
python_code code_of(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word.size() < 2 || word.front() != '-') return {{}, {}, std::string(word)};
    if (word.starts_with("--")) {
      if (word == "--check-hash-based-pycs") ++i;
      continue;
    }
    const std::size_t position = word.find_first_of("mcWX", 1);
    if (position == std::string_view::npos) continue;
    const bool is_attached = position + 1 < word.size();
    if (!is_attached && ++i == arguments.size()) return {};
    const std::string value(is_attached ? word.substr(position + 1) : std::string_view(arguments[i]));
    if (word[position] == 'm') return {value, {}, {}};
    if (word[position] == 'c') return {{}, value, {}};
  }
  return {};
}

/// The text of a script, or of a folder's main script. Empty if it cannot be read.
std::string text_of_script(std::filesystem::path script) {
  std::error_code none;
  if (std::filesystem::is_directory(script, none)) script /= "__main__.py";
  if (!std::filesystem::is_regular_file(script, none))
    return {};  // such as a pipe, which can be read only
                // once
  const std::ifstream in(script);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool imports_imbrex(const std::string& text) {
  return text.find("import imbrex") != std::string::npos || text.find("from imbrex") != std::string::npos;
}

}  // namespace

bool imports_mpi4py(std::span<const std::string> arguments) {
  const python_code code = code_of(arguments);
  if (code.module == "mpi4py" || code.module.starts_with("mpi4py.")) return true;
  const std::string text = code.script.empty() ? code.text : text_of_script(code.script);
  return text.find("mpi4py") != std::string::npos && !imports_imbrex(text);
}

}  // namespace imbrex::tools
