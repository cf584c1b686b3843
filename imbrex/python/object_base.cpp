// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/object_base.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/python/arguments.hpp>
#include <imbrex/python/failure.hpp>
#include <imbrex/python/interrupts.hpp>
#include <imbrex/python/port_type.hpp>
#include <imbrex/python/saved_values.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

namespace {

/// Arguments of a Python call in vectorcall form: the values, and the names of keyword arguments.
class call_arguments {
 public:
  call_arguments(PyObject* self, decoder& in) {
    if (in.number<tag>() != tag::arguments) throw nb::value_error("arguments that came have no known form");
    const std::size_t positional = in.number<std::uint8_t>();
    const std::size_t named = in.number<std::uint8_t>();
    if (positional + named + 2 > few_.size()) {
      many_.resize(positional + named + 2);
      args_ = many_.data();
    }
    args_[1] = self;
    for (std::size_t i = 0; i < positional; ++i) add(in);
    positional_ = count_;
    if (named == 0) return;
    names_ = checked(PyTuple_New(static_cast<Py_ssize_t>(named)));
    for (std::size_t i = 0; i < named; ++i) {
      PyTuple_SET_ITEM(names_.ptr(), static_cast<Py_ssize_t>(i), decode(in).release().ptr());
      add(in);
    }
  }
  ~call_arguments() {
    for (std::size_t i = 0; i < count_; ++i) Py_DECREF(args_[2 + i]);
  }
  call_arguments(const call_arguments&) = delete;
  call_arguments& operator=(const call_arguments&) = delete;

  nb::object call(PyObject* function) const {
    return checked(PyObject_Vectorcall(function, args_ + 1,
                                       (1 + positional_) | PY_VECTORCALL_ARGUMENTS_OFFSET, names_.ptr()));
  }

 private:
  void add(decoder& in) { args_[2 + count_] = decode(in).release().ptr(), ++count_; }

  std::array<PyObject*, 10> few_;
  std::vector<PyObject*> many_;
  PyObject** args_ = few_.data();
  std::size_t count_ = 0;
  std::size_t positional_ = 0;
  nb::object names_;
};

/// If the exception being handled ends the program (SystemExit), calls imbrex::exit and returns None as the
/// entry's result. Rethrows others.
nb::object end_of_program_or_rethrow() {
  const std::optional<int> status = status_of_system_exit();
  if (!status) throw;
  imbrex::exit(*status);
  return nb::none();
}

template <class Body, class Made>
void finish_with(Body& ended, Made make) {
  const auto result = [&] {
    try {
      return ended.result();
    } catch (...) {
      return end_of_program_or_rethrow();
    }
  };
  try {
    ended.value = make(result().ptr());
  } catch (...) {
    ended.thrown = travelling_exception(ended.who);
  }
}

}  // namespace

object_base::~object_base() {
  if (self_ == nullptr) return;
  const nb::gil_scoped_acquire lock;
  for (const auto& p : ports_) p->drop_unread();
  reinterpret_cast<chare_object*>(self_)->home = nullptr;
  Py_DECREF(self_);
}

std::string_view object_base::shown_port_name(const void* mailbox) const {
  for (const auto& p : ports_)
    if (&p->values() == mailbox) return p->of().name;
  return {};
}

std::string object_base::who(const member_record& entry) const {
  return element_text(self_proxy()) + ", entry " + entry.name + ", on PE " + std::to_string(pe());
}

void object_base::adopt(class_record& c) {
  class_ = &c;
  auto* const type = reinterpret_cast<PyTypeObject*>(c.type);
  static kept_object kept;
  PyObject* const nothing = kept.get([] { return PyTuple_New(0); });
  self_ = checked(type->tp_new(type, nothing, nullptr)).release().ptr();
  reinterpret_cast<chare_object*>(self_)->home = this;
  ports_.reserve(c.ports.size());
  for (const member_record* const m : c.ports) ports_.push_back(std::make_shared<port>(*m));
  set_ports();
}

