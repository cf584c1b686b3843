// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/durable_element.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/chare_functions.hpp>
#include <imbrex/core/array/point_stop.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/wire.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/net/packing.hpp>

namespace imbrex::detail {

namespace {

/// Follows each part of an element, so that a class that reads less or more than it has written is noticed.
constexpr std::uint16_t end_of_state = 0xe57a;
constexpr std::uint16_t end_of_element = 0xe1e3;

collection_base& part_with(const chare_header& e) { return static_cast<collection_base&>(*e.home); }

[[noreturn]] void throw_not_saved(const chare_header& e, const std::string& why) {
  throw error(e.home->element_name(e) + " cannot be saved: " + why);
}

/// True if a stop holds each entry of the element.
bool all_stand(const chare_header& e) {
  const auto stands = [](const scope& entry) {
    return entry.waits != nullptr && entry.waits->next() == nullptr &&
           dynamic_cast<const stopped_entry*>(entry.waits) != nullptr;
  };
  const scope* s = e.entries;
  while (s != nullptr && stands(*s)) s = s->next;
  return s == nullptr;
}

void check_can_be_saved(chare_header& e, const message* restart) {
  const auto& of_class = part_with(e).chares();
  if (of_class.make_migrant == nullptr)
    throw_not_saved(e,
                    "its class needs a default constructor and `void serialize(auto& ar)` with all members");
  if (of_class.moves_with_entries && !of_class.leaves_process())
    throw_not_saved(e, "its stack cannot be written");
  if (has_bound_elsewhere(e, of_class))
    throw_not_saved(e,
                    "a channel of it is bound to memory that its serialize does not name: bind it to buffers "
                    "of the chare, or end it before");
  if (e.entries == nullptr || (restart != nullptr && e.entries->next == nullptr)) return;
  if (of_class.moves_with_entries && all_stand(e)) return;
  const auto& waits = *static_cast<const message*>(e.entries->request);
  throw_not_saved(e, "its entry " + std::string(waits.shown_kind().entry_name) +
                         " is suspended elsewhere than at a balance point, and a frame cannot be saved");
}

/// The header of a message without optional parts, as it is before the content of each.
std::vector<std::byte> plain_header_of(const message_type& kind) {
  writer out;
  pack_plain_header({kind.id, 0, 0}, out);
  return out.take();
}

/// While it lives, the header of a message is plain.
class without_header {
 public:
  explicit without_header(message& m)
      : m_(m),
        collection_(std::exchange(m.collection, 0)),
        reply_(std::exchange(m.reply, {})),
        origin_(std::exchange(m.origin, 0)),
        priority_(std::exchange(m.priority, std::int8_t{0})),
        of_one_life_(m.of_one_life) {
    m.of_one_life = false;
  }
  without_header(const without_header&) = delete;
  without_header& operator=(const without_header&) = delete;
  ~without_header() {
    m_.collection = collection_;
    m_.reply = reply_;
    m_.origin = origin_;
    m_.priority = priority_;
    m_.of_one_life = of_one_life_;
  }

 private:
  message& m_;
  const std::uint64_t collection_;
  const reply_address reply_;
  const std::uint32_t origin_;
  const std::int8_t priority_;
  const bool of_one_life_;
};

/// Writes a message to an element of the part, without its addressee.
void write_message(message& m, name_writer& names, writer& out) {
  names.write_kind(m.kind(), out);
  out(m.priority, static_cast<bool>(m.reply));
  writer content;
  content.carry_by(names);
  {
    const without_header plain(m);
    m.type->pack(m, content);
  }
  const auto bytes = content.written().subspan(plain_header_of(m.kind()).size());
  out(static_cast<std::uint64_t>(bytes.size()));
  out.bytes(bytes.data(), bytes.size());
}

/// Reads a message to an entry of the part's class.
owner<message, message_deleter> read_message(const collection_base& part, name_reader& names, reader& in,
                                             bool& was_awaited) {
  const message_type& kind = names.read_kind(in);
  if (kind.chare_name != part.chare_name() || kind.port_address != nullptr)
    throw serial_error("a saved call names " + kind.shown_name() + ", which is no entry of " +
                       std::string(short_name(part.shown_name())));
  std::int8_t priority = 0;
  in(priority, was_awaited);
  std::vector<std::byte> bytes = plain_header_of(kind);
  const auto content = in.view(read_count(in, 1));
  bytes.insert(bytes.end(), content.begin(), content.end());
  reader packed(bytes);
  packed.carry_by(names);
  owner<message, message_deleter> m(static_cast<message*>(&unpacked(kind, packed)));
  m->priority = priority;
  m->origin = static_cast<std::uint32_t>(part.pe().pe());
  return m;
}

/// Writes the key. That of a chare of a group can be left out by its reader, who has other PEs.
void write_key(const chare_header& e, name_writer& names, writer& out) {
  const auto& part = part_with(e);
  if (!part.is_pinned()) return part.chares().saving->write_key(part, e, names, out);
  writer key;
  part.chares().saving->write_key(part, e, names, key);
  out(key.take());
}

void leave_out_key(reader& in) { in.view(read_count(in, 1)); }

/// A new element, until its part has it.
class new_element {
 public:
  explicit new_element(collection_base& part)
      : chares_(part.chares()), element_(&chares_.headers->construct(chares_.allocate())) {
    element_->home = &part;
    element_->travels = true;
  }
  new_element(const new_element&) = delete;
  new_element& operator=(const new_element&) = delete;
  ~new_element() {
    if (element_ == nullptr) return;
    element_->dying = true;
    has_object_ ? chares_.destroy(*element_) : chares_.release_unconstructed(*element_);
  }

