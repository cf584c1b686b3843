// SPDX-License-Identifier: Apache-2.0
// This is the loader of NVTX 3 as nvtxDetail/nvtxInit.h and nvtxTypes.h of CUDA define it, for the two
// functions that are used here. So builds without CUDA have ranges, too; tests/nvtx compares it with those
// headers.
#include <imbrex/base/host/nvtx_tool.hpp>

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex {
namespace {

constexpr const char* variable = "NVTX_INJECTION64_PATH";
constexpr const char* remedy = "; start the program by a profiler, such as nsys profile";
constexpr std::uint32_t nvtx_version = 3;

using slot = void (*)();
enum module_number { core = 1, core_with_domains = 5 };
enum function_number { range_start = 5, range_end = 7, functions_of_module = 16 };
enum table_number { callbacks = 1, versions = 3 };

/// Functions of a module, which a tool sets. Its table ends with a null, as that of the headers does.
struct function_module {
  std::array<slot, functions_of_module> slots{};
  std::array<slot*, functions_of_module + 1> table{};

  function_module() {
    for (std::size_t i = 1; i < slots.size(); ++i) table[i] = &slots[i];
  }
};

/// The tool keeps addresses in these as long as the process runs.
function_module& module_of_core() {
  static function_module functions;
  return functions;
}
function_module& module_of_domains() {
  static function_module functions;
  return functions;
}

int give_functions(int module, slot*** table, unsigned* size) {
  if (module != core && module != core_with_domains) return 0;
  function_module& functions = module == core ? module_of_core() : module_of_domains();
  if (size != nullptr) *size = functions.table.size() - 1;
  if (table != nullptr) *table = functions.table.data();
  return 1;
}

void take_version(std::uint32_t /*version*/) {}

struct callback_table {
  std::size_t size = sizeof(callback_table);
  int (*functions)(int module, slot*** table, unsigned* size) = &give_functions;
};

struct version_table {
  std::size_t size = sizeof(version_table);
  std::uint32_t version = nvtx_version;
  std::uint32_t reserved = 0;
  void (*take)(std::uint32_t version) = &take_version;
};

const void* give_table(std::uint32_t number) {
  static const callback_table functions;
  static const version_table version;
  if (number == callbacks) return &functions;
  if (number == versions) return &version;
  return nullptr;
}

using initializer = int (*)(const void* (*tables)(std::uint32_t number));

nvtx_tool load() {
  const char* const file = std::getenv(variable);
  if (file == nullptr || *file == '\0') throw error(std::string(variable) + " names no tool" + remedy);
  const std::string beginning = std::string(variable) + "=" + printable(file);
  void* const library = ::dlopen(file, RTLD_LAZY);
  if (library == nullptr) throw error(beginning + " cannot be loaded: " + ::dlerror() + remedy);
  const auto initialize = reinterpret_cast<initializer>(::dlsym(library, "InitializeInjectionNvtx2"));
  if (initialize == nullptr) throw error(beginning + " is no tool of NVTX" + remedy);
  if (initialize(&give_table) == 0) throw error(beginning + " has refused to start" + remedy);
  nvtx_tool tool;
  tool.start = reinterpret_cast<decltype(tool.start)>(module_of_core().slots[range_start]);
  tool.end = reinterpret_cast<decltype(tool.end)>(module_of_core().slots[range_end]);
  if (tool.start == nullptr || tool.end == nullptr) throw error(beginning + " takes no ranges" + remedy);
  return tool;
}

}  // namespace

const nvtx_tool& loaded_nvtx_tool() {
  static const nvtx_tool tool = load();
  return tool;
}

}  // namespace imbrex
