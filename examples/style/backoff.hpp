// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/clock.hpp>

namespace style {

/// The waits between polls of a source that rarely has news: each wait is twice the previous one. One thread.
class backoff {
 public:
  /// Waits from `least` to `most`. Throws imbrex::error unless 0 < least <= most.
  backoff(imbrex::nanoseconds least, imbrex::nanoseconds most);

  /// The wait before the next poll.
  imbrex::nanoseconds next();
  /// Call it when a poll has found news.
  void reset() { next_ = least_; }

 private:
  imbrex::nanoseconds least_;
  imbrex::nanoseconds most_;
  imbrex::nanoseconds next_;
};

}  // namespace style
