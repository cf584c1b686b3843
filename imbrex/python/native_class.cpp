// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/native_class.hpp>

#include <algorithm>

#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/python/awaitable.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::python {

namespace {

/// "solver.Block.run(rounds: int) -> float was given 3 arguments"
[[noreturn]] void refuse(const native_signature& of, const std::string& why) {
  throw nb::type_error((of.text() + " " + why).c_str());
}

std::string word_of(const native_signature::parameter& p, std::size_t number) {
  return "argument " + std::to_string(number + 1) + (p.name.empty() ? "" : " (" + p.name + ")");
}

}  // namespace

std::string shown_value(PyObject* o) {
  nb::object text = nb::steal(PyObject_Repr(o));
  if (!text.is_valid()) PyErr_Clear();
  std::string words = text.is_valid() ? nb::str(text).c_str() : "an object";
  std::ranges::replace(words, '\n', ' ');
  constexpr std::size_t most = 60;
  if (words.size() > most) words = words.substr(0, most) + "...";
  return words + ", of type " + Py_TYPE(o)->tp_name;
}

std::string native_signature::text() const {
  std::string words = name + "(";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) words += ", ";
    if (!parameters[i].name.empty()) words += parameters[i].name + ": ";
    words += parameters[i].type;
  }
  return words + ")" + (result.empty() ? "" : " -> " + result);
}

void place_arguments(const native_signature& of, const call_values& call, std::span<PyObject*> found) {
  const auto by_place = static_cast<std::size_t>(call.by_place);
  const std::size_t named =
      call.names == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(call.names));
  if (by_place > found.size() || by_place + named > found.size())
    refuse(of, "was given " + std::to_string(by_place + named) + " arguments");
  std::ranges::fill(found, nullptr);
  std::copy(call.values, call.values + by_place, found.begin());
  for (std::size_t n = 0; n < named; ++n) {
    const char* const name =
        nb::borrow<nb::str>(PyTuple_GET_ITEM(call.names, static_cast<Py_ssize_t>(n))).c_str();
    const auto at =
        std::ranges::find(of.parameters, std::string_view(name), &native_signature::parameter::name);
    if (at == of.parameters.end()) refuse(of, std::string("has no argument ") + name);
    PyObject*& place = found[static_cast<std::size_t>(at - of.parameters.begin())];
    if (place != nullptr) refuse(of, std::string("was given its argument ") + name + " twice");
    place = call.values[by_place + n];
  }
  const auto missing = std::ranges::find(found, nullptr);
  if (missing != found.end()) {
    const auto number = static_cast<std::size_t>(missing - found.begin());
    refuse(of, "was given no " + word_of(of.parameters[number], number));
  }
}

void throw_unfit(const native_signature& of, std::size_t parameter, PyObject* argument) {
  const auto& its = of.parameters[parameter];
  refuse(of, "was given " + word_of(its, parameter) + " as " + shown_value(argument) +
                 ", which does not convert to " + its.type);
}

void throw_unfit_value(const std::string& port, const std::string& type, PyObject* value) {
  throw nb::type_error((port + ".send takes values of " + type + ", not " + shown_value(value)).c_str());
}

std::string native_name(const class_record& of, const std::string& member) { return of.name + "." + member; }

class_record& define_native_class(const nb::module_& module, const std::string& name, const std::string& text,
                                  const native_class& of, const native_interface& built_with) {
  if (built_with.major != NB_VERSION_MAJOR || built_with.minor != NB_VERSION_MINOR ||
      built_with.imbrex != std::string_view(IMBREX_VERSION))
    throw error("the chare class " + name + " was built with imbrex " + built_with.imbrex + " and nanobind " +
                std::to_string(built_with.major) + "." + std::to_string(built_with.minor) +
                ", and the package imbrex with " + std::string(std::string_view(IMBREX_VERSION)) + " and " +
                std::to_string(NB_VERSION_MAJOR) + "." + std::to_string(NB_VERSION_MINOR) +
                "; build the module again with those");
  if (detail::scheduler::current() != nullptr)
    throw error("the chare class " + name +
                " of C++ is imported during a run: all processes must know it, so import its module before "
                "imbrex.run");
  static module_attribute make("imbrex._native", "make_class");
  const std::string of_module = nb::cast<std::string>(module.attr("__name__"));
  const nb::object type =
      checked(PyObject_CallFunction(make, "sss", of_module.c_str(), name.c_str(), text.c_str()));
  const member_definition constructor{"__init__", member_kind::constructor, nullptr, nullptr, "of C++", 0, -1,
                                      false};
  define_class(type.ptr(), of_module + "." + name, {constructor}, {}, false);
  class_record& c = class_of(type.ptr());
  c.native = &of;
  interpreter_lock::add_class_of_cpp(of.type());
  nb::object(module).attr(name.c_str()) = type;
  return c;
}

namespace {

void describe(const class_record& of, const std::string& text) {
  static module_attribute describe("imbrex._native", "describe");
  static_cast<void>(checked(PyObject_CallFunction(describe, "Os", of.type, text.c_str())));
}

}  // namespace

void set_native_constructor(class_record& of, const native_constructor& constructor) {
  of.native_creation = &constructor;
  describe(of, constructor.signature().text());
}

void add_native_entry(class_record& of, const std::string& name, const native_entry& entry) {
  add_member(of, {name, member_kind::plain, nullptr, nullptr, entry.signature().text(), 0, -1, false})
      .native = &entry;
  describe(of, entry.signature().text());
}

void add_native_port(class_record& of, const std::string& name, const native_port& port) {
  add_member(of, {name, member_kind::mailbox, nullptr, nullptr, port.type_of_values(), 0, 0, false})
      .native_values = &port;
  describe(of, native_name(of, name) + ": a mailbox of " + port.type_of_values());
}

nb::object rebalanced(std::uint64_t collection, PyObject* name) {
  return awaitable_of(
      balance::detail::rebalance(collection), [](rebalance_result r) { return nb::cast(std::move(r)); },
      name);
}

const native_constructor& constructor_of(const class_record& of) {
  if (of.native_creation == nullptr)
    throw nb::type_error(("the module declares no constructor of " + of.name +
                          ": add .constructor<...>() behind imbrex::python::chare")
                             .c_str());
  return *of.native_creation;
}

const array_operations& operations_of(const proxy& p) {
  if (p.of->native != nullptr) return *p.of->native;
  return kind_of(p);
}

}  // namespace imbrex::python
