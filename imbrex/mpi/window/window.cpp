// SPDX-License-Identifier: Apache-2.0
// Creation of windows and their memory.
#include <imbrex/mpi/window/window.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/mpi/collective/exchange.hpp>
#include <imbrex/mpi/collective/spread.hpp>
#include <imbrex/mpi/object/handle.hpp>
#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

using extension::current_pe;

namespace {

/// The description of a rank's memory that all ranks exchange.
struct introduction {
  std::uint64_t memory = 0;
  std::uint64_t base = 0;
  std::int64_t size = 0;
  std::int64_t unit = 0;
  std::uint64_t process = 0;
};

constexpr std::size_t granule = 64;
std::int64_t rounded(std::int64_t bytes) {
  return (bytes + std::int64_t(granule) - 1) / std::int64_t(granule) * std::int64_t(granule);
}

/// Zeroed memory, whose pages the system allocates when they are touched.
std::byte* allocate(std::int64_t bytes) {
  void* const memory = std::calloc(1, std::size_t(bytes) + granule);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}
std::byte* aligned(std::byte* memory) {
  const std::size_t over = reinterpret_cast<std::uintptr_t>(memory) % granule;
  return over == 0 ? memory : memory + (granule - over);
}

ref<error_handler> predefined_handler(int of) { return ref(predefined_error_handler(of)); }

}  // namespace

window::window(rank& self, const ref<communicator>& in, const window_memory& memory)
    : window_object(0, predefined_handler(MPI_ERRORS_ARE_FATAL)),
      self_(self),
      in_(in),
      flavour_(memory.flavour),
      unit_(static_cast<int>(std::min<std::int64_t>(memory.unit, std::numeric_limits<int>::max()))),
      model_(MPI_WIN_UNIFIED),
      size_(memory.size),
      is_direct_(current_pe().queues_plainly()),
      own_(nullptr, &std::free),
      targets_(static_cast<std::size_t>(in->size())) {
  std::byte* base = memory.base;
  if (flavour_ == MPI_WIN_FLAVOR_ALLOCATE) {
    own_.reset(allocate(memory.size));
    base = aligned(own_.get());
  }
  memory_ = flavour_ == MPI_WIN_FLAVOR_DYNAMIC ? std::make_unique<exposed_memory>()
                                               : std::make_unique<exposed_memory>(base, memory.size);
}

window::~window() {
  self_.accesses.remove(in_->context(purpose::persistent));
  for (auto& [rank, from] : origins_)
    for (packet* const p : from.waiting) packet::release(*p);
}

ref<window> window::make(rank& self, const ref<communicator>& of, context_id context,
                         const window_memory& memory) {
  const user_buffer number = bytes_at(&context, std::int64_t(sizeof context));
  run_schedule(self, of, purpose::window, [&number](schedule& s) { return mpi::broadcast(s, 0, number); });
  const ref<communicator> in(
      new communicator(0, context, of->members(), of->rank(), predefined_handler(MPI_ERRORS_RETURN)));
  const ref<window> result(new window(self, in, memory));
  result->meet(memory);
  return result;
}

void window::meet(const window_memory& memory) {
  const auto process = static_cast<std::uint64_t>(current_pe().run().process());
  const introduction own{reinterpret_cast<std::uint64_t>(memory_.get()),
                         reinterpret_cast<std::uint64_t>(memory_->base()), memory.size, memory.unit, process};
  std::vector<introduction> all(targets_.size());
  const auto bytes = std::int64_t(sizeof own);
  // The receiver is registered before other ranks can know of the window and send packets.
  if (flavour_ != MPI_WIN_FLAVOR_SHARED) self_.accesses.add(in_->context(purpose::persistent), *this);
  const block_list blocks{all.data(), bytes, bytes_at(nullptr, 0).type, {}, {}, {}};
  const user_buffer local_buffer = bytes_at(const_cast<introduction*>(&own), bytes);
  run_schedule(self_, in_, purpose::window,
               [&blocks, &local_buffer](schedule& s) { return all_gather(s, local_buffer, blocks, false); });
  for (std::size_t i = 0; i < all.size(); ++i) {
    target& t = targets_[i];
    t.size = all[i].size;
    t.unit = all[i].unit;
    t.process = static_cast<std::uint32_t>(all[i].process);
    t.base = reinterpret_cast<std::byte*>(all[i].base);
    if (all[i].process == process) t.memory = reinterpret_cast<exposed_memory*>(all[i].memory);
  }
  if (flavour_ == MPI_WIN_FLAVOR_SHARED) share(memory.is_contiguous);
}

