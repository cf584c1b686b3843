// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/core/array/entry.hpp>
#include <imbrex/core/run/deterministic_machine.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/runtime.hpp>
#include <imbrex/net/local/delayed.hpp>

namespace imbrex {

/// A message that the deterministic machine has not delivered yet.
struct undelivered {
  std::string entry;                        ///< name of the entry method or port
  std::optional<std::int64_t> reference{};  ///< reference number; only for a message to a port
  int from = 0;                             ///< sending PE
  int to = 0;                               ///< receiving PE

  bool operator==(const undelivered&) const = default;
};

/// Runs a program on the deterministic machine step by step, for tests. All PEs run on the calling thread.
/// Everything is serialised. Messages are delayed and so overtake each other, in an order that only the seed
/// determines.
///
///     imbrex::deterministic machine({.pes = 4, .seed = 7}, [&]() -> imbrex::task<> { ... });
///     while (machine.step()) ...
///     machine.expect_next<&block::halo>(blocks[{1, 2}], 3);
class deterministic {
 public:
  /// `main`: main task of the program, which the first steps begin.
  template <class Main>
  deterministic(options settings, Main main) : runtime_(on_this_machine(settings), maker()) {
    runtime_.start(detail::main_function(std::move(main)));
  }

  /// Delivers one message, or resumes an entry that a message has made ready. Returns false when the run has
  /// ended.
  bool step();
  /// Steps to the end. Returns the exit status.
  int run();
  /// True if the main task has ended, or `imbrex::exit` was called.
  bool ended() const { return runtime_.ended(); }

  /// The next of the messages sent so far that the element will get; empty if none is in flight.
  template <class T>
  std::optional<undelivered> next_for(const element<T>& to) const {
    const detail::delayed_transport::item* first = nullptr;
    for (const auto& i : machine_->wire().in_flight())
      if (is_for(i, to) &&
          (first == nullptr || i.due < first->due || (i.due == first->due && i.serial < first->serial)))
        first = &i;
    return first == nullptr ? std::nullopt : std::optional(describe(*first));
  }

  /// Throws imbrex::error unless the next message for the element is for this entry and, if `reference` is
  /// given, has that reference number. The error names the next message instead.
  template <auto M, class T>
  void expect_next(const element<T>& to, std::optional<std::int64_t> reference = std::nullopt) const {
    expect(next_for(to), short_name(member_name<M>()), reference);
  }

 private:
  static options on_this_machine(options settings) {
    settings.machine = machine_kind::deterministic;
    return settings;
  }
  detail::machine_maker maker();
  template <class T>
  bool is_for(const detail::delayed_transport::item& i, const element<T>& to) const {
    const auto& m = static_cast<const detail::message&>(*i.what);
    return m.collection == runtime_.processor_at(0).number_of(to.collection()) &&
           m.kind().chare_name == type_name<T>() &&
           static_cast<const detail::element_message<typename element<T>::key>&>(m).key == to.key_value();
  }
  static undelivered describe(const detail::delayed_transport::item& i);
  static void expect(const std::optional<undelivered>& next, std::string_view entry,
                     std::optional<std::int64_t> reference);

  detail::deterministic_machine* machine_ = nullptr;  ///< owned by `runtime_`
  detail::runtime runtime_;
};

}  // namespace imbrex
