// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/bricks.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>

namespace imbrex::detail {
namespace {

/// Elements of the largest array whose faces are counted; those of others are estimated.
constexpr std::uint64_t most_counted = 1U << 16U;
/// Bricks whose faces are counted, and parts of the best one: those with the least estimates.
constexpr std::size_t candidates_counted = 16;

/// Three lengths. An array of two dimensions has length 1 in the first.
using box = std::array<std::int64_t, 3>;

std::uint64_t volume_of(const box& b) { return static_cast<std::uint64_t>(b[0] * b[1] * b[2]); }

box box_of(std::span<const int> lengths) {
  box b{1, 1, 1};
  std::copy(lengths.begin(), lengths.end(), b.end() - static_cast<std::ptrdiff_t>(lengths.size()));
  return b;
}

struct owner_of_element {
  std::int32_t node = 0, pe = 0;
};

/// The PEs of a run, in nodes.
class machine_of_nodes {
 public:
  machine_of_nodes(int pes, std::span<const int> starts) : pes_(pes), starts_(starts) {}

  std::size_t nodes() const { return starts_.size(); }

  /// Calls `visit(first, last, owner)` for the consecutive elements of each PE that has any.
  template <class Visitor>
  void for_each_pe(std::uint64_t elements, Visitor visit) const {
    const auto n = static_cast<std::uint64_t>(pes_);
    std::size_t node = 0;
    for (std::uint64_t pe = 0; pe < n; ++pe) {
      while (node + 1 < starts_.size() && static_cast<std::uint64_t>(starts_[node + 1]) <= pe) ++node;
      const std::uint64_t first = elements * pe / n, last = elements * (pe + 1) / n;
      if (first < last)
        visit(first, last, owner_of_element{static_cast<std::int32_t>(node), static_cast<std::int32_t>(pe)});
    }
  }

 private:
  int pes_;
  std::span<const int> starts_;
};

/// A box somewhere in an array.
struct placed_box {
  box origin{}, lengths{};
};

/// Calls `visit(placed_box)` for each brick of a box, in order.
template <class Visitor>
void visit_bricks(const placed_box& of, const box& brick, Visitor visit) {
  const box end{of.origin[0] + of.lengths[0], of.origin[1] + of.lengths[1], of.origin[2] + of.lengths[2]};
  for (std::int64_t i = of.origin[0]; i < end[0]; i += brick[0])
    for (std::int64_t j = of.origin[1]; j < end[1]; j += brick[1])
      for (std::int64_t k = of.origin[2]; k < end[2]; k += brick[2])
        visit(placed_box{{i, j, k},
                         {std::min(brick[0], end[0] - i), std::min(brick[1], end[1] - j),
                          std::min(brick[2], end[2] - k)}});
}

/// Bricks, and their parts.
struct boxes {
  box brick{}, part{};
};

/// Calls `visit(linear number)` for each element, in the order of the bricks.
template <class Visitor>
void visit_elements(const box& shape, const boxes& cut, Visitor visit) {
  visit_bricks({{}, shape}, cut.brick, [&](const placed_box& brick) {
    visit_bricks(brick, cut.part, [&](const placed_box& part) {
      visit_bricks(part, {1, 1, 1}, [&](const placed_box& element) {
        const auto& [i, j, k] = element.origin;
        visit(static_cast<std::size_t>((i * shape[1] + j) * shape[2] + k));
      });
    });
  });
}

/// Counts the faces that bricks leave between nodes and PEs.
class face_counter {
 public:
  face_counter(const box& shape, const machine_of_nodes& machine) : shape_(shape) {
    machine.for_each_pe(volume_of(shape),
                        [this](std::uint64_t first, std::uint64_t last, owner_of_element o) {
                          by_number_.insert(by_number_.end(), last - first, o);
                        });
    owners_.resize(by_number_.size());
  }

  cut_faces operator()(const boxes& cut) {
    std::size_t number = 0;
    visit_elements(shape_, cut, [&](std::size_t l) { owners_[l] = by_number_[number++]; });
    cut_faces faces;
    std::size_t at = 0;
    const auto row = static_cast<std::size_t>(shape_[2]), plane = row * static_cast<std::size_t>(shape_[1]);
    for (std::int64_t i = 0; i < shape_[0]; ++i)
      for (std::int64_t j = 0; j < shape_[1]; ++j)
        for (std::int64_t k = 0; k < shape_[2]; ++k, ++at) {
          if (k + 1 < shape_[2]) add(faces, at, at + 1);
          if (j + 1 < shape_[1]) add(faces, at, at + row);
          if (i + 1 < shape_[0]) add(faces, at, at + plane);
        }
    return faces;
  }

 private:
  void add(cut_faces& faces, std::size_t a, std::size_t b) const {
    faces.nodes += owners_[a].node != owners_[b].node;
    faces.pes += owners_[a].pe != owners_[b].pe;
  }

