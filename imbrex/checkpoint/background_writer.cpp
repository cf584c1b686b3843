// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/background_writer.hpp>

#include <chrono>
#include <exception>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>

namespace imbrex::checkpoints {

background_writer::~background_writer() {
  if (thread_.joinable()) thread_.join();
}

void background_writer::write(part_image& image, std::string file, compression how) {
  start([&image, file = std::move(file), how] { return write_part(image, file, how); });
}

void background_writer::run(std::function<void()> work) {
  start([work = std::move(work)] {
    work();
    return part_summary{};
  });
}

void background_writer::start(std::function<part_summary()> work) {
  if (is_busy()) throw error("a checkpoint is written while the one before is; wait for its end");
  has_ended_ = false;
  outcome_ = {};
  thread_ = background_thread("that writes checkpoints", [this, work = std::move(work)] {
    const auto begin = std::chrono::steady_clock::now();
    try {
      outcome_.part = work();
    } catch (...) {
      outcome_.problem = describe(std::current_exception());
    }
    outcome_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    has_ended_ = true;
    if (notify_) notify_();
  });
}

std::optional<written_outcome> background_writer::poll() {
  if (!is_busy() || !has_ended_) return {};
  return wait();
}

written_outcome background_writer::wait() {
  thread_.join();
  return std::exchange(outcome_, {});
}

}  // namespace imbrex::checkpoints
