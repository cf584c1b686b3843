// SPDX-License-Identifier: Apache-2.0
#include <imbrex/io/hdf5.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex::io::detail {
namespace {

// The library's interface, as all versions from 1.10 on have it (hid_t has 64 bits since then).
using hid_t = std::int64_t;
using herr_t = int;
using hsize_t = unsigned long long;  // NOLINT(google-runtime-int): the library's type
constexpr hid_t by_default = 0;
constexpr unsigned read_only = 0;
constexpr unsigned truncate = 2;
constexpr int early_allocation = 1;
constexpr int never_filled = 1;
constexpr int selects = 0;
constexpr int integer_class = 0;
constexpr int float_class = 1;
constexpr int without_sign = 0;
constexpr hsize_t no_address = ~hsize_t{0};

struct error_entry {
  hid_t library, major, minor;
  unsigned line;
  const char* function;
  const char* file;
  const char* description;
};

[[noreturn]] void throw_no_library(const std::string& why) {
  throw usage_error("HDF5 files need the HDF5 library, version 1.10 or newer, and " + why +
                    ": install it (Debian: libhdf5-103-1), or name its file in IMBREX_HDF5");
}

/// The functions of the library.
class library {
 public:
  library() {
    if (const char* const named = std::getenv("IMBREX_HDF5"); named != nullptr && *named != '\0') {
      open(named);
      if (handle_ == nullptr) throw_no_library("IMBREX_HDF5 = " + std::string(named) + " cannot be loaded");
    }
    for (const char* const name : {"libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5.so.200",
                                   "libhdf5.so.310", "libhdf5_serial.so.310", "libhdf5.so.320", "libhdf5.so"})
      if (handle_ == nullptr) open(name);
    if (handle_ == nullptr) throw_no_library("no libhdf5.so is found");
    // At exit the library would close again what it could not close. This call must be the first.
    herr_t (*start)() = nullptr;
    find("H5dont_atexit", start);
    start();
    herr_t (*get_version)(unsigned*, unsigned*, unsigned*) = nullptr;
    find("H5get_libversion", get_version);
    unsigned major = 0, minor = 0, release = 0;
    get_version(&major, &minor, &release);
    if (major == 0 || (major == 1 && minor < 10))
      throw_no_library("the one found is " + std::to_string(major) + "." + std::to_string(minor) + "." +
                       std::to_string(release));
    find("H5Fcreate", file.create);
    find("H5Fopen", file.open);
    find("H5Fclose", file.close);
    find("H5Screate_simple", space.create);
    find("H5Sclose", space.close);
    find("H5Sselect_hyperslab", space.select_box);
    find("H5Sget_simple_extent_ndims", space.dimensions);
    find("H5Sget_simple_extent_dims", space.extents);
    find("H5Pcreate", properties.create);
    find("H5Pclose", properties.close);
    find("H5Pset_alloc_time", properties.set_allocation);
    find("H5Pset_fill_time", properties.set_fill);
    find("H5Pset_create_intermediate_group", properties.set_groups);
    find("H5Dcreate2", data.create);
    find("H5Dopen2", data.open);
    find("H5Dclose", data.close);
    find("H5Dget_offset", data.offset_of);
    find("H5Dget_space", data.space_of);
    find("H5Dget_type", data.type_of);
    find("H5Dread", data.read);
    find("H5Dwrite", data.write);
    find("H5Tget_class", type.class_of);
    find("H5Tget_size", type.size_of);
    find("H5Tget_sign", type.sign_of);
    find("H5Tclose", type.close);
    find("H5Ewalk2", walk_errors);
    find("H5Eset_auto2", report_by);
    find("H5open", start);
    start();
    const hid_t* number = nullptr;
    find("H5P_CLS_DATASET_CREATE_ID_g", number);
    properties.of_data = *number;
    find("H5P_CLS_LINK_CREATE_ID_g", number);
    properties.of_links = *number;
    const auto native = [&](const char* name) {
      find(name, number);
      return *number;
    };
    types = {{{native("H5T_NATIVE_INT8_g"), native("H5T_NATIVE_INT16_g"), native("H5T_NATIVE_INT32_g"),
               native("H5T_NATIVE_INT64_g")},
              {native("H5T_NATIVE_UINT8_g"), native("H5T_NATIVE_UINT16_g"), native("H5T_NATIVE_UINT32_g"),
               native("H5T_NATIVE_UINT64_g")},
              {-1, -1, native("H5T_NATIVE_FLOAT_g"), native("H5T_NATIVE_DOUBLE_g")}}};
  }
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  hid_t native(number_type of) const {
    const auto power = static_cast<std::size_t>(__builtin_ctz(of.bytes));
    return types.at(static_cast<std::size_t>(of.kind)).at(power);
  }
  /// The description of the innermost error of the last call.
  std::string why() const {
    std::string text;
    constexpr int upward = 0;  // from the function that failed to the one that was called
    constexpr hid_t this_thread = 0;
    const auto take_first = [](unsigned n, const error_entry* entry, void* into) -> herr_t {
      if (n == 0 && entry->description != nullptr) *static_cast<std::string*>(into) = entry->description;
      return 0;
    };
    walk_errors(this_thread, upward, take_first, &text);
    return text.empty() ? "the library says nothing" : text;
  }

