// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/frame.hpp>
#include <imbrex/net/bootstrap/internal/mpi.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/net/bootstrap/environment.hpp>
#include <imbrex/net/bootstrap/internal/mpi_module.hpp>
#include <imbrex/net/bootstrap/internal/shared_library.hpp>

namespace imbrex {
namespace {

constexpr const char* module_name = "libimbrex_mpi_bootstrap.so";

/// The file that is installed, or built, beside what holds this code: a program or a shared library. Else the
/// name alone, which the system's loader resolves.
std::string find_module() {
  namespace fs = std::filesystem;
  Dl_info own{};
  std::error_code none;
  if (::dladdr(reinterpret_cast<void*>(&find_module), &own) != 0 && own.dli_fname != nullptr) {
    const fs::path found = fs::canonical(own.dli_fname, none);
    const fs::path holder = found.empty() ? fs::read_symlink("/proc/self/exe", none) : found;
    for (const char* const folder : {".", "../lib", "../" IMBREX_LIBRARIES})
      if (const fs::path file = holder.parent_path() / folder / module_name; fs::exists(file, none))
        return file.lexically_normal().string();
  }
  return module_name;
}

/// In a process of libimbrex_mpi.so the names of MPI are that library's: the module must find its own first.
int flags_of_module() { return ::dlsym(RTLD_DEFAULT, "MPI_Init_thread") != nullptr ? RTLD_DEEPBIND : 0; }

const imbrex_mpi_functions& load_module() {
  const char* const chosen = environment_text("IMBREX_MPI_BOOTSTRAP");
  decltype(imbrex_mpi_bootstrap_v1)* entry = nullptr;
  try {
    shared_library(chosen != nullptr ? chosen : find_module(), flags_of_module())
        .find(entry, "imbrex_mpi_bootstrap_v1");
  } catch (const error& e) {
    throw error(std::string(e.what()) + "; name the " + module_name +
                " that is installed with Imbrex by the variable IMBREX_MPI_BOOTSTRAP=FILE");
  }
  return *entry();
}

constexpr std::array<const char*, 3> variables_of_size{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                                       "MV2_COMM_WORLD_SIZE"};

/// A launcher of another MPI is not understood: each process would be a job by itself.
void require_all_processes(int found) {
  for (const char* const variable : variables_of_size) {
    const char* const size_text = environment_text(variable);
    const auto started = parse_number<int>(size_text == nullptr ? "" : size_text);
    if (found == 1 && started && *started > 1)
      throw error(
          "the launcher has started " + std::to_string(*started) + " processes, and the MPI library that " +
          module_name +
          " is built with does not find them, as it is not the launcher's: use the mpirun of that "
          "library, or build the file with the launcher's and name it by IMBREX_MPI_BOOTSTRAP=FILE, or "
          "start the program by imbrex run");
  }
}

/// A thread that makes all calls of MPI, which has no time limits. Callers wait for the thread as long as
/// their patience lasts. A call that does not end is abandoned, with its thread.
class mpi_thread {
 public:
  explicit mpi_thread(std::chrono::milliseconds patience)
      : patience_(patience), inbox_(std::make_shared<inbox>()), thread_([in = inbox_] { in->work_off(); }) {}
  mpi_thread(const mpi_thread&) = delete;
  mpi_thread& operator=(const mpi_thread&) = delete;
  ~mpi_thread() {
    inbox_->put({});
    stuck_ ? thread_.detach() : thread_.join();
  }

  /// The result of `call`, which must own the data that it uses. Throws `error` if it does not end in time;
  /// `endless` waits without a limit.
  template <class Result>
  Result run(std::function<Result()> call, bool endless = false) {
    const auto work = std::make_shared<std::packaged_task<Result()>>(std::move(call));
    std::future<Result> result = work->get_future();
    inbox_->put([work] { (*work)(); });
    if (!endless && result.wait_for(patience_) != std::future_status::ready) {
      stuck_ = true;
      throw error("not all processes have come in " + in_seconds(patience_) +
                  " (MPI does not say which). Programs that need longer to start: IMBREX_PATIENCE=SECONDS");
    }
    return result.get();
  }

