// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <imbrex/trace/record.hpp>

/// What a program adds to its trace (`--trace FILE`). Without one all this does nothing, and costs a branch.
namespace imbrex::trace {

/// Records from now on, on all PEs: each from its next item. For a window of iterations start the program
/// with
/// `--trace-paused` and call this in one place, `stop` in another. Throws imbrex::error outside a run.
void start();
/// Records no more, until `start`.
void stop();

/// A moment that the user names. Call it with few different names: each is kept as long as the run.
void mark(std::string_view name, std::int64_t value = 0);

/// A part of the run that the user names, from here to the end of the block, with a number such as an
/// iteration's. It may hold a co_await; parts of different chares may overlap.
class phase {
 public:
  explicit phase(std::string_view name, std::int64_t value = 0);
  ~phase();
  phase(const phase&) = delete;
  phase& operator=(const phase&) = delete;

 private:
  std::uint32_t name_ = 0;
  bool is_recorded_ = false;
  std::uint64_t which_ = 0;
  std::int64_t value_ = 0;
};

/// What `produce` and `consume` have in common.
class data_stretch {
 public:
  data_stretch(const data_stretch&) = delete;
  data_stretch& operator=(const data_stretch&) = delete;
  /// Now it is the turn of element `i` of those that are sent or have come, counted from 0. For the order in
  /// which they are written or read, P(i) and C(i); tell of all of a datum's elements, of some evenly spaced,
  /// or of none.
  void element(std::uint64_t i);

 protected:
  data_stretch(record_kind kind, std::string_view datum, std::uint64_t words);
  ~data_stretch();

 private:
  record_kind kind_;
  bool is_recorded_ = false;
  std::uint32_t name_ = 0;
  std::uint64_t words_ = 0;
  std::uint64_t which_ = 0;
};

/// From here to the end of the block the program writes `words` words of 8 bytes (N_P), of which others get
/// some in what the same entry sends next: for `imbrex overlap --from`, which else takes the whole stretch of
/// work before a send for this, and only what is sent for written. The names are those of the paper's
/// section 3.1. No co_await inside.
class produce : public data_stretch {
 public:
  explicit produce(std::string_view datum, std::uint64_t words)
      : data_stretch(record_kind::produced, datum, words) {}
};

/// The same of reading `words` words (N_C), of which some came in what the entry has received last.
class consume : public data_stretch {
 public:
  explicit consume(std::string_view datum, std::uint64_t words)
      : data_stretch(record_kind::consumed, datum, words) {}
};

}  // namespace imbrex::trace
