// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/problem.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex::balance {
namespace {

/// One more than the largest value; at least `least`.
int count_of(std::span<const int> numbers, int least) {
  int count = least;
  for (const int number : numbers) count = std::max(count, number + 1);
  return count;
}

std::string numbered(const char* what, std::size_t number) { return what + (" " + std::to_string(number)); }

void check_length(const char* what, std::size_t length, std::size_t expected, const char* remedy) {
  if (length != 0 && length != expected)
    throw error(std::string("the array of ") + what + " has " + std::to_string(length) + " values, not " +
                std::to_string(expected) + ": give one for each " + remedy + ", or none");
}

void check_times(const char* what, std::span<const double> times) {
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!std::isfinite(times[i]) || times[i] < 0)
      throw error("the " + std::string(what) + " of " + numbered("object", i) + " is " +
                  std::to_string(times[i]) + ": give finite seconds, 0 or more");
}

void check_amount(const char* what, std::size_t object, float amount) {
  if (!std::isfinite(amount) || amount < 0)
    throw error(numbered("object", object) + " sends " + std::to_string(amount) + " " + what +
                ": give a finite number, 0 or more");
}

/// Checks that each number is at least `least` and below `count`.
template <class Number>
void check_numbers(const char* owner, const char* what, std::span<const Number> numbers, std::int64_t least,
                   std::int64_t count) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (static_cast<std::int64_t>(numbers[i]) < least || static_cast<std::int64_t>(numbers[i]) >= count)
      throw error(numbered(owner, i) + " has the " + what + " " + std::to_string(numbers[i]) +
                  ": give a number from " + std::to_string(least) + " to " + std::to_string(count - 1));
}

/// Checks that the PEs of each device are on one node.
void check_devices_of_nodes(const machine& on) {
  std::vector<int> node(static_cast<std::size_t>(on.devices()), -1);
  for (int pe = 0; pe < on.pes; ++pe) {
    if (on.device_of(pe) < 0) continue;
    int& first = node[static_cast<std::size_t>(on.device_of(pe))];
    if (first < 0) first = on.node_of(pe);
    if (first != on.node_of(pe))
      throw error("device " + std::to_string(on.device_of(pe)) + " has PEs on the nodes " +
                  std::to_string(first) + " and " + std::to_string(on.node_of(pe)) +
                  ": give devices of different nodes different numbers");
  }
}

void check_machine(const machine& on) {
  if (on.pes < 1) throw error("a machine of " + std::to_string(on.pes) + " PEs: give one or more");
  const auto pes = static_cast<std::size_t>(on.pes);
  check_length("nodes", on.node.size(), pes, "PE");
  check_length("devices", on.device.size(), pes, "PE");
  check_length("speeds", on.speed.size(), pes, "PE");
  // A machine has no more nodes or devices than PEs.
  check_numbers("PE", "node", on.node, 0, on.pes);
  check_numbers("PE", "device", on.device, -1, on.pes);
  for (std::size_t pe = 0; pe < on.speed.size(); ++pe)
    if (!std::isfinite(on.speed[pe]) || on.speed[pe] <= 0)
      throw error("the speed of " + numbered("PE", pe) + " is " + std::to_string(on.speed[pe]) +
                  ": give a finite one above 0");
  check_length("free memory", on.free_memory.size(), static_cast<std::size_t>(on.devices()), "device");
  check_devices_of_nodes(on);
}

void check_coordinates(const problem& p) {
  if (p.dimensions < 0 || p.dimensions > problem::most_dimensions)
    throw error("coordinates of " + std::to_string(p.dimensions) + " dimensions: give 0 to " +
                std::to_string(problem::most_dimensions));
  const std::size_t expected = p.size() * static_cast<std::size_t>(p.dimensions);
  if (p.coordinates.size() != expected)
    throw error("there are " + std::to_string(p.coordinates.size()) + " coordinates, not " +
                std::to_string(expected) + ": give " + std::to_string(p.dimensions) + " for each object");
  for (std::size_t i = 0; i < p.coordinates.size(); ++i)
    if (!std::isfinite(p.coordinates[i]))
      throw error("a coordinate of " + numbered("object", i / static_cast<std::size_t>(p.dimensions)) +
                  " is " + std::to_string(p.coordinates[i]) + ": give finite ones");
}

void check_curve(const problem& p) {
  check_length("the curve", p.curve.size(), p.size(), "object");
  check_numbers("place of the curve", "object", p.curve, 0, static_cast<std::int64_t>(p.size()));
  std::vector<bool> found(p.size());
  for (const std::uint32_t object : p.curve) {
    if (found[object])
      throw error("the curve has " + numbered("object", object) + " twice: give each object once");
    found[object] = true;
  }
}

void check_edges(const problem& p) {
  check_length("first edges", p.first_edge.size(), p.size() + 1, "object and one for the end");
  if (p.first_edge.empty() && !p.edge_to.empty())
    throw error(std::to_string(p.edge_to.size()) + " edges belong to no object: give the first edge of each");
  for (std::size_t i = 0; i < p.first_edge.size(); ++i) {
    const std::size_t least = i == 0 ? 0 : p.first_edge[i - 1];
    const std::size_t most = i == 0 ? 0 : p.edge_to.size();
    if (p.first_edge[i] < least || p.first_edge[i] > most)
      throw error("the first edge of " + numbered("object", i) + " is " + std::to_string(p.first_edge[i]) +
                  ": give " + std::to_string(least) + " to " + std::to_string(most));
  }
  if (!p.first_edge.empty() && p.first_edge.back() != p.edge_to.size())
    throw error("the edges end at " + std::to_string(p.first_edge.back()) + ", and there are " +
                std::to_string(p.edge_to.size()) + ": let the last first edge be their number");
  check_numbers("edge", "other object", p.edge_to, 0, static_cast<std::int64_t>(p.size()));
  check_length("bytes of edges", p.edge_bytes.size(), p.edge_to.size(), "edge");
  for (std::size_t i = 0; i < p.edge_bytes.size(); ++i)
    if (!std::isfinite(p.edge_bytes[i]) || p.edge_bytes[i] < 0)
      throw error("the bytes of " + numbered("edge", i) + " are " + std::to_string(p.edge_bytes[i]) +
                  ": give a finite number, 0 or more");
}

}  // namespace

int machine::nodes() const { return count_of(node, 1); }

int machine::devices() const { return count_of(device, 0); }

void check(const problem& p) {
  check_machine(p.on);
  if (p.size() >= std::numeric_limits<std::uint32_t>::max())
    throw error(std::to_string(p.size()) + " objects: one problem has fewer than 4294967295; part it");
  check_numbers("object", "PE", p.pe, 0, p.on.pes);
  check_length("loads", p.load.size(), p.size(), "object");
  check_length("device loads", p.device_load.size(), p.size(), "object");
  check_length("movable objects", p.movable.size(), p.size(), "object");
  check_length("bytes", p.bytes.size(), p.size(), "object");
  check_length("elapsed device times", p.device_elapsed.size(), p.size(), "object");
  check_times("elapsed device time", p.device_elapsed);
  check_length("device bytes", p.device_bytes.size(), p.size(), "object");
  check_length("sent messages", p.sent.size(), p.size(), "object");
  for (std::size_t i = 0; i < p.sent.size(); ++i) {
    check_amount("bytes", i, p.sent[i].bytes);
    check_amount("messages", i, p.sent[i].messages);
  }
  check_times("load", p.load);
  check_times("device load", p.device_load);
  check_coordinates(p);
  check_curve(p);
  check_edges(p);
}

}  // namespace imbrex::balance
