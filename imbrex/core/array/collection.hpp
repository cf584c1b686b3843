// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <imbrex/core/array/entry.hpp>
#include <imbrex/core/message/owned_span.hpp>
#include <imbrex/core/message/record_of_parts.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/name/placement.hpp>
#include <imbrex/core/name/singles.hpp>
#include <imbrex/core/pe/failures.hpp>
#include <imbrex/net/packing.hpp>

namespace imbrex::detail {

template <class T>
struct migrant;
template <class T>
struct destruction_request;

/// Work on one element, to be done after the current entry.
struct after_entry : work {
  chare_header* element = nullptr;
  message* restart = nullptr;
};
void push_after_entry(const work_type& what, chare_header& element, message* restart);
void drop_after_entry(const chare_header& element);

void destroy_after_entry(work& item) noexcept;

/// Rethrows a constructor's exception with a description. Exceptions of another language keep their type.
[[noreturn]] void rethrow_construction_failure(const std::string& name, int pe);
/// Throws imbrex::error: a proxy names the part as one of another class.
[[noreturn]] void throw_another_class(std::string_view chare_name, const collection_part& part);
/// Throws imbrex::error: a message names single chares that are not of its class.
[[noreturn]] void throw_no_such_singles(std::string_view chare_name, std::uint64_t number);
/// Refuses a message to an array that has ended, and notifies its sender.
void refuse_ended(message& m, std::string_view chare_name);
/// The number of the single chares of a class named at run time; above the numbers of C++ classes.
std::uint64_t number_of_singles(entry_name constructor);
/// The inverse of `number_of_singles`; empty if the number belongs to no such class.
std::optional<entry_name> constructor_of_singles(std::uint64_t number);
[[noreturn]] void throw_pinned(const chare_header& element);
/// Throws imbrex::error: the element's class lacks what migration requires.
[[noreturn]] void throw_not_migratable(const chare_header& element);
/// True if the element's entries allow a move to PE `to`: none is suspended, or the move stays in the process
/// and the entries move along.
bool entries_can_move(const chare_header& element, int to);
/// Throws imbrex::error: code requested that a migrating element move or end.
[[noreturn]] void throw_travelling(const char* what, const chare_header& element);
/// Describes an exception that the element's class threw during migration; `doing` is, for example, "the
/// default constructor".
[[noreturn]] void rethrow_travel_failure(const char* doing, const chare_header& element);

/// The class name that reports show for Ts constructed from these arguments.
template <class T, class... A>
std::string_view class_to_show([[maybe_unused]] const A&... arguments) {
  if constexpr (stands_for_classes<T>)
    return entry_name(std::get<0>(std::tie(arguments...))).definition().chare;
  else
    return type_name<T>();
}

/// One PE's part of an array of T.
template <class T>
class collection final : public element_map<typename T::index_type> {
 public:
  using index_type = typename T::index_type;
  using base = element_map<index_type>;
  using key = typename base::key;
  using header = typename base::header;
  using memory = element_memory<T>;
  using home_function = int (*)(const key&, const index_type&, int);
  static constexpr bool is_migratable = serializable<T> && std::is_default_constructible_v<T>;

  collection(processor& pe, std::uint64_t id, const index_type& shape, home_function home,
             std::uint64_t elements, std::string_view shown_name = type_name<T>())
      : base(pe, id, {type_name<T>(), shown_name}, elements),
        shape_(shape),
        home_(home),
        began_filled_(elements > 0),
        singles_(pe.num_pes()) {
    static_assert(std::is_same_v<typename index_of<T>::type, index_type>,
                  "imbrex: index_of was specialised with another index than this chare class has");
  }
  ~collection() override { clear(); }

  array<T> proxy() const { return array<T>(this->pe().in_proxy(this->id()), shape_for_proxy()); }
  auto shape_for_proxy() const { return shape_; }
  /// True if the array is dense: it began with an element at each index of its shape.
  bool began_filled() const { return began_filled_; }

