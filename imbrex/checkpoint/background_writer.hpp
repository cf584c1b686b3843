// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include <imbrex/checkpoint/part.hpp>
#include <imbrex/checkpoint/part_image.hpp>
#include <imbrex/checkpoint/write_part.hpp>

namespace imbrex::checkpoints {

/// A piece of work that has ended.
struct written_outcome {
  std::string problem{};  ///< empty: it is done
  part_summary part{};    ///< the part, if an image was written
  double seconds = 0;     ///< time that it took
};

/// Does one piece of work at a time in a thread of its own, such as writing an image, while the program goes
/// on. Its functions are for one thread at a time.
class background_writer {
 public:
  background_writer() = default;
  /// `notify` is called in the other thread, at the end of each piece of work, and must not throw.
  explicit background_writer(std::function<void()> notify) : notify_(std::move(notify)) {}
  /// Waits for the work.
  ~background_writer();
  background_writer(const background_writer&) = delete;
  background_writer& operator=(const background_writer&) = delete;

  /// Begins to write a sealed image by `write_part`. The image must not change until the outcome is taken.
  void write(part_image& image, std::string file, compression how = compression::none);
  /// Begins other work, such as `checkpoint_folder::commit`. Throws `error` if there can be no further
  /// thread.
  void run(std::function<void()> work);

  /// True from `write` or `run` until the outcome is taken.
  bool is_busy() const { return thread_.joinable(); }
  /// Takes the outcome of work that has ended; empty while it goes on, and if there is none.
  std::optional<written_outcome> poll();
  /// Waits for the work, and takes its outcome. There must be some.
  written_outcome wait();

 private:
  void start(std::function<part_summary()> work);

  std::function<void()> notify_;
  std::thread thread_;
  std::atomic<bool> has_ended_ = false;
  written_outcome outcome_;  // belongs to the thread until has_ended_ is true
};

}  // namespace imbrex::checkpoints
