// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/host_keeper.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/whole_file.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/driver/parity_keeper.hpp>
#include <imbrex/checkpoint/driver/part_file.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/checkpoint/parity.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::checkpoints::detail {

namespace {

namespace fs = std::filesystem;

/// The checkpoint that this process is to begin from. The first PE writes it, and the thread that begins runs
/// reads it after the run.
std::string& chosen_here() {
  static std::string path;
  return path;
}

/// The folder of a checkpoint's path, and its number; 0 for the path of a folder.
std::pair<std::string, std::uint64_t> folder_and_number(const std::string& path) {
  if (!is_path_of_checkpoint(path)) return {path, 0};
  const fs::path whole = fs::path(path).has_filename() ? fs::path(path) : fs::path(path).parent_path();
  return {whole.parent_path().string(), parse_number<std::uint64_t>(whole.filename().string()).value_or(0)};
}

task<int> gather_checkpoint(std::string restart) {
  const auto [folder, only] = folder_and_number(restart);
  const extension::run_handle run = extension::current_pe().run();
  const auto starts = run.host_starts();
  const std::vector<int> first_pes(starts.begin(), starts.end());
  const auto keepers = make_group<host_keeper>(folder);
  std::vector<std::vector<host_files>> of_hosts;
  for (const int pe : first_pes) of_hosts.push_back(co_await keepers[pe].call<&host_keeper::list>());
  const gathering plan = plan_gathering(of_hosts, only);
  if (plan.number == 0) {
    std::string text =
        "--restart " + printable(restart) + ": the hosts have no whole checkpoint together to begin from";
    for (const std::string& why : plan.passed_over) text += "\n  " + why;
    run.fail(text, usage_error::exit_status);
    co_return usage_error::exit_status;
  }
  for (const std::string& why : plan.passed_over)
    log(log_level::warning, "--restart " + printable(restart) + " passes over a checkpoint: " + why);
  for (const std::string& problem : co_await keepers.reduce<&host_keeper::complete>(gather, plan, first_pes))
    if (!problem.empty()) {
      run.fail("--restart " + printable(restart) + ": " + problem);
      co_return 1;
    }
  co_return 0;
}

}  // namespace

std::vector<host_files> host_keeper::list() const { return list_host_files(folder_); }

std::vector<std::byte> host_keeper::read(std::uint64_t number, const std::string& name,
                                         std::uint64_t position) const {
  const part_file file(checkpoint_folder(folder_).path_of(number) + "/" + name);
  return file.read(std::min(position, file.bytes()), std::min(position + bytes_at_once, file.bytes()));
}

task<> host_keeper::fetch(std::uint64_t number, const std::string& name, int from) const {
  whole_file into(checkpoint_folder(folder_).path_of(number) + "/" + name);
  for (std::uint64_t position = 0;; position += bytes_at_once) {
    const auto bytes = co_await peers()[from].call<&host_keeper::read>(number, name, position);
    into.write(bytes);
    if (bytes.size() < bytes_at_once) break;
  }
  into.put_in_place();
}

task<std::string> host_keeper::complete(const gathering& plan, std::vector<int> first_pes) {
  std::string problem;
  const std::string path = checkpoint_folder(folder_).path_of(plan.number);
  if (is_first_of_process()) chosen_here() = path;
  if (!is_first_of_host()) co_return problem;
  try {
    fs::create_directories(path);
    for (const auto& [name, host] : plan.sources)
      if (host != host_here() && !fs::exists(fs::path(path) / name))
        co_await fetch(plan.number, name, first_pes.at(static_cast<std::size_t>(host)));
    const manifest contents = parse_manifest(plan.manifest_text);
    for (const int process : plan.rebuilt) rebuild_part(path, contents, process);
    if (read_manifest_text(path).empty()) write_manifest_text(path, plan.manifest_text);
  } catch (const std::exception& e) {
    problem = e.what();
  }
  co_return problem;
}

std::optional<restart_preparation> prepare_restart(const options& settings) {
  const checkpoint_settings& s = settings.checkpoint;
  if (s.hosts == checkpoint_hosts::shared || settings.machine != machine_kind::threads) return std::nullopt;
  return restart_preparation{[restart = s.restart] { return gather_checkpoint(restart); },
                             [] { return chosen_here(); }};
}

}  // namespace imbrex::checkpoints::detail
