// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/host/nvtx_tool.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex::detail {

/// Gives a tool of NVTX a range for each piece of an entry on one PE: from its begin or the end of a wait to
/// the next wait or its end (`--nvtx`). Ranges have the names of traces. They are started and ended, not
/// pushed and popped, so pieces of other entries may lie between.
class nvtx_ranges final : public observer {
 public:
  explicit nvtx_ranges(const nvtx_tool& tool) : tool_(tool) {}

  void item_begins(const work& item) override;
  void item_ends() override { end(); }
  void turn_begins(const local_array& part, const chare_header& element, const work_type& entry,
                   const work& broadcast) override;
  void turn_ends() override { end(); }
  void suspended(const suspension& what) override;
  void resumed(const suspension& what) override;

 private:
  void start(const char* name);
  void start(const message& m);
  void end();

  const nvtx_tool& tool_;
  std::optional<std::uint64_t> running_;
  /// Names by the kind of a message and the kind that reports show.
  std::map<std::pair<const message_type*, const message_type*>, std::string> names_;
};

}  // namespace imbrex::detail
