// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/device_array.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/device.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/device/error.hpp>
#include <imbrex/python/awaitable.hpp>
#include <imbrex/python/dlpack.hpp>
#include <imbrex/python/numpy.hpp>

namespace imbrex::python {

namespace {

constexpr std::size_t most_dimensions = 64;  ///< NumPy's limit

device_array& of(PyObject* o) { return reinterpret_cast<device_array_object*>(o)->its; }

nb::object new_device_array(array_form form, detail::attachment memory) {
  auto* const o = PyObject_New(device_array_object, device_array_object::type);
  if (o == nullptr) throw nb::python_error();
  ::new (&o->its) device_array{std::move(form), std::move(memory)};
  return nb::steal(reinterpret_cast<PyObject*>(o));
}

detail::attachment new_memory(const array_form& form) {
  device& here = gpu();  // also if there are no elements: throws if there is no device
  return form.bytes() == 0 ? detail::attachment() : detail::attachment(here, form.bytes(), 1);
}

device_span<std::byte> span_of(detail::attachment& memory) {
  return {static_cast<std::byte*>(memory.address()), memory.bytes(), memory.device()};
}

/// Blocks until the work now in the stream is done.
void synchronize(stream& work) {
  const nb::gil_scoped_release unlocked;
  work.synchronize();
}

/// Starts a copy of the contents into new memory. Later work on the array's streams runs after the copy. If
/// those streams are unknown, returns after the copy.
detail::attachment copy_of(device_view&& from) {
  detail::attachment copy = new_memory(from.form);
  if (from.form.bytes() == 0) return copy;
  stream& out = extension::transfers_here().out;
  out.copy(span_of(copy), device_span<const std::byte>(from.span()));
  copy.ready_after(out);
  fill_after(from.owner.ptr(), out);
  if (from.writers)
    out.delay(*from.writers);
  else if (!is_device_array(from.owner.ptr()) || of(from.owner.ptr()).was_shown)
    synchronize(out);
  if (!is_device_array(from.owner.ptr())) keep_until_done(std::move(from.owner), out);
  return copy;
}

}  // namespace

void keep_until_done(nb::object what, stream& work) {
  static constexpr auto release = [](void* kept) noexcept {
    const nb::gil_scoped_acquire lock;
    Py_DECREF(static_cast<PyObject*>(kept));
  };
  PyObject* const kept = what.release().ptr();
  try {
    if (extension::notify_here(work, {[](void* k, const std::exception_ptr&) { release(k); },
                                      [](void* k) noexcept { release(k); }, kept}) == nullptr)
      release(kept);
  } catch (...) {  // the device has failed and runs nothing any more
    release(kept);
    throw;
  }
}

void device_array::check() const {
  if (is_moved_from)
    throw error("the device array " + form.text() + " was given away by imbrex.give, and is the receiver's");
  if (memory.on() != nullptr) check_on_gpu(memory.on()->info(), "the device array " + form.text());
}

void device_array::order(stream& work) const {
  work.wait(memory.ready());
  if (!was_shown || has_order || memory.on() == nullptr) return;
  static module_attribute finish("imbrex._device", "finish_libraries");
  const device_info& on = memory.on()->info();
  static_cast<void>(checked(PyObject_CallFunction(finish, "si", on.backend.c_str(), on.index)));
}

std::optional<device_view> any_view_of(PyObject* o, stream& order) {
  if (!is_device_array(o)) return view_of(o, order);
  device_array& a = of(o);
  a.check();
  a.order(order);
  return device_view{a.form, a.memory.on() == nullptr ? nullptr : a.memory.address(), false, nb::borrow(o),
                     std::nullopt};
}

void fill_after(PyObject* o, stream& work) {
  if (is_device_array(o)) of(o).memory.ready_after(work);
}

void encode_form(encoder& out, const array_form& form) {
  out.number(tag::device_array);
  out.number(static_cast<std::uint8_t>(form.type));
  out.number(static_cast<std::uint8_t>(form.shape.size()));
  out.raw(form.shape.data(), sizeof(Py_ssize_t) * form.shape.size());
}

array_form decode_form(decoder& in) {
  array_form form;
  form.type = in.number<std::uint8_t>();
  form.element_size = numpy::element_size(form.type);
  form.shape.resize(in.number<std::uint8_t>());
  if (form.shape.size() > most_dimensions)
    throw nb::value_error("a device array that came has too many dimensions");
  const std::size_t bytes = sizeof(Py_ssize_t) * form.shape.size();
  if (bytes != 0) std::memcpy(form.shape.data(), in.raw(bytes), bytes);
  form.check();
  return form;
}

bool encode_device_array(encoder& out, PyObject* o) {
  const bool has_device =
      detail::scheduler::current() != nullptr && detail::scheduler::current()->completions() != nullptr;
  if (!has_device) return false;
  auto from = any_view_of(o, extension::transfers_here().out);
  if (!from) return false;
  encode_form(out, from->form);
  out.add(copy_of(std::move(*from)));
  return true;
}

// These functions of `encoder` stand here since only this file knows imbrex.DeviceArray's memory.

void encoder::add_moved_array(nb::object array) {
  device_array& a = of(array.ptr());
  moved_arrays_.push_back({std::move(array), arrays_.size()});
  arrays_.push_back(std::move(a.memory));
  a.is_moved_from = true;
}

void encoder::give_back() noexcept {
  for (const argument& each : moved_arrays_) {
    device_array& a = of(each.from.ptr());
    if (each.place < arrays_.size()) a.memory = std::move(arrays_[each.place]);
    a.is_moved_from = false;
  }
}

void encode_moved_array(encoder& out, PyObject* o) {
  device_array& a = of(o);
  a.check();
  if (a.shown != 0)
    throw error("the device array " + a.form.text() +
                " cannot be given away: another library still holds its memory by DLPack; delete that "
                "library's array, or send without imbrex.give, which copies");
  encode_form(out, a.form);
  out.add_moved_array(nb::borrow(o));
}

nb::object decode_device_array(decoder& in) {
  array_form form = decode_form(in);
  detail::attachment memory = in.next_array();
  extension::land_attachment(memory);
  if (memory.bytes() != form.bytes())
    throw nb::value_error("a device array that came has another size than its shape");
  return new_device_array(std::move(form), std::move(memory));
}

namespace {

void destroyed(PyObject* o) {
  of(o).~device_array();
  PyTypeObject* const type = Py_TYPE(o);
  PyObject_Free(o);
  Py_DECREF(type);
}

/// Makes a device array from a copy of a host or device array.
nb::object make_device_array(const nb::object& from) {
  if (auto shown = any_view_of(from.ptr(), extension::transfers_here().out)) {
    array_form form = shown->form;
    detail::attachment copy = copy_of(std::move(*shown));
    return new_device_array(std::move(form), std::move(copy));
  }
  const nb::object host = numpy::in_rows(from.ptr());
  const array_form form{numpy::type_of(host), numpy::element_size(numpy::type_of(host)),
                        numpy::shape_of(host)};
  detail::attachment memory = new_memory(form);
  if (form.bytes() != 0) {
    stream& in = extension::transfers_here().in;
    pinned_buffer<std::byte> pinned(gpu(), form.bytes());
    if (gpu().info().keeps_data) std::memcpy(pinned.span().data(), numpy::elements_of(host), form.bytes());
    spend_copy(form.bytes());
    in.copy(span_of(memory), pinned_span<const std::byte>(pinned.span()));
    memory.ready_after(in);
  }
  return new_device_array(form, std::move(memory));
}

/// A device array's contents in transfer to the host.
class reading {
 public:
  explicit reading(device_array& from) : form_(from.form), pinned_(gpu(), form_.bytes()) {
    if (form_.bytes() == 0) return;
    stream& out = extension::transfers_here().out;
    from.order(out);
    out.copy(pinned_.span(), device_span<const std::byte>(span_of(from.memory)));
    from.memory.ready_after(out);  // later writers wait for the copy
  }
  /// The host array; call once the transfer is done.
  nb::object array() const {
    nb::object host = numpy::new_array(form_.type, form_.shape);
    if (form_.bytes() != 0 && gpu().info().keeps_data)
      std::memcpy(numpy::elements_of(host), pinned_.span().data(), form_.bytes());
    spend_copy(form_.bytes());
    return host;
  }

