// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/folder.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/host/synchronize.hpp>
#include <imbrex/base/host/whole_file.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/parity.hpp>
#include <imbrex/checkpoint/part_reader.hpp>

namespace imbrex::checkpoints {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "manifest.json";
constexpr const char* tries_name = "tries";
constexpr std::size_t most_manifest = std::size_t{256} << 20U;
constexpr std::size_t digits = 6;

std::string quoted(const std::string& path) { return "\"" + printable(path) + "\""; }

std::string file_in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

/// The number of a checkpoint by the name of its folder: "000012".
std::optional<std::uint64_t> number_of(const std::string& name) {
  if (name.size() < digits || (name.size() > digits && name.front() == '0')) return {};
  if (!std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) return {};
  return parse_number<std::uint64_t>(name);
}

std::string name_of_number(std::uint64_t number) {
  const std::string text = std::to_string(number);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

fs::path without_last_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

/// The folder's numbers, in their order.
std::vector<std::uint64_t> numbers_in(const std::string& path) {
  std::vector<std::uint64_t> numbers;
  std::error_code problem;
  for (fs::directory_iterator entry(path, problem), end; !problem && entry != end; entry.increment(problem)) {
    std::error_code ignored;
    if (fs::symlink_status(entry->path(), ignored).type() != fs::file_type::directory) continue;
    if (const auto number = number_of(entry->path().filename().string())) numbers.push_back(*number);
  }
  if (problem) throw error("the folder " + quoted(path) + " cannot be read: " + problem.message());
  std::ranges::sort(numbers);
  return numbers;
}

/// Writes a whole file, in place of a former one.
void write_whole(const std::string& file, const std::string& text) {
  try {
    whole_file out(file);
    out.write(std::as_bytes(std::span(text)));
    out.put_in_place();
  } catch (const error& why) {
    throw error("cannot write " + quoted(file) + ": " + why.what());
  }
}

bool is_of_checkpoint(const std::string& name) {
  return name.starts_with(manifest_name) || name.starts_with(tries_name) || is_name_of_part(name) ||
         is_name_of_parity(name);
}

void remove_file(const fs::path& file) {
  if (::unlink(file.c_str()) != 0 && errno != ENOENT)
    throw error("cannot remove " + quoted(file.string()) + ": " + std::strerror(errno));
}

template <class Condition>
std::uint64_t newest_number(const std::string& folder, Condition counts) {
  std::error_code none;
  if (!fs::is_directory(folder, none)) return 0;
  std::uint64_t newest = 0;
  for (const auto& each : checkpoint_folder(folder).list())
    if (counts(each)) newest = std::max(newest, each.number);
  return newest;
}

}  // namespace

std::string checkpoint_folder::path_of(std::uint64_t number) const {
  return file_in(path_, name_of_number(number));
}

std::uint64_t newest_checkpoint(const std::string& folder) {
  return newest_number(folder, [](const listed_checkpoint& each) { return each.problem.empty(); });
}

std::uint64_t newest_manifest(const std::string& folder) {
  return newest_number(folder, [](const listed_checkpoint& each) { return each.has_manifest; });
}

bool is_path_of_checkpoint(const std::string& path) {
  return number_of(without_last_slash(path).filename().string()).has_value();
}

std::string path_of_part(const std::string& checkpoint, int process) {
  return file_in(checkpoint, name_of_part(process));
}

std::string read_manifest_text(const std::string& checkpoint) {
  try {
    return read_file(file_in(checkpoint, manifest_name), most_manifest);
  } catch (const error&) {
    return {};
  }
}

void write_manifest_text(const std::string& checkpoint, const std::string& text) {
  std::error_code problem;
  fs::create_directories(checkpoint, problem);
  if (problem) throw error("the folder " + quoted(checkpoint) + " cannot be made: " + problem.message());
  write_whole(file_in(checkpoint, manifest_name), text);
  synchronize_folder(fs::path(checkpoint).parent_path().string());
}

manifest read_checkpoint(const std::string& checkpoint) {
  const std::string file = file_in(checkpoint, manifest_name);
  if (std::error_code ignored; !fs::exists(file, ignored))
    throw error(quoted(checkpoint) + " is no whole checkpoint: it has no " + manifest_name +
                "; begin from another one (imbrex checkpoint list shows them)");
  manifest m;
  try {
    m = parse_manifest(read_file(file, most_manifest));
  } catch (const error& why) {
    throw error(quoted(file) + ": " + why.what());
  }
  for (const part_summary& part : m.parts) {
    const part_reader reader(path_of_part(checkpoint, part.process));
    if (reader.summary() != part || reader.header().number != m.number || reader.header().run != m.run)
      throw error(quoted(reader.name()) + " is a part of another checkpoint than " + quoted(file) +
                  " names: begin from another one (imbrex checkpoint list shows them)");
    if (static_cast<std::size_t>(reader.header().processes) != m.parts.size())
      throw error(quoted(file) + " names parts of " + std::to_string(m.parts.size()) +
                  " processes, and its parts are of " + std::to_string(reader.header().processes) +
                  ": begin from another one (imbrex checkpoint list shows them)");
  }
  return m;
}

void verify_checkpoint(const std::string& checkpoint) {
  for (const part_summary& part : read_checkpoint(checkpoint).parts)
    part_reader(path_of_part(checkpoint, part.process)).verify();
}

std::vector<listed_checkpoint> checkpoint_folder::list() const {
  std::vector<listed_checkpoint> all;
  for (const std::uint64_t number : numbers_in(path_)) {
    listed_checkpoint& one = all.emplace_back(listed_checkpoint{number, path_of(number)});
    one.tries = tries_of(one.path);
    std::error_code ignored;
    one.has_manifest = fs::exists(file_in(one.path, manifest_name), ignored);
    try {
      one.contents = read_checkpoint(one.path);
    } catch (const error& why) {
      one.problem = why.what();
    }
  }
  return all;
}

std::uint64_t checkpoint_folder::create_next(std::uint64_t last) const {
  std::error_code problem;
  fs::create_directories(path_, problem);
  if (problem) throw error("the folder " + quoted(path_) + " cannot be made: " + problem.message());
  const auto numbers = numbers_in(path_);
  std::uint64_t number = std::max(last, numbers.empty() ? 0 : numbers.back()) + 1;
  while (::mkdir(path_of(number).c_str(), 0777) != 0) {
    if (errno != EEXIST)
      throw error("the folder " + quoted(path_of(number)) + " cannot be made: " + std::strerror(errno));
    ++number;
  }
  synchronize_folder(path_);
  return number;
}

void checkpoint_folder::commit(const manifest& m) const {
  const std::string file = file_in(path_of(m.number), manifest_name);
  if (std::error_code ignored; fs::exists(file, ignored))
    throw error(quoted(file) + " is there already, and checkpoints do not change");
  write_whole(file, to_json(m));
  synchronize_folder(path_);
}

void checkpoint_folder::remove(std::uint64_t number) const {
  const fs::path folder = path_of(number);
  remove_file(folder / manifest_name);
  synchronize_folder(folder.string());
  std::error_code problem;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem))
    if (is_of_checkpoint(entry->path().filename().string())) files.push_back(entry->path());
  for (const fs::path& file : files) remove_file(file);
  if (::rmdir(folder.c_str()) != 0 && errno != ENOENT && errno != ENOTEMPTY)
    throw error("cannot remove " + quoted(folder.string()) + ": " + std::strerror(errno));
}