void object_base::set_ports() {
  // Bypass the class's __setattr__, which may rely on the constructor, or refuse, as in frozen dataclasses.
  for (const auto& p : ports_) {
    const nb::object name = checked(PyUnicode_InternFromString(p->of().name.c_str()));
    if (PyObject_GenericSetAttr(self_, name.ptr(), new_port_object(p).ptr()) < 0) throw nb::python_error();
  }
}

void object_base::construct(entry_name constructor, const parcel& arguments) {
  interpreter_lock::hold_here();
  const member_record& m = member_of(constructor);
  try {
    adopt(*m.of);
    if (m.function == nullptr) return;
    decoder in(arguments);
    const call_arguments args(self_, in);
    args.call(m.function);
  } catch (...) {
    std::rethrow_exception(travelling_exception(who(m)));
  }
}

nb::object object_base::invoke(const member_record& entry, decoder& arguments) {
  if (interrupts::have_ended_run()) [[unlikely]]
    return nb::none();
  const call_arguments args(self_, arguments);
  try {
    return args.call(entry.function);
  } catch (...) {
    return end_of_program_or_rethrow();
  }
}

nb::object object_base::call_function(const member_record& entry, decoder& arguments) {
  nb::object result = invoke(entry, arguments);
  if (PyCoro_CheckExact(result.ptr()) == 0) [[likely]]
    return result;
  checked(PyObject_CallMethod(result.ptr(), "close", nullptr));  // prevents the warning "never awaited"
  throw nb::type_error((entry.whole_name() + " is not async def, but returned a coroutine, which is not "
                                             "awaited: make it async def, and its decorators, too")
                           .c_str());
}

void object_base::call_and_drop(entry_name which, decoder arguments) {
  const member_record& entry = member_of(which);
  try {
    call_function(entry, arguments);
  } catch (...) {
    std::rethrow_exception(travelling_exception(who(entry)));
  }
}

loaded_parcel object_base::call_plain(entry_name which, decoder arguments) {
  const member_record& entry = member_of(which);
  try {
    return loaded_parcel_of(call_function(entry, arguments).ptr());
  } catch (...) {
    std::rethrow_exception(travelling_exception(who(entry)));
  }
}

contribution object_base::call_plain_for(entry_name which, const operation& by, decoder arguments) {
  const member_record& entry = member_of(which);
  try {
    return contribution_of(by, call_function(entry, arguments).ptr());
  } catch (...) {
    std::rethrow_exception(travelling_exception(who(entry)));
  }
}

nb::object object_base::call_coroutine(const member_record& entry, decoder arguments) {
  try {
    return invoke(entry, arguments);
  } catch (...) {
    std::rethrow_exception(travelling_exception(who(entry)));
  }
}

nb::object object_base::call_for_balancer(PyObject* method, const char* name) const {
  interpreter_lock::hold_here();
  if (method == nullptr) return nb::none();
  try {
    return checked(PyObject_CallOneArg(method, self_));
  } catch (const nb::python_error& e) {
    add_note(e,
             "It came from " + element_text(self_proxy()) + ", " + name + ", on PE " + std::to_string(pe()));
    std::rethrow_exception(travelling_exception(""));
  }
}

std::optional<double> object_base::expected_load() const {
  const nb::object load = call_for_balancer(class_->for_balancers.expected_load, "expected_load");
  if (load.is_none()) return std::nullopt;
  const double seconds = PyFloat_AsDouble(load.ptr());
  if (seconds != -1 || PyErr_Occurred() == nullptr) return seconds;
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "%s.expected_load returned %R: let it return seconds, or None",
               class_->name.c_str(), load.ptr());
  std::rethrow_exception(take_python_error(""));
}

void object_base::departs() const { call_for_balancer(class_->for_balancers.departs, "departs"); }
void object_base::arrived() const { call_for_balancer(class_->for_balancers.arrived, "arrived"); }

void object_base::put_value(entry_name which, std::int64_t reference, loaded_parcel value) {
  ports_[static_cast<std::size_t>(member_of(which).port)]->put(reference, std::move(value));
}

