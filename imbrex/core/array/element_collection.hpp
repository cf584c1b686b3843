// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/chare_functions.hpp>
#include <imbrex/core/array/location.hpp>
#include <imbrex/core/array/migrant.hpp>
#include <imbrex/core/collective/section_table.hpp>
#include <imbrex/core/message/durable_names.hpp>
#include <imbrex/core/name/placement.hpp>
#include <imbrex/core/name/singles.hpp>

namespace imbrex::detail {

// Work on one element, to be done after the current entry.

/// Queues the migration of an element to its destination. `restart` calls the entry again that was at a
/// balance point; null if there was none.
void push_departure(chare_header& element, message* restart);
/// True if a balancer has asked the chare to leave, which is bound to memory of its PE.
bool is_bound_to_stay(const chare_header& element);
/// The chare stays, although it was asked to leave. Observers are told.
void refuse_departure(chare_header& element);
/// Drops the element's entries that a stop holds at balance points (`point_stop`). Their frames stay.
void drop_stopped_entries(const chare_header& element);
/// Drops what is queued for the element.
void drop_after_entry(const chare_header& element);

/// Throws serial_error: a checkpoint has an element at an index that the array has not. `index` is empty if
/// it has another number of dimensions.
[[noreturn]] void throw_saved_outside(std::string_view chare_name, const std::string& index,
                                      const std::string& shape);
/// Throws imbrex::error: a checkpoint has an element that is here already.
[[noreturn]] void throw_saved_twice(const std::string& element);

/// Throws imbrex::error: the element's class lacks what migration requires.
[[noreturn]] void throw_not_migratable(const chare_header& element);

/// One PE's part of an array with this index type: all that does not depend on the chare class.
template <class Index>
class element_collection : public element_map<Index> {
 public:
  using base = element_map<Index>;
  using key = typename base::key;
  using header = typename base::header;
  using home_function = detail::home_function<Index>;

  ~element_collection() override;

  const Index& shape_for_proxy() const { return whole_shape<Index>(placed_); }
  /// True if the array is dense: it began with an element at each index of its shape.
  bool began_filled() const { return began_filled_; }
  Index where(const key& k) const {
    if constexpr (is_index<Index>) {
      if (this->is_of_singles()) return Index{};
      return from_linear(whole_shape<Index>(placed_), k);
    } else {
      return k;
    }
  }
  int home_of(const key& k) const final {
    if constexpr (is_index<Index>) {
      if (this->is_of_singles()) return home_of_single(k);
    }
    return home_(k, placed_, this->pe().num_pes());
  }
  /// Called at the home of an element that is on no PE: true if the element existed and was destroyed. Dense
  /// arrays and single chares need no record for this.
  bool was_destroyed(const key& k) const final;
  std::string key_name(const key& k) const final;
  std::string element_name(const chare_header& e) const final;
  std::string_view port_name(const chare_header& e, const void* port) const final;
  void write_name(const chare_header& e, signal_text& out) const noexcept final;
  void write_addressee(const message& m, signal_text& out) const noexcept final;
  void write_name(std::uint64_t linear, signal_text& out) const noexcept final;
  std::uint64_t number_of(const chare_header& e) const final;
  std::string shape_text() const final;
  const void* object(const chare_header& e) const final { return chares_.object(e); }
  int write_coordinates(std::uint64_t k, float* out) const final;
  bool is_member(const chare_header& e, const void* address) const final;
  const chare_functions& chares() const final { return chares_; }
  bool can_migrate() const final { return !this->is_pinned() && chares_.make_migrant != nullptr; }
  void move(chare_header& e, int to) final;

  void reserve(std::size_t elements) { base::reserve(elements); }
  /// The location of an element that is the first with its key.
  location first_place() const { return {this->pe().pe(), 1, 1}; }

  void destroy(chare_header& e) final;
  void depart(chare_header& e, int to, message* restart) final;
  void arrive(chare_header& e, message*& restart, int from) final;
  void close() final;
  void clear() noexcept final;

  /// A key for a single chare that this PE creates.
  key new_single(int home)
    requires is_index<Index>
  {
    return singles_.next(home, this->pe().pe());
  }

 protected:
  struct layout {
    const placed_shape<Index>& placed;
    home_function home;
    array_beginning begins;
  };
  element_collection(processor& pe, std::uint64_t id, const class_names& of, const layout& how,
                     const chare_functions& chares);

  /// Sets how the class itself writes its keys.
  void show_keys(std::string_view (*shown)(const key& k)) { shown_key_ = shown; }
  /// Frees an element whose constructor throws, in the exception handler. Rethrows with the element's name.
  [[noreturn]] void fail_construction(header& e);
  /// Adds an element to the local ones, or destroys it.
  void take_in(header& e) {
    try {
      this->put(e);
    } catch (...) {
      drop_unless_local(e);
      throw;
    }
  }
  /// Throws imbrex::error unless an element can be inserted with this key.
  void begin_insertion(const key& k);
  void end_insertion(header& e);

