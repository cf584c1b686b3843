// SPDX-License-Identifier: Apache-2.0
// The runtime's main for programs of MPI: runs ranks, each with a copy of the program.
#include <cxxabi.h>
#include <dlfcn.h>
#include <pthread.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/program_copy.hpp>
#include <imbrex/mpi/image/program_image.hpp>
#include <imbrex/mpi/image/program_number.hpp>
#include <imbrex/mpi/image/start.hpp>
#include <imbrex/mpi/launch/crash_words.hpp>
#include <imbrex/mpi/launch/fixed_addresses.hpp>
#include <imbrex/mpi/launch/rank_end.hpp>
#include <imbrex/mpi/launch/rank_options.hpp>
#include <imbrex/mpi/rank/run.hpp>
#include <imbrex/mpi/state.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/containers.hpp>

namespace imbrex::mpi {

namespace {

/// An exception that leaves main fails the run at once, since others may wait for the rank.
template <class Main>
int run_main(Main main) {
  try {
    const int status = main();
    if (is_child()) std::exit(status);
    return status_at_end(status);
  } catch (const abi::__forced_unwind&) {
    if (is_child()) throw;
    rank& self = *rank::current();
    extension::run_handle::here().fail("rank " + std::to_string(self.number()) +
                                       " has called pthread_exit, which would end a thread of the runtime: "
                                       "return from main, or call exit");
    self.stop();
  } catch (...) {
    if (is_child()) std::terminate();
    rank& self = *rank::current();
    extension::run_handle::here().fail("rank " + std::to_string(self.number()) +
                                       ", main: " + extension::describe(std::current_exception()));
    self.stop();
  }
}

/// A rank that runs a copy of the program.
class copied_program final : public rank_code, public copy_host {
 public:
  copied_program(const program_image& image, const program_start& start, int number,
                 const rank_options& settings)
      : start_(start),
        number_(number),
        copy_(image, *this, settings.prefix ? "[" + std::to_string(number) + "] " : "",
              settings.migratable ? std::optional(static_cast<std::size_t>(number)) : std::nullopt) {}
  ~copied_program() override { copy_.flush(); }

  int run() override {
    return run_main([this] { return copy_.call_main(start_.argc, start_.argv, start_.environment); });
  }
  bool enter() override { return copy_.enter(); }
  void attend() override { copy_.take_signals(); }
  void leave() override { copy_.leave(); }

  std::byte* place_of_stack() override { return copy_.stack(); }
  std::string obstacle() const override { return copy_.obstacle(); }
  void write(writer& out, const used_stack& stack, bool leaves) override {
    const packed_copy packed = copy_.pack(leaves);
    const std::vector<written_pages> pages = copy_.written(stack.begin, stack.end);
    std::size_t bytes = 0;
    for (const written_pages& run : pages) bytes += run.bytes;
    constexpr std::size_t head = 2 * sizeof(std::uint64_t);
    out(packed);
    out.room(bytes + (pages.size() + 1) * head);
    out(std::uint64_t{pages.size()});
    for (const written_pages& run : pages) {
      out(reinterpret_cast<std::uintptr_t>(run.begin), std::uint64_t{run.bytes});
      out.bytes(run.begin, run.bytes);
    }
  }
  void read(reader& in) override {
    packed_copy packed;
    std::uint64_t runs = 0;
    in(packed, runs);
    copy_.take_over(packed);
    for (; runs > 0; --runs) {
      std::uintptr_t begin = 0;
      std::uint64_t bytes = 0;
      in(begin, bytes);
      const auto size = static_cast<std::size_t>(bytes);
      copy_.fill({reinterpret_cast<std::byte*>(begin), size}, in.view(size).data());
    }
    copy_.end_arrival();
  }

  void end(int status) override { end_rank(status); }
  void end_on_thread(int status) override { end_process_of(number_, status); }
  bool sleep_for(std::chrono::nanoseconds time) override { return rank::current()->sleep_for(time); }

 private:
  const program_start& start_;
  int number_;
  program_copy copy_;
};

/// The only rank of its process runs the program uncopied, so any library is allowed.
class original_program final : public rank_code {
 public:
  explicit original_program(const program_start& start) : start_(start) {}
  int run() override {
    return run_main([this] { return start_.call_original(); });
  }

