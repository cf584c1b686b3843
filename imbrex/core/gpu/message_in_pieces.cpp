// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/message_in_pieces.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <string>
#include <utility>

#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/message/record_of_parts.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/device/error.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex::detail {

namespace {

/// Pieces in flight from one PE to another: one for each of three steps, and one whose acknowledgement is in
/// flight.
constexpr std::size_t most_under_way = 4;

device* device_here() {
  const scheduler* const pe = scheduler::current();
  return pe != nullptr && pe->completions() != nullptr ? &gpu() : nullptr;
}

/// Counts a piece in pinned host memory until the network is done with it.
class counted_piece {
 public:
  counted_piece() noexcept = default;
  explicit counted_piece(const std::shared_ptr<std::atomic<std::size_t>>& all) : all_(all) { ++*all_; }
  counted_piece(counted_piece&&) noexcept = default;
  counted_piece& operator=(counted_piece&&) = delete;
  ~counted_piece() {
    if (all_ != nullptr) --*all_;
  }

 private:
  std::shared_ptr<std::atomic<std::size_t>> all_;
};

/// Some bytes of one part of a message sent in pieces. High priority: the next piece can be sent only after
/// this one has been copied.
struct piece_of_message final : message {
  std::uint32_t number = 0;  ///< number of the message among those of its sender to this PE
  std::uint32_t part = 0;    ///< index of the part
  counted_piece counted;     ///< must outlive the content
  part_piece content;

  piece_of_message() { priority = first_priority; }
  piece_of_message(std::uint32_t of, std::size_t which, part_piece&& what, counted_piece&& count)
      : number(of),
        part(static_cast<std::uint32_t>(which)),
        counted(std::move(count)),
        content(std::move(what)) {
    priority = first_priority;
  }

  static inline record_of_parts<piece_of_message> type_record{{"piece of memory of a device"},
                                                              attachment_use::piece};
  void serialize(writer& out) {
    out(number, part);
    content.serialize(out);
  }
  void serialize(reader& in) {
    in(number, part);
    content.serialize(in, device_here());
  }
  void deliver();
};

/// Acknowledges that a piece has been copied to its destination.
struct piece_taken final : message {
  std::uint32_t number = 0;

  piece_taken() { priority = first_priority; }
  explicit piece_taken(std::uint32_t of) : number(of) { priority = first_priority; }

  static inline record_of_parts<piece_taken> type_record{{"end of a piece"}, attachment_use::piece};
  void serialize(auto& ar) { ar(number); }
  void deliver() {
    const message_guard guard(*this);
    pieces_to_pe::of(static_cast<int>(origin)).taken(number);
  }
};

/// From a PE to itself: senders waiting for pinned host memory retry.
struct retry_of_pieces final : message {
  static inline record_of_parts<retry_of_pieces> type_record{{"wait for pinned memory"},
                                                             attachment_use::piece};
  void serialize(auto&) {}
  void deliver() {
    const message_guard guard(*this);
    pieces_under_way::of_this_pe().go_on();
  }
};

/// The message itself, without the parts sent in pieces.
struct envelope_of_pieces final : message {
  std::uint32_t number = 0;
  message* content = nullptr;

  envelope_of_pieces() { priority = first_priority; }
  envelope_of_pieces(std::uint32_t of, message& m) : number(of), content(&m) { priority = first_priority; }
  envelope_of_pieces(const envelope_of_pieces&) = delete;
  envelope_of_pieces& operator=(const envelope_of_pieces&) = delete;
  ~envelope_of_pieces() {
    if (content != nullptr) content->type->destroy(*content);
  }

  static record_of_parts<envelope_of_pieces> type_record;
  void serialize(writer& out) {
    out(number, content->kind().id);
    content->type->pack(*content, out);
  }
  void serialize(reader& in) {
    const reader::level level(in);
    std::uint32_t kind = 0;
    in(number, kind);
    content = static_cast<message*>(&unpacked(message_table::at(kind), in));
  }
  void deliver();
};

}  // namespace

template <>
inline constexpr bool is_envelope<envelope_of_pieces> = true;

namespace {

record_of_parts<envelope_of_pieces> envelope_of_pieces::type_record{{"message in pieces"},
                                                                    attachment_use::piece};

/// The received state of a message in pieces.
class incoming_message {
 public:
  incoming_message(int from, std::uint32_t number)
      : from_(from),
        number_(number),
        on_(device_here()),
        in_(on_ != nullptr ? &transfers_here().beside() : nullptr) {}
  incoming_message(const incoming_message&) = delete;
  incoming_message& operator=(const incoming_message&) = delete;
  ~incoming_message() {
    for (piece_of_message* const p : early_) p->type->destroy(*p);
    if (content_ != nullptr) content_->type->destroy(*content_);
  }

