// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/exchange.hpp>

#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex::tools {

exchange::exchange(std::vector<std::string> names)
    : names_(std::move(names)), waiting_(names_.size()), in_run_(names_.size()), announced_(names_.size()) {}

std::vector<exchange::answer> exchange::take(int rank, frame message) {
  const auto index = static_cast<std::size_t>(rank);
  switch (message.kind) {
    case frame_kind::gather:
    case frame_kind::leave: return gather(rank, std::move(message));
    case frame_kind::overdue:
      if (!waiting_[index]) return {};  // the reply and this timeout report have crossed
      return fail("after " + message.payload + " only " + std::to_string(arrived_count_) + " of " +
                  std::to_string(names_.size()) + " processes had come; missing: " + missing() +
                  ". Programs that need longer to start: IMBREX_PATIENCE=SECONDS");
    case frame_kind::finish: announced_[index] = decode_status(message.payload); return {};
    case frame_kind::gathered:
    case frame_kind::failed:
    case frame_kind::complaint:
    case frame_kind::left:
    case frame_kind::died: break;
  }
  throw error("an unexpected reply");
}

std::vector<exchange::answer> exchange::gather(int rank, frame message) {
  auto& place = waiting_[static_cast<std::size_t>(rank)];
  if (place) throw error("a second text before the reply to the first");
  place = std::move(message);
  announced_[static_cast<std::size_t>(rank)].reset();  // set by an earlier program of this process
  ++arrived_count_;
  if (!failure_.empty()) return fail(failure_);
  if (arrived_count_ < names_.size())
    return arrived_count_ == 1 && place->kind == frame_kind::leave ? tell_of_leaving(rank, place->payload)
                                                                   : std::vector<answer>();
  std::vector<std::string> all;
  for (auto& one : waiting_) all.push_back(std::move(one->payload));
  try {
    const std::string bytes = encode_frame(frame_kind::gathered, encode_texts(all));
    for (std::size_t i = 0; i < waiting_.size(); ++i) in_run_[i] = waiting_[i]->kind == frame_kind::gather;
    return answer_waiting(bytes);
  } catch (const error& e) {  // the texts are too long for one frame
    return fail(e.what());
  }
}

std::vector<exchange::answer> exchange::tell_of_leaving(int rank, const std::string& message) const {
  const auto bytes = std::make_shared<const std::string>(encode_frame(frame_kind::left, message));
  std::vector<answer> answers;
  for (std::size_t other = 0; other < names_.size(); ++other)
    if (static_cast<int>(other) != rank && in_run_[other])
      answers.push_back({static_cast<int>(other), bytes});
  return answers;
}

std::vector<exchange::answer> exchange::ended(int rank, const std::string& how, bool is_reported) {
  const auto index = static_cast<std::size_t>(rank);
  if (waiting_[index]) --arrived_count_;
  waiting_[index].reset();
  std::vector<answer> answers;
  if (is_in_run(rank)) answers = tell_of_death(rank);
  in_run_[index] = false;
  const auto failed = fail(names_[index] + " has ended " + how + " and will not come", is_reported);
  answers.insert(answers.end(), failed.begin(), failed.end());
  return answers;
}

std::vector<exchange::answer> exchange::tell_of_death(int rank) const {
  const auto bytes = std::make_shared<const std::string>(encode_frame(frame_kind::died, {}));
  std::vector<answer> answers;
  for (int other = 0; other < static_cast<int>(names_.size()); ++other)
    if (other != rank && is_in_run(other)) answers.push_back({other, bytes});
  return answers;
}

std::string exchange::complaint() {
  if (!failed_ || std::exchange(is_reported_, true)) return {};
  return "the processes of this job did not come together: " + failure_;
}

std::vector<exchange::answer> exchange::fail(std::string why, bool is_reported) {
  if (failure_.empty()) {
    failure_ = std::move(why);
    is_reported_ = is_reported;
  }
  auto answers = answer_waiting(encode_frame(frame_kind::failed, failure_));
  if (!answers.empty()) failed_ = true;
  return answers;
}

std::vector<exchange::answer> exchange::answer_waiting(const std::string& bytes) {
  const auto shared = std::make_shared<const std::string>(bytes);
  std::vector<answer> answers;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i]) answers.push_back({static_cast<int>(i), shared});
    waiting_[i].reset();
  }
  arrived_count_ = 0;
  return answers;
}

std::string exchange::missing() const {
  constexpr std::size_t most = 16;
  const std::size_t count = names_.size() - arrived_count_;
  std::string list;
  std::size_t listed = 0;
  for (std::size_t i = 0; i < names_.size() && listed < most; ++i)
    if (!waiting_[i]) list += (listed++ == 0 ? "" : ", ") + names_[i];
  if (count > listed) list += " and " + std::to_string(count - listed) + " more";
  return list;
}

}  // namespace imbrex::tools
