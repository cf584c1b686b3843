// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names in place of numbers, in what outlives a run.

#include <imbrex/core/message/durable_names.hpp>
#include <imbrex/core/message/named_entry.hpp>

namespace imbrex::extension {

/// `name_writer` writes names for the numbers of arrays, keys, sections and entries; `name_reader` reads the
/// numbers that they have in this run.
using detail::name_reader;
using detail::name_writer;
/// `names_of(archive)`: the names that an archive uses; null if numbers stay numbers.
using detail::names_of;
/// `archive_durably(names, which, archive)`: writes or reads the name of an entry that is named at run time.
/// A type of a front end that has another form in what outlives a run has such functions beside it. They
/// serve for arguments of entries, and for values of mailboxes.
using detail::archive_durably;

}  // namespace imbrex::extension
