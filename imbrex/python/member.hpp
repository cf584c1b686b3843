// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/python/array_kind.hpp>

namespace imbrex::python {

/// `proxy.run`: a member of the chares that a proxy names.
struct member_object {
  PyObject ob_base;
  PyObject* target;  ///< the proxy: a proxy_object
  const member_record* its;

  static inline PyTypeObject* type = nullptr;
  static void define(nb::module_& m);
};

PyObject* new_member(PyObject* target, const member_record& m);

}  // namespace imbrex::python
