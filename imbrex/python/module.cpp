// SPDX-License-Identifier: Apache-2.0
// The module imbrex._core, on which the package's Python code builds.
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/driver/enable.hpp>
#include <imbrex/core/extension/report.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/core/pe/executor.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/record/tracing.hpp>
#include <imbrex/core/run/pe_attachment.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/coro/when_all.hpp>
#include <imbrex/coro/when_any.hpp>
#include <imbrex/python/arguments.hpp>
#include <imbrex/python/array_kind.hpp>
#include <imbrex/python/awaitable.hpp>
#include <imbrex/python/balance.hpp>
#include <imbrex/python/checkpoint.hpp>
#include <imbrex/python/coroutine.hpp>
#include <imbrex/python/device_array.hpp>
#include <imbrex/python/failure.hpp>
#include <imbrex/python/interrupts.hpp>
#include <imbrex/python/member.hpp>
#include <imbrex/python/native_class.hpp>
#include <imbrex/python/object_base.hpp>
#include <imbrex/python/port_type.hpp>
#include <imbrex/python/proxy.hpp>
#include <imbrex/python/proxy_type.hpp>
#include <imbrex/python/saved_values.hpp>
#include <imbrex/python/values.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::python {

namespace {

member_definition definition_in(const nb::tuple& m) {
  const auto optional = [&](std::size_t i) { return m[i].is_none() ? nullptr : nb::object(m[i]).ptr(); };
  return {nb::cast<std::string>(m[0]),
          static_cast<member_kind>(nb::cast<int>(m[1])),
          optional(2),
          optional(3),
          nb::cast<std::string>(m[4]),
          nb::cast<int>(m[5]),
          nb::cast<int>(m[6]),
          nb::cast<bool>(m[7])};
}

void define_class_of(const nb::object& type, const std::string& name, const nb::list& members,
                     const nb::tuple& for_balancers, bool in_all_processes) {
  std::vector<member_definition> all;
  for (const nb::handle member : members) all.push_back(definition_in(nb::borrow<nb::tuple>(member)));
  const auto method = [&](std::size_t i) {
    return for_balancers[i].is_none() ? nullptr : nb::object(for_balancers[i]).ptr();
  };
  define_class(type.ptr(), name, all, {method(0), method(1), method(2)}, in_all_processes);
}

/// The arguments of a call that came as a tuple and a dict.
class gathered_arguments {
 public:
  gathered_arguments(const nb::tuple& args, const nb::dict& named) : by_place_(PyTuple_GET_SIZE(args.ptr())) {
    for (Py_ssize_t i = 0; i < by_place_; ++i) values_.push_back(PyTuple_GET_ITEM(args.ptr(), i));
    nb::list names;
    for (const auto& [name, value] : named) {
      names.append(name);
      values_.push_back(value.ptr());
    }
    names_ = nb::tuple(names);
  }
  call_values as_call() const { return {values_.data(), by_place_, names_.ptr()}; }