  chare_header& get() const { return *element_; }
  void construct() {
    chares_.construct(*element_);
    has_object_ = true;
  }
  chare_header& release() { return *std::exchange(element_, nullptr); }

 private:
  const chare_functions& chares_;
  chare_header* element_;
  bool has_object_ = false;
};

void expect_mark(reader& in, std::uint16_t mark, const chare_header& e) {
  std::uint16_t found = 0;
  if (in.remaining() >= sizeof found) in(found);
  if (found != mark)
    throw serial_error("its state of another size than serialize of " +
                       std::string(short_name(e.home->shown_name())) +
                       " reads: was the class changed since it was saved?");
}

/// Reads all of an element but its place among the others.
saved_element read_element(collection_base& part, name_reader& names, reader& in, chare_header& e) {
  saved_element whole;
  names.read_attachments(in);
  part.chares().read(e, in);
  expect_mark(in, end_of_state, e);
  bool has_restart = false;
  in(has_restart);
  if (has_restart) whole.restart = read_message(part, names, in, whole.was_awaited);
  expect_mark(in, end_of_element, e);
  if (whole.restart) {
    part.chares().saving->address(part, *whole.restart, e);
    whole.restart->bind(1);
    whole.restart->may_find_none = true;
  }
  names.complete(e);
  return whole;
}

}  // namespace

void write_saved(chare_header& e, message* restart, name_writer& names, writer& out) {
  check_can_be_saved(e, restart);
  const auto& part = part_with(e);
  out.carry_by(names);
  const element_work runs(part.pe(), e);
  try {
    write_key(e, names, out);
    names.write_attachments(e, out);
    part.chares().write(e, out);
    out(end_of_state, restart != nullptr);
    if (restart != nullptr) write_message(*restart, names, out);
    out(end_of_element);
  } catch (...) {
    throw_not_saved(e, describe_current_exception());
  }
}

saved_element read_saved(collection_base& part, name_reader& names, reader& in) {
  const auto& of_class = part.chares();
  if (of_class.make_migrant == nullptr)
    throw error("an element of " + std::string(short_name(part.shown_name())) +
                " was saved, and the class has no default constructor and serialize in this program");
  in.carry_by(names);
  new_element fresh(part);
  chare_header& e = fresh.get();
  const element_work runs(part.pe(), e);
  of_class.saving->read_key(part, e, names, in);
  saved_element whole;
  try {
    fresh.construct();
    whole = read_element(part, names, in, e);
  } catch (...) {
    throw error("reading " + part.element_name(e) + " from a checkpoint: " + describe_current_exception());
  }
  whole.element = &fresh.release();
  of_class.saving->take(part, e);
  find_bound_memory(e, of_class);
  if (of_class.arrived != nullptr) of_class.arrived(e);
  return whole;
}

void refill(chare_header& e, name_reader& names, reader& in) {
  auto& part = part_with(e);
  in.carry_by(names);
  const element_work runs(part.pe(), e);
  try {
    leave_out_key(in);
    read_element(part, names, in, e);
  } catch (...) {
    throw error("reading " + part.element_name(e) + " from a checkpoint: " + describe_current_exception());
  }
}

saved_copy::saved_copy(collection_base& part, name_reader& names, reader& in) : part_(&part) {
  in.carry_by(names);
  new_element fresh(part);
  const element_work runs(part.pe(), fresh.get());
  try {
    leave_out_key(in);
    fresh.construct();
    read_element(part, names, in, fresh.get());
  } catch (...) {
    throw error("reading a " + std::string(short_name(part.shown_name())) +
                " of a group from a checkpoint: " + describe_current_exception());
  }
  element_ = &fresh.release();
}

saved_copy::~saved_copy() {
  if (element_ == nullptr) return;
  element_->dying = true;
  part_->chares().destroy(*element_);
}

class_schema schema_of_blank(collection_base& part, class_schema (*describe)(chare_header& element)) {
  new_element blank(part);
  const element_work runs(part.pe(), blank.get());
  blank.construct();
  return describe(blank.get());
}

namespace {

[[noreturn]] void throw_unfinished(const chare_header& e, const char* what) {
  throw_not_saved(e, std::string(what) +
                         " of its array has begun and not ended: await it before the next "
                         "balance point");
}

}  // namespace

void check_at_rest(const collection_base& part) {
  const auto& reductions = part.reductions();
  const bool has_elements = !part.locals().empty() && !part.is_of_singles();
  if (has_elements) {
    for (const chare_header* const e : part.locals()) {
      const bool is_behind = reductions.has_closed(e->reductions);
      const bool is_ahead = e->reductions > 0 && !reductions.has_closed(e->reductions - 1);
      if (is_behind || is_ahead) throw_unfinished(*e, "an all_reduce");
      if (e->broadcasts != part.broadcasts().delivered()) throw_unfinished(*e, "a broadcast");
    }
  }
  std::vector<std::string> waiting;
  part.describe_missing_in_sections(waiting, 1);
  if (waiting.empty()) part.describe_held(waiting, 1, true);
  if (!waiting.empty())
    throw error("the elements of " + std::string(short_name(part.shown_name())) +
                " cannot be saved: " + waiting.front());
}

}  // namespace imbrex::detail
