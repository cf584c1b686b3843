// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <imbrex/core/message/message.hpp>

namespace imbrex::detail {

/// The record of a runtime message kind that may have attachments, as `runtime_message_type` makes it for
/// others. A message that has some sets `has_attachments` and lists its parts by `collect`.
template <class M>
struct record_of_parts : message_type {
  explicit record_of_parts(const message_purpose& meant, attachment_use use = attachment_use::message)
      : message_type(type_name<M>(), {}, {}, functions_of<M>(spelled.data()), meant, named_kind_of<M>()) {
    own_.use = use;
    constexpr bool collects = requires(M& m, std::vector<attachment*>& found) { m.collect(found); };
    if constexpr (collects) own_.collect = &collect_from<M>;
    if constexpr (requires(const M& m) { m.is_repeated; })
      own_.is_repeated = [](const work& m) { return static_cast<const M&>(m).is_repeated; };
    this->attachments = &own_;
  }

 protected:
  attachment_type own_;

 private:
  static constexpr std::string_view display_name = short_name(type_name<M>());
  static constexpr auto spelled = joined<display_name.size()>({display_name});
};

}  // namespace imbrex::detail
