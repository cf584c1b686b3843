// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/array/creation.hpp>
#include <imbrex/core/array/element_collection.hpp>
#include <imbrex/core/array/entry.hpp>
#include <imbrex/core/array/migrant.hpp>
#include <imbrex/core/message/record_of_parts.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/name/placement.hpp>

namespace imbrex::detail {

template <class T>
struct destruction_request;

/// Throws imbrex::error: a proxy names the part as one of another class.
[[noreturn]] void throw_another_class(std::string_view chare_name, const collection_part& part);
/// Refuses a message to an array that has ended, and notifies its sender.
void refuse_ended(message& m, std::string_view chare_name);
/// The number of the single chares of a class named at run time; above the numbers of C++ classes.
std::uint64_t number_of_singles(entry_name constructor);
/// True if the number comes from `number_of_singles`.
bool names_single_class(std::uint64_t number);
/// The constructor of the class with such a number, and the class's name.
entry_name constructor_of_singles(std::uint64_t number);
std::string_view shown_class_of_singles(std::uint64_t number);

/// The class name that reports show for Ts constructed from these arguments.
template <class T, class... A>
std::string_view class_to_show([[maybe_unused]] const A&... arguments) {
  if constexpr (stands_for_classes<T>)
    return entry_name(std::get<0>(std::tie(arguments...))).definition().chare;
  else
    return type_name<T>();
}

template <class T>
struct chare_functions_of;

/// One PE's part of an array of T.
template <class T>
class collection final : public element_collection<typename T::index_type> {
 public:
  using index_type = typename T::index_type;
  using base = element_collection<index_type>;
  using key = typename base::key;
  using header = typename base::header;
  using memory = element_memory<T>;
  static constexpr element_class class_of_elements{shown_type<T>::name, serializable<T>,
                                                   std::is_default_constructible_v<T>};

  collection(processor& pe, std::uint64_t id, const placed_shape<index_type>& placed,
             typename base::home_function home, const array_beginning& begins,
             std::string_view shown_name = type_name<T>())
      : base(pe, id, {type_name<T>(), shown_name}, {placed, home, begins}, chare_functions_of<T>::all) {
    static_assert(std::is_same_v<typename index_of<T>::type, index_type>,
                  "imbrex: index_of was specialised with another index than this chare class has");
    if constexpr (requires(const key& k) { std::string_view(T::shown_key(k)); })
      this->show_keys([](const key& k) -> std::string_view { return T::shown_key(k); });
  }

  array<T> proxy() const { return array<T>(this->pe().in_proxy(this->id()), this->shape_for_proxy()); }

  /// Creates an element here. Throws imbrex::error with the exception's text if the constructor throws.
  template <class... A>
  header& create(const key& k, const location& here, A&&... arguments) {
    void* raw = memory::allocate();
    auto* h = ::new (raw) header();
    h->home = this;
    h->key = k;
    h->where = this->where(k);
    h->epoch = here.epoch;
    h->born = here.born;
    h->broadcasts = this->broadcasts().delivered();
    const element_work runs(this->pe(), *h);
    try {
      ::new (static_cast<std::byte*>(raw) + memory::offset) T(std::forward<A>(arguments)...);
    } catch (...) {
      this->fail_construction(*h);
    }
    this->take_in(*h);
    return *h;
  }

  /// Creates an element after the array's creation.
  template <class... A>
  void insert(const key& k, A&&... arguments) {
    this->begin_insertion(k);
    this->end_insertion(create(k, this->place_of_insertion(), std::forward<A>(arguments)...));
  }
};

/// An element of a T that is migrating to another PE.
template <class T>
struct migrant final : migrant_base {
  /// The constructor of the element's class, if the class is named at run time.
  [[no_unique_address]] std::conditional_t<stands_for_classes<T>, entry_name, nothing> of{};

  migrant() : migrant_base(chare_functions_of<T>::all) {}