 private:
  const program_start& start_;
};

/// Refuses programs that also link the static libraries: they would have two runtimes.
void refuse_second_runtime() {
  Dl_info found{}, own{};
  if (::dladdr(::dlsym(RTLD_DEFAULT, "imbrex_runtime"), &found) == 0 ||
      ::dladdr(reinterpret_cast<void*>(&refuse_second_runtime), &own) == 0 ||
      found.dli_fbase == own.dli_fbase)
    return;
  throw imbrex::error(
      std::string(found.dli_fname) +
      " holds Imbrex's static libraries, and libimbrex_mpi.so has the runtime too: a program of MPI "
      "links imbrex::mpi alone");
}

bool runs_originals(const rank_options& settings) {
  return settings.ranks == num_processes() && settings.run.pes == 1 && !settings.prefix &&
         settings.private_libraries.empty() && !settings.migratable;
}

void tell_processes_without_ranks(const rank_options& settings) {
  const int missing = num_processes() - settings.ranks;
  if (missing <= 0 || process() != 0) return;
  log(log_level::warning, "--ranks " + std::to_string(settings.ranks) + " is fewer than the " +
                              std::to_string(num_processes()) + " processes, of which " +
                              std::to_string(missing) + (missing == 1 ? " has no rank" : " have no rank") +
                              ": --ranks counts the ranks of all processes together");
}

bool is_function_of_mpi(std::string_view name) {
  for (const char* const begin : {"MPI_", "PMPI_", "mpi_", "pmpi_"})
    if (name.starts_with(begin)) return true;
  return false;
}

/// Warns at the start of libraries that keep variables, because these are hard to suspect later.
void tell_sharing_libraries(const program_image& image) {
  std::vector<sharing_library> libraries = image.sharing_libraries(&is_function_of_mpi);
  if (libraries.empty()) return;
  std::string names;
  for (const sharing_library& each : libraries) names += (names.empty() ? "" : ",") + each.name;
  if (process() == 0)
    log(log_level::warning,
        "libraries that call MPI keep variables, which all ranks of a process share; if results are wrong or "
        "a rank crashes, give each rank its own by --privatise " +
            names);
  tell_crashes_in(std::move(libraries));
}

/// Refuses options by which ranks would be saved that cannot be.
void refuse_checkpoints(const rank_options& settings) {
  const checkpoint_settings& saving = settings.run.checkpoint;
  if (saving.faults.any())
    throw usage_error(
        "--fault: ranks of MPI cannot begin anew in their process; let imbrex run --migratable --restarts N "
        "start killed processes anew");
  const char* const option = !saving.folder.empty()    ? "--checkpoint"
                             : !saving.restart.empty() ? "--restart"
                                                       : nullptr;
  if (option != nullptr && !settings.migratable)
    throw usage_error(std::string(option) +
                      ": ranks of MPI are saved in jobs of imbrex run --migratable alone; add that option");
}

/// Which of the job's programs this process runs, as the command imbrex has set it.
int number_of_program() {
  const char* const text = std::getenv(variable_of_program);
  return text == nullptr ? 0 : parse_number<int>(text).value_or(0);
}

int run_ranks(const program_start& start) {
  refuse_second_runtime();
  rank_options settings = read_rank_options();
  if (settings.ranks == 0) settings.ranks = num_processes();
  tell_processes_without_ranks(settings);
  if (settings.run.pes == 0 && settings.ranks <= num_processes()) settings.run.pes = 1;
  tell_crashes_of_ranks();
  watch_children();
  ::pthread_atfork(nullptr, nullptr, &rank::leave_in_child);

  refuse_checkpoints(settings);
  program what;
  std::optional<equal_stack_guards> guards;
  if (settings.migratable) {
    require_fixed_addresses();
    guards.emplace(digest_of_addresses(0, 0));
    settings.run.checkpoint.in_any_folder = true;  // MPIX_Checkpoint names it
  }
  what.ranks = settings.ranks;
  what.number = number_of_program();
  what.stack = settings.stack;
  what.tells_leaks = settings.check;
  what.make_state = [](rank& of) { return std::make_unique<rank_data>(of); };
  std::unique_ptr<program_image> image;
  if (runs_originals(settings)) {
    what.make_code = [&start](int) { return std::make_unique<original_program>(start); };
  } else {
    fixed_places fixed;
    if (settings.migratable) {
      what.is_migratable = true;
      what.addresses = digest_of_addresses(settings.ranks, settings.stack);
      fixed = {static_cast<std::size_t>(settings.ranks), fiber::reserved(settings.stack)};
    }
    image = std::make_unique<program_image>(start, settings.private_libraries, fixed);
    for (const std::string& warning : image->warnings()) log(log_level::warning, warning);
    if (settings.ranks > num_processes()) tell_sharing_libraries(*image);
    if (image->needs_executable_stack()) what.code = fiber::code_on_stack::yes;
    what.make_code = [&](int number) {
      return std::make_unique<copied_program>(*image, start, number, settings);
    };
  }
  return run(settings.run, what);
}

}  // namespace

int run_program(const program_start& start) {
  try {
    return run_ranks(start);
  } catch (const usage_error& e) {
    log(log_level::error, e.what());
    return usage_error::exit_status;
  } catch (const reported_error& e) {
    return e.status();
  } catch (const std::exception& e) {
    log(log_level::error, e.what());
    return 1;
  }
}

}  // namespace imbrex::mpi
