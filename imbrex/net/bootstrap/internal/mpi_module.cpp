// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/mpi_module.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <vector>

namespace {

int start(int* rank, int* size) {
  int provided = 0;
  if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided); code != MPI_SUCCESS)
    return code;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (const int code = MPI_Comm_rank(MPI_COMM_WORLD, rank); code != MPI_SUCCESS) return code;
  return MPI_Comm_size(MPI_COMM_WORLD, size);
}

int all_gather(const char* text, std::size_t length, imbrex_mpi_take* take, void* to) {
  int size = 0;
  if (const int code = MPI_Comm_size(MPI_COMM_WORLD, &size); code != MPI_SUCCESS) return code;
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(size));
  const std::uint64_t own = length;
  if (const int code = MPI_Allgather(&own, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
      code != MPI_SUCCESS)
    return code;

  std::vector<int> counts;
  std::vector<int> begins;
  std::uint64_t total = 0;
  for (const std::uint64_t bytes : lengths) {
    if (bytes > INT_MAX - total)
      return MPI_ERR_COUNT;  // all others return it, too, since they know the same
                             // lengths
    counts.push_back(static_cast<int>(bytes));
    begins.push_back(static_cast<int>(total));
    total += bytes;
  }
  std::vector<char> texts(total);
  if (const int code = MPI_Allgatherv(text, static_cast<int>(length), MPI_CHAR, texts.data(), counts.data(),
                                      begins.data(), MPI_CHAR, MPI_COMM_WORLD);
      code != MPI_SUCCESS)
    return code;
  for (std::size_t i = 0; i < counts.size(); ++i)
    take(to, texts.data() + begins[i], static_cast<std::size_t>(counts[i]));
  return MPI_SUCCESS;
}

int stop() { return MPI_Finalize(); }

void describe(int code, char* text, std::size_t room) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> whole{};
  int length = 0;
  if (MPI_Error_string(code, whole.data(), &length) != MPI_SUCCESS) length = 0;
  const std::size_t kept = std::min(room, static_cast<std::size_t>(length));
  std::copy_n(whole.data(), kept, text);
  text[kept] = '\0';
}

constexpr imbrex_mpi_functions functions{start, all_gather, stop, describe};

}  // namespace

extern "C" const imbrex_mpi_functions* imbrex_mpi_bootstrap_v1() { return &functions; }
