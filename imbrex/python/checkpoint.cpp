// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/checkpoint.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/python/array_kind.hpp>
#include <imbrex/python/awaitable.hpp>
#include <imbrex/python/classes.hpp>
#include <imbrex/python/native_class.hpp>

namespace imbrex::python {

namespace {

constexpr const char* no_session = "a session has no checkpoints";

/// The schema of values that Python saves.
class_schema schema_of_values() { return {.name = "a value of Python"}; }

nb::object make_checkpoint() {
  check_in_run("checkpoint", no_session);
  static kept_object name;
  return awaitable_of(
      checkpoint(), [](checkpoint_result r) { return nb::cast(std::move(r)); },
      name.get([] { return PyUnicode_FromString("imbrex.checkpoint()"); }));
}

nb::object restored_array(const nb::object& type, const std::string& name) {
  check_in_run("restored", no_session);
  class_record& c = class_of(type.ptr());
  const auto* const saved = checkpoints::detail::find_array(name);
  if (c.native != nullptr) {
    auto p = c.native->restored(c, name);
    return p ? new_proxy(*std::move(p)) : nb::none();
  }
  const bool has_keys = saved != nullptr && saved->kind == extension::array_kind::keyed;
  const array_kind& kind = has_keys ? arrays_with_keys() : arrays_with_indices();
  auto p = kind.restored(c, name);
  return p ? new_proxy(*std::move(p)) : nb::none();
}

nb::object restore(const nb::object& group) {
  check_in_run("restore", no_session);
  if (!is_proxy(group.ptr()) || proxy_in(group.ptr()).kind != proxy_kind::group) {
    PyErr_Format(PyExc_TypeError, "imbrex.restore takes a group, not %R", group.ptr());
    throw nb::python_error();
  }
  static kept_object name;
  return restore_group(proxy_in(group.ptr()),
                       name.get([] { return PyUnicode_FromString("imbrex.restore()"); }));
}

void save_value(const std::string& name, const nb::bytes& pickled) {
  check_in_run("save", no_session);
  const auto* const first = static_cast<const std::byte*>(pickled.data());
  checkpoints::detail::save_value(name, schema_of_values(), {first, first + pickled.size()});
}

/// The pickled value; None if there is none.
nb::object restored_value(const std::string& name) {
  check_in_run("restored_value", no_session);
  const auto found = checkpoints::detail::find_value(name);
  if (!found) return nb::none();
  checkpoints::detail::check_value(name, *found, schema_of_values(), {});
  return nb::bytes(reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size());
}

/// The report of the run's beginning; None if it did not begin from a checkpoint.
nb::object restart_report_or_none() {
  check_in_run("on_restart", no_session);
  nb::object found = nb::none();
  on_restart([&](const restart_report& r) { found = nb::cast(r); });
  return found;
}

std::string text_of(const checkpoint_result& r) {
  return "CheckpointResult(number=" + std::to_string(r.number) + ", path='" + r.path +
         "', bytes=" + std::to_string(r.bytes) + ", seconds_stopped=" + std::to_string(r.seconds_stopped) +
         ", seconds=" + std::to_string(r.seconds) + ")";
}

std::string text_of(const restart_report& r) {
  return "RestartReport(path='" + r.path + "', number=" + std::to_string(r.number) + ", written='" +
         r.written + "', pes_before=" + std::to_string(r.pes_before) + ", pes=" + std::to_string(r.pes) + ")";
}

}  // namespace

void define_checkpoints(nb::module_& m) {
  nb::class_<checkpoint_result>(m, "CheckpointResult", "A checkpoint that has been written.")
      .def_ro("number", &checkpoint_result::number, "The number of the checkpoint.")
      .def_ro("path", &checkpoint_result::path, "Its folder, such as 'saved/000012'.")
      .def_ro("bytes", &checkpoint_result::bytes, "Bytes of all its parts.")
      .def_ro("seconds_stopped", &checkpoint_result::seconds_stopped,
              "Time from the stop of the first element until all went on.")
      .def_ro("seconds", &checkpoint_result::seconds, "From the request until all was on the disk.")
      .def("__repr__", [](const checkpoint_result& r) { return text_of(r); });
  nb::class_<restart_report>(m, "RestartReport", "The beginning of a run from a checkpoint.")
      .def_ro("path", &restart_report::path, "The checkpoint.")
      .def_ro("number", &restart_report::number, "The number of the checkpoint.")
      .def_ro("written", &restart_report::written, "Date and time: '2026-11-30T01:02:03Z'.")
      .def_ro("pes_before", &restart_report::pes_before, "PEs of the run that wrote it.")
      .def_ro("pes", &restart_report::pes, "PEs of this run.")
      .def("__repr__", [](const restart_report& r) { return text_of(r); });
  m.def(
      "checkpoint", &make_checkpoint,
      "Writes a checkpoint in the folder of `--checkpoint DIR`. Returns an awaitable of a CheckpointResult. "
      "Named arrays, single chares, values of `imbrex.save`, and groups of `imbrex.restore` are saved. The "
      "chares stop at their next balance points, and go on once all is copied.");
  m.def("restored_array", &restored_array, nb::arg("type"), nb::arg("name"));
  m.def("restore", &restore,
        "Gives the chares of a group their state in the checkpoint from which the run began. Returns an "
        "awaitable of a bool: False if there is none. Later checkpoints save the group. On another number of "
        "PEs a class needs `merge(self, old)`, "
        "which gets the former chares of all PEs; without it each chare gets the state of PE 0's. Call it in "
        "the main task, at once after the group was made.",
        nb::arg("group").none());
  m.def("save_value", &save_value);
  m.def("restored_value", &restored_value);
  m.def("restart_report", &restart_report_or_none);
  m.def("has_checkpoints", [] { return checkpoints::detail::has_store(); });
}

}  // namespace imbrex::python
