// SPDX-License-Identifier: Apache-2.0
// PMIx is loaded only if a launcher that serves it started the process; it is not linked. So programs built
// with it also run where it is not installed. Single processes do not load it and its dependencies (libevent,
// hwloc, its plugins). A build needs only its header.
#include <imbrex/net/bootstrap/frame.hpp>
#include <imbrex/net/bootstrap/internal/pmix.hpp>

#include <fcntl.h>
#include <pmix.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/net/bootstrap/environment.hpp>
#include <imbrex/net/bootstrap/internal/shared_library.hpp>

namespace imbrex {
namespace {

/// The used functions of the library: its second ABI, which all releases since PMIx 2 have.
struct pmix_library {
  pmix_library() {
    const shared_library library("libpmix.so.2");
    library.find(init, "PMIx_Init");
    library.find(finalize, "PMIx_Finalize");
    library.find(put, "PMIx_Put");
    library.find(commit, "PMIx_Commit");
    library.find(fence, "PMIx_Fence_nb");
    library.find(get, "PMIx_Get");
    library.find(register_event_handler, "PMIx_Register_event_handler");
    library.find(error_string, "PMIx_Error_string");
  }

  void check(pmix_status_t status, const std::string& what) const {
    if (status != PMIX_SUCCESS) throw error(what + ": " + error_string(status));
  }

  decltype(PMIx_Init)* init;
  decltype(PMIx_Finalize)* finalize;
  decltype(PMIx_Put)* put;
  decltype(PMIx_Commit)* commit;
  decltype(PMIx_Fence_nb)* fence;
  decltype(PMIx_Get)* get;
  decltype(PMIx_Register_event_handler)* register_event_handler;
  decltype(PMIx_Error_string)* error_string;
};

struct release_value {
  void operator()(pmix_value_t* value) const noexcept {
    if (value->type == PMIX_BYTE_OBJECT) std::free(value->data.bo.bytes);
    std::free(value);
  }
};

/// A value that PMIx_Get allocated.
using owned_value = std::unique_ptr<pmix_value_t, release_value>;

pmix_info_t directive(const char* name) {
  pmix_info_t info{};
  std::strncpy(info.key, name, PMIX_MAX_KEYLEN);
  info.value.type = PMIX_BOOL;
  info.value.data.flag = true;
  return info;
}

/// A status that PMIx's own thread sets. It is shared, since the status may arrive when no thread waits any
/// more.
class late_status {
 public:
  static void arrive(pmix_status_t status, void* handle) {
    const std::unique_ptr<std::shared_ptr<late_status>> self(
        static_cast<std::shared_ptr<late_status>*>(handle));
    const std::lock_guard lock((*self)->mutex_);
    (*self)->status_ = status;
    (*self)->arrived_.notify_one();
  }

  /// Waits for the status; without patience, without a limit.
  std::optional<pmix_status_t> wait(std::optional<std::chrono::milliseconds> patience) {
    std::unique_lock lock(mutex_);
    const auto arrived = [this] { return status_.has_value(); };
    if (patience)
      arrived_.wait_for(lock, *patience, arrived);
    else
      arrived_.wait(lock, arrived);
    return status_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::optional<pmix_status_t> status_;
};

/// The end of the pipe that is closed when the connection to the launcher is lost. It is global because PMIx
/// is: its handlers get no pointer of their user's. Only PMIx's thread and the one bootstrap touch it.
std::atomic<int> connection_sentinel{-1};

void close_sentinel() {
  const int sentinel = connection_sentinel.exchange(-1);
  if (sentinel >= 0) ::close(sentinel);
}

void connection_lost(size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t[], size_t, pmix_info_t*, size_t,
                     pmix_event_notification_cbfunc_fn_t done, void* data) {
  close_sentinel();
  if (done != nullptr) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, data);
}

class pmix_bootstrap final : public bootstrap {
 public:
  pmix_bootstrap() : patience_(environment_patience()) {
    library_.check(library_.init(&self_, nullptr, 0), "PMIx_Init");
    try {
      size_ = job_size();
      watch_connection();
    } catch (...) {
      finalize();
      throw;
    }
  }

  ~pmix_bootstrap() override {
    finalize();
    close_sentinel();
  }

  std::string_view launcher() const override { return "a launcher that serves PMIx"; }
  int rank() const override { return static_cast<int>(self_.rank); }
  int size() const override { return size_; }
  int launcher_descriptor() const override { return launcher_.get(); }

  std::vector<std::string> all_gather(const std::string& text) override {
    if (!failure_.empty()) throw error(failure_);
    try {
      return exchange(text, patience_);
    } catch (const error& e) {
      fail("the processes of this job did not find each other through PMIx: ", e);
    }
  }

