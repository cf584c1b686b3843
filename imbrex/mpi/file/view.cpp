// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/file/view.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

constexpr const char* format_names[] = {"native", "internal", "external32"};

data_representation format_of(const std::string& name) {
  const auto* const found = std::ranges::find(format_names, name);
  if (found == std::end(format_names))
    throw error(MPI_ERR_UNSUPPORTED_DATAREP, "the data representation \"" + name +
                                                 "\" is not there; give \"native\", \"internal\" or "
                                                 "\"external32\"");
  return static_cast<data_representation>(found - std::begin(format_names));
}

/// A visitor of runs, which calls a function for each.
template <typename Function>
struct run_visitor {
  Function function;
  void run(std::uintptr_t at, std::int64_t bytes) { function(static_cast<std::int64_t>(at), bytes); }
  void strided(std::uintptr_t at, std::int64_t bytes, std::int64_t stride, std::int64_t count) {
    for (; count > 0; --count, at += static_cast<std::uintptr_t>(stride)) run(at, bytes);
  }
};

template <typename Function>
void visit_runs_of_one(const datatype& type, std::int64_t at, std::int64_t begin, std::int64_t end,
                       Function function) {
  run_visitor<Function> visitor{std::move(function)};
  type.bytes_of_one().walk(static_cast<std::uintptr_t>(at), begin, end, visitor);
}

void check_order(const datatype& type, const char* which, bool may_overlap) {
  std::int64_t first = 0;
  std::int64_t end = 0;
  visit_runs_of_one(type, 0, 0, type.size(), [&](std::int64_t at, std::int64_t bytes) {
    const std::string named = std::string("the ") + which + " has data at " + std::to_string(at) + " bytes";
    if (at < 0) throw error(MPI_ERR_IO, named + "; no displacement may be negative");
    if (at < first)
      throw error(MPI_ERR_IO, named + " behind those at " + std::to_string(first) +
                                  "; list the displacements in ascending order");
    if (at < end && !may_overlap)
      throw error(MPI_ERR_IO, named + ", and data before reach to " + std::to_string(end) +
                                  "; in a file that is written they must not overlap");
    first = at;
    end = std::max(end, at + bytes);
  });
}

/// Whether each element has the same length in memory and in external32.
bool has_external_layout(const datatype& type) {
  bool is_same = true;
  auto visit = [&is_same](element e, std::uintptr_t, std::int64_t) {
    is_same = is_same && size_of(e) == external_size_of(e);
  };
  type.visit_elements(0, 1, visit);
  return is_same;
}

}  // namespace

file_view::file_view() : etype_(predefined_type(MPI_BYTE)), filetype_(etype_) {}

file_view::file_view(std::int64_t displacement, datatype_ref etype, datatype_ref filetype,
                     const std::string& format, bool may_overlap)
    : displacement_(displacement),
      etype_(std::move(etype)),
      filetype_(std::move(filetype)),
      format_(format_of(format)),
      is_gapless_(filetype_->is_contiguous()) {
  if (displacement < 0)
    throw error(MPI_ERR_ARG, "the displacement of the view is " + std::to_string(displacement) +
                                 " bytes; it must not be negative");
  check_order(*etype_, "etype", may_overlap);
  if (filetype_.get() != etype_.get()) check_order(*filetype_, "filetype", may_overlap);
  (void)extent_of(*filetype_);
  const std::int64_t unit = etype_bytes();
  tile_ = bytes_of(*filetype_, 1);
  if (unit > 0 ? tile_ % unit != 0 : tile_ != 0)
    throw error(MPI_ERR_ARG, "the filetype has " + std::to_string(tile_) + " bytes, the etype " +
                                 std::to_string(unit) + "; the filetype must consist of whole etypes");
}

const char* file_view::name_of_format() const { return format_names[static_cast<std::size_t>(format_)]; }

std::int64_t file_view::bytes_of(const datatype& type, std::int64_t count) const {
  return is_external() ? product(type.external_size(), count, "the length in the file") : type.bytes(count);
}

std::int64_t file_view::extent_of(const datatype& type) const {
  if (!is_external() || has_external_layout(type)) return type.extent();
  if (type.is_contiguous()) return type.external_size();
  throw error(
      MPI_ERR_UNSUPPORTED_DATAREP,
      "the datatype has gaps, and elements whose lengths differ in external32, such as MPI_LONG; give a "
      "type without gaps or with other elements");
}

std::int64_t file_view::offset_of(std::int64_t position) const {
  if (is_gapless_) return sum(displacement_, position, "the offset in the file");
  if (tile_ == 0) return displacement_;
  std::int64_t found = 0;
  const std::int64_t tile = position / tile_;
  const std::int64_t at = sum(displacement_, product(tile, filetype_->extent(), "the offset in the file"),
                              "the offset in the file");
  visit_runs_of_one(*filetype_, at, position % tile_, position % tile_ + 1,
                    [&](std::int64_t offset, std::int64_t) { found = offset; });
  return found;
}

std::int64_t file_view::position_of(std::int64_t offset) const {
  if (offset <= displacement_ || tile_ == 0) return 0;
  const std::int64_t distance = offset - displacement_;
  if (is_gapless_) return distance;
  if (filetype_->extent() <= 0) return 0;
  // Copies that end before the place are complete; few others begin before it.
  const std::int64_t reach = filetype_->true_lower_bound() + filetype_->true_extent();
  const std::int64_t complete = distance < reach ? 0 : (distance - reach) / filetype_->extent() + 1;
  std::int64_t position = complete * tile_;
  for (std::int64_t tile = complete; tile * filetype_->extent() < distance; ++tile)
    visit_runs_of_one(*filetype_, tile * filetype_->extent(), 0, tile_,
                      [&](std::int64_t at, std::int64_t bytes) {
                        position += std::clamp<std::int64_t>(distance - at, 0, bytes);
                      });
  return position;
}

void file_view::visit(std::int64_t position, std::int64_t bytes,
                      const std::function<bool(const file_piece&)>& visit) const {
  if (bytes <= 0) return;
  if (is_gapless_) {
    visit({displacement_ + position, bytes});
    return;
  }
  if (tile_ == 0) return;
  file_piece last;
  bool goes_on = true;
  for (std::int64_t tile = position / tile_, begin = position % tile_; bytes > 0 && goes_on;
       ++tile, begin = 0) {
    const std::int64_t end = std::min(tile_, begin + bytes);
    bytes -= end - begin;
    visit_runs_of_one(*filetype_, displacement_ + tile * filetype_->extent(), begin, end,
                      [&](std::int64_t at, std::int64_t length) {
                        if (at == last.offset + last.bytes) {
                          last.bytes += length;
                          return;
                        }
                        if (goes_on && last.bytes > 0) goes_on = visit(last);
                        last = {at, length};
                      });
  }
  if (goes_on && last.bytes > 0) visit(last);
}

}  // namespace imbrex::mpi
