// SPDX-License-Identifier: Apache-2.0
// Strategies in Python, and problems that Python poses.
#include <imbrex/python/balance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/balance/edges.hpp>
#include <imbrex/balance/snapshot.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/python/numpy.hpp>

namespace imbrex::python {

namespace {

/// A new array of `rows`, or of rows of `columns` values. `type`: as dtype spells it.
template <class Value>
nb::object array_of(std::span<const Value> values, const char* type, Py_ssize_t rows,
                    Py_ssize_t columns = -1) {
  std::vector<Py_ssize_t> shape{rows};
  if (columns >= 0) shape.push_back(columns);
  nb::object array = numpy::new_array(numpy::plain_type_of(nb::str(type).ptr()), shape);
  if (!values.empty()) std::memcpy(numpy::elements_of(array), values.data(), values.size_bytes());
  return array;
}

/// The elements of an array in rows, whose type has the size of `Value`.
template <class Value>
std::vector<Value> elements_in(const nb::object& array) {
  const nb::object rows = numpy::in_rows(array.ptr());
  std::size_t count = 1;
  for (const Py_ssize_t extent : numpy::shape_of(rows)) count *= static_cast<std::size_t>(extent);
  std::vector<Value> values(count);
  if (count > 0) std::memcpy(values.data(), numpy::elements_of(rows), count * sizeof(Value));
  return values;
}

/// An imbrex.Problem.
nb::object problem_object(const balance::problem& p) {
  const auto objects = static_cast<Py_ssize_t>(p.size());
  const auto edges = static_cast<Py_ssize_t>(p.edge_to.size());
  nb::dict named;
  named["pes"] = p.on.pes;
  named["seed"] = p.seed;
  if (!p.movable.empty()) named["movable"] = array_of(p.movable, "u1", objects);
  if (!p.coordinates.empty()) named["coordinates"] = array_of(p.coordinates, "f4", objects, p.dimensions);
  if (!p.sent.empty()) {
    std::vector<float> bytes, messages;
    for (const balance::sent_amount& each : p.sent) {
      bytes.push_back(each.bytes);
      messages.push_back(each.messages);
    }
    named["bytes"] = array_of(std::span<const float>(bytes), "f4", objects);
    named["messages"] = array_of(std::span<const float>(messages), "f4", objects);
  }
  if (!p.edge_to.empty())
    named["edges"] = array_of(std::span<const balance::edge>(balance::edges_of(p)), "u4", edges, 2);
  if (!p.edge_bytes.empty()) named["edge_bytes"] = array_of(p.edge_bytes, "f4", edges);
  if (!p.on.node.empty()) named["node"] = array_of(p.on.node, "i4", p.on.pes);
  static module_attribute problem("imbrex._balance", "Problem");
  const nb::object load = p.load.empty() ? nb::none() : array_of(p.load, "f8", objects);
  const nb::tuple arrays = nb::make_tuple(load, array_of(p.pe, "i4", objects));
  return checked(PyObject_Call(problem, arrays.ptr(), named.ptr()));
}

/// Solves a problem by the function that `imbrex.strategy` has registered under the name.
std::vector<int> solve_by_function(const std::string& name, const balance::problem& p) {
  const nb::gil_scoped_acquire lock;
  try {
    static module_attribute solve("imbrex._balance", "solve_by_function");
    const nb::object its_problem = problem_object(p);
    return elements_in<int>(checked(
        PyObject_CallFunctionObjArgs(solve, nb::str(name.c_str()).ptr(), its_problem.ptr(), nullptr)));
  } catch (const nb::python_error& e) {
    throw error(nb::str(e.value()).c_str());
  }
}

/// Strategies live as long as the process, as the functions do.
void add_strategy(const std::string& name, bool wants_edges) {
  static auto* const all = new std::deque<balance::strategy>;
  all->emplace_back(
      name, [name](const balance::problem& p) { return solve_by_function(name, p); },
      balance::strategy::needs{.edges = wants_edges, .sent = true, .coordinates = true});
}

nb::object solve(const std::string& strategy, const nb::object& of) {
  balance::snapshot p;
  p.pes = nb::cast<int>(of.attr("pes"));
  p.seed = nb::cast<std::uint64_t>(of.attr("seed"));
  p.pe = elements_in<int>(of.attr("pe"));
  p.load = elements_in<double>(of.attr("load"));
  p.movable = elements_in<std::uint8_t>(of.attr("movable"));
  p.coordinates = elements_in<float>(of.attr("coordinates"));
  p.dimensions = nb::cast<int>(of.attr("coordinates").attr("shape")[nb::int_(1)]);
  const auto bytes = elements_in<float>(of.attr("bytes"));
  const auto messages = elements_in<float>(of.attr("messages"));
  for (std::size_t i = 0; i < std::min(bytes.size(), messages.size()); ++i)
    p.sent.push_back({bytes[i], messages[i]});
  p.node = elements_in<int>(of.attr("node"));
  const auto ends = elements_in<std::uint32_t>(of.attr("edges"));
  std::vector<balance::edge> edges;
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) edges.push_back({ends[i], ends[i + 1]});
  set_edges(p, edges, elements_in<float>(of.attr("edge_bytes")));
  check(p.view());
  const std::vector<int> pes = balance::find_strategy(strategy).solve(p.view());
  return array_of(std::span<const int>(pes), "i4", static_cast<Py_ssize_t>(pes.size()));
}

std::string text_of(const rebalance_result& r) {
  return "RebalanceResult(strategy='" + r.strategy + "', before=" + std::to_string(r.before) +
         ", after=" + std::to_string(r.after) + ", elements=" + std::to_string(r.elements) +
         ", moved=" + std::to_string(r.moved) + ", unmovable=" + std::to_string(r.unmovable) +
         ", seconds=" + std::to_string(r.seconds) + ")";
}

}  // namespace

void define_balance(nb::module_& m) {
  m.def("add_strategy", &add_strategy);
  m.def("strategy_names", &balance::strategy_names);
  m.def("solve", &solve);
  nb::class_<rebalance_result>(m, "RebalanceResult", "The result of a step of the balancer.")
      .def_ro("strategy", &rebalance_result::strategy,
              "As named by --balance; 'none' if the run has no balancer.")
      .def_ro("before", &rebalance_result::before, "The busiest PE's load over the average, before the step.")
      .def_ro("after", &rebalance_result::after, "This ratio, as expected after the step.")
      .def_ro("elements", &rebalance_result::elements, "The number of elements that were looked at.")
      .def_ro("moved", &rebalance_result::moved,
              "The number of elements that were asked to move; each leaves at its next opportunity.")
      .def_ro("unmovable", &rebalance_result::unmovable, "The number of elements that could not leave.")
      .def_ro("seconds", &rebalance_result::seconds, "From the request to the last request for a move.")
      .def("__repr__", &text_of);
}

}  // namespace imbrex::python
