// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::detail {

/// The work of the thread that waits for the PEs, or steps them, besides that.
class attendant {
 public:
  virtual ~attendant() = default;
  attendant(const attendant&) = delete;
  attendant& operator=(const attendant&) = delete;

  /// A descriptor that is readable when `attend` has something to do; -1 if there is none.
  virtual int socket() const = 0;
  /// True if a signal has asked for `attend`.
  virtual bool has_request() const = 0;
  /// Answers all who have asked. One thread at a time, which runs no entry.
  virtual void attend() = 0;

 protected:
  attendant() = default;
};

}  // namespace imbrex::detail
