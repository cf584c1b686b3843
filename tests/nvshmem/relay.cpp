// SPDX-License-Identifier: Apache-2.0
// Chares inside GPUs in a symmetric heap of NVSHMEM, for link_test.py: compiled and linked, and not run.
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <imbrex/resident/native.hpp>
#include <imbrex/resident/nvshmem.hpp>

#include "examples/resident/relay.hpp"

template struct imbrex::resident::native<relay>;

namespace {

using imbrex::resident::symmetric;
using imbrex::resident::wide_word;
using imbrex::resident::detail::machine;

// Checks the declarations that Imbrex's host code has instead of NVSHMEM's headers.
namespace own = imbrex::resident::nvshmem;
static_assert(sizeof(own::unique_id) == sizeof(nvshmemx_uniqueid_v1) &&
              offsetof(own::unique_id, bytes) == offsetof(nvshmemx_uniqueid_v1, internal));
static_assert(sizeof(own::unique_id_arguments) == sizeof(nvshmemx_uniqueid_args_v1) &&
              offsetof(own::unique_id_arguments, id) == offsetof(nvshmemx_uniqueid_args_v1, id) &&
              offsetof(own::unique_id_arguments, rank) == offsetof(nvshmemx_uniqueid_args_v1, myrank) &&
              offsetof(own::unique_id_arguments, ranks) == offsetof(nvshmemx_uniqueid_args_v1, nranks));
static_assert(sizeof(own::init_arguments) == sizeof(nvshmemx_init_args_v1) &&
              offsetof(own::init_arguments, by_id) == offsetof(nvshmemx_init_args_v1, uid_args));
static_assert(sizeof(own::init_attributes) == sizeof(nvshmemx_init_attr_v1) &&
              offsetof(own::init_attributes, communicator) == offsetof(nvshmemx_init_attr_v1, mpi_comm) &&
              offsetof(own::init_attributes, arguments) == offsetof(nvshmemx_init_attr_v1, args));
static_assert(own::init_by_unique_id == NVSHMEMX_INIT_WITH_UNIQUEID);
// Function types with which Imbrex calls NVSHMEM.
[[maybe_unused]] int (*const new_id)(nvshmemx_uniqueid_t*) = nvshmemx_get_uniqueid;
[[maybe_unused]] int (*const init)(unsigned, nvshmemx_init_attr_t*) = nvshmemx_hostlib_init_attr;
[[maybe_unused]] void (*const finalize)() = nvshmemx_hostlib_finalize;
[[maybe_unused]] void (*const version)(int*, int*, int*) = nvshmemx_vendor_get_version_info;
[[maybe_unused]] void* (*const allocate)(std::size_t) = nvshmem_malloc;
[[maybe_unused]] void (*const release)(void*) = nvshmem_free;
[[maybe_unused]] void* (*const mapped)(const void*, int) = nvshmem_ptr;

/// Sets the mapped address of each GPU's heap in `m`. False if a heap is not mapped.
bool map_heaps(machine& m, std::size_t bytes) {
  void* const own = nvshmem_malloc(bytes);
  if (own == nullptr) return false;
  m.gpu = static_cast<std::uint32_t>(nvshmem_my_pe());
  m.gpus = static_cast<std::uint32_t>(nvshmem_n_pes());
  m.links.heaps.bytes = bytes;
  bool maps_all = m.gpus <= imbrex::resident::detail::most_gpus;
  for (std::uint32_t g = 0; maps_all && g < m.gpus; ++g) {
    m.links.heaps.at[g] = static_cast<std::byte*>(nvshmem_ptr(own, static_cast<int>(g)));
    maps_all = m.links.heaps.at[g] != nullptr;
  }
  return maps_all;
}

/// Sends a `context::put` and an item to a GPU whose memory is not mapped. The item is a put of its body,
/// whose signal is the item's stamp.
__global__ void put_with_signal(symmetric<std::uint64_t> there, std::byte* heap, const std::uint64_t* from,
                                wide_word* slot, wide_word item, int gpu) {
  nvshmemx_putmem_nbi_block(heap + there.offset, from, there.size * sizeof(std::uint64_t), gpu);
  __syncthreads();
  if (threadIdx.x != 0) return;
  nvshmem_fence();
  nvshmem_putmem_signal(&slot->body, &item.body, sizeof(item.body), &slot->stamp, item.stamp,
                        NVSHMEM_SIGNAL_SET, gpu);
}

}  // namespace

int main() {
  nvshmem_init();
  static machine m;
  const bool maps_all = map_heaps(m, std::size_t{1} << 20U);
  if (maps_all) {
    auto* const slot = reinterpret_cast<wide_word*>(m.links.heaps.at[m.gpu]);
    put_with_signal<<<1, 32>>>({4096, 64}, m.links.heaps.at[m.gpu],
                               reinterpret_cast<const std::uint64_t*>(slot), slot, {1, 2},
                               static_cast<int>((m.gpu + 1) % m.gpus));
    imbrex::resident::native<relay>::launch(imbrex::native_stream{}, m);
  }
  std::printf("%u GPUs, which %s each other's memory\n", m.gpus, maps_all ? "map" : "do not map");
  nvshmem_finalize();
  return 0;
}
