// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/numpy.hpp>

#include <cstring>
#include <memory>
#include <span>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

namespace imbrex::python::numpy {

namespace {

constexpr int most_dimensions = 64;     ///< NumPy's limit
constexpr std::uint8_t in_columns = 1;  ///< Fortran order

/// Imports NumPy's C functions, and NumPy itself if no one has.
void load() {
  if (PyArray_API != nullptr) return;
  if (_import_array() < 0) throw nb::python_error();
}

/// True for numbers whose bytes mean the same in each process.
bool is_plain(int type) { return (type >= NPY_BOOL && type <= NPY_CLONGDOUBLE) || type == NPY_HALF; }

/// Maps NumPy's two numbers of one 64-bit type to the first.
int first_number(int type) {
  static_assert(NPY_SIZEOF_LONG == NPY_SIZEOF_LONGLONG);
  return type == NPY_LONGLONG ? NPY_LONG : type == NPY_ULONGLONG ? NPY_ULONG : type;
}

/// True for numbers that devices have.
bool is_for_devices(int type) { return is_plain(type) && type != NPY_LONGDOUBLE && type != NPY_CLONGDOUBLE; }

bool is_named(PyObject* o, const char* name) { return std::strcmp(Py_TYPE(o)->tp_name, name) == 0; }

/// Marks a type that is sent as text instead of its number.
constexpr std::uint8_t other_type = 255;
constexpr const char* block_name = "imbrex._core.block";  ///< capsule that owns a message's memory

/// True if the type carries metadata, such as the names of an h5py enumeration.
bool has_metadata(PyArray_Descr* d) { return PyDataType_METADATA(d) != nullptr; }

/// True if the bytes mean the same in each process, and the type needs more than a number. Such types are
/// numbers of the other byte order, texts, times, and records of all these.
bool has_named_type(PyArrayObject* a) {
  PyArray_Descr* const d = PyArray_DESCR(a);
  const int type = d->type_num;
  return (is_plain(type) || type == NPY_STRING || type == NPY_UNICODE || type == NPY_VOID ||
          type == NPY_DATETIME || type == NPY_TIMEDELTA) &&
         !PyDataType_REFCHK(d) && PyDataType_ELSIZE(d) > 0;
}

/// The type as text, such as ">f8". Records and types with metadata have no such text and are pickled.
nb::object text_of_type(PyArray_Descr* d) {
  PyObject* const type = reinterpret_cast<PyObject*>(d);
  if (!PyDataType_HASFIELDS(d) && !has_metadata(d)) {
    const nb::object text = checked(PyObject_GetAttrString(type, "str"));
    return checked(PyUnicode_AsUTF8String(text.ptr()));
  }
  static module_attribute dumps("pickle", "dumps");
  return checked(PyObject_CallOneArg(dumps, type));
}

constexpr std::byte pickle_begins{0x80};

nb::object type_of_text(std::span<const std::byte> text) {
  const auto* const first = reinterpret_cast<const char*>(text.data());
  const auto size = static_cast<Py_ssize_t>(text.size());
  if (!text.empty() && text[0] == pickle_begins) {
    static module_attribute loads("pickle", "loads");
    return checked(PyObject_CallFunction(loads, "y#", first, size));
  }
  const nb::object name = checked(PyUnicode_FromStringAndSize(first, size));
  PyArray_Descr* found = nullptr;
  if (PyArray_DescrConverter(name.ptr(), &found) == NPY_FAIL) throw nb::python_error();
  return nb::steal(reinterpret_cast<PyObject*>(found));
}

/// True if the array owns its memory, or a message's memory alone. Only views of the array share it.
bool has_memory_for_itself(PyArrayObject* a) {
  PyObject* const base = PyArray_BASE(a);
  return base == nullptr ? PyArray_CHKFLAGS(a, NPY_ARRAY_OWNDATA) : PyCapsule_IsValid(base, block_name) != 0;
}

/// A block that shares the memory of a moved array, and keeps the array alive.
bytes_block share_moved_array(PyArrayObject* a) {
  PyArray_CLEARFLAGS(a, NPY_ARRAY_WRITEABLE);
  Py_INCREF(a);
  const auto release = [a](std::byte*) {
    const PyGILState_STATE state = PyGILState_Ensure();  // a network thread may release the block
    Py_DECREF(a);
    PyGILState_Release(state);
  };
  return {std::shared_ptr<std::byte>(static_cast<std::byte*>(PyArray_DATA(a)), release),
          static_cast<std::size_t>(PyArray_NBYTES(a))};
}

struct head {
  nb::object type;
  int dimensions = 0;
  bool is_in_columns = false;
  npy_intp shape[most_dimensions] = {};
};

head decode_head(decoder& in) {
  load();
  head h;
  const int type = in.number<std::uint8_t>();
  h.is_in_columns = in.number<std::uint8_t>() == in_columns;
  h.dimensions = in.number<std::uint8_t>();
  if (h.dimensions > most_dimensions) throw nb::value_error("an array that came has too many dimensions");
  std::memcpy(h.shape, in.raw(sizeof(npy_intp) * static_cast<std::size_t>(h.dimensions)),
              sizeof(npy_intp) * static_cast<std::size_t>(h.dimensions));
  if (type == other_type) {
    const auto size = in.number<std::uint32_t>();
    h.type = type_of_text({in.raw(size), size});
  } else {
    h.type = dtype_of(type);
  }
  return h;
}

/// `elements`: null if the array allocates its memory.
nb::object new_array(head& h, std::byte* elements, int flags) {
  return checked(PyArray_NewFromDescr(&PyArray_Type, reinterpret_cast<PyArray_Descr*>(h.type.release().ptr()),
                                      h.dimensions, h.shape, nullptr, elements, flags, nullptr));
}

nb::object copied_array(head& h, const std::byte* elements, std::size_t bytes) {
  nb::object a = new_array(h, nullptr, h.is_in_columns ? NPY_ARRAY_F_CONTIGUOUS : 0);
  auto* const array = reinterpret_cast<PyArrayObject*>(a.ptr());
  if (static_cast<std::size_t>(PyArray_NBYTES(array)) != bytes)
    throw nb::value_error("an array that came has another size than its shape");
  std::memcpy(PyArray_DATA(array), elements, bytes);
  return a;
}

}  // namespace

bool is_array(PyObject* o) { return is_named(o, "numpy.ndarray"); }
bool is_scalar(PyObject* o) {
  return std::strncmp(Py_TYPE(o)->tp_name, "numpy.", 6) == 0 && !PyType_Check(o) && !is_array(o);
}

int plain_type_of(PyObject* o) {
  load();
  PyArray_Descr* found = nullptr;
  if (PyArray_DescrConverter(o, &found) == NPY_FAIL) throw nb::python_error();
  const nb::object type = nb::steal(reinterpret_cast<PyObject*>(found));
  return is_for_devices(found->type_num) && PyArray_ISNBO(found->byteorder) ? first_number(found->type_num)
                                                                            : -1;
}

nb::object dtype_of(int type) {
  load();
  return checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type)));
}