  struct {
    hid_t (*create)(const char*, unsigned, hid_t, hid_t) = nullptr;
    hid_t (*open)(const char*, unsigned, hid_t) = nullptr;
    herr_t (*close)(hid_t) = nullptr;
  } file;
  struct {
    hid_t (*create)(int, const hsize_t*, const hsize_t*) = nullptr;
    herr_t (*close)(hid_t) = nullptr;
    herr_t (*select_box)(hid_t, int, const hsize_t*, const hsize_t*, const hsize_t*,
                         const hsize_t*) = nullptr;
    int (*dimensions)(hid_t) = nullptr;
    int (*extents)(hid_t, hsize_t*, hsize_t*) = nullptr;
  } space;
  struct {
    hid_t (*create)(hid_t) = nullptr;
    herr_t (*close)(hid_t) = nullptr;
    herr_t (*set_allocation)(hid_t, int) = nullptr;
    herr_t (*set_fill)(hid_t, int) = nullptr;
    herr_t (*set_groups)(hid_t, unsigned) = nullptr;
    hid_t of_data = -1;
    hid_t of_links = -1;
  } properties;
  struct {
    hid_t (*create)(hid_t, const char*, hid_t, hid_t, hid_t, hid_t, hid_t) = nullptr;
    hid_t (*open)(hid_t, const char*, hid_t) = nullptr;
    herr_t (*close)(hid_t) = nullptr;
    hsize_t (*offset_of)(hid_t) = nullptr;
    hid_t (*space_of)(hid_t) = nullptr;
    hid_t (*type_of)(hid_t) = nullptr;
    herr_t (*read)(hid_t, hid_t, hid_t, hid_t, hid_t, void*) = nullptr;
    herr_t (*write)(hid_t, hid_t, hid_t, hid_t, hid_t, const void*) = nullptr;
  } data;
  struct {
    int (*class_of)(hid_t) = nullptr;
    std::size_t (*size_of)(hid_t) = nullptr;
    int (*sign_of)(hid_t) = nullptr;
    herr_t (*close)(hid_t) = nullptr;
  } type;
  herr_t (*report_by)(hid_t, void*, void*) = nullptr;
  herr_t (*walk_errors)(hid_t, int, herr_t (*)(unsigned, const error_entry*, void*), void*) = nullptr;
  std::array<std::array<hid_t, 4>, 3> types{};  ///< by form, and the power of two of the bytes

 private:
  void open(const char* name) { handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); }
  template <class Pointer>
  void find(const char* name, Pointer& found) {
    found = reinterpret_cast<Pointer>(::dlsym(handle_, name));
    if (found == nullptr) throw_no_library("the one found has no " + std::string(name));
  }

  void* handle_ = nullptr;
};

const library& hdf5() {
  static const library loaded;
  return loaded;
}

/// A call of the library, from here to the end of the block.
class call {
 public:
  call() : lock_(one_at_a_time()) {
    thread_local bool is_quiet = false;
    if (!std::exchange(is_quiet, true)) hdf5().report_by(0, nullptr, nullptr);  // we report its errors
  }

 private:
  static std::mutex& one_at_a_time() {
    static std::mutex lock;
    return lock;
  }

  const std::scoped_lock<std::mutex> lock_;
};

/// Closes an object of the library at the end of a block.
class closed {
 public:
  closed(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  closed(const closed&) = delete;
  closed& operator=(const closed&) = delete;
  ~closed() {
    if (id_ >= 0) close_(id_);
  }
  hid_t get() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw error("cannot " + what + " " + path + ": " + hdf5().why());
}

std::vector<hsize_t> sizes_of(const lengths& values) { return {values.begin(), values.end()}; }

hid_t open_data(hid_t file, const std::string& name, const std::string& path) {
  const hid_t data = hdf5().data.open(file, name.c_str(), by_default);
  if (data < 0) throw error(path + " has no data set " + name);
  return data;
}

}  // namespace

std::string text_of(number_type type) {
  if (type.kind == number_type::form::floating) return type.bytes == 8 ? "double" : "float";
  const std::string bits = std::to_string(8 * type.bytes) + "-bit ";
  return bits + (type.kind == number_type::form::signed_integer ? "integer" : "unsigned integer");
}

std::string text_of(const lengths& values) {
  std::string text;
  for (const std::uint64_t one : values) text += (text.empty() ? "" : ", ") + std::to_string(one);
  return "(" + text + ")";
}

std::uint64_t volume_of(const lengths& values) {
  std::uint64_t all = 1;
  for (const std::uint64_t one : values) all *= one;
  return all;
}