  static incoming_message& of(const message& m, std::uint32_t number) {
    const int from = static_cast<int>(m.origin);
    return processor::here().local<table>().try_emplace({from, number}, from, number).first->second;
  }

  void open(message& content) {
    message_guard guard(content);
    if (content_ != nullptr) throw serial_error("malformed message: it comes in pieces, and twice");
    content.kind().collect_attachments(content, parts_);
    std::erase_if(parts_, [](const attachment* part) { return !part->is_pending(); });
    for (attachment* const part : parts_) {
      part->expect_on(on_);
      left_ += part->bytes();
    }
    content_ = &guard.release();
    while (!early_.empty()) {
      piece_of_message& first = *early_.front();
      early_.pop_front();
      take(first);
    }
    if (left_ == 0) finish();
  }

  void add(piece_of_message& piece) {
    if (content_ == nullptr) return early_.push_back(&piece);
    take(piece);
    if (left_ == 0) finish();
  }

 private:
  /// The incomplete messages of a PE, by sending PE and the sender's number.
  using table = std::map<std::pair<int, std::uint32_t>, incoming_message>;

  void take(piece_of_message& piece) {
    message_guard guard(piece);
    if (piece.part >= parts_.size() || piece.content.bytes() > left_)
      throw serial_error("malformed message: a piece of what has no part " + std::to_string(piece.part));
    stream* const by = in_ == nullptr || piece.content.has_arrived_on_device() ? nullptr
                       : piece.content.pin(*on_)                               ? in_
                                                                               : &transfers_here().unpinned();
    parts_[piece.part]->take_piece(piece.content, by);
    if (by != nullptr && by != in_) in_->wait(shared_event(*by));
    left_ -= piece.content.bytes();
    const bool waits = by != nullptr && notify_here(*by, {&copied, &cancel, &piece}) != nullptr;
    guard.release();
    if (!waits) copied(&piece, nullptr);
  }
  void finish() {
    for (attachment* const part : parts_) part->complete_receipt(in_);
    message& whole = *std::exchange(content_, nullptr);
    auto& pe = processor::here();
    pe.local<table>().erase({from_, number_});  // destroys this object
    if (const auto* const observers = pe.observers())
      observers->tell([&](observer& o) { o.arrived(whole, nanoseconds(0)); });
    pe.push(whole);
  }

  static void copied(void* what, const std::exception_ptr& failure) {
    const message_guard guard(*static_cast<piece_of_message*>(what));
    if (failure) std::rethrow_exception(failure);
    guard.get().content.is_at_rest();
    processor::here().dispatch(make_message<piece_taken>(guard.get().number),
                               static_cast<int>(guard.get().origin));
  }
  static void cancel(void* what) noexcept { destroy_message<piece_of_message>(*static_cast<work*>(what)); }

  const int from_;
  const std::uint32_t number_;
  device* const on_;
  stream* const in_;  ///< stream of the device; null without one
  message* content_ = nullptr;
  std::vector<attachment*> parts_;
  std::size_t left_ = 0;  ///< bytes still missing
  std::deque<piece_of_message*> early_;
};

void envelope_of_pieces::deliver() {
  const message_guard guard(*this);
  incoming_message::of(*this, number).open(*std::exchange(content, nullptr));
}

void piece_of_message::deliver() { incoming_message::of(*this, number).add(*this); }

/// A piece that is being copied to the host.
struct leaving_piece {
  piece_of_message* what;
  int to;

  static void complete(void* self, const std::exception_ptr& failure) {
    const std::unique_ptr<leaving_piece> it(static_cast<leaving_piece*>(self));
    message_guard guard(*it->what);
    if (failure) std::rethrow_exception(failure);
    guard.get().content.is_at_rest();
    processor::here().dispatch(guard.release(), it->to);
  }
  static void cancel(void* self) noexcept {
    const std::unique_ptr<leaving_piece> it(static_cast<leaving_piece*>(self));
    destroy_message<piece_of_message>(*it->what);
  }
};

}  // namespace

pieces_to_pe& pieces_to_pe::of(int to) {
  auto& pe = processor::here();
  const device_model* const model = pe.run().model();
  return pe.local<std::map<int, pieces_to_pe>>()
      .try_emplace(to, to, model != nullptr && model->has_links() ? model : nullptr)
      .first->second;
}

pieces_under_way& pieces_under_way::of_this_pe() { return processor::here().local<pieces_under_way>(); }

void pieces_under_way::wait(pieces_to_pe& one) {
  if (std::ranges::find(waiting_, &one) == waiting_.end()) waiting_.push_back(&one);
  if (count != 0 || std::exchange(looks_again_, true)) return;  // otherwise the end of a piece calls `go_on`
  auto& pe = processor::here();
  pe.dispatch(make_message<retry_of_pieces>(), pe.pe());
}