std::size_t element_size(int type) {
  const nb::object dtype = dtype_of(type);
  return static_cast<std::size_t>(PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr*>(dtype.ptr())));
}

namespace {

PyArrayObject* array_in(const nb::object& o) { return reinterpret_cast<PyArrayObject*>(o.ptr()); }

}  // namespace

nb::object in_rows(PyObject* o) {
  load();
  nb::object array = checked(PyArray_FROM_OF(o, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_NOTSWAPPED));
  if (!is_for_devices(type_of(array)))
    throw nb::type_error((std::string("an array of ") + nb::str(nb::object(array.attr("dtype"))).c_str() +
                          " cannot be in a device's memory: its elements must be numbers of this machine, "
                          "and no long doubles, which devices do not have")
                             .c_str());
  return array;
}

int type_of(const nb::object& array) { return first_number(PyArray_TYPE(array_in(array))); }

std::vector<Py_ssize_t> shape_of(const nb::object& array) {
  const npy_intp* const first = PyArray_DIMS(array_in(array));
  return {first, first + PyArray_NDIM(array_in(array))};
}

std::byte* elements_of(const nb::object& array) {
  return static_cast<std::byte*>(PyArray_DATA(array_in(array)));
}

nb::object new_array(int type, const std::vector<Py_ssize_t>& shape) {
  load();
  return checked(PyArray_SimpleNew(static_cast<int>(shape.size()), shape.data(), type));
}

