// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/measured.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/overlap/input.hpp>
#include <imbrex/tools/overlap/port_account.hpp>
#include <imbrex/tools/replay/read_dataflow.hpp>
#include <imbrex/tools/trace/interval_set.hpp>

namespace imbrex::overlap {
namespace {

using tools::dataflow;

microseconds time(double nanoseconds) { return microseconds(nanoseconds / 1000); }
/// A time above 0, as T_P, T_C and T_comp must be.
microseconds positive(double nanoseconds) { return time(std::max(nanoseconds, 1e-3)); }

/// A name that a parameter file can hold; long names keep their end, which is more specific.
std::string fitting_name(std::string_view name) {
  std::string result(name.substr(name.size() - std::min(name.size(), longest_name)));
  if (result.size() < name.size()) result.replace(0, 3, "...");
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return result.empty() ? "?" : result;
}

/// Numbers the second and later of equal names: shortened long names may have lost their difference.
void number_equal_names(std::vector<datum>& data) {
  std::set<std::string> taken;
  for (datum& one : data) {
    const std::string name = one.name;
    for (int number = 2; !taken.insert(one.name).second; ++number)
      one.name = fitting_name(name + " (" + std::to_string(number) + ")");
  }
}

double median(std::vector<float> of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::ranges::nth_element(of, middle);
  return *middle;
}

using tools::interval;
using tools::interval_set;

std::span<const interval>::iterator first_ending_after(const interval_set& all, std::uint64_t what) {
  return std::ranges::upper_bound(all.pieces(), what, {}, &interval::end);
}

/// A piece of work while messages refer to it, with the messages' data about it.
struct open_piece {
  struct use {
    std::uint64_t words = 0;
    interval when{0, 0};
    bool writes = false;
    std::uint64_t number = 0;
    std::vector<std::uint64_t> order;
  };
  /// The piece's part in a port: it writes or reads data of that port.
  struct role {
    port_account* port = nullptr;
    bool writes = false;
    bool reads = false;
  };

  std::uint32_t pe = 0;
  interval when{0, 0};
  double length = 0;
  std::vector<use> uses;
  std::vector<role> roles;

  role& role_for(port_account& port) {
    const auto known = std::ranges::find(roles, &port, &role::port);
    return known != roles.end() ? *known : roles.emplace_back(role{&port});
  }
};

/// The times in which the piece uses data on one side: those that the user marked, or else its whole time.
std::vector<interval> stretches(const open_piece& piece, bool writes, bool is_marked) {
  if (!is_marked) return {piece.when};
  std::vector<interval> all;
  for (const auto& use : piece.uses)
    if (use.writes == writes) all.push_back(use.when);
  return all;
}

/// The time, in ns, for which the two lists overlap.
double time_shared(const std::vector<interval>& some, const std::vector<interval>& others) {
  double both = 0;
  for (const interval& one : some)
    for (const interval& other : others) {
      const auto from = std::max(one.begin, other.begin), to = std::min(one.end, other.end);
      if (from < to) both += static_cast<double>(to - from);
    }
  return both;
}

/// Adds the user's marks of a piece that is used for a port.
void add_marks(const open_piece& piece, bool writes, side& known) {
  for (const auto& use : piece.uses) {
    if (use.writes != writes) continue;
    known.words += static_cast<double>(use.words);
    known.time += static_cast<double>(use.when.end - use.when.begin);
    if (use.order.empty() || (!known.order.empty() && known.number < use.number)) continue;
    known.order = use.order;
    known.number = use.number;
  }
}

class measuring final : public tools::dataflow_listener {
 public:
  measuring(const dataflow& outline, const measured_part& part)
      : run_(outline), part_(part), worked_(outline.pes.size()) {
    find_stretches();
  }

