// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/classes.hpp>

#include <deque>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::python {

namespace {

struct registry {
  std::mutex lock;
  std::deque<class_record> classes;
  std::unordered_map<PyObject*, class_record*> by_type;
  std::unordered_set<std::string> names;  ///< includes classes whose entries are not defined yet
};
registry& all() {
  static auto* const classes =
      new registry;  // never freed: its objects belong to the interpreter, which ends first
  return *classes;
}

class_record& new_record() {
  const std::lock_guard hold(all().lock);
  return all().classes.emplace_back();
}

class_record* find(PyObject* type) {
  const std::lock_guard hold(all().lock);
  const auto at = all().by_type.find(type);
  return at == all().by_type.end() ? nullptr : at->second;
}

/// Reserves a name that no class has. A class that is defined anew does not replace the old one, whose
/// objects may still exist. Threads may define classes concurrently.
std::string take_name(const std::string& name) {
  const std::lock_guard hold(all().lock);
  std::string free = name;
  for (int n = 2; find_entry(free, "__init__") || !all().names.insert(free).second; ++n)
    free = name + "#" + std::to_string(n);
  return free;
}

void take_function(member_record& m, const member_definition& d) {
  m.function = Py_XNewRef(d.function);
  m.signature = Py_XNewRef(d.signature);
  m.least = d.least;
  m.most = d.most;
  m.has_keywords = d.has_keywords;
}

/// The name of an awaitable; lives as long as the process.
PyObject* name_of_awaited(const std::string& whose, const char* what) {
  return checked(PyUnicode_FromFormat("%s.%s()", whose.c_str(), what)).release().ptr();
}

}  // namespace

std::string member_record::whole_name() const { return of->name + "." + name; }

member_record* class_record::search(PyObject* member_name) const {
  PyObject* const address = PyDict_GetItemWithError(by_name, member_name);
  if (address == nullptr) {
    PyErr_Clear();
    return nullptr;
  }
  auto* const its = static_cast<member_record*>(PyLong_AsVoidPtr(address));
#if !defined(Py_GIL_DISABLED)
  found_member& place = found[place_of(member_name)];
  Py_XDECREF(std::exchange(place.name, Py_NewRef(member_name)));
  place.its = its;
#endif
  return its;
}

class_record& define_class(PyObject* type, const std::string& name,
                           const std::vector<member_definition>& members,
                           const balance_methods& for_balancers, bool in_all_processes) {
  if (!in_all_processes && detail::scheduler::current() != nullptr && num_processes() > 1)
    throw error("the chare class " + name +
                " is defined during a run: all processes must know it, so define it before imbrex.run");
  class_record& c = new_record();
  c.type = Py_NewRef(type);
  c.name = take_name(name);
  c.for_balancers = {Py_XNewRef(for_balancers.expected_load), Py_XNewRef(for_balancers.departs),
                     Py_XNewRef(for_balancers.arrived)};
  c.by_name = checked(PyDict_New()).release().ptr();
  c.all_reduce_name = name_of_awaited(c.name, "all_reduce");
  c.created_name = name_of_awaited(c.name, "created");
  c.destroy_name = name_of_awaited(c.name, "destroy");
  c.balance_name = name_of_awaited(c.name, "balance_point");
  for (const auto& d : members) add_member(c, d);
  const std::lock_guard hold(all().lock);
  all().by_type.emplace(type, &c);
  return c;
}

member_record& add_member(class_record& c, const member_definition& d) {
  member_record& m = *c.members.emplace_back(std::make_unique<member_record>());
  m.of = &c;
  m.kind = d.kind;
  m.name = d.name;
  take_function(m, d);
  if (m.is_port()) {
    m.port = static_cast<int>(c.ports.size());
    c.ports.push_back(&m);
  }
  m.awaited_name = name_of_awaited(m.whole_name(), m.is_port() ? "receive" : "call");
  m.reduced_name = name_of_awaited(m.whole_name(), "reduce");
  m.number = define_entry({c.name, m.name, d.signature_text});
  m.number.set_target(&m);
  const nb::object address = checked(PyLong_FromVoidPtr(&m));
  if (m.kind != member_kind::constructor &&
      PyDict_SetItemString(c.by_name, m.name.c_str(), address.ptr()) < 0)
    throw nb::python_error();
  return m;
}

void replace_class(class_record& of, PyObject* type) {
  of.type = Py_NewRef(type);  // the old type is kept, since classes live for ever
  const std::lock_guard hold(all().lock);
  all().by_type.emplace(type, &of);
}

void set_constructor(class_record& of, const member_definition& definition) {
  take_function(*of.members.front(), definition);  // the old function is kept, since classes live for ever
}

class_record& class_of(PyObject* type) {
  if (class_record* const known = find(type)) return *known;
  const nb::object text = checked(PyObject_Repr(type));
  throw nb::type_error((std::string(nb::str(text).c_str()) +
                        " is no chare class: derive one from imbrex.Chare, and give the class itself")
                           .c_str());
}

}  // namespace imbrex::python
