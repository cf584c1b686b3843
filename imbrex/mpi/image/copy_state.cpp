// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/copy_state.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/heap_switch.hpp>
#include <imbrex/mpi/image/internal/pages.hpp>
#include <imbrex/mpi/image/internal/process_descriptors.hpp>
#include <imbrex/mpi/image/program_copy.hpp>

namespace imbrex::mpi {

namespace {

thread_local copy_state* running_here = nullptr;
thread_local copy_state* starter = nullptr;  // the copy that has started this thread

int access_of(const Elf64_Phdr& segment) {
  return ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

void map_pages(std::byte* begin, std::size_t size, int access, int more, int file, std::uint64_t offset) {
  if (::mmap(begin, size, access, MAP_PRIVATE | MAP_FIXED | more, file, static_cast<off_t>(offset)) ==
      MAP_FAILED)
    throw error(std::string("a copy of the program cannot be mapped: ") + std::strerror(errno) +
                (errno == ENOMEM
                     ? "; raise vm.max_map_count by sysctl, or start more processes with fewer ranks each"
                     : ""));
}

/// Maps a segment's file content, and zeroed memory for the rest.
void map_segment(const elf_file& file, const Elf64_Phdr& segment, std::byte* module) {
  const std::uint64_t begin = page_begin(segment.p_vaddr), in_file = segment.p_vaddr + segment.p_filesz,
                      end = segment.p_vaddr + segment.p_memsz;
  const int access = access_of(segment);
  if (segment.p_filesz > 0)
    map_pages(module + begin, in_file - begin, access, 0, file.descriptor(), page_begin(segment.p_offset));
  if (end == in_file) return;
  const std::uint64_t whole = segment.p_filesz > 0 ? page_end(in_file) : begin;
  if (segment.p_filesz > 0) std::memset(module + in_file, 0, whole - in_file);
  if (end > whole) map_pages(module + whole, page_end(end) - whole, access, MAP_ANONYMOUS, -1, 0);
}

template <class Value>
void set(std::byte* at, Value value) {
  std::memcpy(at, &value, sizeof value);
}

/// Copies words into a heap, if there is one: the program gets their addresses.
char** words_in(const program_heap* heap, char** words) {
  if (heap == nullptr) return words;
  std::size_t number = 0;
  while (words[number] != nullptr) ++number;
  auto** const copied = static_cast<char**>(::calloc(number + 1, sizeof(char*)));
  for (std::size_t i = 0; i < number; ++i) copied[i] = ::strdup(words[i]);
  return copied;
}

void end_main(copy_state& s, int status) {
  s.destruct(status);
  s.flush();
  copy_state::end_child(status);
  s.finish();
}

std::byte* this_thread() { return static_cast<std::byte*>(__builtin_thread_pointer()); }

}  // namespace

copy_memory::copy_memory(copy_area& area, copy_state* owner, std::optional<std::size_t> number)
    : area_(area), slot_(area.take(owner, number)) {
  if (area.heap_bytes() == 0) return;
  heap_ = program_heap::make(slot_ + area.heap_at(), area.heap_bytes());
  if (heap_ != nullptr) return;
  area.give_back(slot_);
  throw error(
      "there is no memory for the heap of a copy of the program: start fewer ranks, or more processes with "
      "fewer ranks each");
}

copy_memory::~copy_memory() { area_.give_back(slot_); }

copy_state* running_state() noexcept { return running_here; }

copy_state& calling_copy() noexcept { return *copy_area::current()->copy_at(call_gates::caller()); }

copy_state* copy_of_thread() noexcept { return running_here != nullptr ? running_here : starter; }

// With a heap, each object there gets the same address in every process: the order of construction counts.
copy_state::copy_state(std::shared_ptr<const copy_plan> source_plan, program_copy& owner, copy_host& host_,
                       std::string prefix_, std::optional<std::size_t> number)
    : kept_plan(std::move(source_plan)),
      plan(*kept_plan),
      copy(owner),
      host(&host_),
      memory(*plan.area, this, number),
      slot(memory.slot()),
      library(memory.heap()),
      output(std::move(prefix_), memory.heap()),
      output_buffer(memory.heap(), output.stream()) {
  map();
  if (memory.heap() != nullptr)
    for (const snapshot& s : plan.snapshots)
      departure.first_values.emplace_back(at(s.at), at(s.at) + s.value.size());
  connect_output();
  shown.emplace(modules());
}

copy_state::~copy_state() = default;

void copy_state::map() {
  for (const module_plan& m : plan.modules)
    for (const Elf64_Phdr& s : m.file.segments())
      if (s.p_type == PT_LOAD) map_segment(m.file, s, slot + m.at);
  plan.gates.map(at(plan.gates_at));
  if (plan.bytes > plan.annex)
    map_pages(slot + plan.annex, plan.bytes - plan.annex, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1, 0);
  for (const snapshot& s : plan.snapshots) std::memcpy(at(s.at), s.value.data(), s.value.size());
  for (const inner_word& w : plan.inner) set(at(w.at), at(w.to));
  for (const outer_word& w : plan.outer) set(at(w.at), w.value);
  for (const module_plan& m : plan.modules)
    if (const Elf64_Phdr* constant = m.file.segment(PT_GNU_RELRO)) {
      std::byte* const begin = at(m.at + page_begin(constant->p_vaddr));
      std::byte* const behind = at(m.at + page_begin(constant->p_vaddr + constant->p_memsz));
      if (behind > begin && ::mprotect(begin, static_cast<std::size_t>(behind - begin), PROT_READ) != 0)
        throw error(std::string("a copy of the program cannot be protected: ") + std::strerror(errno));
    }
  for (const thread_block& b : plan.thread_blocks) {
    auto& block = thread_blocks.emplace_back(b.size);
    const void* const image = b.is_of_copy ? at(b.image) : reinterpret_cast<const void*>(b.image);
    std::memcpy(block.data(), image, b.image_size);
  }
}

void copy_state::construct(int argc, char** argv, char** environment) {
  using constructor = void (*)(int, char**, char**);
  const auto run_array = [&](const module_plan& m, std::int64_t place, std::int64_t size) {
    const auto begin = m.file.dynamic(place);
    if (!begin) return;
    const auto* entries = reinterpret_cast<const constructor*>(at(m.at + *begin));
    for (std::size_t i = 0, n = m.file.dynamic(size).value_or(0) / sizeof(constructor); i < n; ++i)
      if (reinterpret_cast<std::uintptr_t>(entries[i]) + 1 > 1) entries[i](argc, argv, environment);
  };
  run_array(plan.modules.back(), DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ);
  for (const module_plan& m : plan.modules) {
    if (const auto first = m.file.dynamic(DT_INIT))
      reinterpret_cast<constructor>(at(m.at + *first))(argc, argv, environment);
    run_array(m, DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
  }
}

int copy_state::call_main(int argc, char** argv, char** environment) {
  process_descriptors::note();
  arguments.texts.assign(argv, argv + argc);
  for (std::string& text : arguments.texts) arguments.pointers.push_back(text.data());
  arguments.pointers.push_back(nullptr);
  int status = 0;
  {
    const inside_program runs;
    char** const words = words_in(memory.heap(), arguments.pointers.data());
    char** const variables = words_in(memory.heap(), environment);
    construct(argc, words, variables);
    departure.is_in_main = true;
    status = reinterpret_cast<int (*)(int, char**, char**)>(at(plan.main))(argc, words, variables);
  }
  // The program may have come to another process meanwhile, where another object has its state.
  end_main(*running_state(), status);
  return status;
}

std::vector<debugger_entry::module> copy_state::modules() const {
  std::vector<debugger_entry::module> of_copy;
  for (const module_plan& m : plan.modules)
    of_copy.push_back({at(m.at), m.name.c_str(), at(m.at + m.file.segment(PT_DYNAMIC)->p_vaddr)});
  return of_copy;
}

void copy_state::connect_output() {
  if (std::FILE** const own = variable<std::FILE*>(library_variable::standard_output)) *own = output.stream();
  if (std::ostream* const cout = variable<std::ostream>(library_variable::cout)) cout->rdbuf(&*output_buffer);
}

void copy_state::flush() noexcept { output.flush(); }

bool copy_state::holds(const void* address) const noexcept {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) - slot) < plan.bytes;
}

void* copy_state::original_of(void* address) const noexcept {
  const auto place = static_cast<std::uint64_t>(static_cast<std::byte*>(address) - slot);
  for (const module_plan& m : plan.modules)
    if (place - m.at < m.file.span()) return reinterpret_cast<void*>(m.original + (place - m.at));
  return address;
}

void copy_state::destruct(int status) {
  departure.is_in_main = false;
  at_thread_exit.run(status);
  at_exit.run(status);
  if (std::exchange(is_destructed, true)) return;
  using destructor = void (*)();
  for (auto m = plan.modules.rbegin(); m != plan.modules.rend(); ++m) {
    if (const auto begin = m->file.dynamic(DT_FINI_ARRAY)) {
      const auto* entries = reinterpret_cast<const destructor*>(at(m->at + *begin));
      for (std::size_t i = m->file.dynamic(DT_FINI_ARRAYSZ).value_or(0) / sizeof(destructor); i-- > 0;)
        if (reinterpret_cast<std::uintptr_t>(entries[i]) + 1 > 1) entries[i]();
    }
    if (const auto last = m->file.dynamic(DT_FINI)) reinterpret_cast<destructor>(at(m->at + *last))();
  }
}

void copy_state::exit(int status) {
  if (runs_here() || is_child()) destruct(status);
  end_at_once(status);
}

void copy_state::finish() noexcept {
  has_ended = true;
  timers.remove_all();
  flush();
}

void copy_state::end_child(int status) {
  if (!is_child()) return;
  std::fflush(nullptr);
  ::_exit(status);
}

void copy_state::end_at_once(int status) {
  const outside_program runtime;
  flush();
  end_child(status);
  if (!runs_here()) end_on_thread(status);
  finish();
  host.load()->end(status);
  __builtin_trap();  // not reached: `end` does not return
}

void copy_state::end_on_thread(int status) {
  flush();
  if (copy_host* const its = host) its->end_on_thread(status);
  for (;;) ::pause();  // the process is about to end
}

void copy_state::move_thread_variables(const std::byte* from, std::byte* to) noexcept {
  for (const thread_block& b : plan.thread_blocks) {
    at_thread_exit.move_arguments(from + b.offset, b.size, to + b.offset);
    for (std::vector<std::byte>& block : thread_blocks)
      for (std::size_t i = 0; i + sizeof(std::uintptr_t) <= block.size(); i += sizeof(std::uintptr_t)) {
        std::uintptr_t word = 0;
        std::memcpy(&word, &block[i], sizeof word);
        const std::uintptr_t at = word - reinterpret_cast<std::uintptr_t>(from + b.offset);
        if (at < b.size) set(&block[i], to + b.offset + at);
      }
  }
}

void copy_state::exchange_thread_blocks() noexcept {
  for (std::size_t i = 0; i < thread_blocks.size(); ++i)
    std::swap_ranges(thread_blocks[i].begin(), thread_blocks[i].end(),
                     this_thread() + plan.thread_blocks[i].offset);
}

bool copy_state::enter() noexcept {
  running_here = this;
  if (library->locale != nullptr) library->replaced = ::uselocale(library->locale);
  const bool has_signals = signals.enter();
  if (thread_blocks.empty()) return has_signals;
  std::byte* const here = this_thread();
  if (last_thread != here && last_thread != nullptr) move_thread_variables(last_thread, here);
  last_thread = here;
  exchange_thread_blocks();
  return has_signals;
}

void copy_state::leave() noexcept {
  if (memory.heap() != nullptr) choose_heap(nullptr);
  signals.leave();
  exchange_thread_blocks();
  if (library->replaced != nullptr) ::uselocale(std::exchange(library->replaced, nullptr));
  running_here = nullptr;
}

bool copy_state::runs_here() const noexcept { return running_here == this; }

void copy_state::begin_thread() noexcept {
  starter = this;
  if (library->locale != nullptr) ::uselocale(library->locale);
  for (const thread_block& b : plan.thread_blocks)
    if (b.is_of_copy) std::memcpy(this_thread() + b.offset, at(b.image), b.image_size);
}

}  // namespace imbrex::mpi
