// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/info_command.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/core/extension/diagnosis.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/tools/findings.hpp>
#include <imbrex/tools/findings_text.hpp>

namespace imbrex::tools {
namespace {

using nlohmann::ordered_json;

/// Replaces invalid UTF-8: texts of the system need not be UTF-8, JSON must be.
std::string dump(const ordered_json& found) {
  return found.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// The findings of all processes in process 0; empty elsewhere.
std::vector<ordered_json> gather(const process_findings& local_findings, const info_settings& request,
                                 const options& how, bootstrap* job) {
  if (job == nullptr) return {local_findings.json(0, own_host(how.pes, 0), request.paths)};
  const auto found =
      local_findings.json(job->rank(), share_host(*job, how.pes, 0, local_findings.seen()), request.paths);
  std::vector<ordered_json> all;
  for (const std::string& text : job->all_gather(dump(found)))
    if (job->rank() == 0) all.push_back(ordered_json::parse(text));
  return all;
}

/// Prints the findings. Returns the first process's problem, or the error of the output; empty if there is
/// none.
std::string print(ordered_json found, bool as_json) {
  const std::string text = as_json ? dump(found) + "\n" : text_of(found);
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    return std::string("the standard output cannot be written: ") + std::strerror(errno);
  const auto& processes = found["processes"];
  for (const auto& process : processes) {
    if (process["problem"].is_null()) continue;
    const std::string problem = process["problem"].get<std::string>();
    return processes.size() == 1 ? problem
                                 : "process " + process["rank"].dump() + " on " +
                                       process["host"].get<std::string>() + ": " + problem;
  }
  return {};
}

}  // namespace

std::variant<info_settings, std::string> parse_info(std::span<const std::string> arguments) {
  std::vector<std::string> words{"imbrex info"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> line;
  for (std::string& one : words) line.push_back(one.data());
  line.push_back(nullptr);
  int count = static_cast<int>(words.size());
  char** rest = line.data();
  info_settings request;
  request.how = parse_options(count, rest);
  auto help = command("imbrex info", "[OPTIONS]",
                      "Prints this build, the processors, devices and networks found here, and the PEs and "
                      "devices of a program started with the same options. Started as several processes "
                      "(imbrex run -n 4 imbrex info, mpirun, srun), it reports on all of them.")
                  .flag("--json", request.json, "print it as one object of JSON")
                  .flag("--paths", request.paths,
                        "measure the times of wakes and long messages, and print the choices made by them")
                  .others(option_names(), options_help())
                  .read(std::vector<std::string>(rest + 1, rest + count));
  if (help) return *std::move(help);
  return request;
}

int print_info(const info_settings& request) {
  const auto job = find_bootstrap();
  options how = request.how;
  extension::check_options(how, job == nullptr ? 1 : job->size());
  if (job == nullptr) how.pes = own_host(how.pes, 0).pes;
  const process_findings local_findings(how);
  const auto all = gather(local_findings, request, how, job.get());
  std::string problem;
  if (!all.empty()) {
    ordered_json found = build_findings();
    found["launcher"] = job ? ordered_json(job->launcher()) : ordered_json(nullptr);
    found["processes"] = all;
    problem = print(std::move(found), request.json);
  }
  const int status = problem.empty() ? 0 : 1;
  if (job) {
    job->leave(0);
    job->finish(status);
  }
  if (status != 0) std::fprintf(stderr, "imbrex info: %s\n", printable_lines(problem).c_str());
  return status;
}

}  // namespace imbrex::tools
