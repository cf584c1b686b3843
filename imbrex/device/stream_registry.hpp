// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <imbrex/device/backend.hpp>

namespace imbrex::detail {

/// A moment of a device: over when all work submitted before it to any of its streams is done.
class device_moment {
 public:
  /// True once the moment is over. A failed device runs nothing any more.
  bool over();
  /// Waits until the moment is over, or the device has failed.
  void wait() noexcept;

 private:
  friend class stream_registry;
  std::vector<std::shared_ptr<event_backend>> until_;
};

/// The streams of a device, by which the memory pools find out when nothing uses a block any more. Any
/// thread.
class stream_registry {
 public:
  explicit stream_registry(device_backend& of) : of_(of) {}

  void enter(stream_backend& stream);
  /// Removes a stream; its running work still counts.
  void leave(stream_backend& stream) noexcept;
  std::size_t streams();
  /// Begin and end a capture in the stream. A captured stream must not be queried, and `now` queries all
  /// streams; so these two, and `join`, exclude `now`.
  void begin_capture(stream_backend& stream);
  std::unique_ptr<graph_backend> end_capture(stream_backend& stream);
  /// Makes the stream wait for an event of another device. If the event is captured, the stream joins that
  /// capture.
  void join(stream_backend& stream, event_backend& until);
  /// Throws `device_error` if the device has failed.
  void check();
  /// Makes later operations of the stream wait for all work submitted so far to the device. False while a
  /// stream is captured: then nothing has been done.
  bool wait_for_all(stream_backend& later);
  /// The present moment; null while a stream is captured, since captured streams cannot be queried.
  std::unique_ptr<device_moment> now();

 private:
  bool is_capturing();
  void record(stream_backend& stream, std::vector<std::shared_ptr<event_backend>>& in);

  device_backend& of_;
  std::mutex lock_;
  std::vector<stream_backend*> streams_;
  std::vector<stream_backend*> captured_;  ///< streams whose capture has not ended
  std::vector<std::shared_ptr<event_backend>> left_running_;
  bool was_left_ = false;  ///< true once a stream was removed, whose failure can no longer be queried
};

}  // namespace imbrex::detail
