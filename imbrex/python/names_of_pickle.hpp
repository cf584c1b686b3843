// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/extension/durable_names.hpp>

namespace imbrex::python {

/// While it lives, proxies that pickle meets on this thread have names in place of numbers, unless `names` is
/// null.
class names_of_pickle {
 public:
  explicit names_of_pickle(extension::name_writer* names);
  explicit names_of_pickle(extension::name_reader* names);
  names_of_pickle(const names_of_pickle&) = delete;
  names_of_pickle& operator=(const names_of_pickle&) = delete;
  ~names_of_pickle();

  /// The names in use; null if there are none.
  static extension::name_writer* to_write();
  static extension::name_reader* to_read();

 private:
  extension::name_writer* writer_before_;
  extension::name_reader* reader_before_;
};

}  // namespace imbrex::python
