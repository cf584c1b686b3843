// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/numbered_job.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/net/bootstrap/environment.hpp>

namespace imbrex {
namespace {

constexpr int most_processes = std::numeric_limits<int>::max();
constexpr int highest_port = 65'535;
/// Ports of steps of Slurm unless MASTER_PORT is set: below the ports that systems assign by themselves.
constexpr int first_port_of_steps = 10'000;
constexpr int ports_of_steps = 20'000;
constexpr int ports_between_jobs = 32;

constexpr std::size_t shortest_secret = 16;
constexpr std::size_t longest_secret = 4096;

std::string text_or_nothing(const char* name) {
  const char* const text = environment_text(name);
  return text != nullptr ? text : "";
}

std::optional<numbered_job> job_of_torchrun() {
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"})
    if (environment_text(name) == nullptr) return std::nullopt;
  numbered_job job;
  job.launcher = "torchrun";
  job.rank = *environment_number("RANK", 0, most_processes - 1);
  job.size = *environment_number("WORLD_SIZE", job.rank + 1, most_processes);
  job.address = environment_text("MASTER_ADDR");
  job.port = *environment_number("MASTER_PORT", 1, highest_port);
  const auto of_host = environment_number("LOCAL_WORLD_SIZE", 1, job.size);
  const bool is_loopback =
      job.address == "localhost" || job.address.starts_with("127.") || job.address == "::1";
  job.is_on_one_host = of_host ? *of_host == job.size : is_loopback;
  job.identity = "torchrun " + job.address + " " + std::to_string(job.port) + " " + std::to_string(job.size) +
                 " " + text_or_nothing("TORCHELASTIC_RUN_ID") + " " +
                 text_or_nothing("TORCHELASTIC_RESTART_COUNT");
  return job;
}

std::optional<numbered_job> job_of_slurm() {
  // There is no step in a script of sbatch, nor in a shell of salloc.
  for (const char* name : {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"})
    if (environment_text(name) == nullptr) return std::nullopt;
  numbered_job job;
  job.launcher = "srun";
  job.rank = *environment_number("SLURM_PROCID", 0, most_processes - 1);
  job.size = *environment_number("SLURM_STEP_NUM_TASKS", job.rank + 1, most_processes);
  job.is_on_one_host = environment_number("SLURM_STEP_NUM_NODES", 1, most_processes).value_or(1) == 1;
  job.address = text_or_nothing("MASTER_ADDR");
  if (job.address.empty()) job.address = first_host_of(text_or_nothing("SLURM_STEP_NODELIST"));
  const auto number = std::strtoull(environment_text("SLURM_JOB_ID"), nullptr, 10);
  const auto place = static_cast<int>(number % (ports_of_steps / ports_between_jobs));
  job.port = environment_number("MASTER_PORT", 1, highest_port)
                 .value_or(first_port_of_steps + place * ports_between_jobs);
  job.identity = "slurm " + text_or_nothing("SLURM_JOB_ID") + "." + text_or_nothing("SLURM_STEP_ID") + " " +
                 std::to_string(job.size);
  return job;
}

[[noreturn]] void refuse_secret(const std::string& file, const std::string& why) {
  throw usage_error("IMBREX_SECRET_FILE=" + file + " " + why +
                    "; make one that only you may read, the same on all hosts: (umask 077; head -c 32 "
                    "/dev/urandom > " +
                    file + ")");
}

}  // namespace

std::optional<numbered_job> find_numbered_job() {
  auto job = job_of_torchrun();
  if (!job) job = job_of_slurm();
  return job && job->size > 1 ? job : std::nullopt;
}

std::string first_host_of(const std::string& list) {
  const std::size_t end = list.find_first_of(",[");
  std::string name = list.substr(0, end);
  if (end == std::string::npos || list[end] == ',') return name;
  const std::size_t digits = end + 1;
  return name + list.substr(digits, list.find_first_of("-,]", digits) - digits);
}

std::optional<std::string> read_secret_file() {
  const char* const name = environment_text("IMBREX_SECRET_FILE");
  if (name == nullptr) return std::nullopt;
  const descriptor file(::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat what{};
  if (!file || ::fstat(file.get(), &what) != 0)
    refuse_secret(name, std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(what.st_mode)) refuse_secret(name, "is no regular file");
  if (what.st_uid != ::geteuid()) refuse_secret(name, "belongs to another user");
  if ((what.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    refuse_secret(name, "may be read or written by others (chmod 600)");
  std::string secret(longest_secret + 1, '\0');
  const ssize_t got = ::read(file.get(), secret.data(), secret.size());
  if (got < static_cast<ssize_t>(shortest_secret) || got > static_cast<ssize_t>(longest_secret))
    refuse_secret(name, "must have " + std::to_string(shortest_secret) + " to " +
                            std::to_string(longest_secret) + " bytes");
  secret.resize(static_cast<std::size_t>(got));
  return secret;
}

}  // namespace imbrex
