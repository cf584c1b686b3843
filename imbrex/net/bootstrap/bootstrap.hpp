// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex {

/// Something has failed, and somebody else tells the user: the launcher, or another process of the job.
class told_error : public error {
 public:
  /// `status`: with which this process should end.
  explicit told_error(const std::string& text, int status = 1) : error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// How the processes of one job find each other, once, at the start. One thread at a time may use it; only
/// `complain` any thread at any time.
class bootstrap {
 public:
  bootstrap() = default;
  bootstrap(const bootstrap&) = delete;
  bootstrap& operator=(const bootstrap&) = delete;
  virtual ~bootstrap() = default;

  /// Who started the job, for people: "imbrex run".
  virtual std::string_view launcher() const { return "a launcher"; }
  /// This process's number, from 0 to `size() - 1`.
  virtual int rank() const = 0;
  /// How many processes the job has.
  virtual int size() const = 0;
  /// Gives each process's text (any bytes) to all, in the order of ranks. Collective; may be called several
  /// times. Throws `error` if the others have not all come in 30 s, or in the seconds that the environment
  /// variable IMBREX_PATIENCE names, and as soon as it is known that one will not come; the text names the
  /// missing where the launcher knows them; a `told_error` if the launcher says it itself. After that, every
  /// further call throws the same.
  virtual std::vector<std::string> all_gather(const std::string& text) = 0;
  /// Ends a run that has come to that status: waits until all processes have called this, however long that
  /// takes, for one may only be slow. Returns what it has come to in all of them, the status of the first by
  /// rank that is not 0. Collective. Throws as `all_gather` does as soon as it is known that one will not
  /// come.
  virtual int leave(int status);
  /// Why this process should leave the run.
  struct end_of_others {
    int status = 0;
    bool is_death = false;  ///< a process that the others count on has ended, and will not come to `leave`
  };
  /// With what status others have called `leave`, who now wait for this process to do so, or that one has
  /// ended without; nothing if neither is so, or if the launcher does not tell. Does not wait itself.
  virtual std::optional<end_of_others> others_left() { return std::nullopt; }
  /// A descriptor that becomes readable (end of file) when the launcher has gone, or -1. It belongs to this
  /// object; nobody may read from it.
  virtual int launcher_descriptor() const { return -1; }
  /// Has the launcher tell the user why the job ends, unless it knows a better reason (a process was
  /// killed) or has told one. False if it cannot.
  virtual bool complain(const std::string& /*text*/) noexcept { return false; }
  /// Says that this process ends the job with that status, before it ends by itself, so that the launcher
  /// kills nobody for it. The last call on this object; where a launcher has no notion of this it does
  /// nothing.
  virtual void finish(int /*status*/) noexcept {}
};

/// The one that the environment offers: `imbrex run`, PMIx, MPI, TCP between processes that torchrun or Slurm
/// has numbered, in this order; null for a process started by itself. The environment variable
/// IMBREX_BOOTSTRAP=imbrex|pmix|mpi|tcp|none chooses one. Throws `error` if a launcher started this process
/// but cannot be reached, `usage_error` for a variable with an impossible value. There may be one at a time
/// in a process; PMIx and MPI do not start again in a process that has ended them.
std::unique_ptr<bootstrap> find_bootstrap();

}  // namespace imbrex