bool encode_array(encoder& out, PyObject* o, bool is_moved) {
  load();
  auto* array = reinterpret_cast<PyArrayObject*>(o);
  const bool is_numbered =
      is_plain(PyArray_TYPE(array)) && PyArray_ISNOTSWAPPED(array) && !has_metadata(PyArray_DESCR(array));
  if (!is_numbered && !has_named_type(array)) return false;
  const nb::object text = is_numbered ? nb::object() : text_of_type(PyArray_DESCR(array));
  const bool is_in_rows = PyArray_IS_C_CONTIGUOUS(array);
  const bool columns = !is_in_rows && PyArray_IS_F_CONTIGUOUS(array);
  nb::object copy;
  if (!is_in_rows && !columns) {
    copy = checked(PyArray_NewCopy(array, NPY_CORDER));
    array = reinterpret_cast<PyArrayObject*>(copy.ptr());
    is_moved = true;
  }
  const auto bytes = static_cast<std::size_t>(PyArray_NBYTES(array));
  const bool is_beside = bytes > encoder::longest_inside;
  const int dimensions = PyArray_NDIM(array);
  out.number(is_beside ? tag::array_beside : tag::array);
  out.number(is_numbered ? static_cast<std::uint8_t>(PyArray_TYPE(array)) : other_type);
  out.number(columns ? in_columns : std::uint8_t{0});
  out.number(static_cast<std::uint8_t>(dimensions));
  out.raw(PyArray_DIMS(array), sizeof(npy_intp) * static_cast<std::size_t>(dimensions));
  if (!is_numbered) {
    const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(text.ptr()));
    out.number(static_cast<std::uint32_t>(size));
    out.raw(PyBytes_AS_STRING(text.ptr()), size);
  }
  if (!is_beside) {
    out.raw(PyArray_DATA(array), bytes);
  } else if (is_moved && PyArray_ISWRITEABLE(array) && has_memory_for_itself(array)) {
    out.add(share_moved_array(array));
  } else {
    bytes_block b(bytes);
    std::memcpy(b.data(), PyArray_DATA(array), bytes);
    out.add(std::move(b));
  }
  return true;
}

void make_read_only(PyObject* o) {
  if (!is_array(o)) {
    if (PyObject_CheckBuffer(o) == 0) return;
    const nb::object name = checked(PyUnicode_InternFromString("numpy"));
    if (!nb::steal(PyImport_GetModule(name.ptr())).is_valid()) return;
  }
  load();
  if (PyArray_Check(o)) PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(o), NPY_ARRAY_WRITEABLE);
}

bool encode_scalar(encoder& out, PyObject* scalar) {
  load();
  if (!PyArray_CheckScalar(scalar)) return false;
  const nb::object type = checked(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(scalar)));
  const auto& descr = *reinterpret_cast<PyArray_Descr*>(type.ptr());
  if (!is_plain(descr.type_num) || !PyArray_ISNBO(descr.byteorder)) return false;
  const auto bytes = static_cast<std::size_t>(PyDataType_ELSIZE(&descr));
  out.number(tag::scalar);
  out.number(static_cast<std::uint8_t>(descr.type_num));
  out.number(static_cast<std::uint8_t>(bytes));
  PyArray_ScalarAsCtype(scalar, out.room(bytes));
  return true;
}

nb::object decode_array(decoder& in) {
  head h = decode_head(in);
  std::size_t bytes = 1;
  for (int d = 0; d < h.dimensions; ++d) bytes *= static_cast<std::size_t>(h.shape[d]);
  bytes *= static_cast<std::size_t>(PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr*>(h.type.ptr())));
  return copied_array(h, in.raw(bytes), bytes);
}

void pass_head(decoder& in) { decode_head(in); }

nb::object decode_array_beside(decoder& in) {
  head h = decode_head(in);
  const auto& b = in.next_block();
  if (!in.may_take() || !b.is_sole()) return copied_array(h, b.data(), b.size());
  using owner = std::shared_ptr<std::byte>;
  auto held = std::make_unique<owner>(b.memory());
  std::byte* const first = held->get();
  nb::object a = new_array(h, first,
                           NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED |
                               (h.is_in_columns ? NPY_ARRAY_F_CONTIGUOUS : NPY_ARRAY_C_CONTIGUOUS));
  auto* const array = reinterpret_cast<PyArrayObject*>(a.ptr());
  if (static_cast<std::size_t>(PyArray_NBYTES(array)) != b.size())
    throw nb::value_error("an array that came has another size than its shape");
  const nb::capsule keeps(held.release(), block_name,
                          [](void* p) noexcept { delete static_cast<owner*>(p); });
  if (PyArray_SetBaseObject(array, keeps.inc_ref().ptr()) < 0) throw nb::python_error();
  return a;
}

nb::object decode_scalar(decoder& in) {
  load();
  const int type = in.number<std::uint8_t>();
  const auto* const value = in.raw(in.number<std::uint8_t>());
  const nb::object descr = checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type)));
  return checked(
      PyArray_Scalar(const_cast<std::byte*>(value), reinterpret_cast<PyArray_Descr*>(descr.ptr()), nullptr));
}

}  // namespace imbrex::python::numpy
