// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/callback_stack.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/mpi/rank/program.hpp>

namespace imbrex::mpi {

using extension::current_pe;

std::unique_ptr<fiber> make_stack(const program& of, int number, fiber::function body, void* object,
                                  std::byte* place) {
  try {
    return std::make_unique<fiber>(of.stack, body, object, of.code, boost_switch, place);
  } catch (const imbrex::error& e) {
    throw imbrex::error("rank " + std::to_string(number) + ": " + e.what() +
                        "; --rank-stack sets the size for all ranks");
  }
}

void callback_stack::body(void* self) {
  auto& its = *static_cast<callback_stack*>(self);
  for (;;) {
    try {
      its.function_(its.object_);
    } catch (...) {
      its.error_ = std::current_exception();
    }
    its.is_over_ = true;
    its.stack_->leave();
  }
}

void callback_stack::prepare() {
  if (!stack_) stack_ = make_stack(program_, number_, &callback_stack::body, this);
}

bool callback_stack::run(void (*function)(void* object), void* object) {
  function_ = function;
  object_ = object;
  error_ = nullptr;
  is_over_ = false;
  is_running_ = true;
  stack_->enter();
  is_running_ = false;
  return is_over_ && !error_;
}

void callback_stack::throw_failure() const {
  const std::string who = "rank " + std::to_string(number_) + ", a function that MPI has called";
  if (is_over_) current_pe().run().fail(who + ": " + extension::describe(error_));
  throw imbrex::error(who + ", has ended the run");
}

void callback_stack::refuse(const std::string& what) const {
  current_pe().run().fail("rank " + std::to_string(number_) + " " + what +
                          " in a function that MPI has called for a collective under way; such a "
                          "function computes, and calls no function of MPI that waits");
}

}  // namespace imbrex::mpi
