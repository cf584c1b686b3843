// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/saver.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/checkpoint/driver/restoration.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/extension/device.hpp>
#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex::checkpoints::detail {

namespace {

/// The elements have so many chances to meet before a request fails.
constexpr int most_tries_to_meet = 3;
/// The time for which it is tried to meet without executors. They often live for one operation of a thread.
constexpr nanoseconds first_patience = std::chrono::milliseconds(5);
constexpr nanoseconds most_patience = std::chrono::milliseconds(500);

struct saver_of_pe {
  saver* here = nullptr;
};

const checkpoint_settings& settings_here() { return extension::current_pe().run().settings().checkpoint; }

std::uint64_t number_by_chance() {
  std::random_device chance;
  return (std::uint64_t{chance()} << 32U) | chance();
}

double seconds_since(nanoseconds moment) { return std::chrono::duration<double>(now() - moment).count(); }

/// True if copies for other hosts only take time: all hosts are in this process.
bool models_copies() {
  const extension::current_pe pe;
  const options& settings = pe.run().settings();
  return settings.machine == machine_kind::simulated && pe.count() > 1 &&
         settings.checkpoint.hosts != checkpoint_hosts::shared;
}

void commit_now(const checkpoint_folder& folder, const manifest& contents, int kept) {
  folder.commit(contents);
  folder.prune(kept);
}

/// The first problem of several PEs; empty if there is none.
std::string first_of(const auto& problems) {
  for (const std::string& each : problems)
    if (!each.empty()) return each;
  return {};
}

}  // namespace

saver::saver()
    : store_(*store_here()),
      writer_([this, pe = extension::pe_poster()] { pe.post([this] { finish_work(); }); }) {
  extension::current_pe().local<saver_of_pe>().here = this;
  extension::stop_here().leave_out(extension::header_of(*this));
  begin_period(0);
  if (leads()) {
    run_ = number_by_chance();
    all_elements_ = std::make_unique<extension::rendezvous>();
    checkpoint_settings by_clock = settings_here();
    if (!extension::current_pe().run().is_on_threads()) by_clock.every_time = nanoseconds(0);
    triggers_ = std::make_unique<triggers>(by_clock, [this] { request_unasked(); });
  }
}

saver::~saver() {
  const bool writes = writer_.is_busy();
  const written_outcome last = writes ? writer_.wait() : written_outcome{};
  if (!leads() || !is_busy_ || is_committing_) return;
  // The run has ended. Only a part that no other process adds to can still become a checkpoint.
  const bool is_whole = writes && last.problem.empty() && now_.parts.size() == 1 && now_.parts_missing == 1;
  if (!is_whole) {
    remove_unfinished();
    return;
  }
  now_.parts.front() = last.part;
  try {
    commit_now(now_.folder, contents(), settings_here().keep);
  } catch (const std::exception& e) {
    log(log_level::warning, std::string("checkpoint: ") + e.what());
  }
}

saver* saver::here() { return extension::current_pe().local<saver_of_pe>().here; }

/// Lets elements count their balance points to the next checkpoint: `--checkpoint-every N`, and in simulated
/// time `--checkpoint-every TIME`, which is compared at each point.
void saver::rearm() {
  const extension::run_handle run = extension::current_pe().run();
  auto* const meter = extension::load_meter::here();
  if (!counts_points(run.settings()) || meter == nullptr) return;
  const std::uint64_t points = std::max<std::uint64_t>(1, settings_here().every_points);
  const std::uint64_t elements = extension::local_loads::here().elements().size();
  const auto is_due = [this] {
    if (!is_due_now()) return rearm();
    send<&saver::end_period>(peers()[0], period_);
  };
  // The first element tells how many there are.
  if (elements == 0) return meter->call_after_points(1, [this] { rearm(); });
  meter->call_after_points(points * elements, is_due);
}

bool saver::is_due_now() const { return now() >= period_began_ + settings_here().every_time; }

void saver::begin_period(std::uint64_t number) {
  period_ = number;
  period_began_ = now();
  rearm();
}

void saver::end_period(std::uint64_t number) {
  if (number == begun_) request_unasked();
}

void saver::request(promise<checkpoint_result> result, const std::string& folder) {
  next_callers_.push_back({result, folder});
  begin_next();
}

void saver::request_unasked() {
  is_due_ = is_busy_;
  begin_next();
}

void saver::begin_next() {
  if (is_busy_) return;
  is_busy_ = true;
  ++begun_;
  now_ = {};
  now_.began = now();
  take_callers();
  send<&saver::make>(self());
}

