// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/box_mover.hpp>

#include <cstring>
#include <limits>

#if IMBREX_HAS_CUDA
#include <imbrex/grid/native_box_moves.hpp>
#endif

namespace imbrex::grid::detail {
namespace {

std::size_t cells_of(const box_move& move) {
  return static_cast<std::size_t>(move.extents[0]) * static_cast<std::size_t>(move.extents[1]) *
         static_cast<std::size_t>(move.extents[2]);
}

void move_on_host(const box_move& move) {
  const auto cell = std::int64_t{move.words_of_cell} * move.bytes_of_word;
  const bool in_rows = move.from_strides[2] == cell && move.to_strides[2] == cell;
  const int pieces = in_rows ? 1 : move.extents[2];
  const auto size = static_cast<std::size_t>(in_rows ? cell * move.extents[2] : cell);
  for (std::int64_t i = 0; i < move.extents[0]; ++i)
    for (std::int64_t j = 0; j < move.extents[1]; ++j) {
      const char* const from = move.from + i * move.from_strides[0] + j * move.from_strides[1];
      char* const to = move.to + i * move.to_strides[0] + j * move.to_strides[1];
      for (std::int64_t k = 0; k < pieces; ++k)
        std::memcpy(to + k * move.to_strides[2], from + k * move.from_strides[2], size);
    }
}

work_size work_of_moves(box_moves moves) {
  work_size work;
  for (int m = 0; m < moves.count; ++m) {
    const box_move& move = moves.of[m];
    const std::size_t words = cells_of(move) * static_cast<std::size_t>(move.words_of_cell);
    work.bytes += 2.0 * static_cast<double>(words) * move.bytes_of_word;
    work.threads += words;
  }
  return work;
}

}  // namespace

constexpr kernel<box_moves> move_boxes{.name = "move boxes",
#if IMBREX_HAS_CUDA
                                       .native = move_boxes_on_device,
#endif
                                       .host =
                                           [](box_moves moves) {
                                             for (int m = 0; m < moves.count; ++m) move_on_host(moves.of[m]);
                                           },
                                       .work = work_of_moves};

void box_mover::add(const box_move& move) {
  const std::size_t words = cells_of(move) * static_cast<std::size_t>(move.words_of_cell);
  if (words == 0) return;
  if (words > std::numeric_limits<std::int32_t>::max()) {  // more words than the kernel can count: split in
                                                           // two halves
    box_move first = move, rest = move;
    const int d = static_cast<int>(std::max_element(move.extents, move.extents + 3) - move.extents);
    first.extents[d] /= 2;
    rest.extents[d] -= first.extents[d];
    rest.from += first.extents[d] * move.from_strides[d];
    rest.to += first.extents[d] * move.to_strides[d];
    add(first);
    return add(rest);
  }
  if (moves_.count == box_moves::most) launch();
  moves_.of[moves_.count++] = move;
}

void box_mover::launch() {
  if (moves_.count == 0) return;
  by_.launch(move_boxes, moves_);
  moves_.count = 0;
}

}  // namespace imbrex::grid::detail