  void used(const dataflow::data_use& what) override {
    at(what.piece).uses.push_back({what.words, {what.begun, what.ended}, what.writes, uses_++, what.order});
  }
  void ended(std::uint32_t number, const dataflow::piece& what) override;
  void came(const dataflow::message& what, std::uint32_t sender_pe, std::uint32_t receiver_pe) override;
  void forgotten(std::uint32_t number) override {
    settle(at(number));
    at(number) = {};
  }

  /// The result; call it after the whole run has been added.
  measured_program result(const std::string& name, const std::vector<std::string>& entries);

 private:
  void find_stretches();
  bool inside(std::uint64_t record) const;
  open_piece& at(std::uint32_t number) {
    if (number >= pieces_.size()) pieces_.resize(number + 1);
    return pieces_[number];
  }
  static void settle(open_piece& piece);
  void choose_ports();
  void count_iterations();
  datum datum_of(const port_account& port, const std::string& name) const;

  const dataflow& run_;
  const measured_part& part_;
  // The measured intervals: of time, and of record numbers. Both are needed because a whole item in simulated
  // time may take no time.
  interval_set times_;
  interval_set records_;
  std::vector<double> worked_;  // ns, by PE
  std::vector<open_piece> pieces_;
  std::uint64_t uses_ = 0;
  std::set<std::uint32_t> mailboxes_;  // entries of messages that a mailbox received
  std::map<std::pair<std::uint32_t, bool>, port_account>
      accounts_;                                        // key: entry; whether a mailbox received messages
  std::map<std::uint32_t, const port_account*> ports_;  // ports used for messages between PEs
  std::uint64_t iterations_ = 1;
  bool by_reference_ = false;
};

void measuring::find_stretches() {
  if (part_.phase.empty()) {
    times_.add({0, run_.length});
    records_.add({0, std::numeric_limits<std::uint64_t>::max()});
    return;
  }
  std::string known;
  for (const auto& one : run_.phase_names) known += (known.empty() ? "" : ", ") + one;
  if (std::ranges::find(run_.phase_names, part_.phase) == run_.phase_names.end())
    throw usage_error("--phase " + part_.phase + ": the trace has no such phase; " +
                      (known.empty() ? "it has none, leave --phase out" : "it has " + printable(known)));
  for (const auto& one : run_.phases) {
    if (run_.phase_names[one.name] != part_.phase) continue;
    times_.add({one.begun, one.ended});
    records_.add({one.begun_at, one.ended_at});
  }
}

bool measuring::inside(std::uint64_t record) const {
  const auto at = first_ending_after(records_, record);
  return at != records_.pieces().end() && at->begin <= record;
}

void measuring::ended(std::uint32_t number, const dataflow::piece& what) {
  open_piece& piece = at(number);
  piece.pe = what.pe;
  piece.when = {what.begun, what.begun + what.length};
  piece.length = static_cast<double>(what.length);
  for (auto s = first_ending_after(times_, piece.when.begin);
       s != times_.pieces().end() && s->begin < piece.when.end; ++s)
    worked_[what.pe] +=
        static_cast<double>(std::min(s->end, piece.when.end) - std::max(s->begin, piece.when.begin));
}

void measuring::came(const dataflow::message& what, std::uint32_t sender_pe, std::uint32_t receiver_pe) {
  if (what.received) mailboxes_.insert(what.entry);
  if (!what.is_program || !inside(what.needed_at)) return;
  port_account& port = accounts_[{what.entry, what.received}];
  port.add(what, sender_pe, receiver_pe);
  at(what.user).role_for(port).reads = true;
  if (what.sender == dataflow::none) return;
  open_piece& sender = at(what.sender);
  sender.role_for(port).writes = true;
  if (sender_pe == receiver_pe) return;
  // T_AP: time from the end of the last writing stretch of this piece to the send.
  const open_piece::use* written = nullptr;
  for (const auto& use : sender.uses)
    if (use.writes && use.when.end <= what.sent && (written == nullptr || written->when.end < use.when.end))
      written = &use;
  if (written != nullptr)
    port.pairs[{receiver_pe, sender_pe}].apart.push_back(static_cast<float>(what.sent - written->when.end));
}

/// Adds a finished piece's work to the ports that it served.
void measuring::settle(open_piece& piece) {
  for (const auto& role : piece.roles) {
    port_account::pe& of = role.port->pes[piece.pe];
    if (role.writes) {
      of.writing += piece.length;
      add_marks(piece, true, of.production);
    }
    if (role.reads) {
      of.reading += piece.length;
      add_marks(piece, false, of.consumption);
    }
    for (const bool production_is_marked : {false, true})
      for (const bool consumption_is_marked : {false, true})
        if (role.writes && role.reads)
          of.shared[production_is_marked ? 1 : 0][consumption_is_marked ? 1 : 0] += time_shared(
              stretches(piece, true, production_is_marked), stretches(piece, false, consumption_is_marked));
  }
  piece.roles.clear();
}

measured_program measuring::result(const std::string& name, const std::vector<std::string>& entries) {
  for (open_piece& piece : pieces_) settle(piece);
  choose_ports();
  count_iterations();
  measured_program result;
  result.iterations = iterations_;
  result.counted = by_reference_;
  result.program.name = fitting_name(name);
  const double most_worked = worked_.empty() ? 0 : std::ranges::max(worked_);
  result.program.computation = positive(most_worked / static_cast<double>(iterations_));
  result.program.processors = static_cast<int>(run_.pes.size());
  for (const auto& [entry, port] : ports_) result.program.data.push_back(datum_of(*port, entries[entry]));
  number_equal_names(result.program.data);
  return result;
}

/// Selects the ports used between PEs. Messages left in a mailbox at the end were needed by no piece.
void measuring::choose_ports() {
  for (const auto& [key, port] : accounts_) {
    const auto& [entry, received] = key;
    if (port.is_exchanged() && received == mailboxes_.contains(entry)) ports_.emplace(entry, &port);
  }
}

// The number of iterations: the reference numbers of the port with the most bytes. Without reference numbers,
// the messages from one PE to the PE that receives most.
void measuring::count_iterations() {
  if (part_.iterations) {
    iterations_ = *part_.iterations;
    return;
  }
  if (ports_.empty()) return;
  const port_account& most =
      *std::ranges::max_element(ports_, {}, [](const auto& one) { return one.second->bytes(); })->second;
  by_reference_ = most.references() > 1;
  iterations_ =
      by_reference_ ? most.references() : std::ranges::max_element(most.pairs, {}, [](const auto& one) {
                                            return one.second.messages;
                                          })->second.messages;
}

/// P(i) or C(i) if the user marked each of the `sent` elements; else empty.
std::vector<std::uint64_t> positions(const std::vector<std::uint64_t>& order, std::uint64_t sent) {
  if (order.size() != sent) return {};
  std::vector<std::uint64_t> at(sent, sent);
  for (std::uint64_t k = 0; k < sent; ++k)
    if (order[k] < sent) at[order[k]] = k;
  return std::ranges::find(at, sent) == at.end() ? at : std::vector<std::uint64_t>();
}

/// Whether the elements marked on both sides come in opposite orders.
bool reversed(const std::vector<std::uint64_t>& production, const std::vector<std::uint64_t>& consumption) {
  const auto rises = [](const std::vector<std::uint64_t>& order) {
    return order.size() < 2 || order.front() < order.back();
  };
  return rises(production) != rises(consumption);
}

/// Returns listed positions only if each sent element has a written and a read word.
std::variant<named_order, listed_order> order_of(const side& production, const side& consumption,
                                                 const datum& of) {
  auto p = positions(production.order, of.sent);
  auto c = positions(consumption.order, of.sent);
  if (!p.empty() && !c.empty() && std::min(of.produced, of.consumed) >= of.sent)
    return listed_order{std::move(p), std::move(c)};
  return reversed(production.order, consumption.order) ? named_order::reverse : named_order::same;
}

datum measuring::datum_of(const port_account& port, const std::string& name) const {
  auto worst = port.pairs.begin()->first.first;  // the PE that receives most
  for (const auto& [number, pe] : port.pes)
    if (!pe.hidden.empty() && pe.words > port.pes.at(worst).words) worst = number;
  const port_account::pe& reader = port.pes.at(worst);
  const auto each = static_cast<double>(iterations_);
  const auto words_each = [&](double all) {
    return static_cast<std::uint64_t>(std::max<long long>(1, std::llround(all / each)));
  };

  datum result;
  result.name = fitting_name(name);
  result.kind = port.is_pipelined() ? execution::pipelined : execution::concurrent;
  result.sent = words_each(reader.words);
  result.dependent_work = result.kind == execution::pipelined;
  if (result.kind == execution::concurrent) {  // pipelined data have no independent work (section 3.3)
    double hidden = std::numeric_limits<double>::max();
    for (const auto& [number, pe] : port.pes)
      if (!pe.hidden.empty()) hidden = std::min(hidden, median(pe.hidden));
    result.additional_consume = time(hidden);
  }

  // The writer is the PE that sends most to the worst PE; the reader is the worst PE itself.
  const auto to_worst =
      std::ranges::subrange(port.pairs.lower_bound({worst, 0}), port.pairs.lower_bound({worst + 1, 0}));
  const auto& [ends, most] =
      *std::ranges::max_element(to_worst, {}, [](const auto& one) { return one.second.bytes; });
  const port_account::pe& writer = port.pes.at(ends.second);
  if (result.kind == execution::concurrent)
    result.additional_produce = time(most.apart.empty() ? 0 : median(most.apart));
  side production = writer.production;
  side consumption = reader.consumption;
  const double shared = reader.shared[reader.production.words != 0 ? 1 : 0][consumption.words != 0 ? 1 : 0];
  if (production.words == 0) production = {std::max(writer.written, reader.words), writer.writing};
  if (consumption.words == 0) consumption = {reader.read, reader.reading};
  production.words = std::max(production.words, 1.0);  // messages may be empty
  consumption.words = std::max(consumption.words, 1.0);
  result.produced = words_each(production.words);
  result.consumed = words_each(consumption.words);
  result.produce_period = positive(production.time / production.words);
  result.consume_period = positive(consumption.time / consumption.words);
  result.order = order_of(production, consumption, result);
  if (result.kind == execution::concurrent && shared > 0) {  // reading and writing hides one transfer only
    const double own = std::max(0.0, 1 - shared / consumption.time);
    result.consume_loop_indexing = own * independent(result).consume_loop_indexing;
  }
  return result;
}

}  // namespace

measured_program measure(const dataflow& run, const measured_part& part, const std::string& name) {
  measuring all(run, part);
  const auto pe_of = [&](std::uint32_t piece) {
    return piece == dataflow::none ? dataflow::none : run.pieces[piece].pe;
  };
  for (const auto& use : run.data)
    if (use.piece != dataflow::none) all.used(use);
  for (std::uint32_t i = 0; i < run.pieces.size(); ++i) all.ended(i, run.pieces[i]);
  for (const auto& m : run.messages)
    if (m.item != dataflow::none) all.came(m, pe_of(m.sender), pe_of(m.item));
  return all.result(name, run.entries);
}

measured_program measure(const std::string& file, const measured_part& part, const std::string& name,
                         std::vector<std::string>& warnings) {
  trace::reader before(file);
  const dataflow outline = tools::read_outline(before);
  warnings = before.warnings();
  measuring all(outline, part);
  trace::reader in(file);
  const std::vector<std::string> entries = tools::read_dataflow(in, all);
  return all.result(name, entries);
}

application as_it_is(application program) {
  for (datum& one : program.data) one.produce_loop_indexing = one.consume_loop_indexing = microseconds(0);
  return program;
}

}  // namespace imbrex::overlap