 private:
  friend struct saving_functions_of<Index>;

  void write_key(const key& k, signal_text& out) const noexcept;
  int home_of_single(const key& k) const {
    const int home = singles_.home(k);
    if (home >= this->pe().num_pes()) [[unlikely]]
      throw_of_another_run("chare", static_cast<std::uint64_t>(home));
    return home;
  }
  void drop_unless_local(header& e);
  void end_entries_of(chare_header& e);
  void end_stray(header& e, message* restart);

  [[no_unique_address]] placed_shape<Index> placed_;
  home_function home_;
  const bool began_filled_;
  single_keys singles_;
  const chare_functions& chares_;
  std::string_view (*shown_key_)(const key& k) = nullptr;
};

template <class Index>
element_collection<Index>::element_collection(processor& pe, std::uint64_t id, const class_names& of,
                                              const layout& how, const chare_functions& chares)
    : base(pe, id, of, how.begins),
      placed_(how.placed),
      home_(how.home),
      began_filled_(how.begins.filled),
      singles_(pe.num_pes()),
      chares_(chares) {}

template <class Index>
element_collection<Index>::~element_collection() {
  clear();
}

template <class Index>
bool element_collection<Index>::was_destroyed(const key& k) const {
  if constexpr (is_index<Index>) {
    if (this->is_of_singles())
      return singles_.was_created(k, this->pe().template local<saved_singles>().are_here);
  }
  return began_filled_;
}

template <class Index>
std::string element_collection<Index>::key_name(const key& k) const {
  if constexpr (is_index<Index>) {
    if (this->is_of_singles())
      return single_text(this->shown_name(), singles_.number(k), singles_.creator(k));
  }
  if (shown_key_ != nullptr) return element_text(this->shown_name(), std::string(shown_key_(k)));
  return element_text(this->shown_name(), key_text(where(k)));
}

template <class Index>
std::string element_collection<Index>::element_name(const chare_header& e) const {
  return key_name(static_cast<const header&>(e).key);
}

template <class Index>
std::string_view element_collection<Index>::port_name(const chare_header& e, const void* port) const {
  return chares_.port_name != nullptr ? chares_.port_name(e, port) : base::port_name(e, port);
}

template <class Index>
void element_collection<Index>::write_name(const chare_header& e, signal_text& out) const noexcept {
  write_key(static_cast<const header&>(e).key, out);
}

template <class Index>
void element_collection<Index>::write_addressee(const message& m, signal_text& out) const noexcept {
  write_key(static_cast<const element_message<key>&>(m).key, out);
}

template <class Index>
void element_collection<Index>::write_name(std::uint64_t linear, signal_text& out) const noexcept {
  if constexpr (is_index<Index>) write_key(linear, out);
}

template <class Index>
void element_collection<Index>::write_key(const key& k, signal_text& out) const noexcept {
  if constexpr (is_index<Index>) {
    if (this->is_of_singles())
      return write_single(this->shown_name(), singles_.number(k), singles_.creator(k), out);
  }
  if (shown_key_ != nullptr) {
    out.add(short_name(this->shown_name())).add("(").add(shown_key_(k)).add(")");
  } else if constexpr (is_index<Index>) {
    Index i = from_linear(whole_shape<Index>(placed_), k);
    write_index(this->shown_name(), &i[0], i.dimensions, out);
  } else if constexpr (std::is_convertible_v<const key&, std::string_view>) {
    write_text_key(this->shown_name(), k, out);
  } else if constexpr (std::is_integral_v<key>) {
    write_number_key(this->shown_name(), static_cast<std::int64_t>(k), out);
  } else {
    out.add(short_name(this->shown_name()));
  }
}

template <class Index>
std::uint64_t element_collection<Index>::number_of(const chare_header& e) const {
  return key_number(static_cast<const header&>(e).key);
}

template <class Index>
std::string element_collection<Index>::shape_text() const {
  if constexpr (is_index<Index>) {
    if (!this->is_of_singles()) return to_string(whole_shape<Index>(placed_));
  }
  return {};
}

template <class Index>
int element_collection<Index>::write_coordinates([[maybe_unused]] std::uint64_t k,
                                                 [[maybe_unused]] float* out) const {
  if constexpr (is_index<Index>) {
    if (this->is_of_singles()) return 0;
    Index where = from_linear(whole_shape<Index>(placed_), k);
    for (int d = 0; d < where.dimensions; ++d) out[d] = static_cast<float>(where[d]);
    return where.dimensions;
  } else {
    return 0;
  }
}

template <class Index>
bool element_collection<Index>::is_member(const chare_header& e, const void* address) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(chares_.object(e));
  return reinterpret_cast<std::uintptr_t>(address) - begin < chares_.size;
}