  int leave(int status) override {
    if (!failure_.empty()) throw error(failure_);
    try {
      return first_failure(exchange(encode_status(status), std::nullopt));
    } catch (const error& e) {
      fail("the processes of this job did not end together: ", e);
    }
  }

  /// Finalizes PMIx: a launcher takes a process that ends without this for one that crashed.
  void finish(int) noexcept override { finalize(); }

 private:
  [[noreturn]] void fail(const char* what, const error& why) {
    // PMIx is not finalized: mpirun of Open MPI 4.1.4 may crash or hang if it is, while a fence is open. That
    // mpirun ends the job of a process that fails without it.
    finalized_ = true;
    failure_ = std::string(what) + why.what();
    throw error(failure_);
  }

  pmix_proc_t peer(pmix_rank_t rank) const {
    pmix_proc_t process = self_;
    process.rank = rank;
    return process;
  }

  owned_value get(pmix_rank_t rank, const std::string& key, pmix_data_type_t type) const {
    const pmix_proc_t process = peer(rank);
    const pmix_info_t immediate = directive(PMIX_IMMEDIATE);
    pmix_value_t* value = nullptr;
    const std::string what = "PMIx_Get of " + key + " of rank " + std::to_string(rank);
    library_.check(library_.get(&process, key.c_str(), &immediate, 1, &value), what);
    owned_value owned(value);
    if (owned->type != type) throw error(what + " gave a value of type " + std::to_string(owned->type));
    return owned;
  }

  int job_size() const {
    const owned_value value = get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32);
    const auto size = static_cast<int>(value->data.uint32);
    if (size < 1 || rank() < 0 || rank() >= size)
      throw error("PMIx says that this process is number " + std::to_string(rank()) + " of " +
                  std::to_string(size));
    return size;
  }

  void watch_connection() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw error(std::string("cannot open a pipe: ") + std::strerror(errno) +
                  "; raise the limit of open files (ulimit -n)");
    launcher_ = descriptor(ends[0]);
    connection_sentinel = ends[1];
    pmix_status_t code = PMIX_ERR_LOST_CONNECTION;
    library_.register_event_handler(&code, 1, nullptr, 0, connection_lost, nullptr, nullptr);
  }

  std::vector<std::string> exchange(const std::string& text,
                                    std::optional<std::chrono::milliseconds> patience) {
    const std::string key = "imbrex." + std::to_string(round_++);
    pmix_value_t value{};
    value.type = PMIX_BYTE_OBJECT;
    // PMIx_Put copies the bytes; its type serves results, too, so they are not const.
    value.data.bo = {const_cast<char*>(text.data()), text.size()};
    library_.check(library_.put(PMIX_GLOBAL, key.c_str(), &value), "PMIx_Put");
    library_.check(library_.commit(), "PMIx_Commit");
    fence(patience);

    std::vector<std::string> texts;
    texts.reserve(static_cast<std::size_t>(size_));
    for (int rank = 0; rank < size_; ++rank) {
      const owned_value peer_value = get(static_cast<pmix_rank_t>(rank), key, PMIX_BYTE_OBJECT);
      texts.emplace_back(peer_value->data.bo.bytes, peer_value->data.bo.size);
    }
    return texts;
  }

  /// The wait is bounded here, since not all servers know PMIX_TIMEOUT.
  void fence(std::optional<std::chrono::milliseconds> patience) const {
    const pmix_proc_t all = peer(PMIX_RANK_WILDCARD);
    const pmix_info_t collect = directive(PMIX_COLLECT_DATA);
    const auto status = std::make_shared<late_status>();
    auto handle = std::make_unique<std::shared_ptr<late_status>>(status);
    const pmix_status_t begun = library_.fence(&all, 1, &collect, 1, late_status::arrive, handle.get());
    if (begun != PMIX_OPERATION_SUCCEEDED) {
      library_.check(begun, "PMIx_Fence");
      handle.release();
      const auto outcome = status->wait(patience);
      if (!outcome)
        throw error(
            "not all of the " + std::to_string(size_) + " processes have come in " + in_seconds(*patience) +
            " (PMIx does not say which). Programs that need longer to start: IMBREX_PATIENCE=SECONDS");
      library_.check(*outcome, "PMIx_Fence");
    }
  }

  void finalize() noexcept {
    if (!std::exchange(finalized_, true)) library_.finalize(nullptr, 0);
  }

  pmix_library library_;
  std::chrono::milliseconds patience_;
  pmix_proc_t self_{};
  int size_ = 0;
  descriptor launcher_;
  int round_ = 0;
  bool finalized_ = false;
  std::string failure_;
};

}  // namespace

bool pmix_serves_this_process() {
  return environment_text("PMIX_NAMESPACE") != nullptr && environment_text("PMIX_RANK") != nullptr;
}

std::unique_ptr<bootstrap> start_pmix_bootstrap() { return std::make_unique<pmix_bootstrap>(); }

}  // namespace imbrex
