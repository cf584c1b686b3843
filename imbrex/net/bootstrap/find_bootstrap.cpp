// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/bootstrap/environment.hpp>
#include <imbrex/net/bootstrap/frame.hpp>
#include <imbrex/net/bootstrap/internal/joined.hpp>
#include <imbrex/net/bootstrap/internal/launched.hpp>
#include <imbrex/net/bootstrap/internal/mpi.hpp>
#include <imbrex/net/bootstrap/internal/pmix.hpp>

namespace imbrex {
namespace {

constexpr std::array<std::string_view, 5> kinds{"imbrex", "pmix", "mpi", "tcp", "none"};

std::string_view chosen_kind() {
  const char* const text = environment_text("IMBREX_BOOTSTRAP");
  if (text == nullptr) return {};
  for (const std::string_view kind : kinds)
    if (kind == text) return kind;
  std::string message =
      std::string("the environment variable IMBREX_BOOTSTRAP=") + text +
      " must be one of imbrex, pmix, mpi, tcp, none; unset it to take what the launcher offers";
  if (const auto meant = nearest(text, kinds); !meant.empty())
    message += "; did you mean " + std::string(meant) + "?";
  throw usage_error(message);
}

/// Starts the bootstrap that the environment names, and no other.
std::unique_ptr<bootstrap> start_chosen(std::string_view kind, std::unique_ptr<bootstrap> (*start)()) {
  try {
    return start();
  } catch (const usage_error&) {
    throw;
  } catch (const error& e) {
    throw error("IMBREX_BOOTSTRAP=" + std::string(kind) + ", but that does not work: " + e.what() +
                "; unset IMBREX_BOOTSTRAP to take what the launcher offers");
  }
}

std::unique_ptr<bootstrap> find_foreign_bootstrap() {
  const bool pmix = pmix_serves_this_process();
  if (!pmix && !mpi_launched_this_process()) return find_joined_bootstrap();
  std::string problems;
  if (pmix) try {
      return start_pmix_bootstrap();
    } catch (const usage_error&) {
      throw;
    } catch (const error& e) {
      problems = std::string("not by PMIx (") + e.what() + "), ";
    }
  try {
    return start_mpi_bootstrap();
  } catch (const usage_error&) {
    throw;
  } catch (const error& e) {
    problems += std::string("not by MPI (") + e.what() + ")";
  }
  const bool speaks_pmi = !pmix && environment_text("SLURM_STEP_ID") != nullptr;
  throw error(
      "a launcher of MPI or PMIx programs started this process, but it cannot find its peers: " + problems +
      (speaks_pmi ? ". Start it by srun --mpi=pmix, if srun --mpi=list names that, or by srun --mpi=none: "
                    "Imbrex does not use PMI-1 or PMI-2"
                  : ". Install PMIx (Debian: libpmix2), or use imbrex run") +
      "; IMBREX_BOOTSTRAP=none runs each process by itself");
}

std::unique_ptr<bootstrap> start_joined_bootstrap() {
  if (auto joined = find_joined_bootstrap()) return joined;
  throw error(
      "neither torchrun's RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT nor what srun sets name several "
      "processes");
}

}  // namespace

int bootstrap::leave(int status) { return first_failure(all_gather(encode_status(status))); }

std::unique_ptr<bootstrap> find_bootstrap() {
  const std::string_view kind = chosen_kind();
  if (kind == "none") return nullptr;
  if (kind == "pmix") return start_chosen(kind, start_pmix_bootstrap);
  if (kind == "mpi") return start_chosen(kind, start_mpi_bootstrap);
  if (kind == "tcp") return start_chosen(kind, start_joined_bootstrap);
  if (auto launched = find_launched_bootstrap()) return launched;
  if (kind == "imbrex")
    throw error(
        "IMBREX_BOOTSTRAP=imbrex, but imbrex run did not start this process; start it by "
        "imbrex run -n N PROGRAM");
  return find_foreign_bootstrap();
}

}  // namespace imbrex
