// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/mpi/object/attribute_set.hpp>
#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/error_handler.hpp>
#include <imbrex/mpi/object/info.hpp>

namespace imbrex::mpi {

/// The object behind a window's handle.
class window_object : public counted, public error_target {
 public:
  using error_target::error_target;
  virtual ~window_object() = default;

  std::string name;
  attribute_set attributes;
  info hints;
};

}  // namespace imbrex::mpi