 private:
  /// The thread's queue. Both sides own it, since either may end first.
  class inbox {
   public:
    /// Adds a call; an empty function ends the thread.
    void put(std::function<void()> work) {
      const std::lock_guard lock(mutex_);
      waiting_.push(std::move(work));
      filled_.notify_one();
    }

    void work_off() {
      while (const std::function<void()> work = take()) work();
    }

   private:
    std::function<void()> take() {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return !waiting_.empty(); });
      std::function<void()> first = std::move(waiting_.front());
      waiting_.pop();
      return first;
    }

    std::mutex mutex_;
    std::condition_variable filled_;
    std::queue<std::function<void()>> waiting_;
  };

  std::chrono::milliseconds patience_;
  std::shared_ptr<inbox> inbox_;
  bool stuck_ = false;
  std::thread thread_;
};

class mpi_bootstrap final : public bootstrap {
 public:
  mpi_bootstrap() : thread_(environment_patience()) {
    struct place {
      int code, rank, size;
    };
    const place own_place = thread_.run<place>([&mpi = mpi_] {
      place found{};
      found.code = mpi.start(&found.rank, &found.size);
      return found;
    });
    check(own_place.code, "MPI_Init_thread");
    rank_ = own_place.rank;
    size_ = own_place.size;
    require_all_processes(size_);
  }

  ~mpi_bootstrap() override {
    if (finalizing_) try {
        thread_.run<int>([&mpi = mpi_] { return mpi.stop(); });
      } catch (const error&) {  // the others have not finalized; the launcher handles that
      }
  }

  std::string_view launcher() const override { return "a launcher of MPI programs"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> all_gather(const std::string& text) override {
    return exchange(text, false, "the processes of this job did not find each other through MPI: ");
  }

  int leave(int status) override {
    return first_failure(
        exchange(encode_status(status), true, "the processes of this job did not end together: "));
  }

  /// Skips MPI_Finalize after a failure. It waits for all processes; if a process fails without it, the
  /// launcher ends the others.
  void finish(int status) noexcept override {
    if (status != 0) finalizing_ = false;
  }

 private:
  std::vector<std::string> exchange(const std::string& text, bool endless, const char* what) {
    if (!failure_.empty()) throw error(failure_);
    try {
      return gather(text, endless);
    } catch (const error& e) {
      finalizing_ = false;
      failure_ = what + std::string(e.what());
      throw error(failure_);
    }
  }

  std::vector<std::string> gather(const std::string& contribution, bool endless) {
    struct outcome {
      int code = 0;
      std::vector<std::string> texts{};
    };
    auto gathered = thread_.run<outcome>(
        [&mpi = mpi_, contribution] {
          outcome result;
          const auto take = [](void* to, const char* text, std::size_t length) {
            static_cast<std::vector<std::string>*>(to)->emplace_back(text, length);
          };
          result.code = mpi.all_gather(contribution.data(), contribution.size(), take, &result.texts);
          return result;
        },
        endless);
    check(gathered.code, "MPI_Allgatherv");
    return std::move(gathered.texts);
  }

  void check(int code, const char* what) const {
    if (code == 0) return;
    std::array<char, 512> text{};
    mpi_.describe(code, text.data(), text.size() - 1);
    throw error(std::string(what) + ": " + text.data());
  }

  const imbrex_mpi_functions& mpi_ = load_module();
  mpi_thread thread_;
  int rank_ = 0;
  int size_ = 0;
  bool finalizing_ = true;
  std::string failure_;
};

}  // namespace

bool mpi_launched_this_process() {
  return std::any_of(variables_of_size.begin(), variables_of_size.end(),
                     [](const char* name) { return environment_text(name) != nullptr; });
}

std::unique_ptr<bootstrap> start_mpi_bootstrap() { return std::make_unique<mpi_bootstrap>(); }

}  // namespace imbrex
