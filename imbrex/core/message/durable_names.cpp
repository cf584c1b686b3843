// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/durable_names.hpp>

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void name_writer::give(attachment& /*part*/, std::size_t /*size*/) {
  throw error("an archive that writes was asked for an attachment");
}

void name_reader::take(attachment& /*part*/) { throw error("an archive that reads was given an attachment"); }

void refuse_to_save(std::string_view type, std::string_view why) {
  throw error("a value of type " + std::string(type) + " is among its members, which " + std::string(why));
}

}  // namespace imbrex::detail