parcel object_base::packed_state(extension::name_writer* names) const {
  interpreter_lock::hold_here();
  const nb::gil_scoped_acquire lock;
  try {
    static module_attribute state_of("imbrex._classes", "state_of");
    const nb::object state = checked(PyObject_CallOneArg(state_of, self_));
    encoder out(names);
    try {
      encode(out, state.ptr());
    } catch (const nb::python_error& e) {
      if (names == nullptr) throw;
      throw error(reason_not_to_save(state.ptr(), e, *names));
    }
    return out.take();
  } catch (...) {
    std::rethrow_exception(travelling_exception(""));
  }
}

void object_base::unpack(entry_name constructor, const parcel& state, extension::name_reader* names) {
  interpreter_lock::hold_here();
  try {
    static module_attribute restore("imbrex._classes", "restore");
    class_record& its = *member_of(constructor).of;
    if (self_ == nullptr) adopt(its);
    if (class_ != &its) throw error("it was saved as a chare of " + its.name);
    const nb::object value = value_of(state, names);
    PyObject* const both[] = {self_, value.ptr()};
    checked(PyObject_Vectorcall(restore, both, 2, nullptr));
    set_ports();  // a __setstate__ may have replaced all attributes
  } catch (...) {
    std::rethrow_exception(travelling_exception(""));
  }
}

port& object_base::port_named(const std::string& name) const {
  for (const auto& p : ports_)
    if (p->of().name == name) return *p;
  throw error("it was saved with a port " + name + ", which the class " + class_->name + " has not");
}

bool object_base::can_merge() const {
  interpreter_lock::hold_here();
  static module_attribute can_merge("imbrex._saving", "can_merge");
  const nb::object answer = checked(PyObject_CallOneArg(can_merge, class_->type));
  return answer.ptr() == Py_True;
}

void object_base::merge_objects(const std::vector<const object_base*>& old) {
  interpreter_lock::hold_here();
  try {
    nb::list all;
    for (const object_base* const each : old) all.append(nb::borrow(each->self()));
    checked(PyObject_CallMethod(self_, "merge", "O", all.ptr()));
  } catch (...) {
    std::rethrow_exception(travelling_exception(element_text(self_proxy()) + ", merge"));
  }
}

void refuse_balance_point(const object_base& of) {
  throw error("balance_point of " + element_text(of.self_proxy()) +
              " is for that chare's own entries, by self.balance_point(...)");
}

void finish(coroutine_entry<loaded_parcel>::body& ended) { finish_with(ended, &loaded_parcel_of); }

void finish(coroutine_entry<contribution>::body& ended) {
  finish_with(ended, [&](PyObject* result) { return contribution_of(ended.by, result); });
}

