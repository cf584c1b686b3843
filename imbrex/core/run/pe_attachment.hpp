// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <imbrex/sched/scheduler.hpp>

namespace imbrex {

/// Attaches observers to the PEs of runs. As long as this object exists, `attach` is called with each PE of
/// each run that this process begins. It is also called with the run's communication thread (whose number is
/// `scheduler::no_pe`). The call is on the thread that begins the run, before the PE runs. Attached observers
/// must outlive the run. For front ends and balancers.
class pe_attachment {
 public:
  using function = std::function<void(detail::scheduler& pe)>;

  explicit pe_attachment(function attach);
  ~pe_attachment();
  pe_attachment(const pe_attachment&) = delete;
  pe_attachment& operator=(const pe_attachment&) = delete;

  /// For the runtime: calls `attach` of all existing objects.
  static void attach_all(detail::scheduler& pe);

 private:
  const function attach_;
};

}  // namespace imbrex
