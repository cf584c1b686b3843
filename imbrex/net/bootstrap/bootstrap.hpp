// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex {

/// A failure that the launcher or another process of the job reports to the user.
class reported_error : public error {
 public:
  /// `status`: exit status of this process.
  explicit reported_error(const std::string& text, int status = 1) : error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// The means by which the processes of a job find each other, once, at the start. Only one thread at a time
/// may use it; `complain` is for any thread at any time.
class bootstrap {
 public:
  bootstrap() = default;
  bootstrap(const bootstrap&) = delete;
  bootstrap& operator=(const bootstrap&) = delete;
  virtual ~bootstrap() = default;

  /// Name of the launcher, for users: "imbrex run".
  virtual std::string_view launcher() const { return "a launcher"; }
  /// This process's rank, from 0 to `size() - 1`.
  virtual int rank() const = 0;
  /// The number of processes in the job.
  virtual int size() const = 0;
  /// Gives each process's text (any bytes) to all, in the order of ranks. Collective; may be called several
  /// times. Throws `error` if some processes have not called it within 30 s, or within the seconds in the
  /// environment variable IMBREX_PATIENCE. Throws at once if a process is known not to call it. The text
  /// names the missing processes where the launcher knows them. Throws `reported_error` if the launcher
  /// reports the error itself. After an error, every further call throws it again.
  virtual std::vector<std::string> all_gather(const std::string& text) = 0;
  /// Ends a run that has ended with `status`. Waits until all processes have called this, without a time
  /// limit, since one may only be slow. Returns the status of the first process, by rank, whose status is not
  /// 0; else 0. Collective. Throws as `all_gather` does as soon as a process is known not to call it.
  virtual int leave(int status);
  /// The reason why this process should leave the run.
  struct end_of_others {
    int status = 0;
    bool is_death = false;  ///< a process that the others depend on has ended, and will not call `leave`
  };
  /// The status of a process that has called `leave` and waits for this one, or that a process has died
  /// without `leave`. Nothing if neither is so, or if the launcher does not report it. Does not block.
  virtual std::optional<end_of_others> others_left() { return std::nullopt; }
  /// A descriptor that becomes readable (end of file) when the launcher has ended, or -1. It belongs to this
  /// object; no other code may read from it.
  virtual int launcher_descriptor() const { return -1; }
  /// Requests that the launcher report to the user why the job ends. The launcher ignores this if it has a
  /// better reason (a process was killed) or has reported one. False if the launcher cannot do so.
  virtual bool complain(const std::string& /*text*/) noexcept { return false; }
  /// Announces that this process will end with that status by itself, so that the launcher does not kill the
  /// others for it. The last call on this object. Does nothing if the launcher has no such call.
  virtual void finish(int /*status*/) noexcept {}
};

/// The bootstrap that the environment offers, in this order: `imbrex run`; PMIx; MPI; TCP between processes
/// numbered by torchrun or Slurm. Null for a process started by itself. The environment variable
/// IMBREX_BOOTSTRAP=imbrex|pmix|mpi|tcp|none chooses one. Throws `error` if a launcher started this process
/// but cannot be reached, `usage_error` for a variable with an invalid value. There may be one at a time in a
/// process. PMIx and MPI do not start again in a process that has ended them.
std::unique_ptr<bootstrap> find_bootstrap();

}  // namespace imbrex