namespace {

object_base& home_of(PyObject* o) {
  object_base* const home = reinterpret_cast<chare_object*>(o)->home;
  if (home == nullptr)
    throw error(
        std::string("this ") + Py_TYPE(o)->tp_name +
        " is no chare of a run: it was made by calling its class, or its chare has ended. Create chares as "
        "by imbrex.array");
  return *home;
}

template <auto Function>
PyObject* get(PyObject* o, void*) noexcept {
  try {
    return Function(home_of(o)).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* migrate_to(PyObject* o, PyObject* pe) noexcept {
  try {
    const long n = PyLong_Check(pe) != 0 ? PyLong_AsLong(pe) : -1;
    if (PyLong_Check(pe) == 0 || n != static_cast<int>(n) || PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "%s.migrate_to takes the number of a PE, not %R",
                   home_of(o).of().name.c_str(), pe);
      return nullptr;
    }
    home_of(o).migrate_to(static_cast<int>(n));
    Py_RETURN_NONE;
  } catch (...) {
    return raise_current_exception();
  }
}

/// The entry that the bound `method` of this chare is. Throws nb::python_error for anything else.
const member_record& entry_of(const object_base& chare, PyObject* method) {
  const bool is_own = PyMethod_Check(method) != 0 && PyMethod_GET_SELF(method) == chare.self();
  const member_record* its = nullptr;
  if (is_own) its = chare.of().find(checked(PyObject_GetAttrString(method, "__name__")).ptr());
  if (its == nullptr || its->function != PyMethod_GET_FUNCTION(method) ||
      its->kind != member_kind::coroutine) {
    PyErr_Format(PyExc_TypeError,
                 "%s.balance_point takes an async def entry of this chare first, such as self.run, not %R",
                 chare.of().name.c_str(), method);
    throw nb::python_error();
  }
  return *its;
}

PyObject* balance_point(PyObject* o, PyObject* const* args, Py_ssize_t count, PyObject* names) noexcept {
  try {
    object_base& home = home_of(o);
    const member_record& entry = entry_of(home, count > 0 ? args[0] : Py_None);
    encoder arguments;
    encode_arguments(arguments, entry, args + 1, count - 1, names);
    return home.balance_point(entry, arguments).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* destroy(PyObject* o, PyObject*) noexcept {
  try {
    home_of(o).destroy_self();
    Py_RETURN_NONE;
  } catch (...) {
    return raise_current_exception();
  }
}

/// Packs a value. A value that cannot be packed is replaced by an object that raises the exception when
/// unpacked, since the other elements wait for a contribution.
contribution contribution_or_failure(const object_base& from, const operation& by, PyObject* value) {
  try {
    return contribution_of(by, value);
  } catch (...) {
    try {
      std::rethrow_exception(travelling_exception(element_text(from.self_proxy()) + ", all_reduce"));
    } catch (const foreign_error& e) {
      static module_attribute raising("imbrex._errors", "Raising");
      const auto& form = e.form();
      const nb::object instead =
          checked(PyObject_CallFunction(raising, "y#s", reinterpret_cast<const char*>(form.data()),
                                        static_cast<Py_ssize_t>(form.size()), e.what()));
      return contribution_of(by, instead.ptr());
    }
  }
}

PyObject* all_reduce(PyObject* o, PyObject* const* arguments, Py_ssize_t count) noexcept {
  try {
    if (count != 2 && count != 3)
      throw nb::type_error("all_reduce(value, operation), or all_reduce(section, value, operation)");
    object_base& home = home_of(o);
    if (count == 3 && (!is_proxy(arguments[0]) || proxy_in(arguments[0]).kind != proxy_kind::section))
      throw nb::type_error("all_reduce(section, value, operation): the first argument is no section");
    contribution c = contribution_or_failure(home, operation_of(arguments[count - 1]), arguments[count - 2]);
    if (count == 2) return home.all_reduce(std::move(c)).release().ptr();
    return home.all_reduce_over(proxy_in(arguments[0]), std::move(c)).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

void destroyed(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  type->tp_free(o);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"migrate_to", &migrate_to, METH_O,
     "migrate_to(pe): moves this chare to another PE after the current entry, if no entry of it waits then."},
    {"balance_point", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&balance_point)),
     METH_FASTCALL | METH_KEYWORDS,
     "balance_point(entry, ...): a point at which this chare may move or be saved, awaited by its entry. If "
     "the "
     "chare "
     "has requested a move, that entry ends here, and the given one begins on the new PE with these "
     "arguments. Its result is that of the call."},
    {"destroy", &destroy, METH_NOARGS, "Destroys this chare when the current entry next waits or ends."},
    {"all_reduce", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&all_reduce)), METH_FASTCALL,
     "all_reduce([section,] value, operation): reduces a value over all elements. All of them call it, in "
     "the same order."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef attributes[] = {{"where", &get<[](object_base& h) { return h.where(); }>, nullptr,
                             "This chare's index in its array.", nullptr},
                            {"proxy", &get<[](object_base& h) { return new_proxy(h.self_proxy()); }>, nullptr,
                             "The proxy of this chare.", nullptr},
                            {"peers", &get<[](object_base& h) { return new_proxy(h.peers()); }>, nullptr,
                             "The proxy of this chare's array or group.", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void chare_object::define(nb::module_& m) {
  // Inherits `tp_new` from object, which prepares instance attributes for the interpreter's fast paths.
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&destroyed)},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, attributes},
                                {0, nullptr}};
  static PyType_Spec spec{"imbrex._core.ChareBase", sizeof(chare_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release().ptr());
  m.attr("ChareBase") = nb::borrow(reinterpret_cast<PyObject*>(type));
}

}  // namespace imbrex::python
