// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <imbrex/mpi/file/file.hpp>
#include <imbrex/mpi/file/worker.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

enum class access_direction : std::uint8_t { read, write };

/// The bytes that an access has read or written, as the program counts them, and its failure.
struct access_outcome {
  std::int64_t bytes = 0;
  std::optional<error> failure;

  /// Sets the status to the outcome; keeps its error code. `to` may be MPI_STATUS_IGNORE.
  void tell(MPI_Status* to) const;
};

/// Shorter data are read and written by the rank's PE: to wait for another thread would cost more.
inline constexpr std::int64_t short_access = std::int64_t{64} << 10;

/// Throws mpi::error (MPI_ERR_IO) unless the data are whole etypes of the view.
void require_whole_etypes(const file_view& view, const user_buffer& memory);

/// A read or write of one rank, without others.
class file_access {
 public:
  /// `position`: in the bytes of the view. Throws mpi::error as `require_whole_etypes`.
  file_access(file& of, std::int64_t position, const user_buffer& memory, access_direction direction);

  /// Sets the position, before the data are moved.
  void place(std::int64_t position) { position_ = position; }
  /// Length in the file.
  std::int64_t bytes_in_file() const { return bytes_; }
  /// Position behind the data that were read or written.
  std::int64_t end() const { return position_ + done_; }
  /// Moves the data; any thread, while the file, its view and the memory live.
  void run() noexcept;
  const access_outcome& outcome() const { return outcome_; }

 private:
  void transfer();
  void write();
  void read();
  void read_external();
  std::int64_t read_packed(std::int64_t position, std::byte* to, std::int64_t bytes) const;

  file& of_;
  std::int64_t position_;
  user_buffer memory_;
  access_direction direction_;
  std::int64_t bytes_;
  std::int64_t done_ = 0;  ///< bytes of the file
  access_outcome outcome_;
};

/// A read or write that the PE's worker makes while the rank goes on. A short one is made at its beginning.
class file_request final : public user_request {
 public:
  file_request(const ref<file>& of, std::int64_t position, const user_buffer& memory,
               access_direction direction);

  int outcome(MPI_Status& status) override;
  ref<file_object> file_of_errors() const override { return ref<file_object>(of_.get()); }
  std::string reason() const override {
    return access_.outcome().failure ? access_.outcome().failure->what() : "";
  }

 private:
  void begin(rank& by) override;
  void end() override;

  ref<file> of_;
  file_access access_;
  file_worker::job job_;  ///< declared last: the job ends before the access
};

}  // namespace imbrex::mpi
