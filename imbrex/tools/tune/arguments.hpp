// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/options/options_file.hpp>

namespace imbrex::tune {

/// The words of a command line; words after "--" are no options.
using arguments = std::vector<std::string>;

/// Replaces each `--options FILE` by the words of the file. Also returns the number of processes in the last
/// of these files. Throws as `read_options_file`.
options_file with_files_read(const arguments& words);

/// The arguments that select the script or module of a Python interpreter, as "-m imbrex.charm4py" or
/// "prog.py". Empty for other programs.
arguments words_of_program(const std::string& program, const arguments& words);

/// The value of the option, as in "--odf 4" or "--odf=4"; of the last if repeated. Empty if the option is
/// absent or has no value.
std::optional<std::string> value_of(const arguments& words, std::string_view option);

/// True if the option is present, with or without a value.
bool has_option(const arguments& words, std::string_view option);

/// The words without the option, and without its value if `takes_value`.
arguments without_option(const arguments& words, std::string_view option, bool takes_value);

/// The words with `more` appended to the options, before "--".
arguments with_options(const arguments& words, const arguments& more);

/// The words with these options, such as "--iters 5 --check", instead of the options of the same names.
arguments with_replaced(const arguments& words, const arguments& options);

}  // namespace imbrex::tune
