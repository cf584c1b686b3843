// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/tools/checkpoint/contents.hpp>

namespace imbrex::tools {

/// A table of the checkpoints of a folder.
std::string list_text(const std::string& path, const std::vector<checkpoints::listed_checkpoint>& all);

/// A table of the sections of a checkpoint. `with_classes`: also their schemas.
std::string contents_text(const checkpoint_contents& contents, bool with_classes);

/// The differences of two checkpoints, record by record.
struct checkpoint_difference {
  std::string text;
  bool is_equal = true;
};
checkpoint_difference compare(const checkpoint_contents& left, const checkpoint_contents& right);

}  // namespace imbrex::tools
