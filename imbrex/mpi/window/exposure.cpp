// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/exposure.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/mpi/collective/exchange.hpp>
#include <imbrex/mpi/collective/spread.hpp>
#include <imbrex/mpi/object/error.hpp>

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

}  // namespace

exposure::exposure(window_link& link, const window_memory& memory)
    : link_(link),
      flavour_(memory.flavour),
      unit_(static_cast<int>(std::min<std::int64_t>(memory.unit, std::numeric_limits<int>::max()))),
      model_(MPI_WIN_UNIFIED),
      size_(memory.size),
      own_(nullptr, &std::free) {
  std::byte* base = memory.base;
  if (flavour_ == MPI_WIN_FLAVOR_ALLOCATE) {
    own_.reset(allocate(memory.size));
    base = aligned(own_.get());
  }
  memory_ = flavour_ == MPI_WIN_FLAVOR_DYNAMIC ? std::make_unique<exposed_memory>()
                                               : std::make_unique<exposed_memory>(base, memory.size);
}

void exposure::receive_by(access_receiver& server) {
  link_.self().accesses.add(link_.in()->context(purpose::persistent), server);
}

void exposure::meet(const window_memory& memory, access_receiver& server) {
  const auto process = static_cast<std::uint64_t>(current_pe().run().process());
  const introduction own{reinterpret_cast<std::uint64_t>(memory_.get()),
                         reinterpret_cast<std::uint64_t>(memory_->base()), memory.size, memory.unit, process};
  std::vector<introduction> all(link_.targets().size());
  const auto bytes = std::int64_t(sizeof own);
  // The receiver is registered before other ranks can know of the window and send packets.
  if (flavour_ != MPI_WIN_FLAVOR_SHARED) receive_by(server);
  const block_list blocks{all.data(), bytes, bytes_at(nullptr, 0).type, {}, {}, {}};
  const user_buffer local_buffer = bytes_at(const_cast<introduction*>(&own), bytes);
  run_schedule(link_.self(), link_.in(), purpose::window,
               [&blocks, &local_buffer](schedule& s) { return all_gather(s, local_buffer, blocks, false); });
  for (std::size_t i = 0; i < all.size(); ++i) {
    window_target& t = link_.targets()[i];
    t.size = all[i].size;
    t.unit = all[i].unit;
    t.process = static_cast<std::uint32_t>(all[i].process);
    t.base = reinterpret_cast<std::byte*>(all[i].base);
    if (all[i].process == process) t.memory = reinterpret_cast<exposed_memory*>(all[i].memory);
  }
  if (flavour_ == MPI_WIN_FLAVOR_SHARED) share(memory.is_contiguous, server);
}

void exposure::share(bool is_contiguous, access_receiver& server) {
  const window_target& own = link_[link_.in()->rank()];
  std::int64_t total = 0;
  for (std::size_t i = 0; i < link_.targets().size(); ++i) {
    if (link_.targets()[i].process != own.process)
      throw error(MPI_ERR_RMA_SHARED, "the ranks 0 and " + std::to_string(i) +
                                          " of the communicator are not in one process, and only ranks of "
                                          "one share memory; split it by MPI_Comm_split_type and "
                                          "MPI_COMM_TYPE_SHARED first");
    total += is_contiguous ? link_.targets()[i].size : rounded(link_.targets()[i].size);
  }
  std::uint64_t base = 0;
  if (link_.in()->rank() == 0) {
    own_.reset(allocate(total));
    base = reinterpret_cast<std::uint64_t>(aligned(own_.get()));
  }
  const user_buffer address = bytes_at(&base, std::int64_t(sizeof base));
  run_schedule(link_.self(), link_.in(), purpose::window,
               [&address](schedule& s) { return mpi::broadcast(s, 0, address); });
  auto* place = reinterpret_cast<std::byte*>(base);
  for (window_target& t : link_.targets()) {
    t.base = is_contiguous || t.size > 0 ? place : nullptr;
    place += is_contiguous ? t.size : rounded(t.size);
  }
  memory_->place(own.base);
  receive_by(server);
  link_.barrier(purpose::window);  // other ranks access the memory through this rank's `memory_`
}

void exposure::attach(void* at, std::int64_t bytes) {
  if (flavour_ != MPI_WIN_FLAVOR_DYNAMIC)
    throw error(MPI_ERR_RMA_FLAVOR,
                "memory is attached to windows of MPI_Win_create_dynamic alone; make one by that");
  if (bytes < 0)
    throw error(MPI_ERR_SIZE, "the size is " + std::to_string(bytes) + " bytes; it must not be negative");
  memory_->attach(at, bytes);
}

void exposure::detach(const void* at) {
  if (flavour_ != MPI_WIN_FLAVOR_DYNAMIC)
    throw error(MPI_ERR_RMA_FLAVOR,
                "memory is detached from windows of MPI_Win_create_dynamic alone; free other windows");
  memory_->detach(at);
}

window_memory exposure::shared_memory(int of) const {
  if (flavour_ != MPI_WIN_FLAVOR_SHARED)
    throw error(MPI_ERR_RMA_FLAVOR,
                "only windows of MPI_Win_allocate_shared have memory that ranks share; make one by that");
  std::size_t i = 0;
  if (of == MPI_PROC_NULL) {
    while (i + 1 < link_.targets().size() && link_.targets()[i].size == 0) ++i;
    if (link_.targets()[i].size == 0) return {flavour_, nullptr, 0, link_.targets()[i].unit};
  } else {
    if (of < 0 || of >= link_.in()->size())
      throw error(MPI_ERR_RANK, "the rank is " + std::to_string(of) + ", and the window has ranks 0 to " +
                                    std::to_string(link_.in()->size() - 1));
    i = static_cast<std::size_t>(of);
  }
  return {flavour_, link_.targets()[i].base, link_.targets()[i].size, link_.targets()[i].unit};
}

}  // namespace imbrex::mpi
