// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/heap_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/executor.hpp>
#include <imbrex/core/pe/promise.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/net/host.hpp>
#include <imbrex/resident/nvshmem.hpp>

namespace imbrex::resident::detail {
namespace {

/// Pieces that all processes have given back, which can be released.
std::vector<std::uint32_t> pieces_unused_by_all(const std::vector<heap_part>& all) {
  std::vector<std::uint32_t> released = all[0].unused_pieces;
  for (const heap_part& one : all)
    std::erase_if(released,
                  [&one](std::uint32_t n) { return !std::ranges::binary_search(one.unused_pieces, n); });
  return released;
}

/// Result of a thread that may wait for other processes.
struct allocation_result {
  std::shared_ptr<nvshmem::session> session;
  nvshmem::session::piece piece;
  std::exception_ptr problem;
};

task<std::unique_ptr<heap_source>> source_by_nvshmem(process_group<heap_exchange> place, device& own_device,
                                                     heap_part own, std::size_t bytes) {
  const std::shared_ptr<nvshmem::session> before = nvshmem::session::here();
  own.has_session = before != nullptr;
  if (before) own.unused_pieces = before->unused_pieces();
  if (process() == 0 && !before) own.id = nvshmem::session::new_id();
  const std::vector<heap_part> all = co_await place[process()].call<&heap_exchange::exchange>(own);
  for (std::size_t g = 1; g < all.size(); ++g)
    if (all[g].has_session != all[0].has_session)
      throw usage_error("process " + std::to_string(all[g].has_session ? g : 0) +
                        " still has a symmetric heap of an earlier run by NVSHMEM, and process " +
                        std::to_string(all[g].has_session ? 0 : g) + " has not: destroy it before");
  const auto result = std::make_shared<allocation_result>();
  auto [promise, done] = make_promise<>();
  // The PE goes on: other processes may need it before they join. If the run ends meanwhile, it does not wait
  // for the thread.
  std::thread([=, id = all[0].id, released = pieces_unused_by_all(all), rank = process(),
               ranks = num_processes(),
               choose = [&backend = own_device.backend()] { backend.make_current(); }, here = make_executor(),
               set = promise]() mutable {
    try {
      result->session = before ? before : nvshmem::session::begin(id, rank, ranks, choose);
      result->session->release(released);
      result->piece = result->session->allocate(bytes);
    } catch (...) {
      result->problem = std::current_exception();
    }
    here.post([set] { set.set_value(); });
  }).detach();
  co_await done;
  if (result->problem) std::rethrow_exception(result->problem);
  if (!before) own_device.keep(result->session);
  if (result->piece.own == nullptr)
    throw error("NVSHMEM has no room for " + std::to_string(bytes) +
                " bytes of a symmetric heap: raise NVSHMEM_SYMMETRIC_SIZE");
  co_return source_of_session(result->session, result->piece);
}

}  // namespace

task<std::shared_ptr<heap_memory>> memory_of_processes(process_group<heap_exchange> place, device& own_device,
                                                       std::size_t bytes, heap_way way) {
  const auto gpus = static_cast<std::uint32_t>(num_processes());
  const auto self = static_cast<std::uint32_t>(process());
  if (gpus == 1) co_return std::make_shared<heap_memory>(own_device, 1, bytes);
  heap_part own;
  own.bytes = bytes;
  own.way = way;
  own.host = name_of_host();
  own.hardware = own_device.info().pci_bus_id;
  own.why_no_nvshmem = way == heap_way::handles ? "it is not requested" : why_no_nvshmem(own_device.info());
  const std::vector<heap_part> all = co_await place[process()].call<&heap_exchange::exchange>(own);
  check_hardware(all);
  std::unique_ptr<heap_source> source;
  const std::size_t each = heap_memory::bytes_of(gpus, bytes);
  if (choose_heap_way(all).way == heap_way::nvshmem)
    source = co_await source_by_nvshmem(place, own_device, own, each);
  else
    source = source_of_device(own_device, each);
  const auto memory = std::make_shared<heap_memory>(own_device, self, gpus, bytes, std::move(source));
  own.key = memory->key();
  const std::vector<heap_part> keys = co_await place[process()].call<&heap_exchange::exchange>(own);
  for (std::uint32_t g = 0; g < gpus; ++g)
    if (g != self) memory->join(g, keys[g].key);
  co_return memory;
}

}  // namespace imbrex::resident::detail
