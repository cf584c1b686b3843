// SPDX-License-Identifier: Apache-2.0
// Copies that leave a process and go on in another one, at the same addresses.
#include <imbrex/mpi/image/copy_travel.hpp>

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/pages.hpp>
#include <imbrex/mpi/image/program_copy.hpp>

extern "C" {
extern std::FILE* _IO_list_all;  // the C library's list of open streams
void _IO_list_lock();
void _IO_list_unlock();
}

namespace imbrex::mpi {

namespace {

/// Part of the memory of a copy.
struct range {
  std::byte* begin;
  std::byte* end;
};

/// The parts that a copy may write to, apart from its stack. Both processes have the others alike.
std::vector<range> writable_parts(const copy_state& s) {
  std::vector<range> parts;
  for (const module_plan& m : s.plan.modules) {
    const Elf64_Phdr* const constant = m.file.segment(PT_GNU_RELRO);
    for (const Elf64_Phdr& segment : m.file.segments()) {
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
      std::uint64_t begin = page_begin(segment.p_vaddr);
      const std::uint64_t end = page_end(segment.p_vaddr + segment.p_memsz);
      if (constant != nullptr && page_begin(constant->p_vaddr) == begin)
        begin = page_begin(constant->p_vaddr + constant->p_memsz);
      if (begin < end) parts.push_back({s.at(m.at + begin), s.at(m.at + end)});
    }
  }
  if (s.plan.bytes > s.plan.annex) parts.push_back({s.at(s.plan.annex), s.at(s.plan.bytes)});
  parts.push_back({reinterpret_cast<std::byte*>(s.memory.heap()), s.memory.heap()->end()});
  return parts;
}

/// Adds the runs of pages in a part that have been written: those in memory or in swap that belong to no
/// file.
void add_written(int page_map, const range& part, std::vector<written_pages>& to) {
  constexpr std::uint64_t in_memory = std::uint64_t{1} << 63U, in_swap = std::uint64_t{1} << 62U,
                          of_file = std::uint64_t{1} << 61U;
  constexpr std::size_t at_once = 1024;
  std::array<std::uint64_t, at_once> entries;
  for (std::byte* at = part.begin; at < part.end;) {
    const std::size_t pages =
        std::min<std::size_t>(at_once, static_cast<std::size_t>(part.end - at) / page_size());
    const auto place =
        static_cast<off_t>(reinterpret_cast<std::uintptr_t>(at) / page_size() * sizeof(std::uint64_t));
    const bool is_known = page_map >= 0 && ::pread(page_map, entries.data(), pages * sizeof entries[0],
                                                   place) == static_cast<ssize_t>(pages * sizeof entries[0]);
    for (std::size_t i = 0; i < pages; ++i, at += page_size()) {
      const bool has_changed =
          !is_known || ((entries[i] & (in_memory | in_swap)) != 0 && (entries[i] & of_file) == 0);
      if (!has_changed) continue;
      if (!to.empty() && to.back().begin + to.back().bytes == at)
        to.back().bytes += page_size();
      else
        to.push_back({at, page_size()});
    }
  }
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_bytes(std::span(&value, 1));
}

/// Writes plain values one after another.
class packer {
 public:
  template <class T>
  void value(const T& of) {
    const auto bytes = bytes_of(of);
    all_.insert(all_.end(), bytes.begin(), bytes.end());
  }
  void bytes(std::span<const std::byte> of) {
    value(of.size());
    all_.insert(all_.end(), of.begin(), of.end());
  }
  packed_copy take() { return std::move(all_); }

 private:
  packed_copy all_;
};

/// Reads what a `packer` has written. Throws error if the bytes end before.
class unpacker {
 public:
  explicit unpacker(std::span<const std::byte> all) : rest_(all) {}
  template <class T>
  T value() {
    T of;
    std::memcpy(&of, next(sizeof of).data(), sizeof of);
    return of;
  }
  std::span<const std::byte> bytes() { return next(value<std::size_t>()); }