 private:
  Py_ssize_t by_place_;
  std::vector<PyObject*> values_;
  nb::object names_;
};

/// Throws nb::type_error unless the class has arrays of that many dimensions.
void check_native_shape(const class_record& c, const proxy& shape) {
  if (shape.dimensions == c.native->dimensions()) return;
  throw nb::type_error(("the arrays of " + c.name + " have " + std::to_string(c.native->dimensions()) +
                        " dimensions, and this shape has " + std::to_string(shape.dimensions) +
                        (shape.dimensions == 0 ? ": a C++ class has no arrays with keys in Python" : ""))
                           .c_str());
}

nb::object new_native(class_record& c, proxy chares) {
  chares.of = &c;
  return new_proxy(std::move(chares));
}

nb::object make_array(const nb::object& type, const nb::object& shape, int how, std::string name,
                      const nb::tuple& args, const nb::dict& named) {
  class_record& c = class_of(type.ptr());
  proxy p;
  if (shape.is_none()) {
    p.dimensions = 0;
  } else {
    p.dimensions = read_index(shape.ptr(), p.shape, "a shape");
  }
  const auto layout = static_cast<layout_kind>(how);
  if (c.native != nullptr) {
    check_native_shape(c, p);
    p.of = &c;
    p.kind = proxy_kind::array;
    const gathered_arguments all(args, named);
    p.collection = constructor_of(c).make_array(p, layout, std::move(name), all.as_call());
    return new_proxy(p);
  }
  encoder out;
  if (layout != layout_kind::sparse) encode_arguments(out, c.constructor(), args.ptr(), named.ptr());
  return new_proxy(kind_of(p).make_array(c, p, layout, std::move(name), out));
}

nb::object make_group_of(const nb::object& type, const nb::tuple& args, const nb::dict& named) {
  class_record& c = class_of(type.ptr());
  if (c.native != nullptr)
    return new_native(c, constructor_of(c).make_group(gathered_arguments(args, named).as_call()));
  encoder out;
  encode_arguments(out, c.constructor(), args.ptr(), named.ptr());
  return new_proxy(make_group(c, out));
}

nb::object make_chare_of(const nb::object& type, int pe, int priority, const nb::tuple& args,
                         const nb::dict& named) {
  class_record& c = class_of(type.ptr());
  if (c.native != nullptr)
    return new_native(c, constructor_of(c).make_chare(pe, static_cast<std::int8_t>(priority),
                                                      gathered_arguments(args, named).as_call()));
  encoder out;
  encode_arguments(out, c.constructor(), args.ptr(), named.ptr());
  return new_proxy(make_chare(c, pe, static_cast<std::int8_t>(priority), out));
}

task<nb::object> task_of(nb::object awaitable) {
  coroutine_awaiter whole(std::move(awaitable));
  nb::object result = co_await whole;
  co_return std::move(result);
}

std::vector<task<nb::object>> tasks_of(const nb::args& awaitables) {
  std::vector<task<nb::object>> all;
  for (const nb::handle a : awaitables) {
    const auto* const as_async = Py_TYPE(a.ptr())->tp_as_async;
    if (as_async == nullptr || as_async->am_await == nullptr)
      throw nb::type_error((std::string(Py_TYPE(a.ptr())->tp_name) + " cannot be awaited").c_str());
    take_awaitable(a.ptr());
    all.push_back(task_of(nb::borrow(a)));
  }
  return all;
}

nb::object all_of(const nb::args& awaitables) {
  check_in_run("when_all", "in asyncio, beside a session, use asyncio.gather");
  static kept_object name;
  return awaitable_of(
      when_all(tasks_of(awaitables)),
      [](std::vector<nb::object> results) {
        nb::list all;
        for (auto& r : results) all.append(std::move(r));
        return nb::object(all);
      },
      name.get([] { return PyUnicode_FromString("imbrex.when_all()"); }));
}

nb::object any_of(const nb::args& awaitables) {
  check_in_run("when_any", "in asyncio, beside a session, use asyncio.wait");
  static kept_object name;
  return awaitable_of(
      when_any(tasks_of(awaitables)),
      [](any_result<nb::object> first) {
        return nb::object(nb::make_tuple(first.index, std::move(first.value)));
      },
      name.get([] { return PyUnicode_FromString("imbrex.when_any()"); }));
}

nb::object sleep(const nb::object& seconds) {
  check_in_run("sleep", "in asyncio, beside a session, use asyncio.sleep, and elsewhere time.sleep");
  const double time = PyFloat_AsDouble(seconds.ptr());
  if (time == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "imbrex.sleep takes seconds, a number, not %R", seconds.ptr());
    throw nb::python_error();
  }
  if (std::isnan(time)) throw nb::value_error("imbrex.sleep: the seconds are nan: give a number");
  static kept_object name;
  return awaitable_of(sleep_for(std::chrono::duration<double>(time)), nullptr,
                      name.get([] { return PyUnicode_FromString("imbrex.sleep()"); }));
}

