// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/core/collective/waits.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

/// The activity of one PE at the moment of a question.
struct pe_report {
  /// Items of one kind in the queue.
  struct kind_count {
    std::string name{};
    std::size_t count = 0;
  };

  /// A chare with much of the PE's work.
  struct heavy_chare {
    std::string name{};
    double share = 0;  ///< part of the work of all chares of the PE, in the current period of the balancer
  };

  int pe = 0;
  bool answers = false;               ///< false: the members from `queued` on are unknown
  bool sleeps = false;                ///< had nothing to do
  std::string runs{};                 ///< the running entry or work; empty if it is unknown
  std::chrono::milliseconds busy{0};  ///< time for which it has run at least, if the PE does not answer
  std::size_t queued = 0;
  std::vector<kind_count> queue{};  ///< the most frequent kind first
  std::size_t chares = 0;
  std::vector<heavy_chare> heaviest{};  ///< at most five, the heaviest first; empty unless loads are measured
  std::size_t device_operations = 0;    ///< operations of its device that are under way
  std::vector<wait> waits{};            ///< at most `known_waits::most_lines`
  std::size_t more_waits = 0;
  std::vector<std::string> thrown{};  ///< exceptions that wait for other replies

  /// "PE 3 sleeps"
  std::string text() const;
};

/// The name of a kind of work in reports: "block::run".
std::string shown_name_of(const work_type& type);

/// Sets the members that only the PE knows; on its thread.
void ask(processor& pe, pe_report& report);

/// The activity of a process, as data; its printers are those of SIGQUIT and `imbrex who`.
struct process_report {
  int process = 0;
  int processes = 1;
  std::int64_t pid = 0;
  bool has_ended = false;  ///< the run is over here; there are no PEs
  std::vector<pe_report> pes{};
  std::vector<std::string> others{};  ///< lines about objects that are on no PE, such as blocks inside a GPU

  /// Text for people: some lines, at most 20 of a kind.
  std::string text() const;
  /// The object of this process in the JSON of `imbrex who --json`, on one line.
  std::string json() const;
};

}  // namespace imbrex::detail
