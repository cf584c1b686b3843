// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/file/file.hpp>

#include <fcntl.h>

#include <algorithm>
#include <optional>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/collective/spread.hpp>
#include <imbrex/mpi/file/agreement.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

/// The contradiction in a mode, with a remedy; null if there is none.
const char* contradiction_in(int mode) {
  constexpr int directions = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR;
  constexpr int all = directions | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN |
                      MPI_MODE_EXCL | MPI_MODE_APPEND | MPI_MODE_SEQUENTIAL;
  const int direction = mode & directions;
  if ((mode & ~all) != 0) return "has bits that no MPI_MODE_... has; give those of files";
  if (direction != MPI_MODE_RDONLY && direction != MPI_MODE_WRONLY && direction != MPI_MODE_RDWR)
    return "has not exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR; give one";
  if (direction == MPI_MODE_RDONLY && (mode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0)
    return "creates a file that can only be read; give MPI_MODE_RDWR, or leave out MPI_MODE_CREATE and "
           "MPI_MODE_EXCL";
  if (direction == MPI_MODE_RDWR && (mode & MPI_MODE_SEQUENTIAL) != 0)
    return "has MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL; a sequential file is read or written, not both";
  return nullptr;
}

int direction_of(int mode) {
  if ((mode & MPI_MODE_RDONLY) != 0) return O_RDONLY;
  return (mode & MPI_MODE_WRONLY) != 0 ? O_WRONLY : O_RDWR;
}

std::string text_of_mode(int mode) { return "the access mode " + std::to_string(mode); }

}  // namespace

file::file(rank& self, const ref<communicator>& in, int mode, const ref<error_handler>& handler)
    : file_object(0, handler), pointer(self, in), self_(self), in_(in), mode_(mode) {}

void file::agree(const error* own) const {
  const int code = own != nullptr ? own->code() : MPI_SUCCESS;
  const std::vector<int> codes = values_of_all(self_, in_, code);
  if (own != nullptr) throw error(*own);
  const auto failed = std::ranges::find_if(codes, [](int c) { return c != MPI_SUCCESS; });
  if (failed == codes.end()) return;
  const char* const known = text_of_class(*failed);
  throw error(*failed, "rank " + std::to_string(failed - codes.begin()) + " of the file has failed: " +
                           (known != nullptr ? known : "an error") + "; its error says why");
}

void file::require_same(std::int64_t value, const char* what) const {
  const std::vector<std::int64_t> values = values_of_all(self_, in_, value);
  const auto other = std::ranges::find_if(values, [&](std::int64_t v) { return v != values.front(); });
  if (other != values.end())
    throw error(MPI_ERR_NOT_SAME, std::string(what) + " is " + std::to_string(values.front()) +
                                      " on rank 0 and " + std::to_string(*other) + " on rank " +
                                      std::to_string(other - values.begin()) +
                                      "; all ranks must pass the same");
}

void file::open_here(const std::string& path, int more_flags) {
  data.open(path, direction_of(mode_) | more_flags);
}

ref<file> file::open(rank& self, const ref<communicator>& in, const std::string& path, int mode,
                     const ref<error_handler>& handler) {
  const ref<file> result(new file(self, in, mode, handler));
  result->require_same(mode, "the access mode");
  if (const char* const why = contradiction_in(mode))
    throw error(MPI_ERR_AMODE, text_of_mode(mode) + " " + why);
  // The first rank creates the file, which the others then find.
  std::optional<error> failure;
  if (in->rank() == 0)
    failure = failure_of([&] {
      result->open_here(
          path, ((mode & MPI_MODE_CREATE) != 0 ? O_CREAT : 0) | ((mode & MPI_MODE_EXCL) != 0 ? O_EXCL : 0));
    });
  result->agree(failure ? &*failure : nullptr);
  if (in->rank() != 0) failure = failure_of([&] { result->open_here(path, 0); });
  result->agree(failure ? &*failure : nullptr);
  if ((mode & MPI_MODE_APPEND) != 0) {
    result->position = result->etypes_to_end();
    result->set_pointer(result->position);
  }
  return result;
}

std::int64_t file::etypes_to_end() const {
  const std::int64_t unit = view.etype_bytes();
  return unit == 0 ? 0 : (view.position_of(data.size()) + unit - 1) / unit;
}

void file::set_pointer(std::int64_t etypes) {
  pointer.value = etypes;
  run_schedule(self_, in_, purpose::collective, &mpi::barrier);
}

void file::close() {
  self_.await_all(std::vector<request*>(under_way));
  std::optional<error> failure = failure_of([this] { data.close(); });
  if ((mode_ & MPI_MODE_DELETE_ON_CLOSE) != 0) {
    run_schedule(self_, in_, purpose::end, &mpi::barrier);
    if (in_->rank() == 0) failure = failure_of([this] { system_file::remove(data.path()); });
  }
  agree(failure ? &*failure : nullptr);
}

std::string file::description() const { return "file \"" + data.path() + "\""; }

void file::require_readable() const {
  if ((mode_ & MPI_MODE_WRONLY) != 0)
    throw error(MPI_ERR_ACCESS, "the file is open for writing alone; open it with MPI_MODE_RDWR to read it");
}
void file::require_writable() const {
  if ((mode_ & MPI_MODE_RDONLY) != 0)
    throw error(MPI_ERR_READ_ONLY, "the file is open for reading alone; open it with MPI_MODE_RDWR");
}
void file::require_random() const {
  if ((mode_ & MPI_MODE_SEQUENTIAL) != 0)
    throw error(
        MPI_ERR_UNSUPPORTED_OPERATION,
        "the file is open with MPI_MODE_SEQUENTIAL, which allows only shared and ordered accesses; open "
        "it without");
}

}  // namespace imbrex::mpi