void window::share(bool is_contiguous) {
  const target& own = targets_[static_cast<std::size_t>(in_->rank())];
  std::int64_t total = 0;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].process != own.process)
      throw error(MPI_ERR_RMA_SHARED, "the ranks 0 and " + std::to_string(i) +
                                          " of the communicator are not in one process, and only ranks of "
                                          "one share memory; split it by MPI_Comm_split_type and "
                                          "MPI_COMM_TYPE_SHARED first");
    total += is_contiguous ? targets_[i].size : rounded(targets_[i].size);
  }
  std::uint64_t base = 0;
  if (in_->rank() == 0) {
    own_.reset(allocate(total));
    base = reinterpret_cast<std::uint64_t>(aligned(own_.get()));
  }
  const user_buffer address = bytes_at(&base, std::int64_t(sizeof base));
  run_schedule(self_, in_, purpose::window,
               [&address](schedule& s) { return mpi::broadcast(s, 0, address); });
  auto* place = reinterpret_cast<std::byte*>(base);
  for (target& t : targets_) {
    t.base = is_contiguous || t.size > 0 ? place : nullptr;
    place += is_contiguous ? t.size : rounded(t.size);
  }
  memory_->place(own.base);
  self_.accesses.add(in_->context(purpose::persistent), *this);
  barrier(purpose::window);  // other ranks access the memory through this rank's `memory_`
}

void window::barrier(purpose of) { run_schedule(self_, in_, of, &mpi::barrier); }

void window::attach(void* at, std::int64_t bytes) {
  if (flavour_ != MPI_WIN_FLAVOR_DYNAMIC)
    throw error(MPI_ERR_RMA_FLAVOR,
                "memory is attached to windows of MPI_Win_create_dynamic alone; make one by that");
  if (bytes < 0)
    throw error(MPI_ERR_SIZE, "the size is " + std::to_string(bytes) + " bytes; it must not be negative");
  memory_->attach(at, bytes);
}

void window::detach(const void* at) {
  if (flavour_ != MPI_WIN_FLAVOR_DYNAMIC)
    throw error(MPI_ERR_RMA_FLAVOR,
                "memory is detached from windows of MPI_Win_create_dynamic alone; free other windows");
  memory_->detach(at);
}

window_memory window::shared_memory(int of) const {
  if (flavour_ != MPI_WIN_FLAVOR_SHARED)
    throw error(MPI_ERR_RMA_FLAVOR,
                "only windows of MPI_Win_allocate_shared have memory that ranks share; make one by that");
  std::size_t i = 0;
  if (of == MPI_PROC_NULL) {
    while (i + 1 < targets_.size() && targets_[i].size == 0) ++i;
    if (targets_[i].size == 0) return {flavour_, nullptr, 0, targets_[i].unit};
  } else {
    if (of < 0 || of >= in_->size())
      throw error(MPI_ERR_RANK, "the rank is " + std::to_string(of) + ", and the window has ranks 0 to " +
                                    std::to_string(in_->size() - 1));
    i = static_cast<std::size_t>(of);
  }
  return {flavour_, targets_[i].base, targets_[i].size, targets_[i].unit};
}

std::string window::description() const {
  std::string text = name.empty() ? "window " + text_of_handle(handle()) : name;
  if (awaited_ != nullptr) text += std::string(", for ") + awaited_;
  if (awaited_ != nullptr && awaited_rank_ >= 0) text += " of rank " + std::to_string(awaited_rank_);
  return text;
}

void window::note() {
  if (condition_ == nullptr || !test_(condition_)) return;
  condition_ = nullptr;
  self_.complete(waits_);
}

}  // namespace imbrex::mpi