template <class Index>
void element_collection<Index>::move(chare_header& e, int to) {
  if (chares_.make_migrant == nullptr) throw_not_migratable(e);
  request_migration(e, to, false);
}

template <class Index>
void element_collection<Index>::fail_construction(header& e) {
  drop_after_entry(e);  // a constructor may request a migration, and then throw
  const key k = std::move(e.key);
  chares_.release_unconstructed(e);
  rethrow_construction_failure(key_name(k), this->pe().pe());
}

/// Destroys an element that could not be added to the local ones.
template <class Index>
void element_collection<Index>::drop_unless_local(header& e) {
  if (e.slot != chare_header::no_slot) return;
  end_entries_of(e);
  chares_.destroy(e);
}

template <class Index>
void element_collection<Index>::begin_insertion(const key& k) {
  if (this->find(k) != nullptr)
    throw error("insert: " + key_name(k) + " exists already; destroy it first or choose another index");
  if (const auto* elsewhere = this->known_elsewhere(k))
    throw error("insert: " + key_name(k) + " exists already (on PE " + std::to_string(elsewhere->pe) + ")");
  if (this->is_closed()) throw error("insert: " + key_name(k) + ": that array has been destroyed");
  if constexpr (is_index<Index>) {
    if (this->is_of_singles()) singles_.created(k);
  }
}

template <class Index>
void element_collection<Index>::end_insertion(header& e) {
  e.destination = place_to_stay(*this);
  this->listeners().tell([&](array_listener& each) { each.element_inserted(e); });
}

template <class Index>
void element_collection<Index>::end_entries_of(chare_header& e) {
  e.dying = true;  // later requests to move or destroy the element have no effect
  if (e.entries != nullptr) drop_stopped_entries(e);
  end_entries(e, element_name(e) + " was destroyed before that entry had ended");
  drop_after_entry(e);
}

template <class Index>
void element_collection<Index>::destroy(chare_header& e) {
  end_entries_of(e);
  this->take_out_for_good(static_cast<header&>(e));
  this->listeners().tell([&](array_listener& each) { each.element_destroyed(e); });
  chares_.destroy(e);
}

template <class Index>
void element_collection<Index>::depart(chare_header& e, int to, message* restart) {
  if (chares_.departs != nullptr) chares_.departs(e);
  leave_bound_memory(e, chares_);
  ++e.epoch;
  e.destination = to;
  e.travels = true;
  this->take_out(static_cast<header&>(e), {to, e.epoch, e.born});
  e.destination = -1;
  this->listeners().tell([&](array_listener& each) { each.element_left(e); });
  auto& m = chares_.make_migrant(e);
  m.collection = this->id();
  m.element = &e;
  m.restart = restart;
  m.is_object = e.entries != nullptr;
  m.has_attachments = m.holds_attachments() || this->pe().template local<desk_of_arrivals>().desk != nullptr;
  send_migrant(this->pe(), m, to);
}

template <class Index>
void element_collection<Index>::arrive(chare_header& of, message*& restart, int from) {
  auto& e = static_cast<header&>(of);
  e.home = this;
  e.travels = false;
  e.destination = place_to_stay(*this);
  if (this->is_closed()) return end_stray(e, std::exchange(restart, nullptr));
  take_in(e);
  const std::uint64_t left_with = e.broadcasts;
  this->listeners().tell([&](array_listener& each) { each.element_arrived(e); });
  this->report_arrival(e, from, {left_with, e.broadcasts});
  find_bound_memory(e, chares_);
  if (chares_.arrived != nullptr) chares_.arrived(e);
  if (restart != nullptr) this->pe().dispatch(*std::exchange(restart, nullptr), this->pe().pe());
}

/// Destroys an element whose array ended while the element was migrating.
template <class Index>
void element_collection<Index>::end_stray(header& e, message* restart) {
  if (restart != nullptr) restart->type->run(*restart);
  end_entries_of(e);
  chares_.destroy(e);
  this->ending().stray_arrived();
}

template <class Index>
void element_collection<Index>::close() {
  this->shut();
  while (!this->locals().empty()) {
    auto& e = static_cast<header&>(*this->locals().back());
    end_entries_of(e);
    this->remove(e);
    chares_.destroy(e);
  }
  this->refuse_held();
  this->listeners().tell([](array_listener& each) { each.array_ends(); });
}

template <class Index>
void element_collection<Index>::clear() noexcept {
  while (!this->locals().empty()) {
    auto& e = static_cast<header&>(*this->locals().back());
    if (e.entries != nullptr) drop_stopped_entries(e);
    while (e.entries != nullptr) end_scope(*e.entries);
    this->remove(e);
    chares_.destroy(e);
  }
  this->discard_held();
}

