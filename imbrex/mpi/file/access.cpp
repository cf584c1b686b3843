// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/file/access.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/datatype/external32.hpp>
#include <imbrex/mpi/object/status.hpp>

namespace imbrex::mpi {

namespace {

/// Data that are not contiguous in memory are copied in parts of this length.
constexpr std::int64_t copied_at_once = std::int64_t{4} << 20;

/// Reads pieces of a file in ascending order. Short pieces with short gaps between them are read at once,
/// with the gaps: a call of the system costs more than these bytes.
class piece_reader {
 public:
  piece_reader(const system_file& from, std::byte* to) : from_(from), to_(to) {}

  /// Returns false at the file's end.
  bool add(const file_piece& piece) {
    const bool joins = !pieces_.empty() && piece.offset >= end() && piece.offset - end() <= most_gap &&
                       piece.offset + piece.bytes - pieces_.front().offset <= most_span;
    if (!joins && !finish()) return false;
    pieces_.push_back(piece);
    return true;
  }
  /// Reads what was added. Returns false at the file's end.
  bool finish() {
    if (pieces_.empty()) return true;
    const std::int64_t first = pieces_.front().offset;
    const std::int64_t span = end() - first;
    bool is_complete = true;
    if (pieces_.size() == 1) {
      const std::int64_t n = from_.read(first, to_, span);
      note(n);
      is_complete = n == span;
    } else {
      span_.resize(static_cast<std::size_t>(most_span));
      const std::int64_t n = from_.read(first, span_.data(), span);
      for (const file_piece& piece : pieces_) {
        const std::int64_t there = std::clamp<std::int64_t>(first + n - piece.offset, 0, piece.bytes);
        std::memcpy(to_, span_.data() + (piece.offset - first), static_cast<std::size_t>(there));
        note(there);
        is_complete = is_complete && there == piece.bytes;
        if (!is_complete) break;
      }
    }
    pieces_.clear();
    return is_complete;
  }
  std::int64_t done() const { return done_; }

 private:
  static constexpr std::int64_t most_gap = 4096;
  static constexpr std::int64_t most_span = std::int64_t{256} << 10;

  std::int64_t end() const { return pieces_.back().offset + pieces_.back().bytes; }
  void note(std::int64_t bytes) {
    to_ += bytes;
    done_ += bytes;
  }

  const system_file& from_;
  std::byte* to_;
  std::int64_t done_ = 0;
  std::vector<file_piece> pieces_;
  std::vector<std::byte> span_;
};

}  // namespace

void access_outcome::tell(MPI_Status* to) const {
  if (to == MPI_STATUS_IGNORE) return;
  const int before = to->MPI_ERROR;
  set_empty(*to);
  set_bytes(*to, bytes);
  to->MPI_ERROR = before;
}

void require_whole_etypes(const file_view& view, const user_buffer& memory) {
  const std::int64_t unit = view.etype_bytes();
  const std::int64_t bytes = view.bytes_of(*memory.type, memory.count);
  if (unit > 0 ? bytes % unit != 0 : bytes != 0)
    throw error(MPI_ERR_IO, "the data have " + std::to_string(bytes) + " bytes, and the view's etype has " +
                                std::to_string(unit) + "; read and write whole etypes");
}

file_access::file_access(file& of, std::int64_t position, const user_buffer& memory,
                         access_direction direction)
    : of_(of),
      position_(position),
      memory_(memory),
      direction_(direction),
      bytes_(of.view.bytes_of(*memory.type, memory.count)) {
  require_whole_etypes(of.view, memory);
}

void file_access::run() noexcept {
  try {
    transfer();
  } catch (const error& e) {
    outcome_.failure = e;
  } catch (const std::bad_alloc&) {
    outcome_.failure = error(MPI_ERR_NO_MEM, "out of memory; read or write less at once");
  }
}

void file_access::transfer() {
  if (bytes_ == 0) return;
  std::optional<system_file::range_lock> lock;
  if (of_.is_atomic)
    lock.emplace(of_.data, of_.view.offset_of(position_), of_.view.offset_of(position_ + bytes_ - 1) + 1,
                 direction_ == access_direction::write);
  if (direction_ == access_direction::write) return write();
  of_.view.is_external() ? read_external() : read();
}

void file_access::write() {
  const bool is_external = of_.view.is_external();
  const bool is_direct = memory_.is_contiguous() && !is_external;
  const std::int64_t part = is_direct || is_external ? bytes_ : std::min(bytes_, copied_at_once);
  const scratch packed(is_direct ? 0 : part);
  if (is_external) pack_external(memory_.typed(), packed.data.begin());
  while (done_ < bytes_) {
    const std::int64_t bytes = std::min(part, bytes_ - done_);
    const std::byte* from = is_direct ? memory_.begin() + done_ : packed.data.begin();
    if (!is_direct && !is_external) pack(memory_.typed(), done_, packed.data.begin(), bytes);
    of_.view.visit(position_ + done_, bytes, [&](const file_piece& piece) {
      of_.data.write(piece.offset, from, piece.bytes);
      from += piece.bytes;
      return true;
    });
    done_ += bytes;
    if (!is_external) outcome_.bytes = done_;
  }
  outcome_.bytes = memory_.bytes();
}

std::int64_t file_access::read_packed(std::int64_t position, std::byte* to, std::int64_t bytes) const {
  piece_reader reader(of_.data, to);
  bool goes_on = true;
  of_.view.visit(position, bytes, [&](const file_piece& piece) {
    goes_on = reader.add(piece);
    return goes_on;
  });
  if (goes_on) reader.finish();
  return reader.done();
}

void file_access::read() {
  if (memory_.is_contiguous()) {
    outcome_.bytes = done_ = read_packed(position_, memory_.begin(), bytes_);
    return;
  }
  const std::int64_t part = std::min(bytes_, copied_at_once);
  const scratch packed(part);
  while (done_ < bytes_) {
    const std::int64_t bytes = std::min(part, bytes_ - done_);
    const std::int64_t n = read_packed(position_ + done_, packed.data.begin(), bytes);
    unpack(memory_.typed(), done_, packed.data.begin(), n);
    done_ += n;
    outcome_.bytes = done_;
    if (n < bytes) return;
  }
}

void file_access::read_external() {
  const scratch packed(bytes_);
  const std::int64_t n = read_packed(position_, packed.data.begin(), bytes_);
  typed_buffer whole = memory_.typed();
  whole.count = n / std::max<std::int64_t>(memory_.type->external_size(), 1);
  unpack_external(packed.data.begin(), whole);
  done_ = n;
  outcome_.bytes = whole.bytes();
}

file_request::file_request(const ref<file>& of, std::int64_t position, const user_buffer& memory,
                           access_direction direction)
    : user_request(false, of->in()), of_(of), access_(*of, position, memory, direction) {}

void file_request::begin(rank& by) {
  awaited().peer = request::is_several;
  if (access_.bytes_in_file() <= short_access) {
    access_.run();
    return by.complete(awaited());
  }
  of_->under_way.push_back(&awaited());
  job_ = extension::current_pe().local<file_worker>().begin([this] { access_.run(); },
                                                            [this, &by] { by.complete(awaited()); });
}

void file_request::end() { std::erase(of_->under_way, &awaited()); }

int file_request::outcome(MPI_Status& status) {
  set_empty(status);
  set_bytes(status, access_.outcome().bytes);
  return access_.outcome().failure ? access_.outcome().failure->code() : MPI_SUCCESS;
}

}  // namespace imbrex::mpi