hdf5_file hdf5_file::create(const std::string& path) {
  const library& h5 = hdf5();
  const call now;
  const hid_t file = h5.file.create(path.c_str(), truncate, by_default, by_default);
  if (file < 0) fail("create", path);
  return {file, path};
}

hdf5_file hdf5_file::open(const std::string& path) {
  const library& h5 = hdf5();
  const call now;
  const hid_t file = h5.file.open(path.c_str(), read_only, by_default);
  if (file < 0) fail("open", path);
  return {file, path};
}

hdf5_file::hdf5_file(hdf5_file&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}
hdf5_file& hdf5_file::operator=(hdf5_file&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  return *this;
}
hdf5_file::~hdf5_file() {
  if (file_ < 0) return;
  const call now;
  hdf5().file.close(file_);
}

std::uint64_t hdf5_file::add(const std::string& name, number_type type, const lengths& shape) {
  const library& h5 = hdf5();
  const call now;
  const auto sizes = sizes_of(shape);
  const closed space(h5.space.create(static_cast<int>(sizes.size()), sizes.data(), nullptr), h5.space.close);
  const closed groups(h5.properties.create(h5.properties.of_links), h5.properties.close);
  const closed storage(h5.properties.create(h5.properties.of_data), h5.properties.close);
  if (space.get() < 0 || groups.get() < 0 || storage.get() < 0 ||
      h5.properties.set_groups(groups.get(), 1) < 0 ||
      h5.properties.set_allocation(storage.get(), early_allocation) < 0 ||
      h5.properties.set_fill(storage.get(), never_filled) < 0)
    fail("describe the data set " + name + " of", path_);
  const closed data(h5.data.create(file_, name.c_str(), h5.native(type), space.get(), groups.get(),
                                   storage.get(), by_default),
                    h5.data.close);
  if (data.get() < 0) fail("add the data set " + name + " to", path_);
  if (volume_of(shape) == 0) return 0;
  const hsize_t address = h5.data.offset_of(data.get());
  if (address == no_address) fail("place the data set " + name + " in", path_);
  return address;
}

void hdf5_file::write(const std::string& name, number_type type, const void* values) {
  const library& h5 = hdf5();
  const call now;
  const closed data(open_data(file_, name, path_), h5.data.close);
  if (h5.data.write(data.get(), h5.native(type), by_default, by_default, by_default, values) < 0)
    fail("write the data set " + name + " to", path_);
}

bool hdf5_file::has(const std::string& name) const {
  const call now;
  return closed(hdf5().data.open(file_, name.c_str(), by_default), hdf5().data.close).get() >= 0;
}

hdf5_file::description hdf5_file::describe(const std::string& name) const {
  const library& h5 = hdf5();
  const call now;
  const closed data(open_data(file_, name, path_), h5.data.close);
  const closed type(h5.data.type_of(data.get()), h5.type.close);
  const closed space(h5.data.space_of(data.get()), h5.space.close);
  const int rank = space.get() < 0 ? -1 : h5.space.dimensions(space.get());
  if (type.get() < 0 || rank < 0) fail("read the description of " + name + " in", path_);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  h5.space.extents(space.get(), sizes.data(), nullptr);
  const int form = h5.type.class_of(type.get());
  const std::size_t bytes = h5.type.size_of(type.get());
  const bool is_known = (form == integer_class && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)) ||
                        (form == float_class && (bytes == 4 || bytes == 8));
  if (!is_known)
    throw error("the data set " + name + " of " + path_ +
                " has neither integers nor floating-point numbers of up to 8 bytes");
  description found{{number_type::form::floating, static_cast<std::uint8_t>(bytes)},
                    {sizes.begin(), sizes.end()}};
  if (form == integer_class)
    found.type.kind = h5.type.sign_of(type.get()) == without_sign ? number_type::form::unsigned_integer
                                                                  : number_type::form::signed_integer;
  return found;
}

void hdf5_file::read(const std::string& name, number_type type, const number_box& box, void* into) const {
  if (volume_of(box.count) == 0) return;
  const library& h5 = hdf5();
  const call now;
  const closed data(open_data(file_, name, path_), h5.data.close);
  const auto first = sizes_of(box.first), count = sizes_of(box.count);
  const closed there(h5.data.space_of(data.get()), h5.space.close);
  const closed here(h5.space.create(static_cast<int>(count.size()), count.data(), nullptr), h5.space.close);
  if (there.get() < 0 || here.get() < 0 ||
      h5.space.select_box(there.get(), selects, first.data(), nullptr, count.data(), nullptr) < 0 ||
      h5.data.read(data.get(), h5.native(type), here.get(), there.get(), by_default, into) < 0)
    fail("read the data set " + name + " of", path_);
}

void hdf5_file::close() {
  if (file_ < 0) return;
  const call now;
  if (hdf5().file.close(std::exchange(file_, -1)) < 0) fail("close", path_);
}

}  // namespace imbrex::io::detail