  index_type where(const key& k) const {
    if constexpr (is_index<index_type>) {
      if (this->is_of_singles()) return index_type{};
      return from_linear(shape_, k);
    } else {
      return k;
    }
  }
  int home_of(const key& k) const override {
    if constexpr (is_index<index_type>) {
      if (this->is_of_singles()) return home_of_single(k);
    }
    return home_(k, shape_, this->pe().num_pes());
  }
  /// Called at the home of an element that is on no PE: true if the element existed and was destroyed. Dense
  /// arrays and single chares need no record for this.
  bool was_destroyed(const key& k) const override {
    if constexpr (is_index<index_type>) {
      if (this->is_of_singles()) return singles_.was_created(k);
    }
    return began_filled_;
  }
  std::string key_name(const key& k) const override {
    if constexpr (is_index<index_type>) {
      if (this->is_of_singles())
        return single_text(this->shown_name(), singles_.number(k), singles_.creator(k));
    }
    if constexpr (shows_keys)
      return element_text(this->shown_name(), std::string(T::shown_key(k)));
    else
      return element_text(this->shown_name(), key_text(where(k)));
  }
  std::string element_name(const chare_header& e) const override {
    return key_name(static_cast<const header&>(e).key);
  }
  std::string_view port_name(const chare_header& e, const void* port) const override {
    if constexpr (stands_for_classes<T>)
      return static_cast<const T*>(object(e))->shown_port_name(port);
    else
      return base::port_name(e, port);
  }
  void write_name(const chare_header& e, signal_text& out) const noexcept override {
    write_key(static_cast<const header&>(e).key, out);
  }
  void write_addressee(const message& m, signal_text& out) const noexcept override {
    write_key(static_cast<const element_message<key>&>(m).key, out);
  }
  void write_name(std::uint64_t linear, signal_text& out) const noexcept override {
    if constexpr (is_index<index_type>) write_key(linear, out);
  }
  std::uint64_t number_of(const chare_header& e) const override {
    return key_number(static_cast<const header&>(e).key);
  }
  std::string shape_text() const override {
    if constexpr (is_index<index_type>) {
      if (!this->is_of_singles()) return to_string(shape_);
    }
    return {};
  }
  const void* object(const chare_header& e) const override {
    return &memory::object(const_cast<chare_header&>(e));
  }
  const chare_header* addressee(const message& m) const override {
    return this->find(static_cast<const element_message<key>&>(m).key);
  }
  bool is_member(const chare_header& e, const void* address) const override {
    const auto* const begin = static_cast<const std::byte*>(object(e));
    return std::less_equal<>()(begin, static_cast<const std::byte*>(address)) &&
           std::less<>()(static_cast<const std::byte*>(address), begin + sizeof(T));
  }
  bool can_migrate() const override { return !this->is_pinned() && is_migratable; }
  void move(chare_header& e, int to) override {
    if constexpr (is_migratable)
      request_migration<T>(e, to, false);
    else
      throw_not_migratable(e);
  }

  void reserve(std::size_t elements) { base::reserve(elements); }
  /// The location of an element that is the first with its key.
  location first_place() const { return {this->pe().pe(), 1, 1}; }

  /// Creates an element here. Throws imbrex::error with the exception's text if the constructor throws.
  template <class... A>
  header& create(const key& k, const location& here, A&&... arguments) {
    void* raw = memory::allocate();
    auto* h = ::new (raw) header();
    h->home = this;
    h->key = k;
    h->where = where(k);
    h->epoch = here.epoch;
    h->born = here.born;
    h->broadcasts = this->broadcasts().delivered();
    const element_work runs(this->pe(), *h);
    try {
      ::new (static_cast<std::byte*>(raw) + memory::offset) T(std::forward<A>(arguments)...);
    } catch (...) {
      drop_after_entry(*h);  // a constructor may request a migration, and then throw
      h->~header();
      memory::release(raw);
      rethrow_construction_failure(key_name(k), this->pe().pe());
    }
    take_in(*h);
    return *h;
  }

