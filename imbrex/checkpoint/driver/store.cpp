// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/store.hpp>

#include <filesystem>
#include <span>
#include <system_error>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/lost_process.hpp>

namespace imbrex::checkpoints::detail {

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::optional<restart_source> open_source(const std::string& path) {
  if (path.empty()) return std::nullopt;
  try {
    return restart_source(path);
  } catch (const imbrex::error& e) {
    throw usage_error("--restart " + path + ": " + e.what());
  }
}

section_kind kind_of(extension::array_kind kind) {
  switch (kind) {
    case extension::array_kind::singles: return section_kind::single;
    case extension::array_kind::group: return section_kind::group;
    case extension::array_kind::process_group: return section_kind::process_group;
    default: return section_kind::array;
  }
}

/// The message that calls an element's stopped entry again, after a restart; null if none has stopped.
auto* restart_of(const chare_header& element) {
  const auto stopped = extension::point_stop::entries_of(element);
  if (stopped.size() > 1)
    throw imbrex::error(
        element.home->element_name(element) + " has " + std::to_string(stopped.size()) +
        " entries at balance points, and only one can be saved: let it have one that runs long");
  return stopped.empty() ? nullptr : stopped.front()->restart();
}

/// True if the process has another PE.
bool shares_process() {
  const extension::current_pe pe;
  return (pe.number() > 0 && pe.run().holds(pe.number() - 1)) ||
         (pe.number() + 1 < pe.count() && pe.run().holds(pe.number() + 1));
}

/// Groups without `serialize` are made anew in each run, as arrays without a name are.
bool is_saved(const extension::part_here& part, const extension::saved_array& what) {
  const bool is_group =
      what.kind == extension::array_kind::group || what.kind == extension::array_kind::process_group;
  if (what.name.empty() || (is_group && !part.can_be_written())) return false;
  return what.kind != extension::array_kind::singles || !part.elements().empty();
}

}  // namespace

std::string program_name() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).filename().string();
}

process_store::process_store(const checkpoint_settings& settings, const extension::run_handle& run,
                             bool is_first_of_host)
    : memory_(settings.folder, is_first_of_host), run_(run), source_(open_source(settings.restart)) {
  if (!leads() || !source_) return;
  for (const std::string& why : source_->chosen().passed_over)
    log(log_level::warning, "--restart " + settings.restart + " passes over a checkpoint: " + why);
  note_try(source_->chosen().path);
  values_ = source_->values();
}

process_store::~process_store() {
  memory_.end(run_.status() == restartable_status);
  if (!leads() || !source_) return;
  // A wrong option is no fault of the checkpoint.
  const bool has_ended_well = run_.status() == 0 || run_.status() == usage_error::exit_status;
  if (has_ended_well) forget_tries(source_->chosen().path);
}

void process_store::set_schema(const std::string& array, extension::schema_function schema) {
  const std::lock_guard hold(lock_of_schemas_);
  schemas_[array] = schema;
}

void process_store::set_value(const std::string& name, saved_value value) {
  const std::lock_guard hold(lock_);
  values_[name] = std::move(value);
}

void process_store::begin(const checkpoint_identity& which) {
  const extension::current_pe pe;
  image_.begin({.number = which.number,
                .run = which.run,
                .process = pe.run().process(),
                .processes = pe.run().processes(),
                .pes = pe.count(),
                .program = program_name()});
  number_ = which.number;
  sections_.clear();
  tables_.clear();
  for (const auto& [name, its] : values_) {
    const int section = image_.open_section({section_kind::value, name, its.schema});
    image_.begin_record(section, {}).bytes(its.bytes.data(), its.bytes.size());
    image_.end_record();
  }
}

process_store::saved_section& process_store::section_of(const extension::part_here& part,
                                                        const extension::saved_array& what) {
  const auto at = sections_.find(what.name);
  if (at != sections_.end()) return at->second;
  const std::lock_guard hold(lock_of_schemas_);
  const auto describe = schemas_.find(what.name);
  const bool is_known = describe != schemas_.end() && part.can_be_written();
  const int number = image_.open_section({kind_of(what.kind), what.name,
                                          is_known ? part.schema_by(describe->second) : class_schema{},
                                          attributes_of(what)});
  return sections_[what.name] = {.number = number};
}