nb::object until_quiet() {
  check_in_run("quiescence", "a session has session.quiescence()");
  static kept_object name;
  return awaitable_of(quiescence(), nullptr,
                      name.get([] { return PyUnicode_FromString("imbrex.quiescence()"); }));
}

nb::object rebalance_array(const nb::object& array) {
  check_in_run("rebalance", "a session has no such call");
  if (!is_proxy(array.ptr()) || proxy_in(array.ptr()).kind != proxy_kind::array) {
    PyErr_Format(PyExc_TypeError, "imbrex.rebalance takes an array, not %R", array.ptr());
    throw nb::python_error();
  }
  static kept_object name;
  const proxy& p = proxy_in(array.ptr());
  return operations_of(p).rebalance(p, name.get([] { return PyUnicode_FromString("imbrex.rebalance()"); }));
}

void exit_with(const nb::object& status) {
  int overflow = 0;
  const long n = PyLong_Check(status.ptr()) != 0 ? PyLong_AsLongAndOverflow(status.ptr(), &overflow) : 0;
  if (PyLong_Check(status.ptr()) == 0 || overflow != 0) {
    PyErr_Format(PyExc_TypeError, "imbrex.exit takes a status from 0 to 255, not %R", status.ptr());
    throw nb::python_error();
  }
  imbrex::exit(n);
}

/// The Python main task, shared by the run's thread and the caller of `run`.
struct main_program {
  nb::object function;
  nb::object result;
  std::unique_ptr<coroutine_awaiter> body;
};

/// The exception being handled, in the form that can be sent. A UsageError becomes one of C++, whose text is
/// for the user.
std::exception_ptr exception_of_main() {
  try {
    throw;
  } catch (nb::python_error& e) {
    static module_attribute usage("imbrex._errors", "UsageError");
    PyObject* const type = usage;
    if (!e.matches(type)) return travelling_exception("");
    return std::make_exception_ptr(usage_error(nb::str(e.value()).c_str()));
  } catch (...) {
    return travelling_exception("");
  }
}

/// Runs the main task and returns the exit status. Throws exceptions in the form that can be sent.
task<int> run_main(main_program& main) {
  struct frame {
    explicit frame(main_program& of) : its(of) {}
    /// Destroys the coroutine with the lock held, since any thread may destroy the frame.
    ~frame() {
      const nb::gil_scoped_acquire lock;
      its.body.reset();
    }
    main_program& its;
  } const whole(main);
  std::optional<int> ends_at_once;
  try {
    nb::object call_result = checked(PyObject_CallNoArgs(main.function.ptr()));
    if (PyCoro_CheckExact(call_result.ptr()))
      main.body = std::make_unique<coroutine_awaiter>(std::move(call_result));
    else
      main.result = std::move(call_result);
  } catch (...) {
    ends_at_once = status_of_system_exit();
    if (!ends_at_once) std::rethrow_exception(exception_of_main());
  }
  if (!main.body) co_return ends_at_once.value_or(0);
  std::exception_ptr thrown;
  int status = 0;
  try {
    main.result = co_await *main.body;
  } catch (...) {
    if (const auto ends = status_of_system_exit())
      status = *ends;
    else
      thrown = exception_of_main();
  }
  if (thrown) std::rethrow_exception(std::move(thrown));
  co_return status;
}

/// A Python function posted to a PE. Its destructor may run on a thread without the interpreter's lock.
class posted_call {
 public:
  explicit posted_call(nb::object function) : function_(std::move(function)) {}
  posted_call(posted_call&&) noexcept = default;
  posted_call& operator=(posted_call&&) = delete;
  ~posted_call() {
    if (!function_) return;
    const nb::gil_scoped_acquire lock;
    function_.reset();
  }

  template <class... A>
  void operator()(const A&... arguments) const {
    try {
      function_(arguments...);
    } catch (...) {
      std::rethrow_exception(travelling_exception("a posted function"));
    }
  }

 private:
  nb::object function_;
};

