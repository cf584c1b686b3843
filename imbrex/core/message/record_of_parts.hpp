// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <imbrex/core/message/attachments.hpp>
#include <imbrex/core/message/message.hpp>

namespace imbrex::detail {

/// The record of a runtime message kind that may have attachments, as `runtime_message_type` makes it for
/// others. A message that has some sets `has_attachments` and lists its parts by `collect`.
template <class M>
struct record_of_parts : message_type {
  explicit record_of_parts(const message_purpose& meant, attachment_use as = attachment_use::message)
      : message_type(type_name<M>(), {}, {}, functions_of<M>(spelled.data()), meant, named_kind_of<M>()) {
    this->step = as;
    constexpr bool collects = requires(M& m, std::vector<attachment*>& parts) { m.collect(parts); };
    if constexpr (collects)
      this->device_parts = [](work& m, std::vector<attachment*>& parts) {
        static_cast<M&>(m).collect(parts);
      };
  }

 private:
  static constexpr std::string_view display_name = short_name(type_name<M>());
  static constexpr auto spelled = joined<display_name.size()>({display_name});
};

}  // namespace imbrex::detail
