// SPDX-License-Identifier: Apache-2.0
#include <imbrex/io/output_file.hpp>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include <imbrex/base/error.hpp>
#include <imbrex/io/system_error.hpp>

namespace imbrex::io::detail {
namespace {

namespace fs = std::filesystem;

constexpr const char* ending = ".partial";

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// "heat.h5.HOST-PID.partial": two runs that write one file do not meet.
std::string partial_path(const std::string& path) {
  return path + "." + host_name() + "-" + std::to_string(::getpid()) + ending;
}

/// Removes what processes of this host have left behind that were killed while they wrote the file.
void remove_abandoned(const std::string& path) {
  const fs::path file(path);
  const std::string before = file.filename().string() + "." + host_name() + "-";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(file.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(before) || !name.ends_with(ending)) continue;
    const int pid = std::atoi(name.c_str() + before.size());
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) fs::remove(entry.path(), ignored);
  }
}

/// Waits until the disk has a file or a folder.
void store(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_stored = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int why = errno;
  if (descriptor >= 0) ::close(descriptor);
  errno = why;
  if (!is_stored && why != EINVAL && why != ENOTSUP)
    throw_system_error("store", path);  // some file systems cannot
}

void give_name(const std::string& from, const std::string& to) {
  store(from);
  if (::rename(from.c_str(), to.c_str()) != 0) throw_system_error("name", to);
  store(fs::path(to).parent_path().string());
}

std::string joined(const lengths& values, std::uint64_t added) {
  std::string text;
  for (const std::uint64_t one : values) text += (text.empty() ? "" : " ") + std::to_string(one + added);
  return text;
}

std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    switch (c) {
      case '&': all += "&amp;"; break;
      case '<': all += "&lt;"; break;
      case '>': all += "&gt;"; break;
      case '"': all += "&quot;"; break;
      default: all += c;
    }
  }
  return all;
}

}  // namespace

std::string absolute(const std::string& file) { return fs::absolute(file).string(); }

void throw_changed(const std::string& name, const lengths& where) {
  throw error("element " + text_of(where) + " has changed its size while the data set " + name +
              " is written");
}

void throw_other_shape(const std::string& file, const std::string& name, const lengths& in_file,
                       const lengths& of_elements) {
  throw error("the data set " + name + " of " + file + " has the shape " + text_of(in_file) +
              ", but the elements that read it have " + text_of(of_elements) + " together");
}

output_state::output_state(const std::string& file) : path_(absolute(file)), partial_(partial_path(path_)) {
  if (file.empty()) throw error("a file to write has no name");
  if (fs::is_directory(path_)) throw error("cannot write " + path_ + ": it is a folder");
  if (const fs::path folder = fs::path(path_).parent_path(); !fs::is_directory(folder))
    throw error("cannot write " + path_ + ": the folder " + folder.string() + " is missing");
  remove_abandoned(path_);
  file_ = hdf5_file::create(partial_);
}

