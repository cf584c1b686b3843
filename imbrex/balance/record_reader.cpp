// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/record_reader.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include <imbrex/balance/curve_order.hpp>
#include <imbrex/balance/internal/record_format.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/serial/bytes.hpp>

namespace imbrex::balance {
namespace {

using detail::record_block;
using detail::record_block_header;
using detail::record_header;

/// More PEs are no run's: arrays of so many fit into memory.
constexpr int most_pes = 1 << 24;

bool is_load(float load) { return std::isfinite(load) && load >= 0; }

}  // namespace

void record_reader::refuse(const std::string& why) const { throw usage_error(printable(file_) + " " + why); }

void record_reader::refuse_period(const std::string& why) const {
  refuse("is damaged: period " + std::to_string(number_) + ": " + why + "; record the run again");
}

void record_reader::read_at(std::uint64_t offset, void* to, std::size_t bytes) const {
  auto* at = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const auto got = ::pread(descriptor_.get(), at, bytes, static_cast<::off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) refuse("has become shorter while it was read: a new run has replaced it; read it again");
    at += got;
    bytes -= static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
}

record_reader::record_reader(const std::string& file)
    : file_(file), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct ::stat found{};
  if (!descriptor_ || ::fstat(descriptor_.get(), &found) != 0)
    refuse(std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(found.st_mode)) refuse("cannot be read: it is no regular file");
  record_header header;
  const record_header right;
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (size >= sizeof header) read_at(0, &header, sizeof header);
  if (size < sizeof header || header.magic != right.magic)
    refuse("is no record of a balancer; give a file that a program wrote with --balance-record");
  if (header.version != right.version)
    refuse("has version " + std::to_string(header.version) + ", not " + std::to_string(right.version) +
           ": it is of another Imbrex, or of a machine of the other byte order; record the run again");
  if (header.whole > size)
    refuse("is cut: it has " + std::to_string(size) + " bytes of " + std::to_string(header.whole) +
           "; copy it again, or record the run again");
  whole_ = header.whole;
  at_ = sizeof header;
  if (at_ >= whole_) refuse("has no run: the program ended before its first PE began; record it again");
  const block first = read_block();
  if (first.kind != static_cast<std::uint64_t>(record_block::run))
    refuse("is damaged: it does not begin with a run");
  run_ = value_of<recorded_run>(first);
  if (run_.pes < 1 || run_.pes > most_pes) refuse("is damaged: it has " + std::to_string(run_.pes) + " PEs");
}

record_reader::block record_reader::read_block() {
  record_block_header header;
  const std::uint64_t left = whole_ > at_ ? whole_ - at_ : 0;
  if (left < sizeof header) refuse("is damaged: its length is not that of its blocks");
  read_at(at_, &header, sizeof header);
  if (header.bytes > left - sizeof header) refuse("is damaged: its length is not that of its blocks");
  block found{static_cast<std::uint64_t>(header.kind), std::vector<std::byte>(header.bytes)};
  read_at(at_ + sizeof header, found.content.data(), found.content.size());
  if (detail::checksum_of(found.content) != header.checksum)
    refuse("is damaged: the checksum of the block at byte " + std::to_string(at_) +
           " is another; copy it again, or record the run again");
  at_ += sizeof header + header.bytes;
  return found;
}

template <class T>
T record_reader::value_of(const block& from) const {
  try {
    return from_bytes<T>(from.content);
  } catch (const serial_error& what) {
    refuse(std::string("is damaged: ") + what.what());
  }
}

bool record_reader::next() {
  while (at_ < whole_) {
    const block found = read_block();
    switch (static_cast<record_block>(found.kind)) {
      case record_block::objects: take(value_of<recorded_objects>(found)); continue;
      case record_block::period: take(value_of<recorded_period>(found)); return true;
      case record_block::run: break;
    }
    refuse("is damaged: it has a block of kind " + std::to_string(found.kind));
  }
  return false;
}

void record_reader::take(recorded_objects objects) {
  names_ = std::move(objects.names);
  snapshot& p = period_.problem;
  p.dimensions = objects.dimensions;
  p.coordinates = std::move(objects.coordinates);
  p.curve.clear();
  if (!std::ranges::is_sorted(names_)) refuse("is damaged: its objects are not in order");
}

void record_reader::take(recorded_period period) {
  ++number_;
  snapshot& p = period.problem;
  p.dimensions = period_.problem.dimensions;
  p.coordinates = std::move(period_.problem.coordinates);
  p.curve = std::move(period_.problem.curve);
  p.pes = run_.pes;
  p.node = run_.node;
  p.device = run_.device;
  p.speed = run_.speed;
  period_ = std::move(period);
  if (period_.problem.pe.size() != names_.size())
    refuse_period(std::to_string(period_.problem.pe.size()) + " PEs for " + std::to_string(names_.size()) +
                  " objects");
  try {
    check(period_.problem.view());
  } catch (const error& what) {
    refuse_period(what.what());
  }
  check_outcome();
  if (period_.problem.curve.empty()) period_.problem.curve = curve_order(period_.problem.view());
}

void record_reader::check_outcome() const {
  const std::size_t objects = names_.size();
  if (period_.measured.size() != objects || !std::ranges::all_of(period_.measured, is_load))
    refuse_period("its measured loads are not one for each object, finite and 0 or more");
  if (static_cast<unsigned>(period_.taken) > static_cast<unsigned>(action::take_back) ||
      !std::isfinite(period_.ended))
    refuse_period("its action or its time is none");
  if (period_.moved.size() != period_.to.size()) refuse_period("moves without a destination");
  for (std::size_t i = 0; i < period_.moved.size(); ++i)
    if (period_.moved[i] >= objects || period_.to[i] < 0 || period_.to[i] >= run_.pes)
      refuse_period("a move of object " + std::to_string(period_.moved[i]) + " to PE " +
                    std::to_string(period_.to[i]));
}

}  // namespace imbrex::balance