void process_store::fetch(extension::members_to_write& members) {
  for (const extension::part_here& part : extension::parts_here())
    if (is_saved(part, part.description()))
      for (chare_header* const e : part.elements()) members.fetch(*e);
}

void process_store::save(const checkpoint_identity& which, extension::members_to_write& members) {
  writing all{.own = {.pe = extension::current_pe().number()}, .names = extension::names_to_write(&members)};
  if (shares_process()) write_ahead(all);
  const std::lock_guard hold(lock_);
  if (number_ != which.number) begin(which);
  for (const extension::part_here& part : extension::parts_here()) save(part, all);
  all.own.names = all.names.table();
  tables_.push_back(std::move(all.own));
}

std::uint64_t process_store::count_here(extension::members_to_write& members) const {
  extension::names_to_write names(&members);
  writer counted(writer::counting);
  for (const extension::part_here& part : extension::parts_here()) {
    if (is_left_out(part, part.description())) continue;
    for (chare_header* const e : part.elements()) part.write(*e, restart_of(*e), names, counted);
  }
  return counted.size();
}

/// Writes elements of classes that are named at run time. While an interpreter pickles, it may have to stop
/// its other threads, and a thread that waits for the lock does not stop.
void process_store::write_ahead(writing& all) {
  for (const extension::part_here& part : extension::parts_here()) {
    if (!part.is_of_named_class() || is_left_out(part, part.description())) continue;
    for (chare_header* const e : part.elements()) {
      writer out;
      part.write(*e, restart_of(*e), all.names, out);
      all.ahead[e] = out.take();
    }
  }
}

/// True of what is not saved. That includes groups of classes that are named at run time, unless the program
/// restores them: any class of Python can be pickled, and each run makes its groups anew.
bool process_store::is_left_out(const extension::part_here& part, const extension::saved_array& what) const {
  if (!is_saved(part, what)) return true;
  const bool is_group =
      what.kind == extension::array_kind::group || what.kind == extension::array_kind::process_group;
  if (!is_group || !part.is_of_named_class()) return false;
  const std::lock_guard hold(lock_of_schemas_);
  return !schemas_.contains(what.name);
}

void process_store::save(const extension::part_here& part, writing& all) {
  const extension::saved_array what = part.description();
  if (is_left_out(part, what)) return;
  saved_section& into = section_of(part, what);
  part.check_at_rest();
  writer sections;
  auto numbers = part.write_sections(all.names, sections);
  if (!numbers.empty()) all.own.sections.push_back({what.name, std::move(numbers), sections.take()});
  if (!part.elements().empty()) into.origins.emplace_back(into.records, all.own.pe);
  for (chare_header* const e : part.elements()) {
    if (what.kind == extension::array_kind::singles) all.own.singles.emplace_back(what.name, part.single(*e));
    writer key;
    part.write_key(*e, all.names, key);
    writer& out = image_.begin_record(into.number, key.written());
    const auto ahead = all.ahead.find(e);
    if (ahead != all.ahead.end())
      out.bytes(ahead->second.data(), ahead->second.size());
    else
      part.write(*e, restart_of(*e), all.names, out);
    image_.end_record();
    ++into.records;
  }
}

part_image& process_store::seal() {
  const std::lock_guard hold(lock_);
  const int of_tables = image_.open_section({section_kind::value, section_of_tables});
  for (const tables_of_pe& each : tables_) {
    image_.begin_record(of_tables, {})(each);
    image_.end_record();
  }
  const int of_origins = image_.open_section({section_kind::value, section_of_origins});
  for (const auto& [name, its] : sections_) {
    image_.begin_record(of_origins, bytes_of(name))(its.origins);
    image_.end_record();
  }
  image_.seal();
  return image_;
}

}  // namespace imbrex::checkpoints::detail
