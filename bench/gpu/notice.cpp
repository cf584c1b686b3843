// SPDX-License-Identifier: Apache-2.0
// The time from a kernel's end until an idle PE resumes the waiting coroutine, for each completion method.
//   build/release/bin/gpu_notice --methods poll,flag
//
// No device clock is needed. The kernel's last action is a store into pinned host memory. A separate host
// thread polls that word and records the time of its change. After the kernel its stream writes a second
// word, whose time the same thread records: then the device has reached the stream's next operation. The PE
// records when the awaiting coroutine resumes. So there are two figures: one from the kernel's last store,
// which includes the device's time to end a kernel, and one from the stream's next operation. README.md
// describes their errors.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/device/flag.hpp>
#include <imbrex/gpu.hpp>

#include "bench/gpu/program.hpp"
#include "bench/gpu/spin.hpp"
#include "bench/stopwatch.hpp"

namespace {

using namespace std::chrono_literals;
using bench::steady;
using imbrex::nanoseconds;

struct course {
  std::vector<std::string> methods{"poll", "flag", "callback"};
  int samples = 300;
  int samples_beside = 25;
  int repeats = 3;
};

/// Indices of the words. Words of streams and kernels are far apart, so that polling one does not disturb the
/// other.
enum word : std::size_t { of_kernel = 0, of_stream = 32, of_long_kernel = 64, words = 96 };

/// A thread that records the times of changes of words.
class observer {
 public:
  observer(const imbrex::flag_array& flags, bool streams_write)
      : flags_(flags), streams_write_(streams_write), thread_([this] { look(); }) {}
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  ~observer() {
    ending_.store(true, std::memory_order_relaxed);
    thread_.join();
  }

  struct moments {
    steady::time_point kernel, stream;
  };
  /// Begins polling for this number, which is not 0 and is the last number plus one.
  void look_for(std::uint32_t round) { target_round_.store(round, std::memory_order_release); }
  /// The times at which the words took the number. Waits for them.
  moments seen(std::uint32_t round) const {
    while (found_.load(std::memory_order_acquire) != round) std::this_thread::yield();
    return moments_;
  }

 private:
  void look() {
    for (std::uint32_t round = 1;; ++round) {
      if (!reached(target_round_, round) || !reached(flags_.words()[of_kernel], round)) return;
      moments_.kernel = moments_.stream = steady::now();
      if (streams_write_) {
        if (!reached(flags_.words()[of_stream], round)) return;
        moments_.stream = steady::now();
      }
      found_.store(round, std::memory_order_release);
    }
  }
  /// Waits for the number; false if the thread must end.
  bool reached(const std::atomic<std::uint32_t>& word, std::uint32_t round) const {
    while (word.load(std::memory_order_acquire) != round)
      if (ending_.load(std::memory_order_relaxed)) return false;
    return true;
  }

  const imbrex::flag_array& flags_;
  const bool streams_write_;
  moments moments_;
  std::atomic<std::uint32_t> target_round_ = 0;
  std::atomic<std::uint32_t> found_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

/// Microseconds of every sample of one method.
struct samples {
  std::vector<double> idle_after_kernel, idle_after_stream;
  std::vector<double> beside_after_kernel, beside_from_submission;
  int late = 0;  ///< samples beside a long kernel that had already ended
};

class taker {
 public:
  taker(const course& plan, samples& to)
      : plan_(plan),
        to_(to),
        streams_write_(imbrex::gpu().info().can.stream_values),
        flags_(imbrex::gpu(), words),
        short_(imbrex::gpu(), imbrex::stream_priority::normal, "short"),
        long_(imbrex::gpu(), imbrex::stream_priority::normal, "long"),
        observer_(flags_, streams_write_) {}

  imbrex::task<> idle() {
    constexpr int warm_up = 10;
    for (int sample = -warm_up; sample < plan_.samples; ++sample) {
      co_await one(50us);
      const auto seen = observer_.seen(round_);  // times of both words, which it polls one after the other
      if (sample < 0) continue;
      to_.idle_after_kernel.push_back(bench::microseconds(noticed_ - seen.kernel));
      if (streams_write_) to_.idle_after_stream.push_back(bench::microseconds(noticed_ - seen.stream));
    }
  }

  imbrex::task<> beside_a_long_one() {
    for (int sample = 0; sample < plan_.samples_beside; ++sample) {
      launch(long_, of_long_kernel, round_ + 1, 10ms);
      co_await imbrex::when_all(end_of_long(), one_while_the_other_runs());
      const auto seen = observer_.seen(round_);
      if (was_late_) ++to_.late;
      if (was_late_) continue;
      to_.beside_after_kernel.push_back(bench::microseconds(noticed_ - seen.kernel));
      to_.beside_from_submission.push_back(bench::microseconds(noticed_ - submitted_));
    }
  }

