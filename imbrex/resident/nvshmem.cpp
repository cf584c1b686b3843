// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/nvshmem.hpp>

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>

namespace imbrex::resident::nvshmem {
namespace {

struct functions {
  void (*version)(int* major, int* minor, int* patch) = nullptr;
  int (*new_id)(unique_id*) = nullptr;
  int (*init)(unsigned flags, init_attributes*) = nullptr;
  void (*finalize)() = nullptr;
  void* (*allocate)(std::size_t) = nullptr;
  void (*release)(void*) = nullptr;
  void* (*mapped)(const void*, int) = nullptr;
};
functions use;  // never changed once loaded, as the library is never unloaded

std::mutex lock;  // guards under_way
std::weak_ptr<session> under_way;

template <class Symbol>
void find(void* in, Symbol*& symbol, const char* name) {
  void* const address = ::dlsym(in, name);
  if (address == nullptr) throw error(::dlerror());
  symbol = reinterpret_cast<Symbol*>(address);
}

/// Loads a library. Throws imbrex::error, whose text has the file and the reason.
library take(const std::string& file) {
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw error(::dlerror());
  try {
    functions found;
    find(handle, found.version, "nvshmemx_vendor_get_version_info");
    find(handle, found.new_id, "nvshmemx_get_uniqueid");
    find(handle, found.init, "nvshmemx_hostlib_init_attr");
    find(handle, found.finalize, "nvshmemx_hostlib_finalize");
    find(handle, found.allocate, "nvshmem_malloc");
    find(handle, found.release, "nvshmem_free");
    find(handle, found.mapped, "nvshmem_ptr");
    library taken{.file = file};
    Dl_info module{};
    if (::dladdr(reinterpret_cast<void*>(found.version), &module) != 0 && module.dli_fname != nullptr)
      taken.file = module.dli_fname;
    found.version(&taken.major, &taken.minor, &taken.patch);
    if (taken.major != 3) throw error(taken.file + " is NVSHMEM " + taken.version() + ", and must be of 3.x");
    use = found;
    return taken;
  } catch (...) {
    ::dlclose(handle);
    throw;
  }
}

library find_library() {
  const std::string name = "libnvshmem_host.so.3";
  std::vector<std::string> files;
  if (const char* const home = std::getenv("NVSHMEM_HOME"); home != nullptr && *home != '\0')
    files.push_back(std::string(home) + "/lib/" + name);
  files.push_back(name);
  std::string why;
  for (const std::string& file : files) try {
      return take(file);
    } catch (const error& e) {
      why += (why.empty() ? "" : "; ") + std::string(e.what());
    }
  throw error("NVSHMEM does not load: " + why +
              "; install PyPI's nvidia-nvshmem-cu13, and have NVSHMEM_HOME name the folder nvidia/nvshmem");
}

}  // namespace

const library& load() {
  static const library loaded = find_library();
  return loaded;
}

unique_id session::new_id() {
  load();
  unique_id id;
  if (const int status = use.new_id(&id); status != 0)
    throw error("NVSHMEM gives no number by which processes find each other: status " +
                std::to_string(status));
  return id;
}

std::shared_ptr<session> session::here() {
  const std::lock_guard guard(lock);
  return under_way.lock();
}

std::shared_ptr<session> session::begin(const unique_id& id, int rank, int ranks,
                                        std::function<void()> choose) {
  load();
  choose();
  unique_id known = id;
  init_attributes how;
  how.arguments.by_id.id = &known;
  how.arguments.by_id.rank = rank;
  how.arguments.by_id.ranks = ranks;
  if (const int status = use.init(init_by_unique_id, &how); status != 0)
    throw error("NVSHMEM does not begin in process " + std::to_string(rank) + " of " + std::to_string(ranks) +
                ": status " + std::to_string(status) + "; NVSHMEM_DEBUG=INFO says more");
  const std::shared_ptr<session> begun(new session(std::move(choose)));
  const std::lock_guard guard(lock);
  under_way = begun;
  return begun;
}

session::~session() {
  std::promise<void> end;
  std::future<void> ended = end.get_future();
  std::thread last([choose = choose_, done = std::move(end)]() mutable {
    try {
      choose();
      use.finalize();
    } catch (const error& e) {
      log(log_level::warning, std::string("NVSHMEM has not ended, since its device has failed: ") + e.what());
    }
    done.set_value();
  });
  if (ended.wait_for(std::chrono::seconds(10)) == std::future_status::ready)
    last.join();
  else
    last.detach();  // other processes have ended; the thread ends with this process
}

session::piece session::allocate(std::size_t bytes) {
  choose_();
  auto* const own = static_cast<std::byte*>(use.allocate(bytes));
  const std::lock_guard guard(lock_);
  const piece new_piece{next_++, own};
  if (own != nullptr) pieces_[new_piece.number] = own;
  return new_piece;
}

std::byte* session::mapped(std::byte* own, int rank) {
  return static_cast<std::byte*>(use.mapped(own, rank));
}

void session::give_back(std::uint32_t number) noexcept {
  const std::lock_guard guard(lock_);
  unused_pieces_.insert(number);
}

std::vector<std::uint32_t> session::unused_pieces() {
  const std::lock_guard guard(lock_);
  return {unused_pieces_.begin(), unused_pieces_.end()};
}

void session::release(const std::vector<std::uint32_t>& numbers) {
  choose_();
  for (const std::uint32_t number : numbers) {
    std::byte* own = nullptr;
    {
      const std::lock_guard guard(lock_);
      own = pieces_.extract(number).mapped();
      unused_pieces_.erase(number);
    }
    use.release(own);
  }
}

}  // namespace imbrex::resident::nvshmem