  box shape_;
  std::vector<owner_of_element> by_number_;  ///< by the number in the order of the bricks
  std::vector<owner_of_element> owners_;     ///< by the linear number
};

/// About as many faces as lie between owners if each has a brick of its share of the elements, or nearly one.
double estimate(const box& shape, const box& brick, double share, double owners) {
  double faces = 0;
  bool fits = static_cast<double>(volume_of(brick)) == share;
  for (std::size_t d = 0; d < 3; ++d) {
    const double planes = static_cast<double>((shape[d] - 1) / brick[d]);
    faces += planes * static_cast<double>(volume_of(shape)) / static_cast<double>(shape[d]);
    fits = fits && shape[d] % brick[d] == 0;
  }
  return fits ? faces : faces + owners * static_cast<double>(brick[1] * brick[2]);
}

/// About as many faces as lie between owners in index order: between two, those of an element's neighbours in
/// the next row and plane.
double estimate_in_order(const box& shape, double share, double owners) {
  const double row = static_cast<double>(shape[2]), plane = row * static_cast<double>(shape[1]);
  return (owners - 1) * (1 + std::min(row, share) + (shape[0] > 1 ? std::min(plane, share) : 0));
}

/// Lengths that are worth a trial: the short ones, and those that cut a dimension evenly.
std::vector<std::int64_t> lengths_to_try(std::int64_t whole) {
  constexpr std::int64_t short_ones = 24, most_parts = 64;
  std::vector<std::int64_t> lengths;
  for (std::int64_t l = 1; l <= std::min(short_ones, whole); ++l) lengths.push_back(l);
  for (std::int64_t parts = 1; parts <= std::min(most_parts, whole); ++parts)
    lengths.push_back((whole + parts - 1) / parts);
  std::ranges::sort(lengths);
  const auto twice = std::ranges::unique(lengths);
  lengths.erase(twice.begin(), twice.end());
  return lengths;
}

struct candidate {
  double estimate;
  box brick;
  auto operator<=>(const candidate&) const = default;
};

/// The bricks of about a share of the elements, the best by their estimates first.
std::vector<candidate> candidates_for(const box& shape, double share, double owners) {
  std::vector<candidate> all;
  for (const std::int64_t i : lengths_to_try(shape[0]))
    for (const std::int64_t j : lengths_to_try(shape[1])) {
      const double exact = share / static_cast<double>(i * j);
      if (exact > static_cast<double>(shape[2]) * 2) continue;
      const auto shorter = std::clamp<std::int64_t>(static_cast<std::int64_t>(exact), 1, shape[2]);
      for (const std::int64_t k : {shorter, std::min(shorter + 1, shape[2])})
        all.push_back({estimate(shape, {i, j, k}, share, owners), {i, j, k}});
    }
  std::ranges::sort(all);
  const auto twice = std::ranges::unique(all);
  all.erase(twice.begin(), twice.end());
  if (all.size() > candidates_counted) all.resize(candidates_counted);
  return all;
}

/// The best brick by estimates alone, or the whole box. An estimate errs by some percent.
box estimated_brick(const box& shape, double share, double owners) {
  const auto candidates = candidates_for(shape, share, owners);
  const bool is_better =
      !candidates.empty() && candidates.front().estimate < 0.9 * estimate_in_order(shape, share, owners);
  return is_better ? candidates.front().brick : shape;
}

boxes best_boxes(const box& shape, const machine_of_nodes& machine, int pes) {
  const auto elements = static_cast<double>(volume_of(shape));
  const auto nodes = static_cast<double>(machine.nodes());
  const double of_pe = elements / pes;
  if (volume_of(shape) > most_counted) {
    const box brick = estimated_brick(shape, elements / nodes, nodes);
    return {brick, estimated_brick(brick, of_pe, static_cast<double>(volume_of(brick)) / of_pe)};
  }
  face_counter count(shape, machine);
  boxes best{shape, shape};
  cut_faces least = count(best);
  const auto consider = [&](const boxes& cut) {
    const cut_faces faces = count(cut);
    if (faces >= least) return;
    least = faces;
    best = cut;
  };
  for (const candidate& c : candidates_for(shape, elements / nodes, nodes)) consider({c.brick, c.brick});
  const box brick = best.brick;
  for (const candidate& c : candidates_for(brick, of_pe, static_cast<double>(volume_of(brick)) / of_pe))
    consider({brick, c.brick});
  return best;
}

std::vector<int> vector_of(const box& lengths, std::size_t dimensions) {
  return {lengths.end() - static_cast<std::ptrdiff_t>(dimensions), lengths.end()};
}

boxes boxes_of(const brick_lengths& lengths) { return {box_of(lengths.brick), box_of(lengths.part)}; }

}  // namespace

bool brick_lengths::is_cut(std::span<const int> shape) const { return !std::ranges::equal(part, shape); }

brick_lengths lengths_of_bricks(std::span<const int> shape, int pes, std::span<const int> node_starts) {
  const std::vector<int> whole(shape.begin(), shape.end());
  const bool may_be_cut = node_starts.size() > 1 && (shape.size() == 2 || shape.size() == 3) &&
                          std::ranges::all_of(shape, [](int length) { return length > 0; });
  if (!may_be_cut) return {whole, whole};
  const boxes best = best_boxes(box_of(shape), machine_of_nodes(pes, node_starts), pes);
  return {vector_of(best.brick, shape.size()), vector_of(best.part, shape.size())};
}

std::vector<std::uint64_t> order_of_bricks(std::span<const int> shape, const brick_lengths& lengths) {
  std::vector<std::uint64_t> numbers(volume_of(box_of(shape)));
  std::uint64_t number = 0;
  visit_elements(box_of(shape), boxes_of(lengths), [&](std::size_t l) { numbers[l] = number++; });
  return numbers;
}

cut_faces count_cut_faces(std::span<const int> shape, const brick_lengths& lengths, int pes,
                          std::span<const int> node_starts) {
  return face_counter(box_of(shape), machine_of_nodes(pes, node_starts))(boxes_of(lengths));
}

}  // namespace imbrex::detail
