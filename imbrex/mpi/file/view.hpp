// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <imbrex/mpi/datatype/datatype.hpp>

namespace imbrex::mpi {

/// Consecutive bytes of a file.
struct file_piece {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// Format of data in a file. `internal` is the same as `native`.
enum class data_representation : std::uint8_t { native, internal, external32 };

/// The part of a file that a rank sees (MPI 3.1, section 13.3): from a displacement on, copies of a filetype
/// one after the other, of which the holes are skipped. Positions count the bytes that are seen.
class file_view {
 public:
  /// All bytes of a file.
  file_view();
  /// Throws mpi::error: MPI_ERR_IO for types whose displacements are negative or decrease, and for those that
  /// overlap themselves unless `may_overlap`; MPI_ERR_UNSUPPORTED_DATAREP for an unknown format; MPI_ERR_ARG.
  file_view(std::int64_t displacement, datatype_ref etype, datatype_ref filetype, const std::string& format,
            bool may_overlap);

  std::int64_t displacement() const { return displacement_; }
  const datatype_ref& etype() const { return etype_; }
  const datatype_ref& filetype() const { return filetype_; }
  data_representation format() const { return format_; }
  const char* name_of_format() const;
  bool is_external() const { return format_ == data_representation::external32; }

  /// Bytes of an etype in the file; of `count` elements of a datatype.
  std::int64_t etype_bytes() const { return bytes_of(*etype_, 1); }
  std::int64_t bytes_of(const datatype& type, std::int64_t count) const;
  /// The extent of a datatype in the file. Throws mpi::error (MPI_ERR_UNSUPPORTED_DATAREP).
  std::int64_t extent_of(const datatype& type) const;
  /// The place in the file of the byte at a position.
  std::int64_t offset_of(std::int64_t position) const;
  /// The position of the first byte that is not before this place of the file.
  std::int64_t position_of(std::int64_t offset) const;
  /// Calls visit(piece) for the bytes from `position` on, in the order of positions. Adjacent pieces are one.
  /// Ends early if the visit returns false.
  void visit(std::int64_t position, std::int64_t bytes,
             const std::function<bool(const file_piece&)>& visit) const;

 private:
  std::int64_t displacement_ = 0;
  datatype_ref etype_;
  datatype_ref filetype_;
  data_representation format_ = data_representation::native;
  std::int64_t tile_ = 1;  ///< bytes seen in a copy of the filetype
  bool is_gapless_ = true;
};

}  // namespace imbrex::mpi