 private:
  void launch(imbrex::stream& in, word which, std::uint32_t round, nanoseconds time) {
    in.launch(bench::spin, flags_[which].word, round, time.count());
  }

  /// Times a kernel that the otherwise idle PE awaits.
  imbrex::task<> one(nanoseconds time) {
    observer_.look_for(++round_);
    submitted_ = steady::now();
    launch(short_, of_kernel, round_, time);
    if (streams_write_) short_.write(flags_[of_stream], round_);
    co_await short_.done();
    noticed_ = steady::now();
  }
  imbrex::task<> end_of_long() { co_await long_.done(); }
  imbrex::task<> one_while_the_other_runs() {
    co_await imbrex::sleep_for(200us);  // so that the long kernel runs, and its launch is not measured
    co_await one(10us);
    was_late_ = flags_.load(of_long_kernel) == round_;
  }

  const course& plan_;
  samples& to_;
  const bool streams_write_;
  imbrex::flag_array flags_;
  imbrex::stream short_, long_;
  std::uint32_t round_ = 0;
  steady::time_point submitted_, noticed_;
  bool was_late_ = false;
  observer observer_;
};

imbrex::task<> take(const course& plan, samples& to) {
  taker all(plan, to);
  co_await all.idle();
  co_await all.beside_a_long_one();
}

imbrex::completion_method method_of(const std::string& name) {
  if (name == "poll") return imbrex::completion_method::polling;
  return name == "flag" ? imbrex::completion_method::flag : imbrex::completion_method::callback;
}

nlohmann::ordered_json spread(const std::vector<double>& values) {
  nlohmann::ordered_json json = bench::spread(values);
  json["percentile_95"] = bench::percentile_95(values);
  return json;
}

void add_rows(const std::string& method, const samples& of, nlohmann::ordered_json& rows) {
  nlohmann::ordered_json idle{{"what", "idle"}, {"method", method}, {"samples", of.idle_after_kernel.size()}};
  idle["after_kernel_us"] = spread(of.idle_after_kernel);
  if (!of.idle_after_stream.empty()) idle["after_stream_us"] = spread(of.idle_after_stream);
  rows.push_back(std::move(idle));
  nlohmann::ordered_json beside{{"what", "beside a long one"},
                                {"method", method},
                                {"samples", of.beside_after_kernel.size()},
                                {"late", of.late}};
  if (!of.beside_after_kernel.empty()) {
    beside["after_kernel_us"] = spread(of.beside_after_kernel);
    beside["from_submission_us"] = spread(of.beside_from_submission);
  }
  rows.push_back(std::move(beside));
}

void measure(const course& plan, imbrex::options settings, nlohmann::ordered_json& rows) {
  const bool streams_write = bench::open_devices(settings).front()->info().can.stream_values;
  std::vector<std::string> methods = plan.methods;
  if (!streams_write) std::erase(methods, "flag");
  std::vector<samples> all(methods.size());
  for (int repeat = 0; repeat < plan.repeats; ++repeat)
    for (std::size_t turn = 0; turn < methods.size(); ++turn) {
      const std::size_t which = (turn + static_cast<std::size_t>(repeat)) % methods.size();
      settings.completion = method_of(methods[which]);
      bench::run_on(settings, [&] { return take(plan, all[which]); });
    }
  for (std::size_t m = 0; m < methods.size(); ++m) add_rows(methods[m], all[m], rows);
}

}  // namespace

int main(int argc, char** argv) {
  course plan;
  return bench::run(
      {.name = "notice",
       .text = "Measures the time from a kernel's end to its detection by a PE.",
       .declare =
           [&](CLI::App& app) {
             app.add_option("--methods", plan.methods,
                            "methods of completion: poll, flag, callback (default all that the device has)")
                 ->delimiter(',')
                 ->check(CLI::IsMember({"poll", "flag", "callback"}));
             app.add_option("--samples", plan.samples,
                            "number of samples of each method and repeat (default 300)")
                 ->check(CLI::Range(1, 1'000'000));
             app.add_option("--samples-beside", plan.samples_beside,
                            "number of samples of each beside a kernel of 10 ms (default 25)")
                 ->check(CLI::Range(1, 100'000));
             app.add_option("--repeats", plan.repeats,
                            "number of repeats of each method, in turn (default 3)")
                 ->check(CLI::Range(1, 1000));
           },
       .measure = [&](const imbrex::options& settings, auto& rows) { measure(plan, settings, rows); }},
      argc, argv);
}