  /// Creates an element after the array's creation.
  template <class... A>
  void insert(const key& k, A&&... arguments) {
    if (this->find(k) != nullptr)
      throw error("insert: " + key_name(k) + " exists already; destroy it first or choose another index");
    if (const auto* elsewhere = this->known_elsewhere(k))
      throw error("insert: " + key_name(k) + " exists already (on PE " + std::to_string(elsewhere->pe) + ")");
    if (this->is_closed()) throw error("insert: " + key_name(k) + ": that array has been destroyed");
    if constexpr (is_index<index_type>) {
      if (this->is_of_singles()) singles_.created(k);
    }
    auto& e = create(k, this->place_of_insertion(), std::forward<A>(arguments)...);
    this->reductions().element_created(e);
    this->ending().element_inserted();
  }

  void destroy(header& e) {
    end_entries_of(e);
    this->take_out_for_good(e);
    this->ending().element_destroyed();
    this->reductions().element_destroyed(e);
    memory::destroy(e);
  }

  /// Sends an element to PE `to`. `restart` calls the entry again that was at a balance point; null if there
  /// was none.
  void depart(header& e, int to, message* restart) {
    if constexpr (is_migratable) {
      ++e.epoch;
      e.destination = -1;
      e.travels = true;
      if (const auto* const observers = this->pe().observers()) [[unlikely]]
        observers->tell([&](observer& o) { o.departs(*this, e, to); });
      this->take_out(e, {to, e.epoch, e.born});
      this->ending().element_left();
      this->broadcasts().element_leaves(e.broadcasts);
      this->reductions().element_left(e);
      auto& m = make_message<migrant<T>>();
      m.collection = this->id();
      m.element = &e;
      m.restart = restart;
      if constexpr (stands_for_classes<T>) m.of = memory::object(e).constructor_name();
      m.is_object = e.entries != nullptr;
      m.has_device_memory = has_devices(this->pe()) && m.holds_device_memory();
      this->pe().dispatch(m, to);
    }
  }

  /// Adds an element that has arrived from PE `from`. Takes `restart`, unless an exception is thrown.
  void arrive(header& e, message*& restart, int from) {
    e.home = this;
    e.travels = false;
    if (this->is_closed()) return end_stray(e, std::exchange(restart, nullptr));
    take_in(e);
    this->ending().element_arrived();
    const std::uint64_t left_with = e.broadcasts;
    this->reductions().element_arrived(e);
    this->report_arrival(e, from, {left_with, this->broadcasts().element_arrives(e)});
    if (restart != nullptr) this->pe().dispatch(*std::exchange(restart, nullptr), this->pe().pe());
  }

  void close() override {
    this->shut();
    while (!this->locals().empty()) {
      auto& e = static_cast<header&>(*this->locals().back());
      end_entries_of(e);
      this->remove(e);
      memory::destroy(e);
    }
    this->refuse_held();
  }

  void clear() noexcept override {
    while (!this->locals().empty()) {
      auto& e = static_cast<header&>(*this->locals().back());
      while (e.entries != nullptr) end_scope(*e.entries);
      this->remove(e);
      memory::destroy(e);
    }
    this->discard_held();
  }

  /// A key for a single chare that this PE creates.
  key new_single(int home)
    requires is_index<index_type>
  {
    return singles_.next(home, this->pe().pe());
  }

 private:
  /// True if the class itself defines how its keys are written.
  static constexpr bool shows_keys = requires(const key& k) { std::string_view(T::shown_key(k)); };

