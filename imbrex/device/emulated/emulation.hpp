// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <imbrex/device/emulated/engine.hpp>
#include <imbrex/device/emulated/operation_listener.hpp>
#include <imbrex/device/emulated/options.hpp>

namespace imbrex::emulated {

/// A set of emulated devices and their time: an engine, access to the engine, and the execution of bodies.
class emulation : public executor {
 public:
  explicit emulation(const emulated_options& emulation_options) : how_(emulation_options) {}
  emulation(const emulation&) = delete;
  emulation& operator=(const emulation&) = delete;

  /// Gives the caller access to the engine. Not for host functions, which must not use the device.
  class session {
   public:
    /// Charges the caller for the call; `operations`: of a graph.
    session(emulation& of, host_call what, std::size_t operations = 0);
    ~session() { of_.leave(); }
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    engine* operator->() const { return &of_.core(); }
    /// Earliest start of submitted operations.
    nanoseconds moment() const { return moment_; }

   private:
    emulation& of_;
    nanoseconds moment_;
  };

  const emulated_options& how() const { return how_; }
  virtual engine& core() = 0;
  /// Announces that the value of a word has changed; host functions may call it, too.
  virtual void value_changed() = 0;
  /// True if the host can see that the operation is done.
  virtual bool seen(const completion& awaited) = 0;
  /// Blocks until the host can see that the operation is done, or the device has failed. Throws `error` if
  /// neither can happen.
  virtual void wait(const completion& awaited, int device) = 0;
  /// Stops a device: afterwards no body of it runs.
  virtual void stop(int device) noexcept = 0;
  /// Notes that an event was recorded behind that operation; null for an empty stream. Returns its number for
  /// `asks`.
  virtual std::uint32_t marked(const completion* last) = 0;
  /// Notes that the next call asks whether the event with this number is done.
  virtual void asks(std::uint32_t mark) = 0;

 protected:
  virtual void enter() = 0;
  virtual void leave() noexcept = 0;
  /// Charges the call and returns the moment of its submission.
  virtual nanoseconds charge(host_call what, std::size_t operations) = 0;
  /// Runs a body and returns its exception, if any.
  static std::exception_ptr run(const operation& op);

 private:
  emulated_options how_;
};

}  // namespace imbrex::emulated
