// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/suggest_odf.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/index.hpp>
#include <imbrex/core/name/indices.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/net/delay/link_model.hpp>

namespace imbrex {
namespace {

constexpr std::array<int, 5> factors{1, 2, 4, 8, 16};
/// PEs that are played through. More do alike: each has as many neighbours.
constexpr int most_pes = 64;
/// Iterations before and after which the time is taken: the first ones fill the links.
constexpr int warm_up = 3, timed = 6;
/// Gains below this part are not worth more blocks.
constexpr double least_gain = 0.01;

/// The times of a message, in seconds.
struct message_times {
  double send = 0, receive = 0;  ///< time of the PEs, for a message to another PE
  double stay = 0;               ///< time of the PE, for a message to itself
  double byte = 0;               ///< time of the PEs, for each byte that is packed or unpacked
  double latency = 0, gap = 0, byte_of_link = 0;
};

double seconds_of(nanoseconds t) { return std::chrono::duration<double>(t).count(); }
double seconds_of_byte(std::uint64_t rate) { return rate == 0 ? 0 : 1 / static_cast<double>(rate); }

message_times times_of(const options& settings) {
  message_times t;
  link_model link{settings.net_latency, settings.net_bandwidth, settings.net_injection_gap};
  if (settings.machine == machine_kind::simulated) {
    const device_model model =
        settings.device_model.empty() ? device_model{} : find_device_model(settings.device_model);
    t.send = seconds_of(model.message.send);
    t.receive = t.stay = seconds_of(model.message.receive);
    if (link.latency.count() == 0) link.latency = model.message.latency;
    if (link.bandwidth == 0) link.bandwidth = model.message.bandwidth;
  } else {
    // bench/messages and bench/pingpong: a message between two PEs of a host, and one that stays on its PE.
    // Packing reads and writes memory at some GB/s.
    t = {.send = 150e-9, .receive = 150e-9, .stay = 50e-9, .byte = 1 / 4e9, .latency = 500e-9};
  }
  t.latency += seconds_of(link.latency);
  t.gap = seconds_of(link.injection_gap);
  t.byte_of_link = seconds_of_byte(link.bandwidth);
  return t;
}

std::vector<int> divisors(int number) {
  std::vector<int> all;
  for (int d = 1; d <= number; ++d)
    if (number % d == 0) all.push_back(d);
  return all;
}

/// The shape of an array of that many blocks with the least surface between them.
std::optional<index<3>> cut(const index<3>& grid, int blocks) {
  std::optional<std::tuple<double, int, int, int>> best;
  const std::array<double, 3> cells{double(grid[0]), double(grid[1]), double(grid[2])};
  const std::vector<int> lengths = divisors(blocks);
  for (const int x : lengths)
    for (const int y : lengths) {
      if (blocks / x % y != 0) continue;
      const int z = blocks / x / y;
      if (x > grid[0] || y > grid[1] || z > grid[2]) continue;
      const double surface =
          (x - 1) * cells[1] * cells[2] + (y - 1) * cells[0] * cells[2] + (z - 1) * cells[0] * cells[1];
      const std::tuple candidate(surface, -x, -y, -z);
      if (!best || candidate < *best) best = candidate;
    }
  if (!best) return std::nullopt;
  return index<3>(-std::get<1>(*best), -std::get<2>(*best), -std::get<3>(*best));
}

/// Blocks that exchange faces, on PEs that take what is ready first.
class exchange {
 public:
  exchange(const index<3>& shape, int pes, const std::array<double, 3>& lengths, const message_times& message,
           const block_costs& costs)
      : shape_(shape),
        pes_(pes),
        message_(message),
        work_(costs.cell_seconds * lengths[0] * lengths[1] * lengths[2] + costs.block_seconds),
        blocks_(static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) *
                static_cast<std::size_t>(shape[2])),
        free_(static_cast<std::size_t>(pes)),
        link_free_(static_cast<std::size_t>(pes)) {
    for (std::size_t d = 0; d < 3; ++d)
      face_bytes_[d] = costs.face_cell_bytes * lengths[(d + 1) % 3] * lengths[(d + 2) % 3];
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const index<3> at = extension::from_linear(shape, b);
      for (const auto& [where, across] : neighbours(at, shape)) {
        blocks_[b].neighbours[blocks_[b].count++] = {extension::linear(shape, where),
                                                     static_cast<std::size_t>(across.dimension())};
      }
    }
  }

  /// The time of an iteration.
  double seconds() {
    for (std::size_t b = 0; b < blocks_.size(); ++b) ready_.push({0, b});
    double begin = 0, end = 0;
    while (!ready_.empty()) {
      const auto [when, b] = ready_.top();
      ready_.pop();
      const int iteration = blocks_[b].iteration++;
      const double done = run(when, b, iteration > 0);
      if (iteration == warm_up - 1) begin = std::max(begin, done);
      if (iteration == warm_up + timed - 1) end = std::max(end, done);
    }
    return (end - begin) / timed;
  }

 private:
  struct face {
    std::uint64_t to = 0;
    std::size_t dimension = 0;
  };
  struct block {
    std::array<face, 6> neighbours{};
    std::size_t count = 0;
    int iteration = 0;
    // Neighbours may be one iteration ahead.
    std::array<std::size_t, 2> arrived{};
    std::array<double, 2> last{};
  };