  void write_key(const key& k, signal_text& out) const noexcept {
    if constexpr (is_index<index_type>) {
      if (this->is_of_singles())
        return write_single(this->shown_name(), singles_.number(k), singles_.creator(k), out);
      index_type i = from_linear(shape_, k);
      write_index(this->shown_name(), &i[0], i.dimensions, out);
    } else if constexpr (shows_keys) {
      out.add(short_name(this->shown_name())).add("(").add(T::shown_key(k)).add(")");
    } else if constexpr (std::is_convertible_v<const key&, std::string_view>) {
      write_text_key(this->shown_name(), k, out);
    } else if constexpr (std::is_integral_v<key>) {
      write_number_key(this->shown_name(), static_cast<std::int64_t>(k), out);
    } else {
      out.add(short_name(this->shown_name()));
    }
  }
  int home_of_single(const key& k) const {
    const int home = singles_.home(k);
    if (home >= this->pe().num_pes()) [[unlikely]]
      throw_of_another_run("chare", static_cast<std::uint64_t>(home));
    return home;
  }
  void end_entries_of(header& e) {
    e.dying = true;  // later requests to move or destroy the element have no effect
    end_entries(e, element_name(e) + " was destroyed before that entry had ended");
    drop_after_entry(e);
  }
  /// Adds an element to the local ones, or destroys it.
  void take_in(header& e) {
    try {
      this->put(e);
    } catch (...) {
      if (e.slot == chare_header::no_slot) {
        end_entries_of(e);
        memory::destroy(e);
      }
      throw;
    }
  }
  /// Destroys an element whose array ended while the element was migrating.
  void end_stray(header& e, message* restart) {
    if (restart != nullptr) restart->type->run(*restart);
    end_entries_of(e);
    memory::destroy(e);
    this->ending().stray_arrived();
  }

  [[no_unique_address]] index_type shape_;
  home_function home_;
  const bool began_filled_;
  single_keys singles_;
};

/// An element that is migrating to another PE. Between threads the object itself is passed. Between processes
/// it is unpacked at delivery: then its array is known, and code of its class runs as an entry does.
template <class T>
struct migrant : message {
  using memory = element_memory<T>;

  typename memory::header* element = nullptr;  ///< null while the element is still packed
  message* restart = nullptr;
  owned_span<std::byte> packed;
  /// The constructor of the element's class, if the class is named at run time.
  [[no_unique_address]] std::conditional_t<stands_for_classes<T>, entry_name, nothing> of{};

  migrant() = default;
  migrant(const migrant&) = delete;
  migrant& operator=(const migrant&) = delete;
  ~migrant() {
    if (element != nullptr) {
      element->dying = true;
      while (element->entries != nullptr) end_scope(*element->entries);
      memory::destroy(*element);
    }
    if (restart != nullptr) restart->type->destroy(*restart);
  }

  struct record : record_of_parts<migrant> {
    record() : record_of_parts<migrant>({"migration", shown_type<T>::name}) {
      this->chare_class = &typeid(T);
    }
  };
  static inline record type_record{};
  const message_type* named_kind() const
    requires stands_for_classes<T>
  {
    return kind_of_name(of);
  }

  /// Lists the device memory in the element's ports, which goes to another process as in messages.
  void collect(std::vector<device_part*>& parts) {
    message_table::collect_unread(type_record, &memory::object(*element), parts);
    if constexpr (requires(T& chare) { chare.collect_unread(parts); })
      memory::object(*element).collect_unread(parts);
    if (restart != nullptr && restart->has_device_memory) restart->kind().device_parts(*restart, parts);
  }
  bool holds_device_memory() {
    std::vector<device_part*> parts;
    collect(parts);
    return !parts.empty();
  }
  void serialize(writer& out) {
    if constexpr (stands_for_classes<T>) out(of);
    if (element == nullptr) return out.bytes(packed.data(), packed.size());
    out(*element);
    try {
      out(memory::object(*element));
    } catch (...) {
      rethrow_travel_failure(stands_for_classes<T> ? "pickling" : "serialize", *element);
    }
    out(restart != nullptr);
    if (restart == nullptr) return;
    out(restart->kind().id);
    restart->type->pack(*restart, out);
  }
  void serialize(reader& in) {
    if constexpr (stands_for_classes<T>) in(of);
    packed.resize(in.remaining());
    in.rest(packed.data());
  }
  void deliver() {
    auto* part = part_for<T>(*this);
    if (part == nullptr) return;
    const message_guard guard(*this);
    if (element == nullptr) unpack(*part);
    part->arrive(*std::exchange(element, nullptr), restart, static_cast<int>(origin));
  }

