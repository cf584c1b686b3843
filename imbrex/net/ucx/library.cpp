// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/library.hpp>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/net/bootstrap/launcher_watch.hpp>
#include <imbrex/net/ucx/functions.hpp>

namespace imbrex::ucx {

constinit ucp_functions ucp{};
constinit ucs_functions ucs{};

namespace {

namespace fs = std::filesystem;

/// A library that the system's loader has opened; closed unless `keep` is called.
class loaded_library {
 public:
  explicit loaded_library(const std::string& file) : handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw error(::dlerror());
  }
  ~loaded_library() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  loaded_library(const loaded_library&) = delete;
  loaded_library& operator=(const loaded_library&) = delete;

  template <class Symbol>
  void find(Symbol*& symbol, const char* name) const {
    void* const address = ::dlsym(handle_, name);
    if (address == nullptr) throw error(::dlerror());
    symbol = reinterpret_cast<Symbol*>(address);
  }
  void keep() { handle_ = nullptr; }

 private:
  void* handle_;
};

std::string file_of(const void* symbol) {
  Dl_info module{};
  if (::dladdr(symbol, &module) == 0 || module.dli_fname == nullptr) return {};
  return module.dli_fname;
}

/// Restores signal handlers that a load of UCX has changed since this object was made. UCX takes SIGHUP, to
/// switch its debug output on, so that the signal ends no process any more. It also takes the signals of
/// crashes, for which it prints addresses; a run could then not report what it ran. A UCX that was loaded
/// before changes nothing; handlers that the program has set since then must stay. SIGHUP is blocked as long
/// as this lives, if the system delivers it to this thread.
class signals_stay {
 public:
  signals_stay() {
    sigset_t hangup{};
    ::sigemptyset(&hangup);
    ::sigaddset(&hangup, SIGHUP);
    ::pthread_sigmask(SIG_BLOCK, &hangup, &mask_);
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], nullptr, &actions_[i]);
  }
  ~signals_stay() { ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }
  signals_stay(const signals_stay&) = delete;
  signals_stay& operator=(const signals_stay&) = delete;

  void give_back(const loaded_library& of) const {
    for (std::size_t i = 0; i < signals.size(); ++i) {
      struct sigaction now{};
      ::sigaction(signals[i], nullptr, &now);
      if (now.sa_handler == actions_[i].sa_handler || is_requested(signals[i])) continue;
      decltype(::ucs_debug_disable_signal)* disable_signal = nullptr;
      of.find(disable_signal, "ucs_debug_disable_signal");
      disable_signal(signals[i]);
    }
  }

 private:
  static constexpr std::array signals{SIGHUP, SIGILL, SIGSEGV, SIGBUS, SIGFPE};

  static bool is_requested(int signal) {
    if (signal == SIGHUP) return std::getenv("UCX_DEBUG_SIGNO") != nullptr;
    return std::getenv("UCX_HANDLE_ERRORS") != nullptr || std::getenv("UCX_ERROR_SIGNALS") != nullptr;
  }

  sigset_t mask_{};
  std::array<struct sigaction, signals.size()> actions_{};
};

ucp_functions find_ucp(const loaded_library& in) {
  ucp_functions f{};
  in.find(f.am_data_release, "ucp_am_data_release");
  in.find(f.am_recv_data_nbx, "ucp_am_recv_data_nbx");
  in.find(f.am_send_nbx, "ucp_am_send_nbx");
  in.find(f.cleanup, "ucp_cleanup");
  in.find(f.config_modify, "ucp_config_modify");
  in.find(f.config_read, "ucp_config_read");
  in.find(f.config_release, "ucp_config_release");
  in.find(f.context_query, "ucp_context_query");
  in.find(f.ep_close_nbx, "ucp_ep_close_nbx");
  in.find(f.ep_create, "ucp_ep_create");
  in.find(f.ep_print_info, "ucp_ep_print_info");
  in.find(f.init_version, "ucp_init_version");
  in.find(f.request_check_status, "ucp_request_check_status");
  in.find(f.request_free, "ucp_request_free");
  in.find(f.worker_arm, "ucp_worker_arm");
  in.find(f.worker_create, "ucp_worker_create");
  in.find(f.worker_destroy, "ucp_worker_destroy");
  in.find(f.worker_get_address, "ucp_worker_get_address");
  in.find(f.worker_get_efd, "ucp_worker_get_efd");
  in.find(f.worker_progress, "ucp_worker_progress");
  in.find(f.worker_query, "ucp_worker_query");
  in.find(f.worker_release_address, "ucp_worker_release_address");
  in.find(f.worker_set_am_recv_handler, "ucp_worker_set_am_recv_handler");
  return f;
}

/// Finds the functions of libucs, which libucp depends on.
ucs_functions find_ucs(const loaded_library& in) {
  ucs_functions f{};
  in.find(f.global_opts_get_value, "ucs_global_opts_get_value");
  in.find(f.global_opts_set_value, "ucs_global_opts_set_value");
  in.find(f.status_string, "ucs_status_string");
  in.find(f.memory_type_names, "ucs_memory_type_names");
  return f;
}

/// Loads UCX from a file. Throws imbrex::error, whose text names the file and the reason.
library take(const std::string& file) {
  const signals_stay as_before;
  loaded_library found(file);
  as_before.give_back(found);
  decltype(::ucp_get_version)* get_version = nullptr;
  found.find(get_version, "ucp_get_version");
  library taken{.file = file_of(reinterpret_cast<void*>(get_version))};
  get_version(&taken.major, &taken.minor, &taken.release);
  if (taken.major != library::oldest_major || taken.minor < library::oldest_minor)
    throw error(taken.file + " is UCX " + taken.version() + ", and must be 1.13 or newer, of 1.x");
  ucp = find_ucp(found);
  ucs = find_ucs(found);
  found.keep();
  return taken;
}

library find_library() {
  // UCX tries out its hooks with a System V segment.
  const outliving_launcher until_then;
  std::vector<std::string> files{"libucp.so.0"};
  if (const char* const named = std::getenv("IMBREX_BUNDLED_UCX"); named != nullptr && *named != '\0')
    files.push_back(std::string(named) + "/libucp.so.0");
  if (const std::string folder = bundled_folder(); !folder.empty()) files.push_back(folder + "/libucp.so.0");
  std::string why;
  for (const std::string& file : files) try {
      return take(file);
    } catch (const error& e) {
      why += (why.empty() ? "" : "; ") + std::string(e.what());
    }
  throw error("UCX, by which processes reach each other, does not load: " + why +
              "; install UCX 1.13 or newer (Debian: libucx0), or name the folder that has it in "
              "LD_LIBRARY_PATH");
}

}  // namespace

std::string bundled_folder() {
  std::error_code none;
  Dl_info module{};
  link_map* file = nullptr;
  if (::dladdr1(&ucp, &module, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP) == 0) return {};
  // The loader has no name for the program itself, and only knows the path of its call, which may be a link.
  const bool of_program = file->l_name == nullptr || *file->l_name == '\0';
  fs::path here = of_program ? fs::read_symlink("/proc/self/exe", none) : fs::path(file->l_name);
  here = here.parent_path();
  for (const fs::path& folder : {here / "lib" / "imbrex", here.parent_path() / "lib" / "imbrex"})
    if (fs::exists(folder / "libucp.so.0", none)) return folder;
  return {};
}

const library& load() {
  static const library loaded = find_library();
  return loaded;
}

}  // namespace imbrex::ucx
