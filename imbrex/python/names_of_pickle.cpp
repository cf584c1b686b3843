// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/names_of_pickle.hpp>

#include <utility>

namespace imbrex::python {

namespace {

thread_local extension::name_writer* names_to_write = nullptr;
thread_local extension::name_reader* names_to_read = nullptr;

}  // namespace

names_of_pickle::names_of_pickle(extension::name_writer* names)
    : writer_before_(std::exchange(names_to_write, names)), reader_before_(names_to_read) {}
names_of_pickle::names_of_pickle(extension::name_reader* names)
    : writer_before_(names_to_write), reader_before_(std::exchange(names_to_read, names)) {}
names_of_pickle::~names_of_pickle() {
  names_to_write = writer_before_;
  names_to_read = reader_before_;
}

extension::name_writer* names_of_pickle::to_write() { return names_to_write; }
extension::name_reader* names_of_pickle::to_read() { return names_to_read; }

}  // namespace imbrex::python