 private:
  using header_type = typename memory::header;

  void unpack(detail::collection<T>& part) {
    reader in(packed);
    void* raw = memory::allocate();
    auto* h = ::new (raw) header_type();
    h->home = &part;
    h->travels = true;
    const element_work runs(part.pe(), *h);
    try {
      in(*h);
      construct(*h);
    } catch (...) {
      h->~header_type();
      memory::release(raw);
      throw;
    }
    element = h;
    try {
      in(memory::object(*h));
    } catch (...) {
      rethrow_travel_failure(stands_for_classes<T> ? "unpickling" : "serialize", *h);
    }
    bool has_restart = false;
    in(has_restart);
    if (has_restart) {
      std::uint32_t kind = 0;
      in(kind);
      restart = static_cast<message*>(&unpacked(message_table::at(kind), in));
    }
    in.finish();
  }
  static void construct(header_type& h) {
    try {
      ::new (reinterpret_cast<std::byte*>(&h) + memory::offset) T();
    } catch (...) {
      rethrow_travel_failure("the default constructor", h);
    }
  }
};

/// The number of the collection of single chares of T constructed from these arguments. It is the class's
/// rank among the program's messages, so equal in all processes. Classes named at run time follow, by the
/// constructor's number.
template <class T, class... A>
std::uint64_t singles_of([[maybe_unused]] const A&... arguments) {
  if constexpr (stands_for_classes<T>)
    return singles_bit | number_of_singles(std::get<0>(std::tie(arguments...)));
  else
    return singles_bit | destruction_request<T>::type_record.id;
}

/// True if `id` is a collection of single Ts.
template <class T>
bool is_of_single(std::uint64_t id) {
  if constexpr (stands_for_classes<T>)
    return (id & singles_bit) != 0 && constructor_of_singles(id & ~singles_bit).has_value();
  else
    return id == singles_of<T>();
}

/// This PE's part of a collection of single Ts, made when first needed.
template <class T>
collection<T>& singles_part(processor& pe, std::uint64_t id) {
  if (auto* const part = pe.collection(id)) return static_cast<collection<T>&>(*part);
  std::string_view shown = type_name<T>();
  if constexpr (stands_for_classes<T>) shown = constructor_of_singles(id & ~singles_bit)->definition().chare;
  pe.install(std::make_unique<collection<T>>(pe, id, typename T::index_type{}, nullptr, 0, shown));
  return static_cast<collection<T>&>(*pe.collection(id));
}

/// Throws imbrex::error unless the part holds Ts: a proxy of an earlier run may name another part.
template <class T>
collection<T>& checked(collection_part& part) {
  if (!part.is_of(type_name<T>())) [[unlikely]]
    throw_another_class(shown_type<T>::name, part);
  return static_cast<collection<T>&>(part);
}

/// This PE's part with this number if it holds Ts and was the last one looked up; otherwise null.
template <class T>
collection<T>* recent_part(const processor& pe, std::uint64_t number) {
  return static_cast<collection<T>*>(pe.recent_collection(number, type_name<T>()));
}

/// This PE's part with this number if it exists here and holds Ts.
template <class T>
collection<T>* part_at(processor& pe, std::uint64_t number) {
  auto* const part = recent_part<T>(pe, number);
  return part != nullptr ? part : static_cast<collection<T>*>(pe.collection_of(number, type_name<T>()));
}

/// The slow path of `part_for`, for all but the recent part; separate to keep the fast path of every message
/// short.
template <class T>
[[gnu::noinline]] collection<T>* part_otherwise(processor& pe, message& m) {
  if (auto* const part = part_at<T>(pe, m.collection)) return part;
  if (auto* const part = pe.collection(m.collection)) {
    const message_guard guard(m);
    throw_another_class(shown_type<T>::name, *part);
  }
  if (is_of_single<T>(m.collection)) return &singles_part<T>(pe, m.collection);
  if ((m.collection & singles_bit) != 0) {
    const message_guard guard(m);
    pe.check_run(m.collection, shown_type<T>::name, m.shown_kind().entry_name);
    throw_no_such_singles(shown_type<T>::name, m.collection);
  }
  if (pe.has_ended(m.collection)) {
    refuse_ended(m, shown_type<T>::name);
    return nullptr;
  }
  pe.hold(m);
  return nullptr;
}

template <class T>
collection<T>* part_for(message& m) {
  auto& pe = processor::running_here();
  auto* const part = recent_part<T>(pe, m.collection);
  return part != nullptr ? part : part_otherwise<T>(pe, m);
}

/// Sends a message towards its element, to the location known here.
template <class T, class M>
void dispatch_to_element(processor& pe, M& m) {
  auto* const part = part_for<T>(m);
  if (part == nullptr) return;
  message_guard guard(m);
  const int to = part->place_of(m.key);
  guard.release();
  pe.dispatch(m, to);
}

template <class T>
void run_departure(work& item) {
  auto& after = static_cast<after_entry&>(item);
  auto& e = static_cast<typename collection<T>::header&>(*after.element);
  auto* restart = std::exchange(after.restart, nullptr);
  pool::release(&after, sizeof after);
  auto& part = static_cast<collection<T>&>(*e.home);
  if (e.dying) {
    if (restart != nullptr) restart->type->destroy(*restart);
    return;
  }
  const element_work runs(part.pe(), e);
  if (restart != nullptr) {
    end_scope(*e.entries);  // the only one, at its balance point
  } else {
    e.departure_queued = false;
    // if not now, at the next balance point or when a movable body waits again
    if (e.destination < 0 || !entries_can_move(e, e.destination)) return;
  }
  part.depart(e, e.destination, restart);
}

template <class T>
inline constexpr work_type departure{"migration", &run_departure<T>, &destroy_after_entry, nullptr, nullptr};

template <class T>
void request_migration(chare_header& e, int to, bool asks_itself) {
  auto& pe = e.home->pe();
  if (to < 0 || to >= pe.num_pes()) throw_wrong_pe("migrate_to", to, pe.num_pes());
  if (to != pe.pe() && e.home->is_pinned()) throw_pinned(e);
  if (e.dying) return;
  if (e.travels) throw_travelling("migrate_to", e);
  e.destination = to == pe.pe() ? -1 : to;
  e.asks_itself = asks_itself;
  if (e.destination >= 0 && !std::exchange(e.departure_queued, true))
    push_after_entry(departure<T>, e, nullptr);
}

template <class T>
void run_destruction(work& item) {
  auto& after = static_cast<after_entry&>(item);
  auto& e = static_cast<typename collection<T>::header&>(*after.element);
  pool::release(&after, sizeof after);
  auto& part = static_cast<collection<T>&>(*e.home);
  const element_work runs(part.pe(), e);
  part.destroy(e);
}

template <class T>
inline constexpr work_type destruction{"destruction", &run_destruction<T>, &destroy_after_entry, nullptr,
                                       nullptr};

/// A request from another PE that an element destroy itself.
template <class T>
struct destruction_request : element_message<key_type<typename T::index_type>> {
  static inline message_type type_record =
      message_type(type_name<destruction_request>(), shown_type<T>::name, "destroy",
                   functions_of<destruction_request>("request to destroy an element"));
  void serialize(auto& ar) { ar(this->key); }
  void deliver() {
    auto* part = part_for<T>(*this);
    if (part == nullptr) return;
    auto* e = part->find(this->key);
    if (e == nullptr) return part->route(*this);
    const message_guard guard(*this);
    destroy_later<T>(*e);
  }
};

template <class T>
void destroy_later(chare_header& e) {
  if (e.dying) return;
  if (e.travels) throw_travelling("destroy", e);
  e.dying = true;
  push_after_entry(destruction<T>, e, nullptr);
}

}  // namespace imbrex::detail