bool post(const executor& to, nb::object function) {
  posted_call call(std::move(function));
  const nb::gil_scoped_release unlocked;
  return to.post(std::move(call));
}

/// Calls `tell` on this PE with two lists of lines: exceptions held back for other replies, and waiting
/// entries.
void ask_who_waits(nb::object tell) {
  const auto call = std::make_shared<posted_call>(std::move(tell));
  extension::ask_who_waits([call](extension::known_waits&& all) { (*call)(all.thrown, all.waits); });
}

/// True if a global lock is active; a free-threaded Python enables it on request, or for a library that needs
/// it.
bool has_global_lock() {
#if defined(Py_GIL_DISABLED)
  return nb::cast<bool>(nb::module_::import_("sys").attr("_is_gil_enabled")());
#else
  return true;
#endif
}

/// Limits a process to one PE if Python has a global lock and all chares are of Python. Throws usage_error
/// for more.
void check_pes(options& settings) {
  if (settings.machine != machine_kind::threads || !has_global_lock()) return;
  if (interpreter_lock::knows_classes_of_cpp()) {
    if (settings.pes < 1) settings.pes = 1;
    return;
  }
  if (settings.pes > 1)
    throw usage_error("--pes " + std::to_string(settings.pes) +
                      ": this Python has a global lock, so a process has one PE: start more processes, as by "
                      "imbrex run -n " +
                      std::to_string(settings.pes));
  settings.pes = 1;
  settings.source.one_pe_a_process = true;
}

/// Parses a command line: returns the settings and the remaining words.
nb::tuple parse(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  char** all = argv.data();
  options settings = parse_options(argc, all);
  refuse_near_misses(argc, all);
  check_pes(settings);
  nb::list left;
  for (int i = 0; i < argc; ++i) left.append(nb::str(all[i]));
  return nb::make_tuple(std::move(settings), left);
}

/// Runs `function` as the main task. Returns the status and the result, which is None unless this process ran
/// it.
nb::tuple run_program(nb::object function, const options& settings) {
  if (detail::scheduler::current() != nullptr)
    throw error("imbrex.run was called in a run: call it once, outside");
  note_process_of_run();
  main_program main{std::move(function), nb::none(), nullptr};
  int status = 0;
  balance::enable();
  checkpoints::enable();
  {
    const nb::gil_scoped_release unlocked;
    interrupts ends(num_processes() == 1);
    std::vector<std::unique_ptr<interpreter_lock>> locks;
    std::vector<std::unique_ptr<end_of_awaitables>> ends_of_awaitables;
    const bool has_several_pes = settings.pes != 1;
    const pe_attachment attachment([&](detail::scheduler& pe) {
      if (pe.pe() == detail::scheduler::no_pe) return;
      ends.watch(pe);
      pe.attach(*locks.emplace_back(std::make_unique<interpreter_lock>(pe, has_several_pes)),
                interpreter_lock::knows_classes_of_cpp() ? observed::items : observed::thread);
      pe.attach(*ends_of_awaitables.emplace_back(std::make_unique<end_of_awaitables>(pe)), observed::thread);
    });
    status = imbrex::run(settings, [&] { return run_main(main); });
  }
  interrupts::raise_what_came();
  return nb::make_tuple(status, main.result);
}

/// A phase of the trace; the context manager imbrex.phase.
class recorded_phase {
 public:
  recorded_phase(std::string name, std::int64_t value) : name_(std::move(name)), value_(value) {}
  void begin() { its_.emplace(name_, value_); }
  void end() { its_.reset(); }

 private:
  std::string name_;
  std::int64_t value_;
  std::optional<trace::phase> its_;
};

