// SPDX-License-Identifier: Apache-2.0
// A tool of NVTX, as a profiler loads it: writes each begin and end of a range into the file that
// IMBREX_TEST_RANGES names. With the headers of NVTX the loader in imbrex/base/host/nvtx_tool.cpp is compared
// with them here.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else
#define NVTX_API
#define NVTX_CB_MODULE_CORE 1
#define NVTX_CB_MODULE_CORE2 5
#define NVTX_ETID_CALLBACKS 1
#define NVTX_ETID_VERSIONINFO 3
#define NVTX_CBID_CORE_RangeStartA 5
#define NVTX_CBID_CORE_RangeEnd 7
#define NVTX_CBID_CORE_RangePushA 9
#define NVTX_CBID_CORE_SIZE 16
using NvtxFunctionPointer = void (*)();
using NvtxFunctionTable = NvtxFunctionPointer**;
using NvtxGetExportTableFunc_t = const void* (*)(std::uint32_t);
struct NvtxExportTableCallbacks {
  std::size_t struct_size;
  int (*GetModuleFunctionTable)(int, NvtxFunctionTable*, unsigned*);
};
struct NvtxExportTableVersionInfo {
  std::size_t struct_size;
  std::uint32_t version;
  std::uint32_t reserved0;
  void (*SetInjectionNvtxVersion)(std::uint32_t);
};
#endif

namespace {

std::FILE* output = nullptr;

std::uint64_t start(const char* name) {
  static std::atomic<std::uint64_t> last{0};
  const std::uint64_t range = ++last;
  std::fprintf(output, "start %llu %s\n", static_cast<unsigned long long>(range), name);
  return range;
}

void end(std::uint64_t range) { std::fprintf(output, "end %llu\n", static_cast<unsigned long long>(range)); }

int push(const char* name) {
  std::fprintf(output, "push 0 %s\n", name);
  return 0;
}

template <class Function>
void set(NvtxFunctionTable table, int number, Function* function) {
  *table[number] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

// Imbrex declares NVTX's types by itself, so a sanitizer sees another function than the one that is called.
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
extern "C" int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables) {
  output = std::fopen(std::getenv("IMBREX_TEST_RANGES"), "w");
  const auto* const version = static_cast<const NvtxExportTableVersionInfo*>(tables(NVTX_ETID_VERSIONINFO));
  const auto* const functions = static_cast<const NvtxExportTableCallbacks*>(tables(NVTX_ETID_CALLBACKS));
  if (output == nullptr || version == nullptr || version->struct_size != sizeof *version ||
      version->version != 3 || functions == nullptr || functions->struct_size != sizeof *functions)
    return 0;
  version->SetInjectionNvtxVersion(3);
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (functions->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return 0;
  if (functions->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0 ||
      size != NVTX_CBID_CORE_SIZE || table[size] != nullptr)
    return 0;
  set(table, NVTX_CBID_CORE_RangeStartA, &start);
  set(table, NVTX_CBID_CORE_RangeEnd, &end);
  set(table, NVTX_CBID_CORE_RangePushA, &push);
  return 1;
}
