// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/coro/entry_body.hpp>
#include <imbrex/python/classes.hpp>
#include <imbrex/python/codec.hpp>
#include <imbrex/python/coroutine.hpp>
#include <imbrex/python/operation.hpp>
#include <imbrex/python/port.hpp>

namespace imbrex::python {

/// The return value of an entry that is a Python coroutine. `Result` is a loaded_parcel, or a contribution to
/// a reduction.
template <class Result>
class coroutine_entry {
 public:
  struct body final : coroutine {
    template <class What>
    body(What what, std::string of, operation with)
        : coroutine(std::move(what)), who(std::move(of)), by(std::move(with)) {}
    std::string who;  ///< for errors: class, entry and PE
    operation by;
    std::exception_ptr thrown;
    Result value{};
  };

  /// `what`: a Python coroutine, or an `ended_coroutine` for a plain entry.
  template <class What>
  explicit coroutine_entry(What what, std::string who, operation by = {})
      : body_(std::make_unique<body>(std::move(what), std::move(who), std::move(by))) {}
  body* release() { return body_.release(); }

 private:
  std::unique_ptr<body> body_;
};

class object_base;

/// The Python base class of imbrex.Chare.
struct chare_object {
  PyObject ob_base;
  object_base* home;  ///< null if the object is not a chare of a run

  static inline PyTypeObject* type = nullptr;
  static void define(nb::module_& m);
};

/// The part of a Python chare that does not depend on its index type. Used by the chare's PE only.
class object_base {
 public:
  object_base() = default;
  object_base(const object_base&) = delete;
  object_base& operator=(const object_base&) = delete;

  entry_name constructor_name() const { return class_->constructor().number; }
  /// "Block.halo"
  std::string_view shown_port_name(const void* mailbox) const;
  PyObject* self() const { return self_; }
  class_record& of() const { return *class_; }
  /// "Block(2), entry run, on PE 1"
  std::string who(const member_record& entry) const;

  virtual nb::object where() const = 0;
  virtual proxy self_proxy() const = 0;
  virtual proxy peers() const = 0;
  virtual int pe() const = 0;
  virtual nb::object all_reduce(contribution value) = 0;
  virtual nb::object all_reduce_over(const proxy& section, contribution value) = 0;
  virtual void migrate_to(int pe) = 0;
  virtual void destroy_self() = 0;
  /// An awaitable: if the chare migrates, `entry` begins at the destination with these arguments.
  virtual nb::object balance_point(const member_record& entry, encoder& arguments) = 0;
  // Called by the runtime for balancers.
  /// The load that the class expects; empty: the measured one counts.
  std::optional<double> expected_load() const;
  void departs() const;
  void arrived() const;
  /// Called by the runtime: adds the device memory of unread values.
  void collect_unread(std::vector<detail::attachment*>& parts) {
    for (const auto& p : ports_) p->values().collect_unread(parts);
  }

 protected:
  ~object_base();

  /// Makes the Python object from the constructor's arguments.
  void construct(entry_name constructor, const parcel& arguments);
  /// Calls an entry and returns its result. Throws Python's exception unconverted.
  nb::object invoke(const member_record& entry, decoder& arguments);
  /// Calls a plain entry. Throws nb::type_error if it returns a coroutine.
  nb::object call_function(const member_record& entry, decoder& arguments);
  void call_and_drop(entry_name which, decoder arguments);
  loaded_parcel call_plain(entry_name which, decoder arguments);
  contribution call_plain_for(entry_name which, const operation& by, decoder arguments);
  nb::object call_coroutine(const member_record& entry, decoder arguments);
  void put_value(entry_name port, std::int64_t reference, loaded_parcel value);

  /// The object's state for a migration, or for a checkpoint, with names in place of numbers.
  parcel packed_state(extension::name_writer* names) const;
  void unpack(entry_name constructor, const parcel& state, extension::name_reader* names);

  template <class Archive>
  void serialize_base(Archive& ar) {
    auto* const names = extension::names_of(ar);
    entry_name constructor;
    if constexpr (!Archive::reading) constructor = constructor_name();
    if (names != nullptr)
      extension::archive_durably(*names, constructor, ar);
    else
      ar(constructor);
    if constexpr (Archive::reading) {
      parcel state;
      ar(state);
      unpack(constructor, state, names);
    } else {
      ar(packed_state(names));
    }
    if (names != nullptr) return serialize_named_ports(ar);
    for (const auto& p : ports_) p->serialize(ar);
  }

  /// True if the class makes a group's chare out of those of another number of PEs, by `merge`.
  bool can_merge() const;
  void merge_objects(const std::vector<const object_base*>& old);

 private:
  /// Ports by their names, since the class may get others.
  template <class Archive>
  void serialize_named_ports(Archive& ar) {
    auto count = static_cast<std::uint64_t>(ports_.size());
    ar(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string name;
      if constexpr (!Archive::reading) name = ports_[i]->of().name;
      ar(name);
      port_named(name).serialize(ar);
    }
  }
  port& port_named(const std::string& name) const;
  void adopt(class_record& c);
  void set_ports();
  nb::object call_for_balancer(PyObject* method, const char* name) const;

  class_record* class_ = nullptr;
  PyObject* self_ = nullptr;
  std::vector<std::shared_ptr<port>> ports_;
};

/// Throws the error for a balance point that is not awaited by an entry of the chare itself.
[[noreturn]] void refuse_balance_point(const object_base& of);

/// Stores a coroutine's encoded result, or its exception in a form that can be sent.
void finish(coroutine_entry<loaded_parcel>::body& ended);
void finish(coroutine_entry<contribution>::body& ended);

}  // namespace imbrex::python

template <class Result>
struct imbrex::entry_body<imbrex::python::coroutine_entry<Result>> {
  using result = Result;
  using body = typename imbrex::python::coroutine_entry<Result>::body;

  static void* release(imbrex::python::coroutine_entry<Result>&& entry) {
    return static_cast<imbrex::python::coroutine*>(entry.release());
  }
  static bool start(void* b, scope& entry, const waiter& awaiter) { return of(b).start(entry, awaiter); }
  static std::exception_ptr take_error(void* b) {
    finish(of(b));
    return std::move(of(b).thrown);
  }
  static Result take_result(void* b) { return std::move(of(b).value); }
  static void destroy(void* b) noexcept { delete &of(b); }
  static constexpr body_kind kind{&destroy, false, &imbrex::python::place_of_coroutine};

 private:
  static body& of(void* b) { return static_cast<body&>(*static_cast<imbrex::python::coroutine*>(b)); }
};