 private:
  const array_form form_;
  pinned_buffer<std::byte> pinned_;
};

task<nb::object> read_later(std::unique_ptr<reading> what) {
  co_await extension::transfers_here().out.done();
  co_return what->array();
}

PyObject* copy_to_host(PyObject* o, PyObject*) noexcept {
  try {
    static kept_object kept;
    PyObject* const name = kept.get([] { return PyUnicode_InternFromString("DeviceArray.copy_to_host()"); });
    of(o).check();
    return awaitable_of(
               read_later(std::make_unique<reading>(of(o))), [](nb::object host) { return host; }, name)
        .release()
        .ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

/// Blocks until the operations that fill the array are done.
void wait_here(const device_array& a) {
  if (a.memory.ready().done()) return;
  stream& in = extension::transfers_here().in;
  in.wait(a.memory.ready());
  synchronize(in);
}

PyObject* to_numpy(PyObject* o, PyObject*) noexcept {
  try {
    of(o).check();
    const reading what(of(o));
    synchronize(extension::transfers_here().out);
    return what.array().release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* ready_after(PyObject* o, PyObject* work) noexcept {
  try {
    device_array& a = of(o);
    a.check();
    stream& out = extension::transfers_here().out;
    out.wait(a.memory.ready());
    out.wait(native_stream_of(work));
    a.memory.ready_after(out);
    a.has_order = true;
    return Py_NewRef(o);
  } catch (...) {
    return raise_current_exception();
  }
}

nb::object shape_tuple(const array_form& form) {
  nb::object all = checked(PyTuple_New(static_cast<Py_ssize_t>(form.shape.size())));
  for (std::size_t d = 0; d < form.shape.size(); ++d)
    PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(d),
                     checked(PyLong_FromSsize_t(form.shape[d])).release().ptr());
  return all;
}

void* address_of(const device_array& a) { return a.memory.on() == nullptr ? nullptr : a.memory.address(); }

nb::object interface_of(device_array& a) {
  a.check();
  a.show();
  nb::dict all;
  all["shape"] = shape_tuple(a.form);
  all["typestr"] = nb::object(numpy::dtype_of(a.form.type).attr("str"));
  all["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(address_of(a)), false);
  all["strides"] = nb::none();
  all["version"] = 3;
  all["stream"] = nb::none();
  if (!a.memory.ready().done()) {
    stream& in = extension::transfers_here().in;
    in.wait(a.memory.ready());
    all["stream"] = reinterpret_cast<std::uintptr_t>(in.native().handle);
  }
  return all;
}

/// The device in DLPack's terms. Memory of emulated devices is the host's.
nb::dlpack::device dlpack_device_of(const device_array& a) {
  const device_info& on = a.memory.on() != nullptr ? a.memory.on()->info() : gpu().info();
  if (on.backend == "cuda") return {nb::device::cuda::value, on.index};
  if (on.backend == "hip") return {nb::device::rocm::value, on.index};
  return {nb::device::cpu::value, 0};
}

nb::dlpack::dtype dlpack_type_of(const array_form& form) {
  using code = nb::dlpack::dtype_code;
  const std::string kind = nb::str(nb::object(numpy::dtype_of(form.type).attr("kind"))).c_str();
  const auto is = kind == "i"   ? code::Int
                  : kind == "u" ? code::UInt
                  : kind == "f" ? code::Float
                  : kind == "c" ? code::Complex
                                : code::Bool;
  return {static_cast<std::uint8_t>(is), static_cast<std::uint8_t>(8 * form.element_size), 1};
}

[[noreturn]] void refuse_exchange(const std::string& why) {
  PyErr_SetString(PyExc_BufferError, why.c_str());
  throw nb::python_error();
}

/// The tensor that a DLPack capsule shows, in the requested version. Keeps the array alive.
template <class Managed>
struct shown_array {
  nb::object owner;
  std::vector<std::int64_t> shape;
  Managed managed{};

  static void end(Managed* managed) {
    const nb::gil_scoped_acquire lock;
    const std::unique_ptr<shown_array> ended(static_cast<shown_array*>(managed->context));
    --of(ended->owner.ptr()).shown;
  }
};

/// Makes a capsule. A consumer renames it; the destructor frees the tensor only if the name is unchanged.
template <class Managed, const char* const& Name>
nb::object capsule_of(PyObject* o) {
  device_array& a = of(o);
  auto shown = std::make_unique<shown_array<Managed>>();
  shown->owner = nb::borrow(o);
  shown->shape.assign(a.form.shape.begin(), a.form.shape.end());
  shown->managed.context = shown.get();
  shown->managed.deleter = &shown_array<Managed>::end;
  auto& tensor = shown->managed.tensor;
  tensor.data = address_of(a);
  tensor.device = dlpack_device_of(a);
  tensor.ndim = static_cast<std::int32_t>(shown->shape.size());
  tensor.dtype = dlpack_type_of(a.form);
  tensor.shape = shown->shape.data();
  if constexpr (requires { shown->managed.major; }) {
    shown->managed.major = nb::dlpack::major_version;
    shown->managed.minor = nb::dlpack::minor_version;
  }
  nb::object capsule = checked(PyCapsule_New(&shown->managed, Name, [](PyObject* c) {
    if (PyCapsule_IsValid(c, Name) == 0) return;
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(c, Name));
    managed->deleter(managed);
  }));
  a.show();
  ++a.shown;
  static_cast<void>(shown.release());
  return capsule;
}

nb::object show_by_dlpack(PyObject* o, bool has_version) {
  device_array& a = of(o);
  a.check();
  if (a.memory.on() != nullptr && !a.memory.on()->info().keeps_data)
    refuse_exchange("the devices of this run keep no data (--no-data), so that there is none to export");
  wait_here(a);
  return has_version ? capsule_of<dlpack_versioned, dlpack_versioned_fresh>(o)
                     : capsule_of<dlpack_managed, dlpack_fresh>(o);
}

PyObject* dlpack(PyObject* o, PyObject* argument, PyObject* named) noexcept {
  try {
    static const char* const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
    PyObject* stream = Py_None;
    PyObject* version = Py_None;
    PyObject* where = Py_None;
    PyObject* copy = Py_None;
    if (PyArg_ParseTupleAndKeywords(argument, named, "|$OOOO", const_cast<char**>(names), &stream, &version,
                                    &where, &copy) == 0)
      throw nb::python_error();
    const auto own = dlpack_device_of(of(o));
    if (where != Py_None && nb::cast<std::pair<int, int>>(nb::handle(where)) !=
                                std::pair<int, int>(own.device_type, own.device_id))
      refuse_exchange("a device array can be exported only on its own device");
    if (copy == Py_True)
      refuse_exchange("a device array is exported without a copy; copy the resulting array");
    const bool has_version =
        version != Py_None && nb::cast<std::pair<int, int>>(nb::handle(version)).first >= 1;
    return show_by_dlpack(o, has_version).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* dlpack_device(PyObject* o, PyObject*) noexcept {
  try {
    const auto own = dlpack_device_of(of(o));
    return Py_BuildValue("ii", own.device_type, own.device_id);
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* refuse_pickle(PyObject* o, PyObject*) noexcept {
  try {
    PyErr_Format(
        PyExc_TypeError,
        "the device array %s cannot be pickled: give it to an entry, mailbox or channel as an argument "
        "or in a tuple, and take it out of a chare that moves",
        of(o).form.text().c_str());
    return nullptr;
  } catch (...) {
    return raise_current_exception();
  }
}

template <auto Function>
PyObject* get(PyObject* o, void*) noexcept {
  try {
    return nb::cast(Function(of(o))).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* text(PyObject* o) noexcept {
  try {
    return PyUnicode_FromFormat("<device array %s%s>", of(o).form.text().c_str(),
                                of(o).is_moved_from ? ", given away" : "");
  } catch (...) {
    return raise_current_exception();
  }
}

PyMethodDef methods[] = {
    {"copy_to_host", &copy_to_host, METH_NOARGS,
     "Awaits a copy in a NumPy array. Other entries run meanwhile."},
    {"numpy", &to_numpy, METH_NOARGS,
     "A copy in a NumPy array, made at once; the PE waits meanwhile. For plain entries, which cannot await."},
    {"ready_after", &ready_after, METH_O,
     "ready_after(stream): declares that the contents are complete when that stream has finished its earlier "
     "work."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&dlpack)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", &dlpack_device, METH_NOARGS, nullptr},
    {"__reduce__", &refuse_pickle, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef attributes[] = {
    {"shape", &get<[](device_array& a) { return shape_tuple(a.form); }>, nullptr, "The extents.", nullptr},
    {"dtype", &get<[](device_array& a) { return numpy::dtype_of(a.form.type); }>, nullptr,
     "The type of the elements.", nullptr},
    {"size", &get<[](device_array& a) { return a.form.elements(); }>, nullptr, "The number of elements.",
     nullptr},
    {"nbytes", &get<[](device_array& a) { return a.form.bytes(); }>, nullptr, "The number of bytes.",
     nullptr},
    {"__cuda_array_interface__", &get<&interface_of>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

/// Awaits the work now in stream `of` through a stream of its own, since `of` may take long.
task<> end_of_stream(native_stream of) {
  stream behind(gpu(), stream_priority::normal, "imbrex.stream");
  behind.wait(of);
  co_await behind.done();
}

}  // namespace

void device_array_object::define(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&destroyed)},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, attributes},
                                {Py_tp_repr, reinterpret_cast<void*>(&text)},
                                {0, nullptr}};
  static PyType_Spec spec{"imbrex.DeviceArray", sizeof(device_array_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release().ptr());
  m.attr("DeviceArray") = nb::borrow(reinterpret_cast<PyObject*>(type));
  m.def("device_array", &make_device_array);
  m.def("stream", [](const nb::int_& handle) {
    static kept_object kept;
    PyObject* const name = kept.get([] { return PyUnicode_InternFromString("imbrex.stream()"); });
    return awaitable_of(end_of_stream(native_stream_of(handle.ptr())), nullptr, name);
  });
}

}  // namespace imbrex::python