 private:
  std::span<const std::byte> next(std::size_t size) {
    if (size > rest_.size()) throw error("the state of a rank that comes from another process is cut off");
    const auto found = rest_.first(size);
    rest_ = rest_.subspan(size);
    return found;
  }
  std::span<const std::byte> rest_;
};

void pack(const exit_functions& of, packer& to) { to.bytes(std::as_bytes(std::span(of.entries()))); }
void unpack(exit_functions& of, unpacker& from) {
  const auto bytes = from.bytes();
  std::vector<exit_functions::entry> entries(bytes.size() / sizeof(exit_functions::entry));
  std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof entries[0]);
  of.set_entries(std::move(entries));
}

/// Memory in the slot that belongs to the process: its stream, and parts of the state of the C library.
std::vector<range> parts_of_process(const copy_state& s) {
  const auto part = [](void* begin, std::size_t bytes) {
    return range{static_cast<std::byte*>(begin), static_cast<std::byte*>(begin) + bytes};
  };
  std::FILE* const stream = s.output.stream();
  return {part(stream, ::malloc_usable_size(stream)), part(&*s.output_buffer, sizeof *s.output_buffer),
          part(static_cast<std::byte*>(static_cast<void*>(&*s.library)) + sizeof(library_values),
               sizeof(library_state) - sizeof(library_values))};
}

/// A stream that the copy has opened, in words; empty if there is none.
std::string open_stream(const copy_state& s) {
  std::string found;
  const auto slot = reinterpret_cast<std::uintptr_t>(s.slot);
  ::_IO_list_lock();
  for (const std::FILE* each = _IO_list_all; each != nullptr && found.empty();
       each = reinterpret_cast<const std::FILE*>(each->_chain)) {
    const bool is_own = reinterpret_cast<std::uintptr_t>(each) - slot < s.plan.area->slot_bytes();
    if (is_own && each != s.output.stream())
      found = "it has an open stream, of the descriptor " + std::to_string(each->_fileno);
  }
  ::_IO_list_unlock();
  return found;
}

bool is_of_process(const copy_plan& plan, std::uint64_t place) {
  for (std::size_t i = 0; i < num_library_variables; ++i)
    if (!is_of_each_copy(static_cast<library_variable>(i)) && plan.variables[i] == place) return true;
  return false;
}

}  // namespace

std::string program_copy::obstacle() const {
  const copy_state& s = *state_;
  if (s.memory.heap() == nullptr) return "the program runs without --migratable";
  if (is_child()) return "it is a child process";
  if (!s.departure.is_in_main) return "its main has not begun, or has ended";
  if (s.has_threads) return "it has started threads";
  if (s.timers.any()) return "it has timers";
  if (s.library->locale != nullptr) return "it has set a locale";
  if (s.library->table.size != 0) return "it has a table of hcreate";
  if (!s.output.is_of_process()) return "its standard output is a file";
  if (std::string stream = open_stream(s); !stream.empty()) return stream;
  return s.departure.resources.words();
}