void pieces_under_way::go_on() {
  looks_again_ = false;
  for (pieces_to_pe* const one : std::exchange(waiting_, {})) one->go_on();
}

pieces_to_pe::~pieces_to_pe() {
  for (const departure& of : departures_)
    if (of.envelope != nullptr) destroy_message<envelope_of_pieces>(*of.envelope);
}

std::size_t pieces_to_pe::pieces_for(std::size_t bytes) {
  if (goes_whole(bytes)) return 0;
  return model_ != nullptr ? best_pieces(bytes, piece_steps(*model_)) : trials_.pieces(bytes);
}

bool pieces_to_pe::goes_whole(std::size_t bytes) const {
  return model_ != nullptr ? best_pieces(bytes, piece_steps(*model_)) <= 1
                           : bytes < 2 * piece_trials::shortest_piece;
}

void pieces_to_pe::send(message& m, const std::vector<attachment*>& parts, std::size_t bytes,
                        std::size_t pieces) {
  message_guard leaving(m);
  departure& it = departures_.emplace_back();
  it.number = ++last_number_;
  it.bytes = bytes;
  it.pieces = pieces;
  it.piece = pieces == 0 ? bytes : piece_bytes(bytes, pieces);
  for (attachment* const part : parts)
    it.parts.push_back(part->bytes() == 0 ? (part->leave(), attachment()) : part->leave_in_pieces());
  std::erase_if(it.parts, [](const attachment& part) { return part.count() == 0; });
  auto& envelope = make_message<envelope_of_pieces>(it.number, leaving.release());
  if (it.parts.empty()) {  // parts without bytes only
    departures_.pop_back();
    return processor::here().carry(envelope, to_);
  }
  it.envelope = &envelope;
  try {
    go_on();
  } catch (...) {
    if (it.envelope != nullptr) {  // no piece has left
      destroy_message<envelope_of_pieces>(*it.envelope);
      departures_.pop_back();
    }
    throw;
  }
}

void pieces_to_pe::go_on() {
  for (departure& of : departures_)
    while (of.part < of.parts.size()) {
      if (under_way_ == most_under_way) return;
      try {
        begin_piece(of);
      } catch (const device_out_of_memory&) {
        if (*all_.in_memory == 0) throw;
        return all_.wait(*this);
      }
    }
}

void pieces_to_pe::begin_piece(departure& of) {
  auto& pe = processor::here();
  attachment& part = of.parts[of.part];
  stream& out = stream_out_of(*part.on());
  const std::size_t bytes = std::min(of.piece, part.bytes() - of.first);
  auto content = of.pieces == 0 ? part.whole_piece(out) : part_piece(out.on(), of.first, bytes);
  auto& piece =
      make_message<piece_of_message>(of.number, of.part, std::move(content), counted_piece(all_.in_memory));
  message_guard guard(piece);
  auto it = std::make_unique<leaving_piece>(leaving_piece{&piece, to_});
  // The envelope leaves late: the receiver allocates memory for all parts when it arrives.
  if (of.envelope != nullptr) pe.carry(*std::exchange(of.envelope, nullptr), to_);
  if (of.begun.count() == 0) of.begun = std::max(pe.now(), last_taken_);
  if (of.pieces != 0) {
    part.copy_piece(piece.content, out);
    piece.content.is_used();
  }
  stream& last = transfers_here().out;
  if (&out != &last) last.wait(shared_event(out));
  of.first += bytes;
  if (of.first == part.bytes()) {
    if (of.pieces != 0) part.has_left(out);
    ++of.part;
    of.first = 0;
  }
  ++of.under_way;
  ++under_way_;
  ++all_.count;
  const bool waits =
      notify_here(last, {&leaving_piece::complete, &leaving_piece::cancel, it.get()}) != nullptr;
  guard.release();
  leaving_piece* const started = it.release();
  if (!waits) leaving_piece::complete(started, nullptr);
}

void pieces_to_pe::taken(std::uint32_t number) {
  const auto of = std::ranges::find(departures_, number, &departure::number);
  if (of == departures_.end() || of->under_way == 0)
    throw serial_error("malformed message: a piece is said to have come that was not sent");
  --of->under_way;
  --under_way_;
  --all_.count;
  if (of->under_way == 0 && of->part == of->parts.size()) {
    const nanoseconds now = processor::here().now();
    if (of->pieces == 0)
      for (attachment& part : of->parts) part.has_left(stream_out_of(*part.on()));
    else if (model_ == nullptr)
      trials_.took(of->bytes, of->pieces, now - of->begun);
    last_taken_ = now;
    departures_.erase(of);
  }
  go_on();
  all_.go_on();
}

const message& enclosed_message(const message& m) {
  return m.type == &envelope_of_pieces::type_record ? *static_cast<const envelope_of_pieces&>(m).content : m;
}

}  // namespace imbrex::detail
