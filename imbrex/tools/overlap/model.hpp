// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// How much of a program's communication its computation could hide, by the method of Sancho et al.,
/// "Quantifying the potential benefit of overlapping communication and computation in large-scale scientific
/// applications", SC2006, which is "the paper" below. Nothing here knows of files.
namespace imbrex::overlap {

using microseconds = std::chrono::duration<double, std::micro>;

/// In what the paper counts data.
constexpr double word_bytes = 8;

/// A network as the paper's section 4.2 models one: a message takes `latency + bytes / bandwidth`.
struct network {
  microseconds latency{4};  ///< EEL: from the start of a send until receipt
  double bandwidth = 950;   ///< bytes a microsecond, which is MB/s (10^6); greater than 0
  microseconds gap{1};      ///< g: between two small messages that a processor sends
};

/// Whether processors work at the same time, or each waits for those before it (section 3).
enum class execution { concurrent, pipelined };

/// How data are produced and consumed: in the same order, or what is produced last is consumed first.
enum class named_order { same, reverse };

/// Positions of the sent elements, from 0: element i is the production[i]-th that is produced and the
/// consumption[i]-th that is consumed: P(i) and C(i). What buffers in between do to the order
/// (the paper's index_send and index_recv) is in them.
struct listed_order {
  std::vector<std::uint64_t> production;
  std::vector<std::uint64_t> consumption;
};

/// What processors exchange in one message an iteration: the parameters of section 3.1 and the work that the
/// techniques of section 3.4 would make available. Of the worst processor, as in the paper.
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
  microseconds local_part{0};  ///< of collectives that stand between the receive and the consume subroutine

  /// Whether messages are fine-grained, so that the work on the data themselves hides their transfer, instead
  /// of loop indexing (section 4.3.4). Those of pipelined data always are.
  bool dependent_work = false;
};

struct application {
  std::string name{};
  microseconds computation{1};  ///< T_comp of an iteration, greater than 0
  int processors = 1;
  int collectives = 0;                         ///< an iteration, of small messages, never overlapped
  std::optional<int> collective_processors{};  ///< that take part in each; else `processors`
  std::vector<datum> data{};
};

/// When the data travel (figure 4).
enum class transfer {
  while_producing,  ///< transfer 0: each element as soon as it is produced
  between,          ///< transfer 1: all after production, and there before the consume subroutine
  while_consuming,  ///< transfer 2: all after production, and received in the consume subroutine
};

/// The time that hides a transfer of element `i`, less than `sent`, of concurrent data (section 3.2):
/// T_P (N_P - P(i) - 1) while producing, T_AP + T_AC between, T_AP + T_AC + T_C C(i) while consuming.
microseconds usable(const datum& of, std::uint64_t i, transfer when);

/// T_C / max(T_P, g): how fast data are consumed by how fast they can be produced and sent (section 3.3).
double pace(const datum& of, microseconds gap);

/// Whether the computation on what came earlier can hide the rest of pipelined data: the pace is at least 1,
/// and what is consumed first is not what is produced last. O(sent) for a listed order.
bool keeps_pace(const datum& of, microseconds gap);

/// t(i): the time from when element `i`, less than `sent`, is produced to when it is consumed. Of concurrent
/// data T_AP + T_AC + T_P (N_P - P(i) - 1) + T_C C(i) (section 3.2). Of pipelined data T_C C(i) if they keep
/// pace, which is 0 for what is needed first, else 0 (section 3.3); `in_pace` is what `keeps_pace` says of
/// them.
microseconds available(const datum& of, std::uint64_t i, bool in_pace);

/// The least and the most of t(i). O(sent) for a listed order, else O(1).
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

/// Loop indexing is T_P (N_P - N_S) and T_C (N_C - N_S) unless measured, and 0 where more is sent than is
/// produced or consumed. Pipelined data have no independent work (section 3.3).
independent_work independent(const datum& of);

/// T_comm_point: latency + 8 N_S / bandwidth, for one message with all that is sent.
microseconds transfer_time(const datum& of, const network& over);

/// T_overlap: how much of the transfer computation can hide. The independent work; with `dependent_work` the
/// least t(i) instead of loop indexing, which would count the same work twice. Pipelined data that keep pace
/// come in a stream, of which the first word is never hidden and each further one by T_C, if it takes so
/// long; where the paper has only the condition.
microseconds potential(const datum& of, const network& over);

/// T_overlap / T_comm_point: from 1 on, all is hidden (section 4.3).
double normalised_overlap(const datum& of, const network& over);

/// The datum with the least normalised overlap of those that have any, as figure 6 shows; null if none has.
const datum* hardest(const application& of, const network& over);

/// 2 log2(N) EEL for each collective (section 4.2).
microseconds collective_time(const application& of, microseconds latency);

/// The sum over all data of T_comm_point, and of what of it remains when overlapped.
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
/// `over`, whose own bandwidth does not count; 0 if any does. None if no bandwidth does it. Exact up to
/// rounding, as the exposed time is piecewise linear in the inverse of the bandwidth. O(n log n) for n data.
std::optional<double> smallest_bandwidth(const application& of, const network& over, microseconds limit);

/// With overlap, the smallest bandwidth that makes the program as fast as it is without over this network
/// (figure 9).
double equal_bandwidth(const application& of, const network& over);

}  // namespace imbrex::overlap
