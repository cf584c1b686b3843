// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <imbrex/device/emulated/engine.hpp>
#include <imbrex/device/emulated/options.hpp>

namespace imbrex::emulated {

/// A set of emulated devices and what moves their time: an engine, who may enter it, who runs bodies.
class emulation : public executor {
 public:
  explicit emulation(const emulated_options& emulation_options) : how_(emulation_options) {}
  emulation(const emulation&) = delete;
  emulation& operator=(const emulation&) = delete;

  /// Inside of it the engine is the caller's. Not for host functions, which must not use the device.
  class session {
   public:
    /// The call costs the caller so much.
    session(emulation& of, nanoseconds cost);
    ~session() { of_.leave(); }
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    engine* operator->() const { return &of_.core(); }
    /// When what is submitted may start.
    nanoseconds moment() const { return moment_; }

   private:
    emulation& of_;
    nanoseconds moment_;
  };

  const emulated_options& how() const { return how_; }
  virtual engine& core() = 0;
  /// The value of a word has changed; also from a host function.
  virtual void value_changed() = 0;
  /// True if the host can see that it is done.
  virtual bool seen(const completion& awaited) = 0;
  /// Returns when the host can see that, or the device has failed. Throws `error` if that will never be.
  virtual void wait(const completion& awaited, int device) = 0;
  /// No body of that device runs any more, nor will.
  virtual void stop(int device) noexcept = 0;

 protected:
  virtual void enter() = 0;
  virtual void leave() noexcept = 0;
  /// Charges the call and returns the moment of its submission.
  virtual nanoseconds charge(nanoseconds cost) = 0;
  /// Runs a body; what it throws is returned.
  static std::exception_ptr run(const operation& op);

 private:
  emulated_options how_;
};

}  // namespace imbrex::emulated
