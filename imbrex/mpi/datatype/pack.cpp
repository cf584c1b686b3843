// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/datatype/pack.hpp>

#include <algorithm>
#include <cstring>

namespace imbrex::mpi {

namespace {

/// Copies `count` pieces of `bytes` bytes, with compile-time lengths for the common sizes.
template <std::size_t Bytes>
void copy_pieces(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                 std::int64_t count) {
  for (; count > 0; --count, to += to_step, from += from_step) std::memcpy(to, from, Bytes);
}
void copy_pieces(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                 std::int64_t bytes, std::int64_t count) {
  switch (bytes) {
    case 1: return copy_pieces<1>(to, to_step, from, from_step, count);
    case 2: return copy_pieces<2>(to, to_step, from, from_step, count);
    case 4: return copy_pieces<4>(to, to_step, from, from_step, count);
    case 8: return copy_pieces<8>(to, to_step, from, from_step, count);
    case 16: return copy_pieces<16>(to, to_step, from, from_step, count);
    default:
      for (; count > 0; --count, to += to_step, from += from_step) std::memcpy(to, from, std::size_t(bytes));
  }
}

struct packer {
  std::byte* to;
  void run(std::uintptr_t at, std::int64_t bytes) {
    std::memcpy(to, reinterpret_cast<const std::byte*>(at), std::size_t(bytes));
    to += bytes;
  }
  void strided(std::uintptr_t at, std::int64_t bytes, std::int64_t stride, std::int64_t count) {
    copy_pieces(to, bytes, reinterpret_cast<const std::byte*>(at), stride, bytes, count);
    to += bytes * count;
  }
};

struct unpacker {
  const std::byte* from;
  void run(std::uintptr_t at, std::int64_t bytes) {
    std::memcpy(reinterpret_cast<std::byte*>(at), from, std::size_t(bytes));
    from += bytes;
  }
  void strided(std::uintptr_t at, std::int64_t bytes, std::int64_t stride, std::int64_t count) {
    copy_pieces(reinterpret_cast<std::byte*>(at), stride, from, bytes, bytes, count);
    from += bytes * count;
  }
};

struct run_visitor {
  const std::function<void(std::byte*, std::int64_t, std::int64_t)>& visit;
  std::int64_t position = 0;
  void run(std::uintptr_t at, std::int64_t bytes) {
    visit(reinterpret_cast<std::byte*>(at), position, bytes);
    position += bytes;
  }
  void strided(std::uintptr_t at, std::int64_t bytes, std::int64_t stride, std::int64_t count) {
    for (; count > 0; --count, at += std::uintptr_t(stride)) run(at, bytes);
  }
};

template <typename Visitor>
void walk(const typed_buffer& b, std::int64_t position, std::int64_t bytes, Visitor visit) {
  if (bytes <= 0) return;
  const auto at = reinterpret_cast<std::uintptr_t>(b.memory);
  const datatype& t = *b.type;
  const loop& one = t.bytes_of_one();
  if (t.is_contiguous()) return visit.run(at + std::uintptr_t(position), bytes);
  std::int64_t i = position / t.size();
  position -= i * t.size();
  const auto step = std::uintptr_t(t.extent());
  while (bytes > 0) {
    if (one.is_run() && position == 0 &&
        bytes >= t.size()) {  // a repetition, as of a column that was resized
      const std::int64_t whole = bytes / t.size();
      visit.strided(at + std::uintptr_t(i) * step + std::uintptr_t(one.offset()), t.size(), t.extent(),
                    whole);
      i += whole, bytes -= whole * t.size();
      continue;
    }
    const std::int64_t here = std::min(bytes, t.size() - position);
    one.walk(at + std::uintptr_t(i) * step, position, position + here, visit);
    ++i, position = 0, bytes -= here;
  }
}

}  // namespace

void pack(const typed_buffer& buffer, std::int64_t position, std::byte* to, std::int64_t bytes) {
  walk(buffer, position, bytes, packer{to});
}

void unpack(const typed_buffer& buffer, std::int64_t position, const std::byte* from, std::int64_t bytes) {
  walk(buffer, position, bytes, unpacker{from});
}

void visit_runs(const typed_buffer& buffer, std::int64_t bytes,
                const std::function<void(std::byte*, std::int64_t, std::int64_t)>& visit) {
  run_visitor visitor{visit};
  walk(buffer, 0, bytes, visitor);
}

void copy(const typed_buffer& from, const typed_buffer& to, std::int64_t bytes) {
  if (to.type->is_contiguous()) return pack(from, 0, to.memory, bytes);
  if (from.type->is_contiguous()) return unpack(to, 0, from.memory, bytes);
  // Copy in pieces that fit the first-level cache.
  std::byte piece[8192];
  for (std::int64_t done = 0; done < bytes;) {
    const std::int64_t n = std::min<std::int64_t>(bytes - done, sizeof piece);
    pack(from, done, piece, n);
    unpack(to, done, piece, n);
    done += n;
  }
}

}  // namespace imbrex::mpi
