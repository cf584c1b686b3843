// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/buffer.hpp>
#include <imbrex/error.hpp>
#include <imbrex/kernel.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/stream.hpp>

#include "native_kernels.hpp"
#include "searcher.hpp"

namespace queens {
namespace {

using imbrex::device_span;
using clock = std::chrono::steady_clock;

#if !IMBREX_HAS_CUDA
constexpr void (*search_on_device)(imbrex::native_stream, device_span<const board>, std::uint32_t,
                                   device_span<unsigned long long>) = nullptr;
#endif

constexpr imbrex::kernel<device_span<const board>, std::uint32_t, device_span<unsigned long long>> search{
    .name = "search",
    .native = search_on_device,
    .host = [](device_span<const board> boards, std::uint32_t size, device_span<unsigned long long> sum) {
      for (std::size_t n = 0; n < boards.size(); ++n) sum.data()[0] += solutions(boards.data()[n], size);
    }};

void check(const problem& p) {
  if (p.size < 1 || p.size > 16)
    throw imbrex::usage_error("a board of " + std::to_string(p.size) +
                              " columns is impossible: give 1 to 16");
  if (p.chares_each < 1) throw imbrex::usage_error("a PE must have at least one chare");
}

void add_boards(const board& from, std::uint32_t rows, std::uint32_t size, std::vector<board>& to) {
  if (from.row == rows) {
    to.push_back(from);
    return;
  }
  for (std::uint32_t free = from.free(size); free != 0; free &= free - 1)
    add_boards(from.with(free & (~free + 1)), rows, size, to);
}

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

}  // namespace

result search_inside(imbrex::device& on, const problem& p) {
  namespace resident = imbrex::resident;
  check(p);
  resident::settings s;
  s.pes = p.pes;
  s.threads = p.threads;
  s.outbox = 1U << 16U;
  const std::uint32_t pes = resident::program<searcher>::completed(on, s).pes;
  resident::program<searcher> program(on, s, {static_cast<int>(pes * p.chares_each)});
  std::vector<searcher> chares(program.count<searcher>());
  for (std::size_t n = 0; n < chares.size(); ++n) {
    chares[n].size = p.size;
    chares[n].split = std::min(p.split, p.size - 1);
    chares[n].next = static_cast<std::uint32_t>(n) * 2'654'435'761U;
  }
  program.write(chares);
  const auto begin = clock::now();
  program.run<&searcher::search>(0, board());
  result found;
  found.seconds = seconds_since(begin);
  for (const searcher& one : program.read<searcher>()) {
    found.boards += one.boards;
    for (const std::uint64_t n : one.found) found.solutions += n;
  }
  return found;
}

result search_by_kernel(imbrex::device& on, const problem& p) {
  check(p);
  imbrex::stream stream(on, imbrex::stream_priority::normal, "queens");
  const auto begin = clock::now();
  std::vector<board> boards;
  add_boards(board(), std::min(p.split + 2, p.size), p.size, boards);
  result found;
  found.boards = boards.size();
  if (boards.empty()) return found;
  imbrex::device_buffer<board> there(on, boards.size());
  imbrex::pinned_buffer<board> here(on, boards.size());
  imbrex::device_buffer<unsigned long long> sum(on, 1);
  imbrex::pinned_buffer<unsigned long long> copy(on, 1);
  std::ranges::copy(boards, here.span().begin());
  stream.copy(there.span(), here.span());
  stream.fill(sum.span(), std::byte{0});
  stream.launch(search, there.span(), p.size, sum.span());
  stream.copy(copy.span(), sum.span());
  stream.synchronize();
  found.solutions = copy[0];
  found.seconds = seconds_since(begin);
  return found;
}

}  // namespace queens