output_state::~output_state() {
  if (is_finished_) return;
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

std::uint64_t output_state::add(const std::string& name, number_type type, const lengths& shape, bool is_grid,
                                bool has_vectors) {
  if (name.empty()) throw error("a data set of " + path_ + " has no name");
  if (file_.has(name)) throw error(path_ + " has a data set " + name + " already");
  const std::uint64_t address = file_.add(name, type, shape);
  if (is_grid) grids_.push_back({name, type, shape, has_vectors});
  return address;
}

void output_state::add_starts(const std::string& name, const std::vector<std::uint64_t>& starts) {
  constexpr number_type type = number_type_of<std::uint64_t>();
  file_.add(name, type, {starts.size()});
  file_.write(name, type, starts.data());
}

void output_state::finish() {
  file_.close();
  give_name(partial_, path_);
  is_finished_ = true;
  describe_grids();
}

/// Writes the description in the form of XDMF 3: a uniform grid for each shape, whose cells have the data
/// sets.
void output_state::describe_grids() const {
  std::map<lengths, std::string> attributes;
  for (const grid_set& one : grids_) {
    lengths cells = one.shape;
    if (one.has_vectors) cells.pop_back();
    if (cells.size() != 2 && cells.size() != 3) continue;
    const bool is_vector = one.has_vectors && one.shape.back() == 3;
    const char* const kind = !one.has_vectors ? "Scalar" : is_vector ? "Vector" : "Matrix";
    const char* const form = one.type.kind == number_type::form::floating         ? "Float"
                             : one.type.kind == number_type::form::signed_integer ? "Int"
                                                                                  : "UInt";
    attributes[cells] += "      <Attribute Name=\"" + escaped(one.name) + "\" AttributeType=\"" + kind +
                         "\" Center=\"Cell\">\n        <DataItem Format=\"HDF\" NumberType=\"" + form +
                         "\" Precision=\"" + std::to_string(one.type.bytes) + "\" Dimensions=\"" +
                         joined(one.shape, 0) + "\">" + escaped(fs::path(path_).filename().string()) + ":/" +
                         escaped(one.name) + "</DataItem>\n      </Attribute>\n";
  }
  if (attributes.empty()) return;
  const std::string description = fs::path(path_).replace_extension(".xmf").string();
  const std::string partial = partial_path(description);
  remove_abandoned(description);
  {
    std::ofstream out(partial);
    out << "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n";
    int number = 0;
    for (const auto& [cells, text] : attributes) {
      const bool is_flat = cells.size() == 2;
      out << "    <Grid Name=\"grid " << number++
          << "\" GridType=\"Uniform\">\n      <Topology TopologyType=\""
          << (is_flat ? "2DCoRectMesh" : "3DCoRectMesh") << "\" Dimensions=\"" << joined(cells, 1)
          << "\"/>\n      <Geometry GeometryType=\"" << (is_flat ? "ORIGIN_DXDY" : "ORIGIN_DXDYDZ")
          << "\">\n        <DataItem Format=\"XML\" Dimensions=\"" << cells.size() << "\">"
          << (is_flat ? "0 0" : "0 0 0") << "</DataItem>\n        <DataItem Format=\"XML\" Dimensions=\""
          << cells.size() << "\">" << (is_flat ? "1 1" : "1 1 1") << "</DataItem>\n      </Geometry>\n"
          << text << "    </Grid>\n";
    }
    out << "  </Domain>\n</Xdmf>\n";
    if (!out.flush()) throw_system_error("write", partial);
  }
  give_name(partial, description);
}

input_set input_set::of(const std::string& file, const std::string& name) {
  const hdf5_file in = hdf5_file::open(file);
  const auto described = in.describe(name);
  input_set found{described.type, described.shape, {}};
  const std::string starts = name + "_starts";
  if (found.shape.empty() || !in.has(starts)) return found;
  const lengths shape = in.describe(starts).shape;
  if (shape.size() != 1 || shape[0] == 0) return found;
  found.starts.resize(shape[0]);
  in.read(starts, number_type_of<std::uint64_t>(), {{0}, shape}, found.starts.data());
  const bool is_valid = found.starts.front() == 0 && found.starts.back() == found.shape[0] &&
                        std::ranges::is_sorted(found.starts);
  if (!is_valid) throw error("the data set " + starts + " of " + file + " does not fit the data set " + name);
  return found;
}

void input_set::check(const std::string& file, const std::string& name, number_type expected,
                      std::size_t dimensions, std::uint64_t numbers_of_value) const {
  if (type != expected)
    throw error("the data set " + name + " of " + file + " has numbers of the type " + text_of(type) +
                ", and the elements that read it " + text_of(expected));
  const std::size_t all = dimensions + (numbers_of_value > 0 ? 1 : 0);
  if (shape.size() != all)
    throw error("the data set " + name + " of " + file + " has " + std::to_string(shape.size()) +
                " dimensions, and the elements that read it " + std::to_string(all));
  if (numbers_of_value > 0 && shape.back() != numbers_of_value)
    throw error("the data set " + name + " of " + file + " has values of " + std::to_string(shape.back()) +
                " numbers, and the elements that read it " + std::to_string(numbers_of_value));
}

}  // namespace imbrex::io::detail

namespace imbrex {

void output_file::check(const std::string& file) { const io::detail::output_state begun(file); }

output_file::output_file(const std::string& file)
    : state_(std::make_unique<io::detail::output_state>(file)),
      stations_(make_group<io::detail::station>(state_->written_path())) {}

output_file::~output_file() { static_cast<void>(stations_.destroy()); }

task<> output_file::commit() {
  co_await stations_.call<&io::detail::station::finish>();
  io::detail::station& here = *stations_.local();
  co_await here.run([state = state_.get()] { state->finish(); });
}

}  // namespace imbrex
