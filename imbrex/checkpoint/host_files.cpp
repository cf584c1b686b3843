// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/host_files.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/checkpoint/parity.hpp>
#include <imbrex/checkpoint/part_reader.hpp>

namespace imbrex::checkpoints {
namespace {

namespace fs = std::filesystem;

/// The names of files that belong to a checkpoint. A part that cannot be read does not count.
std::vector<std::string> valid_names(const std::string& checkpoint, std::uint64_t number) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& each : fs::directory_iterator(checkpoint, none)) {
    std::string name = each.path().filename().string();
    if (is_name_of_parity(name))
      names.push_back(std::move(name));
    else if (is_name_of_part(name))
      try {
        if (part_reader(each.path().string()).header().number == number) names.push_back(std::move(name));
      } catch (const error&) {  // another host may have a valid one
      }
  }
  return names;
}

/// The files of one checkpoint on all hosts.
struct files_of_all {
  std::string manifest_text{};
  std::map<std::string, int> hosts{};  ///< by name: a host that has the file
  int tries = 0;
};

/// Adds the sources of a checkpoint's files. Returns why it is not whole; empty if it is.
std::string add_sources(const files_of_all& all, gathering& plan) {
  if (all.manifest_text.empty()) return "no host has its manifest";
  manifest m;
  try {
    m = parse_manifest(all.manifest_text);
  } catch (const error& why) {
    return std::string("its manifest is not valid: ") + why.what();
  }
  std::vector<std::string> names;
  for (const auto& [name, host] : all.hosts) names.push_back(name);
  plan = {.number = m.number, .manifest_text = all.manifest_text};
  for (const part_summary& part : m.parts) {
    const auto at = all.hosts.find(name_of_part(part.process));
    if (at != all.hosts.end()) {
      plan.sources.emplace_back(*at);
      continue;
    }
    if (!can_rebuild(names, part.process))
      return name_of_part(part.process) + " is lost, and cannot be rebuilt from the files of the other hosts";
    plan.rebuilt.push_back(part.process);
  }
  if (plan.rebuilt.empty()) return {};
  for (const auto& each : all.hosts)
    if (is_name_of_parity(each.first)) plan.sources.emplace_back(each);
  return {};
}

}  // namespace

std::vector<host_files> list_host_files(const std::string& folder) {
  std::vector<host_files> all;
  std::error_code none;
  if (!fs::is_directory(folder, none)) return all;
  for (const listed_checkpoint& each : checkpoint_folder(folder).list())
    all.push_back(
        {each.number, read_manifest_text(each.path), valid_names(each.path, each.number), each.tries});
  return all;
}

gathering plan_gathering(std::span<const std::vector<host_files>> of_hosts, std::uint64_t only) {
  std::map<std::uint64_t, files_of_all> all;
  for (std::size_t host = 0; host < of_hosts.size(); ++host)
    for (const host_files& each : of_hosts[host]) {
      files_of_all& into = all[each.number];
      if (into.manifest_text.empty()) into.manifest_text = each.manifest_text;
      into.tries = std::max(into.tries, each.tries);
      for (const std::string& name : each.names) into.hosts.emplace(name, static_cast<int>(host));
    }
  std::vector<std::string> passed_over;
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    const auto& [number, files] = *each;
    if (only != 0 && number != only) continue;
    gathering plan;
    std::string problem = add_sources(files, plan);
    if (problem.empty() && only == 0 && files.tries >= most_tries)
      problem = std::to_string(files.tries) + " starts from it have died";
    if (problem.empty()) {
      plan.passed_over = std::move(passed_over);
      return plan;
    }
    passed_over.push_back("checkpoint " + std::to_string(number) + ": " + problem);
  }
  return {.passed_over = std::move(passed_over)};
}

}  // namespace imbrex::checkpoints