void define_phases(nb::module_& m) {
  nb::class_<recorded_phase>(m, "Phase",
                             "with phase(name, value=0): a named part of the run in its trace, with a number "
                             "such as that of an iteration. It may contain an await. Without --trace it does "
                             "nothing.")
      .def(nb::init<std::string, std::int64_t>(), nb::arg("name"), nb::arg("value") = 0)
      .def("__enter__",
           [](nb::handle self) {
             nb::cast<recorded_phase&>(self).begin();
             return nb::borrow(self);
           })
      .def("__exit__", [](recorded_phase& self, const nb::args&) { self.end(); });
  m.def(
      "mark", [](const std::string& name, std::int64_t value) { trace::mark(name, value); },
      "mark(name, value=0): a moment under a name in the trace of the run.", nb::arg("name"),
      nb::arg("value") = 0);
  m.def("is_traced", [] { return extension::run_handle::here().is_traced(); });
  m.def("begin_turn", [](const std::string& entry, std::uint32_t collection, std::uint64_t element) {
    return extension::begin_turn(entry, collection, element);
  });
  m.def("end_turn", &extension::end_turn);
  m.def("resume_turn", [](const std::string& entry, std::uint32_t collection, std::uint64_t element) {
    return extension::resume_turn(entry, collection, element);
  });
  m.def("suspend_turn",
        [](const std::string& entry, std::uint32_t collection, std::uint64_t element, bool has_ended) {
          extension::suspend_turn(entry, collection, element, has_ended);
        });
  m.def("name_turns", [](std::uint32_t collection, const std::string& class_name, std::uint64_t element,
                         const std::string& element_name) {
    extension::name_turns(collection, class_name, element, element_name);
  });
}

void define_functions(nb::module_& m) {
  m.def("define_class", &define_class_of);
  m.def("replace_class",
        [](const nb::object& old, const nb::object& by) { replace_class(class_of(old.ptr()), by.ptr()); });
  m.def("set_constructor", [](const nb::object& type, const nb::tuple& constructor) {
    set_constructor(class_of(type.ptr()), definition_in(constructor));
  });
  m.def("make_array", &make_array, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
  m.def("make_group", &make_group_of);
  m.def("make_chare", &make_chare_of);
  m.def("when_all", &all_of);
  m.def("when_any", &any_of);
  m.def("sleep", &sleep, nb::arg("seconds").none());
  m.def("quiescence", &until_quiet);
  m.def(
      "rebalance", &rebalance_array,
      "Balances the elements of an array once, now. Returns an awaitable of a RebalanceResult. The strategy "
      "is that of --balance; without the option nothing moves. Elements that are busy may move later.",
      nb::arg("array").none());
  m.def("ask_who_waits", &ask_who_waits);
  m.def("now", [] { return seconds(); });
  m.def("pe", [] {
    check_in_run("pe", "a program beside a session is on no PE");
    return pe();
  });
  m.def("num_pes", [] {
    check_in_run("num_pes", "a session has session.num_pes");
    return num_pes();
  });
  m.def("process", [] { return process(); });
  m.def("num_processes", [] { return num_processes(); });
  m.def("in_run", [] { return detail::scheduler::current() != nullptr; });
  m.def("on_threads", [] { return extension::run_handle::here().is_on_threads(); });
  m.def("exit", &exit_with, nb::arg("status").none());
  nb::class_<executor>(m, "Executor",
                       "Posts functions from other threads to the PE that made the executor. While one is "
                       "held, neither quiescence nor deadlock is detected.")
      .def("post", &post,
           "post(function): posts the function and returns at once. False if the run has ended.");
  m.def("make_executor", &make_executor);
  nb::class_<options>(m, "Settings");
  m.def("parse", &parse);
  m.def("run", &run_program, nb::arg("main").none(), nb::arg("settings"));
  m.def("options_help", [] { return options_help(); });
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // objects in a program's globals at its end are no leaks
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception&) {
      raise_current_exception();
    }
  });
  moved_object::define(m);
  awaitable_object::define(m);
  chare_object::define(m);
  port_object::define(m);
  device_array_object::define(m);
  member_object::define(m);
  define_proxies(m);
  define_functions(m);
  define_phases(m);
  define_balance(m);
  define_checkpoints(m);
  define_saved_values(m);
}

}  // namespace imbrex::python