void checkpoint_folder::prune(int kept) const {
  const auto all = list();
  int whole = 0;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (one->problem.empty() && ++whole <= kept) continue;
    if (whole > 0) remove(one->number);
  }
}

void checkpoint_folder::remove_outside(std::uint64_t lowest, std::uint64_t highest) const {
  std::error_code none;
  if (!fs::is_directory(path_, none)) return;
  for (const std::uint64_t number : numbers_in(path_))
    if (number < lowest || number > highest) remove(number);
}

int tries_of(const std::string& checkpoint) {
  try {
    std::string text = read_file(file_in(checkpoint, tries_name), 16);
    if (text.ends_with('\n')) text.pop_back();
    return parse_number<int>(text).value_or(0);
  } catch (const error&) {
    return 0;
  }
}

bool note_try(const std::string& checkpoint) noexcept {
  try {
    write_whole(file_in(checkpoint, tries_name), std::to_string(tries_of(checkpoint) + 1) + "\n");
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void forget_tries(const std::string& checkpoint) noexcept {
  ::unlink(
      (checkpoint + "/" + tries_name).c_str());  // the file may be missing, or the folder may be read-only
}

chosen_checkpoint choose_checkpoint(const std::string& path) {
  const fs::path folder = without_last_slash(path);
  if (is_path_of_checkpoint(path)) return {folder.string(), read_checkpoint(folder.string()), {}};
  chosen_checkpoint chosen;
  const auto all = checkpoint_folder(folder.string()).list();
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (one->problem.empty() && one->tries < most_tries) {
      chosen.path = one->path;
      chosen.contents = one->contents;
      return chosen;
    }
    chosen.passed_over.push_back(!one->problem.empty()
                                     ? one->problem
                                     : quoted(one->path) + ": " + std::to_string(one->tries) +
                                           " starts from it have died");
  }
  std::string text = "the folder " + quoted(path) + " has no checkpoint to begin from";
  for (const std::string& why : chosen.passed_over) text += "\n  " + why;
  if (!all.empty())
    text += "\n  To begin from one of them all the same, name it: " + printable(all.back().path);
  throw error(text);
}

}  // namespace imbrex::checkpoints
