// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/checkpoint/command.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/tools/checkpoint/contents.hpp>
#include <imbrex/tools/checkpoint/export.hpp>
#include <imbrex/tools/checkpoint/report.hpp>
#include <imbrex/tools/command/print.hpp>

namespace imbrex::tools {
namespace {

using parsed = std::variant<checkpoint_settings, std::string>;

constexpr const char* which_path =
    "A folder of checkpoints, as --checkpoint has written it, stands for its newest whole checkpoint.";

/// Takes the number of paths that the command has.
void take_paths(const std::vector<std::string>& paths, std::size_t number, checkpoint_settings& request) {
  if (paths.size() < number)
    throw usage_error(number == 1
                          ? "no checkpoint; name a folder that a program has written with --checkpoint"
                          : "two checkpoints are compared; name both");
  if (paths.size() > number)
    throw usage_error("unknown argument " + printable(paths[number]) + "; leave it out");
  request.path = paths[0];
  if (number == 2) request.other = paths[1];
}

parsed parse(command words_of, std::span<const std::string> words, std::size_t number) {
  checkpoint_settings request;
  std::vector<std::string> paths;
  words_of.arguments(paths);
  if (auto help = words_of.read(words)) return *std::move(help);
  take_paths(paths, number, request);
  return request;
}

parsed parse_list(std::span<const std::string> words) {
  return parse({"imbrex checkpoint list", "DIR",
                "Lists the checkpoints of a folder, and tells which of them are whole."},
               words, 1);
}

parsed parse_verify(std::span<const std::string> words) {
  return parse(
      {"imbrex checkpoint verify", "DIR | DIR/NUMBER",
       "Reads all bytes of a checkpoint, or of all that a folder has, and compares the checksums. The "
       "exit status is 1 if one is damaged, or if none is whole."},
      words, 1);
}

parsed parse_diff(std::span<const std::string> words) {
  command diff("imbrex checkpoint diff", "FIRST SECOND",
               "Compares two checkpoints record by record. The exit status is 1 if they differ.");
  diff.note(which_path);
  return parse(std::move(diff), words, 2);
}

parsed parse_show(std::span<const std::string> words) {
  checkpoint_settings request;
  std::vector<std::string> paths;
  command show("imbrex checkpoint show", "DIR | DIR/NUMBER [--classes]",
               "Prints what a checkpoint has: names, classes, numbers of records, bytes.");
  show.arguments(paths).flag("--classes", request.with_classes, "also print the fields of the classes");
  show.note(which_path);
  if (auto help = show.read(words)) return *std::move(help);
  take_paths(paths, 1, request);
  return request;
}

parsed parse_export(std::span<const std::string> words) {
  checkpoint_settings request;
  std::vector<std::string> paths;
  std::optional<std::string> output;
  command to_hdf5("imbrex checkpoint export", "DIR | DIR/NUMBER --output FILE.h5",
                  "Writes the records of a checkpoint into an HDF5 file, by python3 with h5py.");
  to_hdf5.arguments(paths).option("--output", "FILE.h5", output, "file to write");
  to_hdf5.note(which_path);
  if (auto help = to_hdf5.read(words)) return *std::move(help);
  take_paths(paths, 1, request);
  if (!output || output->empty()) throw usage_error("no file to write; name one: --output FILE.h5");
  request.output = *output;
  return request;
}

int list_checkpoints(const checkpoint_settings& request) {
  print(list_text(request.path, checkpoints::checkpoint_folder(request.path).list()));
  return 0;
}

/// Reads a checkpoint, and prints the result. False if it is damaged.
bool verify_one(const std::string& path) {
  try {
    checkpoints::verify_checkpoint(path);
    print(printable(path) + ": whole\n");
    return true;
  } catch (const error& why) {
    print(printable(path) + ": " + printable_lines(why.what()) + "\n");
    return false;
  }
}

int verify_checkpoints(const checkpoint_settings& request) {
  if (checkpoints::is_path_of_checkpoint(request.path)) return verify_one(request.path) ? 0 : 1;
  bool has_whole = false, has_damaged = false;
  for (const auto& one : checkpoints::checkpoint_folder(request.path).list()) {
    const bool is_whole = verify_one(one.path);
    has_whole = has_whole || is_whole;
    has_damaged = has_damaged || (!is_whole && one.has_manifest);
  }
  if (!has_whole) print(printable(request.path) + " has no whole checkpoint\n");
  return has_whole && !has_damaged ? 0 : 1;
}

int show_checkpoint(const checkpoint_settings& request) {
  print(contents_text(checkpoint_contents(request.path), request.with_classes));
  return 0;
}

int diff_checkpoints(const checkpoint_settings& request) {
  const auto result = compare(checkpoint_contents(request.path), checkpoint_contents(request.other));
  print(result.text);
  return result.is_equal ? 0 : 1;
}

int export_checkpoint(const checkpoint_settings& request) {
  export_to_hdf5(checkpoint_contents(request.path), request.output);
  return 0;
}

}  // namespace

command_list checkpoint_commands() {
  return {
      "imbrex checkpoint",
      "Inspects checkpoints (--checkpoint DIR of a program).",
      {{"list", "list the checkpoints of a folder", parse_and_run<parse_list, list_checkpoints>},
       {"verify", "read all bytes, and compare the checksums",
        parse_and_run<parse_verify, verify_checkpoints>},
       {"show", "print what a checkpoint has", parse_and_run<parse_show, show_checkpoint>},
       {"diff", "compare two checkpoints", parse_and_run<parse_diff, diff_checkpoints>},
       {"export", "write the records into an HDF5 file", parse_and_run<parse_export, export_checkpoint>}}};
}

}  // namespace imbrex::tools