  int pe_of(std::size_t b) const {
    return static_cast<int>(((b + 1) * static_cast<std::size_t>(pes_) - 1) / blocks_.size());
  }

  /// Takes the faces, updates the block and sends its faces. Returns the end.
  double run(double when, std::size_t b, bool has_faces) {
    const block& self = blocks_[b];
    const int pe = pe_of(b);
    double& now = free_[static_cast<std::size_t>(pe)];
    now = std::max(now, when);
    if (has_faces)
      for (std::size_t n = 0; n < self.count; ++n)
        now += message_.byte * face_bytes_[self.neighbours[n].dimension] +
               (pe_of(self.neighbours[n].to) == pe ? message_.stay : message_.receive);
    now += work_;
    const double done = now;
    for (std::size_t n = 0; n < self.count; ++n) {
      const auto& [to, dimension] = self.neighbours[n];
      const double bytes = face_bytes_[dimension];
      now += message_.byte * bytes;
      double arrival = now;
      if (pe_of(to) != pe) {
        now += message_.send;
        double& link = link_free_[static_cast<std::size_t>(pe)];
        const double begin = std::max(link, now);
        link = begin + message_.gap + bytes * message_.byte_of_link;
        arrival = begin + message_.latency + bytes * message_.byte_of_link;
      }
      arrive(to, self.iteration, arrival);
    }
    if (self.count == 0 && self.iteration < warm_up + timed) ready_.push({now, b});
    return done;
  }

  /// A face for an iteration of a block.
  void arrive(std::uint64_t to, int iteration, double when) {
    if (iteration >= warm_up + timed) return;
    block& its = blocks_[to];
    const auto of = static_cast<std::size_t>(iteration % 2);
    its.last[of] = std::max(its.last[of], when);
    if (++its.arrived[of] < its.count) return;
    its.arrived[of] = 0;
    ready_.push({std::exchange(its.last[of], 0), to});
  }

  index<3> shape_;
  int pes_;
  message_times message_;
  double work_;
  std::array<double, 3> face_bytes_{};  ///< across each dimension
  std::vector<block> blocks_;
  std::vector<double> free_;       ///< for each PE, the time from which it can work
  std::vector<double> link_free_;  ///< the time from which its link can take more
  using moment = std::pair<double, std::size_t>;
  std::priority_queue<moment, std::vector<moment>, std::greater<>> ready_;
};

/// The time of an iteration on these blocks; of a part of them, if there are many PEs.
double seconds_of_iteration(const index<3>& grid, const index<3>& shape, int pes, int odf,
                            const message_times& message, const block_costs& costs) {
  std::array<double, 3> lengths{};
  for (int d = 0; d < 3; ++d) lengths[static_cast<std::size_t>(d)] = double(grid[d]) / shape[d];
  index<3> part = shape;
  const auto blocks = [&part] { return std::int64_t{part[0]} * part[1] * part[2]; };
  while (blocks() > std::int64_t{most_pes} * odf) {
    int longest = 0;
    for (int d = 1; d < 3; ++d)
      if (part[d] > part[longest]) longest = d;
    part[longest] = (part[longest] + 1) / 2;
  }
  const int pes_of_part = part != shape ? std::max(1, static_cast<int>(blocks() / odf)) : pes;
  return exchange(part, pes_of_part, lengths, message, costs).seconds();
}

void check(int pes, const index<3>& grid, const block_costs& costs) {
  if (pes < 1) throw error("a run with " + std::to_string(pes) + " PEs has no granularity: give at least 1");
  if (std::min({grid[0], grid[1], grid[2]}) < 1)
    throw error("the grid " + to_string(grid) + " has no cells to be cut");
  for (const double cost : {costs.cell_seconds, costs.face_cell_bytes, costs.block_seconds})
    if (!(cost >= 0) || !std::isfinite(cost))
      throw error("the costs of a block are " + std::to_string(costs.cell_seconds) + " s a cell, " +
                  std::to_string(costs.face_cell_bytes) + " bytes a cell of a face and " +
                  std::to_string(costs.block_seconds) + " s a block: none may be below 0");
}

}  // namespace

std::vector<odf_estimate> estimate_odfs(const options& settings, int pes, const index<3>& grid,
                                        const block_costs& costs) {
  check(pes, grid, costs);
  const message_times message = times_of(settings);
  std::vector<odf_estimate> all;
  for (const int odf : factors) {
    if (std::int64_t{odf} * pes > std::int64_t{1} << 24U) break;  // more blocks than are worth an estimate
    if (const auto shape = cut(grid, odf * pes))
      all.push_back({odf, seconds_of_iteration(grid, *shape, pes, odf, message, costs)});
  }
  return all;
}

int best_odf(std::span<const odf_estimate> all) {
  if (all.empty()) return 1;
  const double best = std::ranges::min(all, {}, &odf_estimate::seconds).seconds;
  return std::ranges::find_if(all,
                              [&](const odf_estimate& e) { return e.seconds <= best * (1 + least_gain); })
      ->odf;
}

int suggest_odf(const options& settings, int pes, const index<3>& grid, const block_costs& costs) {
  return best_odf(estimate_odfs(settings, pes, grid, costs));
}

}  // namespace imbrex