  struct record : record_of_parts<migrant> {
    record() : record_of_parts<migrant>({"migration", shown_type<T>::name}) {
      this->own_.chare_class = &typeid(T);
    }
  };
  static inline record type_record{};
  const message_type* named_kind() const
    requires stands_for_classes<T>
  {
    return kind_of_name(of);
  }

  void serialize(auto& ar) {
    if constexpr (stands_for_classes<T>) ar(of);
    serialize_element(ar);
  }
  void deliver() {
    deliver_to_part_of<T>(*this, [this](auto& part) { arrive_at(part); });
  }
};

/// Makes the `chare_functions` of T.
template <class T>
struct chare_functions_of {
  using memory = element_memory<T>;
  using header = typename memory::header;

  static void destroy(chare_header& e) noexcept { memory::destroy(static_cast<header&>(e)); }
  static migrant_base& make_migrant(const chare_header& e) {
    auto& m = make_message<migrant<T>>();
    if constexpr (stands_for_classes<T>)
      m.of = memory::object(const_cast<chare_header&>(e)).constructor_name();
    return m;
  }
  static void construct(chare_header& e) {
    ::new (reinterpret_cast<std::byte*>(static_cast<header*>(&e)) + memory::offset) T();
  }
  static void write(chare_header& e, writer& out) { out(memory::object(e)); }
  static void read(chare_header& e, reader& in) { in(memory::object(e)); }
  static const attachment_type* first_port() { return migrant<T>::type_record.attachments->next_port; }

