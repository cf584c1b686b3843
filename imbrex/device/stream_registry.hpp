// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <imbrex/device/backend.hpp>

namespace imbrex::detail {

/// A moment of a device: done when all that was submitted to any of its streams before it is.
class device_moment {
 public:
  /// True once it has come. A device that has failed runs nothing any more.
  bool over();
  /// Waits for it, as far as it can come.
  void wait() noexcept;

 private:
  friend class stream_registry;
  std::vector<std::shared_ptr<event_backend>> until_;
};

/// The streams that a device has, for those who must know when nothing uses a piece of memory any more. Any
/// thread.
class stream_registry {
 public:
  explicit stream_registry(device_backend& of) : of_(of) {}

  void enter(stream_backend& stream);
  /// The stream goes; what it still runs counts on.
  void leave(stream_backend& stream) noexcept;
  std::size_t streams();
  /// Begins and ends a capture in the stream. Nobody may ask a captured stream anything, and a moment asks
  /// all of them; so these two, and `join`, exclude `now`.
  void begin_capture(stream_backend& stream);
  std::unique_ptr<graph_backend> end_capture(stream_backend& stream);
  /// The stream waits for an event of another device, and is in that one's capture from now on if the event
  /// is.
  void join(stream_backend& stream, event_backend& until);
  /// Throws `device_error` if the device has failed.
  void check();
  /// This moment; null while a stream is captured, for it can give no moment then.
  std::unique_ptr<device_moment> now();

 private:
  bool is_capturing();
  void record(stream_backend& stream, std::vector<std::shared_ptr<event_backend>>& in);

  device_backend& of_;
  std::mutex lock_;
  std::vector<stream_backend*> streams_;
  std::vector<stream_backend*> captured_;  ///< in which a capture was begun and not ended
  std::vector<std::shared_ptr<event_backend>> left_running_;
  bool was_left_ = false;  ///< by a stream, which cannot be asked any more
};

}  // namespace imbrex::detail