/// The first caller's folder is that of the next checkpoint. Others who name the same share it.
void saver::take_callers() {
  const std::string& usual = settings_here().folder;
  const std::string folder = next_callers_.empty() ? usual : next_callers_.front().folder;
  now_.folder = checkpoint_folder(folder);
  std::vector<caller> others;
  for (caller& each : next_callers_)
    if (each.folder == folder)
      callers_.push_back(each.result);
    else
      others.push_back(std::move(each));
  next_callers_ = std::move(others);
  if (folder == usual) is_due_ = false;
}

task<> saver::make() {
  if (have_hosts_own_folders() && !hosts_.keepers) co_await prepare_hosts();
  std::string problem = co_await meet();
  if (problem.empty()) problem = co_await save_all();
  if (!problem.empty()) send<&saver::begin_period>(peers(), begun_);
  // The elements stand until here.
  co_await all_elements_->end();
  if (!problem.empty()) co_return finish(problem);
  const auto processes = extension::current_pe().run().processes();
  now_.parts.resize(static_cast<std::size_t>(processes));
  now_.parts_missing = processes;
  if (!callers_.empty() && extension::current_pe().run().is_on_threads()) awake_ = make_executor();
  send<&saver::write>(peers(), now_.which);
}

/// Lets the hosts agree on the next number, and on who protects whom.
task<> saver::prepare_hosts() {
  const auto keepers = make_group<parity_keeper>();
  std::vector<process_place> places;
  for (const auto& each : co_await keepers.reduce<&parity_keeper::place>(gather))
    if (each) places.push_back(*each);
  co_await keepers.call<&parity_keeper::learn>(places);
  last_number_ = std::max(last_number_, co_await keepers.reduce<&parity_keeper::largest_number>(max));
  co_await peers().call<&saver::use>(keepers);
  const restart_source* const source = store_.source();
  if (source == nullptr) co_return;
  const std::uint64_t number = source->chosen().contents.number;
  if (source->chosen().path == checkpoint_folder(settings_here().folder).path_of(number))
    hosts_.kept.push_back(number);
}

void saver::use(const group<parity_keeper>& keepers) { hosts_.keepers = keepers; }

/// Lets all elements meet. Returns who stood in the way.
task<std::string> saver::meet() {
  nanoseconds patience = first_patience;
  for (int attempt = 1;;) {
    now_.stop_began = imbrex::now();
    const extension::standing_elements met = co_await all_elements_->begin();
    if (met.are_all()) co_return std::string();
    const bool is_last = met.have_executors ? patience > most_patience : attempt++ == most_tries_to_meet;
    if (is_last)
      co_return "elements could not meet at balance points, and these stood in the way:" + met.waiting.text();
    co_await all_elements_->end();
    if (!met.have_executors) continue;
    co_await sleep_for(patience);
    patience *= 2;
  }
}

/// Copies all into the parts. Returns why that is not possible.
task<std::string> saver::save_all() {
  try {
    warn_of_arrays_left_out();
    last_number_ = now_.folder.create_next(last_number_);
    now_.which = {last_number_, run_, now_.folder.path_of(last_number_)};
  } catch (const imbrex::error& e) {
    co_return e.what();
  }
  std::string problem = first_of(co_await peers().reduce<&saver::save>(gather, now_.which, begun_));
  now_.seconds_stopped = seconds_since(now_.stop_began);
  co_return problem;
}

task<std::string> saver::save(const checkpoint_identity& which, std::uint64_t period) {
  begin_period(period);
  std::string problem;
  try {
    extension::members_to_write members;
    process_store::fetch(members);
    if (members.last() != nullptr) co_await members.last()->done();
    store_.save(which, members);
    if (models_copies()) bytes_here_ = store_.count_here(members);
  } catch (const std::exception& e) {
    problem = e.what();
  }
  co_return problem;
}

void saver::write(const checkpoint_identity& which) {
  if (!is_first_of_process()) return;
  const std::string file = path_of_part(which.path, extension::current_pe().run().process());
  try {
    if (hosts_.keepers) std::filesystem::create_directories(which.path);
    now_.which = which;
    writer_.write(store_.seal(), file, settings_here().is_compressed ? compression::zstd : compression::none);
  } catch (const std::exception& e) {
    return send<&saver::note_written>(peers()[0], extension::current_pe().run().process(), part_summary{},
                                      std::string(e.what()));
  }
  if (!extension::current_pe().run().is_on_threads()) finish_work();
}

