// SPDX-License-Identifier: Apache-2.0
// The functions of NVSHMEM's host library that Imbrex uses, on top of the stand-in for CUDA's runtime. The
// checks are as strict as NVSHMEM's may be: all processes make collective calls in one order with equal
// sizes, each on the device on which it began.
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/resident/nvshmem.hpp>

namespace {

using namespace imbrex::resident::nvshmem;

constexpr int most = 16;

/// Memory shared by the processes.
struct meeting {
  std::atomic<std::uint32_t> arrived, round;
  std::array<cudaIpcMemHandle_t, most> handles;
  std::array<std::uint64_t, most> sizes;
};

struct place {
  int process = 0, descriptor = 0;
};

meeting* all = nullptr;
int rank = -1, ranks = 0, began_on = -1;
std::map<std::byte*, std::vector<std::byte*>> heaps;  // by the address of this process's part

void require(bool holds, const char* otherwise) {
  if (holds) return;
  std::fprintf(stderr, "the stand-in for NVSHMEM: %s\n", otherwise);
  std::abort();
}

meeting* map(int descriptor) {
  void* const at = ::mmap(nullptr, sizeof(meeting), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return at == MAP_FAILED ? nullptr : static_cast<meeting*>(at);
}

void meet() {
  const std::uint32_t now = all->round.load();
  if (all->arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(ranks)) {
    all->arrived = 0;
    ++all->round;
  }
  while (all->round.load() == now) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void check_device() {
  require(all != nullptr, "it has not begun");
  int here = -1;
  cudaGetDevice(&here);
  require(here == began_on, "a call is for another device than that on which it began");
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void nvshmemx_vendor_get_version_info(int* major, int* minor,
                                                                             int* patch) {
  *major = 3;
  *minor = 99;
  *patch = 1;
}

__attribute__((visibility("default"))) int nvshmemx_get_uniqueid(unique_id* id) {
  require(id->version == version_of<unique_id>, "a number of another version");
  const place here{::getpid(), ::memfd_create("meeting", MFD_CLOEXEC)};
  if (here.descriptor < 0 || ::ftruncate(here.descriptor, sizeof(meeting)) != 0) return 1;
  std::memcpy(id->bytes.data(), &here, sizeof here);
  return 0;
}

__attribute__((visibility("default"))) int nvshmemx_hostlib_init_attr(unsigned flags, init_attributes* how) {
  const init_arguments& with = how->arguments;
  require(flags == init_by_unique_id && how->version == version_of<init_attributes> &&
              with.version == version_of<init_arguments> &&
              with.by_id.version == version_of<unique_id_arguments> && with.by_id.id != nullptr,
          "it begins in another way");
  require(all == nullptr, "it begins twice");
  place of;
  std::memcpy(&of, with.by_id.id->bytes.data(), sizeof of);
  const std::string path = "/proc/" + std::to_string(of.process) + "/fd/" + std::to_string(of.descriptor);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return 7;
  all = map(file);
  ::close(file);
  rank = with.by_id.rank;
  ranks = with.by_id.ranks;
  if (all == nullptr || ranks > most) return 7;
  cudaGetDevice(&began_on);
  meet();
  return 0;
}

__attribute__((visibility("default"))) void* nvshmem_malloc(std::size_t bytes) {
  check_device();
  void* own = nullptr;
  const bool has_room =
      cudaMalloc(&own, bytes) == cudaSuccess &&
      cudaIpcGetMemHandle(&all->handles[static_cast<std::size_t>(rank)], own) == cudaSuccess;
  if (!has_room) cudaGetLastError();
  all->sizes[static_cast<std::size_t>(rank)] = has_room ? bytes : 0;
  meet();
  bool all_have = true;
  for (int p = 0; p < ranks; ++p) {
    const std::uint64_t its = all->sizes[static_cast<std::size_t>(p)];
    require(its == bytes || its == 0 || !has_room, "processes ask for different sizes");
    all_have = all_have && its != 0;
  }
  std::vector<std::byte*> mapped(static_cast<std::size_t>(ranks));
  for (std::size_t p = 0; all_have && p < mapped.size(); ++p) {
    void* at = own;
    if (static_cast<int>(p) != rank &&
        cudaIpcOpenMemHandle(&at, all->handles[p], cudaIpcMemLazyEnablePeerAccess) != cudaSuccess)
      at = nullptr;
    mapped[p] = static_cast<std::byte*>(at);
  }
  meet();
  if (!all_have) {
    if (own != nullptr) cudaFree(own);
    return nullptr;
  }
  heaps[static_cast<std::byte*>(own)] = mapped;
  return own;
}

__attribute__((visibility("default"))) void nvshmem_free(void* own) {
  check_device();
  const auto found = heaps.find(static_cast<std::byte*>(own));
  require(found != heaps.end(), "what is freed is not there");
  meet();
  for (std::size_t p = 0; p < found->second.size(); ++p)
    if (static_cast<int>(p) != rank) cudaIpcCloseMemHandle(found->second[p]);
  meet();
  cudaFree(own);
  heaps.erase(found);
}

__attribute__((visibility("default"))) void* nvshmem_ptr(const void* own, int of) {
  const auto found = heaps.find(const_cast<std::byte*>(static_cast<const std::byte*>(own)));
  return found == heaps.end() ? nullptr : found->second[static_cast<std::size_t>(of)];
}

__attribute__((visibility("default"))) void nvshmemx_hostlib_finalize() {
  check_device();
  meet();
  while (!heaps.empty()) nvshmem_free(heaps.begin()->first);
  ::munmap(all, sizeof(meeting));
  all = nullptr;
  if (std::getenv("IMBREX_TEST_NVSHMEM_SAYS") != nullptr) std::printf("NVSHMEM ended in process %d\n", rank);
  std::fflush(stdout);
}

}  // extern "C"
