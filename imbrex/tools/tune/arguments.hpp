// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/options/options_file.hpp>

namespace imbrex::tune {

/// Words of a command line; from "--" on they are no options.
using arguments = std::vector<std::string>;

/// The words with those of options files in the place of each `--options FILE`, and how many processes the
/// last of these files says. Throws as `read_options_file`.
options_file with_files_read(const arguments& words);

/// Those of its arguments by which an interpreter of Python is told what to run, as "-m imbrex.charm4py" or
/// "prog.py"; none of another program.
arguments words_of_program(const std::string& program, const arguments& words);

/// What stands behind the option, as "--odf 4" or "--odf=4"; of several the last. None if it is not given, or
/// has no value.
std::optional<std::string> value_of(const arguments& words, std::string_view option);

/// True if the option is given, with or without a value.
bool has_option(const arguments& words, std::string_view option);

/// The words without that option, and, if it is one that takes a value, without this.
arguments without_option(const arguments& words, std::string_view option, bool takes_value);

/// The words with more options behind those that there are, but before "--".
arguments with_options(const arguments& words, const arguments& more);

/// The words with these options, such as "--iters 5 --check", in the place of their own of the same names.
arguments with_replaced(const arguments& words, const arguments& options);

}  // namespace imbrex::tune
