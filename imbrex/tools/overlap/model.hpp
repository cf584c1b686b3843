// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The part of a program's communication that its computation could hide, by the method of Sancho et al.,
/// "Quantifying the potential benefit of overlapping communication and computation in large-scale scientific
/// applications", SC2006, called "the paper" below. This layer does not use files.
namespace imbrex::overlap {

using microseconds = std::chrono::duration<double, std::micro>;

/// Bytes of a word, the paper's unit of data.
constexpr double word_bytes = 8;

/// The network model of the paper's section 4.2: a message takes `latency + bytes / bandwidth`.
struct network {
  microseconds latency{4};  ///< EEL: from the start of a send until receipt
  double bandwidth = 950;   ///< bytes a microsecond, i.e. MB/s (10^6); greater than 0
  microseconds gap{1};      ///< g: between two small messages that a processor sends
};

/// Whether processors work at the same time, or each waits for its predecessors (section 3).
enum class execution { concurrent, pipelined };

/// Order of production and consumption: equal, or the element produced last is consumed first.
enum class named_order { same, reverse };

/// Positions of the sent elements, from 0: element i is produced as number production[i] and consumed as
/// number consumption[i], P(i) and C(i). They include reordering by buffers (the paper's index_send and
/// index_recv).
struct listed_order {
  std::vector<std::uint64_t> production;
  std::vector<std::uint64_t> consumption;
};

/// Data that processors exchange in one message an iteration: the parameters of section 3.1, and the work
/// that section 3.4's techniques would make available. The values are the worst processor's, as in the paper.
struct datum {
  std::string name{};
  execution kind = execution::concurrent;
  microseconds produce_period{0};  ///< T_P, greater than 0: between two writes in the produce subroutine
  microseconds consume_period{0};  ///< T_C, greater than 0: between two reads in the consume subroutine
  std::uint64_t produced = 1;      ///< N_P, in words
  std::uint64_t consumed = 1;      ///< N_C, in words
  std::uint64_t sent = 1;          ///< N_S = N_R, in words
  std::variant<named_order, listed_order> order = named_order::same;

  microseconds additional_produce{0};  ///< T_AP: from the end of the produce subroutine to the send
  microseconds additional_consume{0};  ///< T_AC: from the receive to the consume subroutine
  microseconds loop_distribution{0};
  std::optional<microseconds> produce_loop_indexing{};  ///< if measured; else computed from T_P, N_P and N_S
  std::optional<microseconds> consume_loop_indexing{};  ///< if measured; else computed from T_C, N_C and N_S
  microseconds rearranged_subroutines{0};
  microseconds local_part{0};  ///< local work of collectives between the receive and the consume subroutine

  /// Whether messages are fine-grained. Then the work on the data themselves hides their transfer, instead of
  /// loop indexing (section 4.3.4). Pipelined data are always fine-grained.
  bool dependent_work = false;
};

struct application {
  std::string name{};
  microseconds computation{1};  ///< T_comp of an iteration, greater than 0
  int processors = 1;
  int collectives = 0;                         ///< number per iteration; small messages, never overlapped
  std::optional<int> collective_processors{};  ///< participants of each collective; `processors` if absent
  std::vector<datum> data{};
};

/// The time at which data travel (figure 4).
enum class transfer {
  while_producing,  ///< transfer 0: each element as soon as it is produced
  between,          ///< transfer 1: all after production, received before the consume subroutine
  while_consuming,  ///< transfer 2: all after production, received in the consume subroutine
};

/// The time that hides a transfer of element `i` (less than `sent`) of concurrent data (section 3.2): T_P
/// (N_P - P(i) - 1) while producing, T_AP + T_AC between, T_AP + T_AC + T_C C(i) while consuming.
microseconds usable(const datum& of, std::uint64_t i, transfer when);

/// T_C / max(T_P, g): the rate of production and sending relative to that of consumption (section 3.3).
double pace(const datum& of, microseconds gap);

/// Whether computation on earlier elements can hide the transfer of later ones, for pipelined data. True if
/// the pace is at least 1 and the element consumed first is not the one produced last. O(sent) for a listed
/// order.
bool keeps_pace(const datum& of, microseconds gap);

/// t(i): the time from production to consumption of element `i` (less than `sent`). Concurrent data: T_AP +
/// T_AC + T_P (N_P - P(i) - 1) + T_C C(i) (section 3.2). Pipelined data: T_C C(i) if they keep pace, so 0 for
/// the element needed first; otherwise 0 (section 3.3). `in_pace` is the result of `keeps_pace`.
microseconds available(const datum& of, std::uint64_t i, bool in_pace);

/// The minimum and maximum of t(i). O(sent) for a listed order, else O(1).
struct range {
  microseconds least;
  microseconds most;
};
range available_range(const datum& of, const network& over);

/// Independent work by technique: a column of table 3.
struct independent_work {
  microseconds additional_produce{0};
  microseconds additional_consume{0};
  microseconds loop_distribution{0};
  microseconds produce_loop_indexing{0};
  microseconds consume_loop_indexing{0};
  microseconds rearranged_subroutines{0};
  microseconds local_part{0};

  microseconds total() const;
};

/// Computes the independent work. Loop indexing is T_P (N_P - N_S) and T_C (N_C - N_S) unless measured; 0 if
/// more is sent than is produced or consumed. Pipelined data have no independent work (section 3.3).
independent_work independent(const datum& of);

/// T_comm_point: latency + 8 N_S / bandwidth, for one message with all sent words.
microseconds transfer_time(const datum& of, const network& over);

/// T_overlap: the part of the transfer that computation can hide. This is the independent work. With
/// `dependent_work` the least t(i) replaces loop indexing, which would count the same work twice. Pipelined
/// data that keep pace form a stream: its first word is never hidden, each later word is hidden by T_C at
/// most. The paper has only the condition for this case.
microseconds potential(const datum& of, const network& over);

/// T_overlap / T_comm_point: values of 1 or more mean that all is hidden (section 4.3).
double normalised_overlap(const datum& of, const network& over);

/// The datum with the least normalised overlap among those with any, as in figure 6; null if there is none.
const datum* hardest(const application& of, const network& over);

/// 2 log2(N) EEL for each collective (section 4.2).
microseconds collective_time(const application& of, microseconds latency);

/// Sums over all data: of T_comm_point, and of the part of it that remains exposed with overlap.
microseconds point_to_point_time(const application& of, const network& over);
microseconds exposed_time(const application& of, const network& over);

/// (T_comp + T_comm) / T_comp (section 4.4).
double normalised_time(const application& of, const network& over);
double normalised_time_overlapped(const application& of, const network& over);

/// Percent of the execution time without overlap (figure 10).
struct shares {
  double computation;
  double point_to_point;
  double collectives;
};
shares breakdown(const application& of, const network& over);

/// The smallest bandwidth, in MB/s, with which at most `limit` remains exposed at the latency and gap of
/// `over`; the bandwidth of `over` is ignored. 0 if any bandwidth suffices, nullopt if none does. Exact up to
/// rounding: the exposed time is piecewise linear in the inverse of the bandwidth. O(n log n) for n data.
std::optional<double> smallest_bandwidth(const application& of, const network& over, microseconds limit);

/// The smallest bandwidth with which the program, with overlap, is as fast as without overlap over this
/// network (figure 9).
double equal_bandwidth(const application& of, const network& over);

}  // namespace imbrex::overlap
