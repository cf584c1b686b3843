// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/python/port.hpp>

namespace imbrex::python {

/// The Python object that a chare has as the attribute of a port; its entries receive from it.
struct port_object {
  PyObject ob_base;
  std::shared_ptr<port> its;

  static inline PyTypeObject* type = nullptr;
  static void define(nb::module_& m);
};

nb::object new_port_object(std::shared_ptr<port> its);

}  // namespace imbrex::python