  static consteval chare_functions list() {
    chare_functions f;
    f.headers = &header_functions_of<typename T::index_type>::all;
    f.saving = &saving_functions_of<typename T::index_type>::all;
    f.offset = memory::offset;
    f.size = sizeof(T);
    f.alignment = memory::alignment;
    f.destroy = &destroy;
    if constexpr (collection<T>::class_of_elements.can_migrate()) {
      f.make_migrant = &make_migrant;
      f.construct = &construct;
      f.write = &write;
      f.read = &read;
      f.first_port = &first_port;
    }
    if constexpr (requires(T& chare, std::vector<attachment*>& parts) { chare.collect_unread(parts); })
      f.collect_unread = [](chare_header& e, std::vector<attachment*>& parts) {
        memory::object(e).collect_unread(parts);
      };
    if constexpr (requires(const T& chare) { std::optional<double>(chare.expected_load()); })
      f.expected_load = [](const chare_header& e) {
        return std::optional<double>(memory::object(const_cast<chare_header&>(e)).expected_load());
      };
    if constexpr (requires(T& chare) { requires std::is_void_v<decltype(chare.departs())>; })
      f.departs = [](chare_header& e) { memory::object(e).departs(); };
    if constexpr (requires(T& chare) { requires std::is_void_v<decltype(chare.arrived())>; })
      f.arrived = [](chare_header& e) { memory::object(e).arrived(); };
    if constexpr (requires { T::moves_with_entries; }) {
      f.moves_with_entries = true;
      f.leaves_process = T::moves_with_entries;
    }
    if constexpr (stands_for_classes<T>) {
      f.is_pickled = true;
      f.port_name = [](const chare_header& e, const void* port) -> std::string_view {
        return memory::object(const_cast<chare_header&>(e)).shown_port_name(port);
      };
    }
    return f;
  }
  static const chare_functions all;
};
template <class T>
constinit const chare_functions chare_functions_of<T>::all = chare_functions_of<T>::list();

/// The number of the collection of single chares of T constructed from these arguments. It is the class's
/// rank among the program's messages, so equal in all processes. Classes named at run time follow, by the
/// constructor's number.
template <class T, class... A>
std::uint64_t singles_of([[maybe_unused]] const A&... arguments) {
  [[maybe_unused]] const message_type& of_class = destruction_request<T>::type_record;  // checkpoints need it
  if constexpr (stands_for_classes<T>)
    return singles_bit | number_of_singles(std::get<0>(std::tie(arguments...)));
  else
    return singles_bit | of_class.id;
}

/// True if `id` is a collection of single Ts.
template <class T>
bool is_of_single(std::uint64_t id) {
  if constexpr (stands_for_classes<T>)
    return (id & singles_bit) != 0 && names_single_class(id & ~singles_bit);
  else
    return id == singles_of<T>();
}

/// This PE's part of a collection of single Ts, made when first needed.
template <class T>
collection<T>& singles_part(processor& pe, std::uint64_t id) {
  if (auto* const part = pe.collection(id)) return static_cast<collection<T>&>(*part);
  std::string_view shown = type_name<T>();
  if constexpr (stands_for_classes<T>) shown = shown_class_of_singles(id & ~singles_bit);
  pe.install(make_owner<collection<T>>(pe, id, placed_shape<typename T::index_type>{}, nullptr,
                                       array_beginning{}, shown));
  auto& part = static_cast<collection<T>&>(*pe.collection(id));
  join_stop(part);
  return part;
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
  if (auto* const part = recent_part<T>(pe, number)) [[likely]]
    return part;
  return static_cast<collection<T>*>(pe.collection_of(number, type_name<T>()));
}

/// The functions and names by which the parts of a chare class are found.
struct part_class {
  std::string_view name;
  std::string_view shown_name;
  bool (*is_of_single)(std::uint64_t id);
  /// A PE's part of the single chares, which it makes if need be.
  collection_part& (*singles_part)(processor& pe, std::uint64_t id);
};
template <class T>
inline constexpr part_class part_class_of{
    type_name<T>(), shown_type<T>::name, &is_of_single<T>,
    [](processor& pe, std::uint64_t id) -> collection_part& { return singles_part<T>(pe, id); }};

/// The part that a message is for, as a part of this class. Null if the message has been kept or refused.
collection_part* find_part(processor& pe, message& m, const part_class& of);

/// The slow path of `part_for`, for all but the recent part; separate to keep the fast path of every message
/// short.
template <class T>
[[gnu::noinline]] collection<T>* part_otherwise(processor& pe, message& m) {
  return static_cast<collection<T>*>(find_part(pe, m, part_class_of<T>));
}

template <class T>
collection<T>* part_for(message& m) {
  auto& pe = processor::running_here();
  auto* const part = recent_part<T>(pe, m.collection);
  return part != nullptr ? part : part_otherwise<T>(pe, m);
}

template <class T>
chare_header* addressee_of(const work& item) {
  const auto& m = static_cast<const element_message<key_type<typename T::index_type>>&>(
      static_cast<const message&>(item));
  auto* const part = part_at<T>(processor::running_here(), m.collection);
  return part == nullptr ? nullptr : part->find(m.key);
}

/// Sends a message towards its element, to the location known here.
template <class T, class M>
void dispatch_to_element(processor& pe, M& m) {
  deliver_to_part_of<T>(m, [&](auto& part) {
    message_guard guard(m);
    const int to = part.place_of(m.key);
    guard.release();
    pe.dispatch(m, to);
  });
}

/// A request from another PE that an element destroy itself.
template <class T>
struct destruction_request : element_message<key_type<typename T::index_type>> {
  /// The number of this kind is that of the single chares of the class.
  struct record : message_type {
    record()
        : message_type(type_name<destruction_request>(), shown_type<T>::name, "destroy",
                       functions_of<destruction_request>("request to destroy an element")) {
      this->singles = &part_class_of<T>;
    }
  };
  static inline record type_record{};
  void serialize(auto& ar) { ar(this->key); }
  void deliver() {
    deliver_to_element<T>(*this, [this](chare_header& e) {
      const message_guard guard(*this);
      destroy_later(e);
    });
  }
};

}  // namespace imbrex::detail