std::vector<written_pages> program_copy::written(const std::byte* stack, const std::byte* top) const {
  const copy_state& s = *state_;
  const descriptor page_map(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::vector<written_pages> found;
  for (const range& part : writable_parts(s)) add_written(page_map.get(), part, found);
  auto* const lowest = reinterpret_cast<std::byte*>(page_begin(reinterpret_cast<std::uintptr_t>(stack)));
  found.push_back({lowest, static_cast<std::size_t>(top - lowest)});
  return found;
}

packed_copy program_copy::pack(bool leaves) {
  copy_state& s = *state_;
  s.departure.has_left = leaves;
  packer to;
  const std::string line = s.output.take_last_line();
  if (!leaves) s.output.set_last_line(line);
  to.bytes(std::as_bytes(std::span(line)));
  to.value(s.output.stream());
  to.value(static_cast<std::size_t>(s.memory.heap()->end() - reinterpret_cast<std::byte*>(s.memory.heap())));
  to.value(s.last_thread);
  for (const auto& block : s.thread_blocks) to.bytes(block);
  for (const exit_functions* each : {&s.at_exit, &s.at_quick_exit, &s.at_thread_exit})
    imbrex::mpi::pack(*each, to);
  to.value(s.library->keys.values.size());
  for (const auto& [key, value] : s.library->keys.values) {
    to.value(key);
    to.value(value);
  }
  to.value(s.library->keys.are_of_process.size());
  for (const auto& [key, is_of_process] : s.library->keys.are_of_process) to.value(key);
  to.value(s.signals.are_used());
  if (s.signals.are_used()) to.value(s.signals.now());
  for (std::size_t i = 0; i < s.departure.first_values.size(); ++i) {
    const std::vector<std::byte>& first = s.departure.first_values[i];
    const std::byte* const now = s.at(s.plan.snapshots[i].at);
    to.value(is_of_process(s.plan, s.plan.snapshots[i].at) || std::equal(first.begin(), first.end(), now));
  }
  return to.take();
}

void program_copy::take_over(std::span<const std::byte> packed) {
  copy_state& s = *state_;
  unpacker from(packed);
  const auto line = from.bytes();
  s.output.set_last_line(std::string(reinterpret_cast<const char*>(line.data()), line.size()));
  if (from.value<std::FILE*>() != s.output.stream())
    throw error("a rank's stream has another address in this process than in the one that it comes from");
  if (!s.memory.heap()->make_accessible(from.value<std::size_t>()))
    throw error("there is no memory for the heap of a rank that comes from another process");
  s.last_thread = from.value<std::byte*>();
  for (auto& block : s.thread_blocks) {
    const auto bytes = from.bytes();
    block.assign(bytes.begin(), bytes.end());
  }
  for (exit_functions* each : {&s.at_exit, &s.at_quick_exit, &s.at_thread_exit}) unpack(*each, from);
  s.library->keys.values.clear();
  for (auto left = from.value<std::size_t>(); left > 0; --left) {
    const auto key = from.value<pthread_key_t>();
    s.library->keys.values[key] = from.value<const void*>();
  }
  for (auto left = from.value<std::size_t>(); left > 0; --left)
    s.library->keys.are_of_process[from.value<pthread_key_t>()] = false;
  if (from.value<bool>() && !s.signals.become(from.value<copy_signals::values>()))
    throw error("the system refuses a signal handler of a rank that comes from another process");
  s.departure.of_process.clear();
  for (std::size_t i = 0; i < s.departure.first_values.size(); ++i)
    if (from.value<bool>()) s.departure.of_process.push_back(i);
  s.departure.is_in_main = true;
}

void program_copy::fill(const written_pages& run, const std::byte* bytes) {
  copy_state& s = *state_;
  const std::size_t place = static_cast<std::size_t>(run.begin - s.slot);
  if (place >= s.plan.area->slot_bytes() || run.bytes > s.plan.area->slot_bytes() - place)
    throw error("pages of a rank that comes from another process lie outside of its slot");
  std::vector<range> kept = parts_of_process(s);
  std::ranges::sort(kept, {}, &range::begin);
  std::byte* at = run.begin;
  const std::byte* const end = run.begin + run.bytes;
  for (const range& each : kept) {
    if (each.end <= at || each.begin >= end) continue;
    if (each.begin > at) std::memcpy(at, bytes + (at - run.begin), static_cast<std::size_t>(each.begin - at));
    at = std::min(each.end, run.begin + run.bytes);
  }
  if (at < end) std::memcpy(at, bytes + (at - run.begin), static_cast<std::size_t>(end - at));
}

void program_copy::end_arrival() {
  copy_state& s = *state_;
  for (const std::size_t i : s.departure.of_process) {
    const std::vector<std::byte>& first = s.departure.first_values[i];
    std::byte* const now = s.at(s.plan.snapshots[i].at);
    if (!std::equal(first.begin(), first.end(), now))  // constants cannot be written, and are equal
      std::memcpy(now, first.data(), first.size());
  }
  for (const auto which : {library_variable::environment, library_variable::environment_alias})
    if (char*** const variable = s.variable<char**>(which)) *variable = environ;
}

}  // namespace imbrex::mpi
