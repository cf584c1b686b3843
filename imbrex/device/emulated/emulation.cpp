// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/emulation.hpp>

#include <imbrex/device/check.hpp>

namespace imbrex::emulated {
namespace {

thread_local bool inside_host_function = false;

}  // namespace

emulation::session::session(emulation& of, host_call what, std::size_t operations) : of_(of) {
  if (inside_host_function)
    detail::refuse_misuse("a host function uses a device, which CUDA forbids; let it notify another thread");
  of.enter();
  moment_ = of.charge(what, operations);
}

std::exception_ptr emulation::run(const operation& op) {
  inside_host_function = op.kind == operation_kind::host_function;
  std::exception_ptr thrown;
  try {
    op.body();
  } catch (...) {
    thrown = std::current_exception();
  }
  inside_host_function = false;
  return thrown;
}

}  // namespace imbrex::emulated
