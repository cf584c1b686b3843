// SPDX-License-Identifier: Apache-2.0
// Checkpoints that all ranks ask for; an extension of MPI.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <imbrex/mpi/api/checkpoint.hpp>
#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/collective/exchange.hpp>
#include <imbrex/mpi/collective/spread.hpp>
#include <imbrex/mpi/rank/balancing.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

/// A rank's contribution to the agreement about a checkpoint.
struct saving_rank {
  std::uint64_t folder;  ///< digest
  std::uint64_t has_obstacle;
};

std::uint64_t digest_of_folder(const std::string& folder) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : folder) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// The words of one rank, on all ranks.
std::string words_of(rank_data& data, int root, const std::string& own) {
  std::array<char, 256> text{};
  std::memcpy(text.data(), own.data(), std::min(own.size(), text.size() - 1));
  const user_buffer words = bytes_at(text.data(), text.size());
  run_collective(data, data.world(), purpose::checkpoint,
                 [&](schedule& s) { return broadcast(s, root, words); });
  return text.data();
}

/// Returns on all ranks if each can be saved; throws mpi::error on all if one cannot.
void agree_on_checkpoint(rank_data& data, const std::string& folder) {
  const std::string obstacle = data.self().way.obstacle();
  saving_rank own{digest_of_folder(folder), obstacle.empty() ? 0U : 1U};
  std::vector<saving_rank> all(static_cast<std::size_t>(data.world().size()));
  const user_buffer send = bytes_at(&own, sizeof own);
  block_list receive;
  receive.address = all.data();
  receive.count = sizeof own;
  receive.type = send.type;
  run_collective(data, data.world(), purpose::checkpoint,
                 [&](schedule& s) { return all_gather(s, send, receive, false); });
  const auto kept = std::ranges::find_if(all, [](const saving_rank& r) { return r.has_obstacle != 0; });
  if (kept != all.end()) {
    const auto who = static_cast<int>(kept - all.begin());
    throw error(MPI_ERR_OTHER,
                "rank " + std::to_string(who) + " cannot be saved: " + words_of(data, who, obstacle));
  }
  if (std::ranges::any_of(all, [&](const saving_rank& r) { return r.folder != own.folder; }))
    throw error(MPI_ERR_ARG, "the ranks have named different folders; let all name the same one");
  if (folder.empty() && !has_folder_of_checkpoints())
    throw error(MPI_ERR_ARG, "the folder is empty; name one, or start the job with --checkpoint DIR");
}

}  // namespace

void begin_checkpoint(rank_data& data, const std::string& folder) {
  if (!program::current().is_migratable)
    throw error(MPI_ERR_UNSUPPORTED_OPERATION,
                "ranks are saved in jobs of imbrex run --migratable alone; start the job with that option");
  agree_on_checkpoint(data, folder);
  if (data.self().number() == 0) request_checkpoint(folder);
  await_checkpoint(data.self());
}

int end_checkpoint(const char* function) {
  return call_running(function, [](rank_data& data) {
    if (const std::string problem = data.self().way.take_problem(); !problem.empty())
      throw error(MPI_ERR_OTHER, problem);
  });
}

IMBREX_MPIX_DEFINE(int, Checkpoint, (const char* dir)) {
  const int code = journey::follow(call_running(
      "MPIX_Checkpoint", [&](rank_data& data) { begin_checkpoint(data, dir == nullptr ? "" : dir); }));
  return code == MPI_SUCCESS ? end_checkpoint("MPIX_Checkpoint") : code;
}

}  // namespace imbrex::mpi