template <class Index>
void saving_functions_of<Index>::write_one(const part& of, const key& k, name_writer& names, writer& out) {
  if constexpr (is_index<Index>) {
    if (of.is_of_singles()) return names.write_key(of.pe().in_proxy(of.id()), k, out);
  }
  out(of.where(k));
}

template <class Index>
auto saving_functions_of<Index>::read_one(const part& of, name_reader& names, reader& in) -> key {
  if constexpr (is_index<Index>) {
    if (of.is_of_singles()) return names.read_key(of.pe().in_proxy(of.id()), in);
    const Index& shape = of.shape_for_proxy();
    Index where{};
    in(where);
    if (where.dimensions != shape.dimensions) throw_saved_outside(of.shown_name(), {}, to_string(shape));
    if (!contains(shape, where)) throw_saved_outside(of.shown_name(), to_string(where), to_string(shape));
    return linear(shape, where);
  } else {
    key k{};
    in(k);
    return k;
  }
}

template <class Index>
void saving_functions_of<Index>::write_shape([[maybe_unused]] const base& of, [[maybe_unused]] writer& out) {
  if constexpr (is_index<Index>) out(static_cast<const part&>(of).shape_for_proxy());
}

template <class Index>
void saving_functions_of<Index>::write_key(const base& of, const chare_header& e, name_writer& names,
                                           writer& out) {
  write_one(static_cast<const part&>(of), static_cast<const header&>(e).key, names, out);
}

template <class Index>
void saving_functions_of<Index>::read_key(const base& of, chare_header& e, name_reader& names, reader& in) {
  auto& its = static_cast<header&>(e);
  const auto& into = static_cast<const part&>(of);
  its.key = read_one(into, names, in);
  its.where = into.where(its.key);
  if (into.find(its.key) != nullptr) throw_saved_twice(into.key_name(its.key));
}

template <class Index>
int saving_functions_of<Index>::home_of(const base& of, name_reader& names, reader& in) {
  return static_cast<const part&>(of).home_of(read_one(static_cast<const part&>(of), names, in));
}

template <class Index>
void saving_functions_of<Index>::address(const base& of, message& m, const chare_header& e) {
  m.collection = of.id();
  static_cast<element_message<key>&>(m).key = static_cast<const header&>(e).key;
}

template <class Index>
void saving_functions_of<Index>::take(base& into, chare_header& e) {
  const location here = static_cast<part&>(into).first_place();
  e.travels = false;
  e.epoch = here.epoch;
  e.born = here.born;
  e.broadcasts = into.broadcasts().delivered();
  static_cast<part&>(into).take_in(static_cast<header&>(e));
}

template <class Index>
void saving_functions_of<Index>::note_elsewhere(base& of, name_reader& names, reader& in, int pe) {
  auto& home = static_cast<part&>(of);
  location where = home.first_place();
  where.pe = pe;
  home.know_saved(read_one(home, names, in), where);
}

template <class Index>
std::vector<std::uint64_t> saving_functions_of<Index>::write_sections(const base& of, name_writer& names,
                                                                      writer& out) {
  std::vector<std::uint64_t> numbers;
  section_table<key>::for_each(of.pe(), of.id(), [&](std::uint64_t id, auto&) { numbers.push_back(id); });
  out(static_cast<std::uint64_t>(numbers.size()));
  for (const std::uint64_t id : numbers) {
    const auto& members = section_table<key>::members(of.pe(), of.id(), id);
    names.write_section(of.pe().in_proxy(of.id()), id, out);
    out(static_cast<std::uint64_t>(members.size()));
    for (const key& k : members) write_one(static_cast<const part&>(of), k, names, out);
  }
  return numbers;
}

template <class Index>
void saving_functions_of<Index>::read_sections(const base& of, name_reader& names, reader& in) {
  const std::uint64_t in_proxy = of.pe().in_proxy(of.id());
  for (std::size_t sections = read_count(in, 2 * sizeof(std::uint64_t)); sections > 0; --sections) {
    const std::uint64_t id = names.read_section(in_proxy, in);
    std::vector<key> members;
    for (std::size_t n = read_count(in, 1); n > 0; --n)
      members.push_back(read_one(static_cast<const part&>(of), names, in));
    if (root_of_section(of.pe(), id) == of.pe().pe())
      section_table<key>::restore(of.pe(), of.id(), id, std::move(members));
  }
}

// Compiled once, in the library, for what most programs use.
extern template class element_collection<index<1>>;
extern template class element_collection<index<2>>;
extern template class element_collection<index<3>>;

}  // namespace imbrex::detail