/// The thread of this process has written the part, or made the parts a checkpoint.
void saver::finish_work() {
  if (!writer_.is_busy()) return;  // the outcome has been taken
  const bool waits = !extension::current_pe().run().is_on_threads();
  const auto done = waits ? std::optional(writer_.wait()) : writer_.poll();
  if (!done) return;
  if (std::exchange(is_committing_, false)) return finish(done->problem);
  if (hosts_.keepers && done->problem.empty()) return send<&saver::protect>(self(), done->part);
  if (models_copies() && done->problem.empty()) return send<&saver::model_copies>(self(), done->part);
  send<&saver::note_written>(peers()[0], extension::current_pe().run().process(), done->part, done->problem);
}

task<> saver::protect(const part_summary& part) {
  const std::string problem =
      co_await (*hosts_.keepers)[pe()].call<&parity_keeper::protect>(now_.which, part.process);
  send<&saver::note_written>(peers()[0], part.process, part, problem);
}

task<> saver::model_copies(const part_summary& part) {
  co_await peers().call<&saver::send_copy>();
  send<&saver::note_written>(peers()[0], part.process, part, std::string());
}

/// The partner is half of the machine away, so it is on another node if there are several.
task<> saver::send_copy() {
  const int partner = (pe() + num_pes() / 2) % num_pes();
  co_await peers()[partner].call<&saver::take_copy>(absent_bytes{bytes_here_});
}

void saver::note_written(int process, const part_summary& part, const std::string& problem) {
  now_.parts[static_cast<std::size_t>(process)] = part;
  if (now_.problem.empty()) now_.problem = problem;
  if (--now_.parts_missing > 0) return;
  now_.problem.empty() ? commit() : finish(now_.problem);
}

manifest saver::contents() const {
  return {.number = now_.which.number,
          .run = run_,
          .pes = num_pes(),
          .program = program_name(),
          .written = date_and_time(),
          .parts = now_.parts};
}

/// The oldest checkpoint that stays in the run's folder; all stay in a folder that a caller has named.
std::uint64_t saver::oldest_to_keep() {
  if (now_.folder.path() != settings_here().folder) return 0;
  hosts_.kept.push_back(now_.which.number);
  const auto most = static_cast<std::size_t>(settings_here().keep);
  while (hosts_.kept.size() > most) hosts_.kept.erase(hosts_.kept.begin());
  return hosts_.kept.front();
}

task<> saver::commit_on_hosts() {
  const auto& keepers = *hosts_.keepers;
  std::string problem = first_of(co_await keepers.reduce<&parity_keeper::write>(gather, now_.which));
  const std::uint64_t oldest = oldest_to_keep();
  if (problem.empty())
    problem = first_of(
        co_await keepers.reduce<&parity_keeper::commit>(gather, now_.which, to_json(contents()), oldest));
  if (!problem.empty()) {
    std::erase(hosts_.kept, now_.which.number);
    co_return finish(problem);
  }
  is_committing_ = true;
  writer_.run([folder = now_.folder, all = contents(), oldest] {
    folder.commit(all);
    folder.remove_outside(oldest, all.number);
  });
}

void saver::commit() {
  if (hosts_.keepers) return send<&saver::commit_on_hosts>(self());
  is_committing_ = true;
  writer_.run([folder = now_.folder, all = contents(), kept = settings_here().keep] {
    commit_now(folder, all, kept);
  });
  if (!extension::current_pe().run().is_on_threads()) finish_work();
}

/// Ends the request, and begins the next one if there is one.
void saver::finish(const std::string& problem) {
  if (!problem.empty()) give_up(problem);
  checkpoint_result result{.number = now_.which.number,
                           .path = now_.which.path,
                           .seconds_stopped = now_.seconds_stopped,
                           .seconds = seconds_since(now_.began)};
  for (const part_summary& part : now_.parts) result.bytes += part.bytes;
  for (const auto& caller : std::exchange(callers_, {}))
    problem.empty() ? caller.set_value(result)
                    : caller.set_exception(std::make_exception_ptr(imbrex::error("checkpoint: " + problem)));
  if (problem.empty() && store_.source() != nullptr) forget_tries(store_.source()->chosen().path);
  triggers_->restart(now_.seconds_stopped);
  is_busy_ = false;
  awake_ = {};
  if (is_due_ || !next_callers_.empty()) begin_next();
}

void saver::remove_unfinished() {
  if (now_.which.number == 0) return;
  try {
    now_.folder.remove(now_.which.number);
  } catch (const imbrex::error&) {  // without a manifest it is no checkpoint
  }
}

/// The run goes on without this checkpoint.
void saver::give_up(const std::string& problem) {
  remove_unfinished();
  if (callers_.empty() && !std::exchange(has_complained_, true))
    log(log_level::warning, "checkpoint: " + problem + "; the run goes on");
}

}  // namespace imbrex::checkpoints::detail
