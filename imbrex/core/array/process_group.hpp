// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/pe/parallel_for.hpp>

namespace imbrex {
namespace detail {

/// The first PE of a process; the process's chare of a process group is on this PE.
int first_pe_of(int process);
int number_of_processes();
int process_of_this_pe();

/// The placement of process groups: element i stays on the first PE of process i.
struct process_placement {
  int operator()(const index<1>& process, const index<1>&, int) const { return first_pe_of(process[0]); }
};
template <>
inline constexpr bool stays_on_its_pe<process_placement> = true;

/// A function to be called with a chare on the chare's PE. The object lies in the frame that awaits the end,
/// in the same process. The call is a loop of one chunk.
template <class T>
class chare_call : public shared_loop {
 public:
  explicit chare_call() : shared_loop(1) {}
  /// Sets the chare; on its PE, before the call.
  void give(T& chare) { chare_ = &chare; }

 protected:
  T& chare() const { return *chare_; }

 private:
  T* chare_ = nullptr;
};

template <class T, class F>
class typed_chare_call final : public chare_call<T> {
 public:
  using result_type = std::invoke_result_t<F&, T&>;

  explicit typed_chare_call(F& function) : function_(function) {}
  /// The result; after the end of the call.
  storable<result_type> take_result() { return std::move(*result_); }

 private:
  void run(std::uint64_t) override {
    if constexpr (std::is_void_v<result_type>) {
      std::apply(function_, std::tie(this->chare()));
      result_.emplace();
    } else {
      result_.emplace(std::apply(function_, std::tie(this->chare())));
    }
  }

  F& function_;
  std::optional<storable<result_type>> result_;
};

/// Sent by a PE to the PE of its process's chare.
template <class T>
struct chare_call_message final : element_message<key_type<typename T::index_type>> {
  std::shared_ptr<chare_call<T>> call;

  chare_call_message() = default;
  explicit chare_call_message(std::shared_ptr<chare_call<T>> c) : call(std::move(c)) {
    this->is_object = true;
  }

  static inline message_type type_record =
      runtime_message_type<chare_call_message>({"call in a process", shown_type<T>::name});
  void serialize(auto&) {}  // the message never leaves its process
  void deliver() {
    deliver_to_element<T>(*this, [this](chare_header& e) {
      const message_guard guard(*this);
      const element_work runs(e.home->pe(), e);
      call->give(element_memory<T>::object(e));
      call->run_chunk();
    });
  }
};

template <class T, class F>
task<std::invoke_result_t<F&, T&>> call_in_process(array<T> members, F function) {
  auto& pe = processor::here();
  const std::uint64_t number = pe.number_of(members.collection());
  if (auto* part = pe.collection(number))
    checked<T>(*part);
  else
    pe.check_run(number, shown_type<T>::name);
  const auto call = std::make_shared<typed_chare_call<T, F>>(function);
  const loop_guard guard(call);
  pending<void> ended("the end of a call in this process");
  call->answer(pe, ended.address());
  const int process = process_of_this_pe();
  auto& m = make_message<chare_call_message<T>>(call);
  m.collection = number;
  m.key = static_cast<std::uint64_t>(process);
  m.priority = members.priority();
  m.reply = ended.address();
  pe.dispatch(m, first_pe_of(process));
  co_await ended;
  if constexpr (!std::is_void_v<std::invoke_result_t<F&, T&>>) co_return call->take_result();
}

}  // namespace detail

/// The proxy of a process group: one chare in each process of the job, fixed on the process's first PE. Meant
/// for data that the PEs of a process share: a table, a file, a cache. Made by `make_process_group`.
template <class T>
class process_group {
 public:
  using chare_type = T;  ///< class of the chares

  process_group() = default;
  /// For the runtime: the group whose chares are the elements of this array.
  explicit process_group(array<T> members) : members_(members) {}

  /// The chare of this process, with this proxy's priority. Throws imbrex::error if there is no such process.
  element<T> operator[](int process) const { return members_[process]; }
  /// Number of processes of the job.
  int size() const { return members_.shape()[0]; }
  /// Becomes ready when all chares of the group exist: see array::created.
  pending<void> created() const { return members_.created(); }
  /// Destroys the group: see array::destroy.
  pending<void> destroy() const { return members_.destroy(); }

  /// Calls a function with the chare of this PE's process, on the chare's PE. No entry of the chare runs
  /// meanwhile. The result, which may be void, is awaited: `const int n = co_await tables.local([&](table& t)
  /// { return t.find(key); });`. Nothing is packed, so the function may refer to objects that outlive the
  /// await. The function must not wait. co_await throws the exceptions of the function, and imbrex::error if
  /// the chare has been destroyed. The cost is one message in each direction within the process; on the
  /// chare's PE they go through the queue.
  template <class F>
    requires std::invocable<F&, T&>
  task<std::invoke_result_t<F&, T&>> local(F function) const {
    static_assert(
        !std::is_reference_v<std::invoke_result_t<F&, T&>>,
        "imbrex: a function for `local` returns a value: the chare may change once it has returned");
    return detail::call_in_process<T, F>(members_, std::move(function));
  }

  template <auto M, class Op, class... A>
  auto reduce(Op operation, A&&... arguments) const {
    return members_.template reduce<M>(operation, std::forward<A>(arguments)...);
  }
  /// Reports a missing operation at compile time.
  template <auto M>
  auto reduce() const {
    return detail::refuse_no_operation<typename detail::traits_of<M>::result>();
  }
  /// Calls an entry of each process's chare; the result is ready when all have ended.
  template <auto M, class... A>
  pending<void> call(A&&... arguments) const {
    return members_.template call<M>(std::forward<A>(arguments)...);
  }
  /// A proxy of the group whose messages have this priority, -32 to 31, lower first.
  process_group with_priority(detail::priority_number priority) const {
    return process_group(members_.with_priority(priority));
  }

  /// The chares as an array, with one index for each process.
  const array<T>& members() const { return members_; }
  void serialize(auto& ar) { ar(members_); }
  auto operator<=>(const process_group& other) const = default;

 private:
  array<T> members_;
};

/// Sends a message to the chare of each process.
template <auto M, class T, class... A>
void send(const process_group<T>& to, A&&... arguments) {
  send<M>(to.members(), std::forward<A>(arguments)...);
}

/// Creates a process group: one chare in each process, constructed from copies of the arguments. where()[0]
/// is the process number.
template <class T, class... A>
process_group<T> make_process_group(const A&... constructor_arguments) {
  static_assert(std::is_same_v<typename T::index_type, index<1>>,
                "imbrex: the chares of a process group have the index type index<1>");
  const index<1> shape(detail::number_of_processes());
  return process_group<T>(
      detail::create_array<T>(dense(shape).placed(detail::process_placement{}), constructor_arguments...));
}

}  // namespace imbrex
