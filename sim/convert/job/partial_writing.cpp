#include "convert/job/partial_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/required.hpp"
#include "convert/job/settings.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"

namespace pipewright::job {
namespace {

using config::Value;

/// Keys without which an experiment is one still, what matters least first. Degrees, batch and
/// model are not among them.
constexpr std::string_view dispensable[] = {
    "overlap.tensor", "overlap.expert", "overlap.weights",  "overlap.data", "overlap.p2p",
    "update",         "data",           "attention",        "dispatch",     "placement",
    "gradients",      "optimizer",      "offload",          "recompute",    "precision",
    "partition",      "schedule",       "parallel.virtual", "loss"};
constexpr int most_left_out = 16;

/// Leaves the key to its default; a schedule, which has none, becomes the one of every framework.
void erase_part(Value& document, std::string_view path) {
  if (path == "schedule") {
    const Value* chunks = value_at(document, "parallel.virtual");
    const bool is_one = !chunks || chunks->text == "1";
    document.set(path, config::scalar(is_one ? "1f1b" : "interleaved-1f1b"));
    return;
  }
  const size_t dot = path.find('.');
  Value* map = dot == std::string_view::npos ? &document : document.find(path.substr(0, dot));
  const std::string_view key = dot == std::string_view::npos ? path : path.substr(dot + 1);
  if (map && map->is_map())
    std::erase_if(map->entries, [&](const config::Entry& entry) { return entry.key == key; });
}

class PartialWriting {
 public:
  PartialWriting(const Experiment& experiment, const config::Catalogue& catalogue,
                 const RunOptions& options, const Writer& writer)
      : catalogue_(catalogue), options_(options), writer_(writer), document_(experiment.document) {}

  std::string run() {
    const Experiment experiment = read_experiment(resolve(document_, catalogue_));
    document_ = prepare(experiment, catalogue_, options_).record.resolved;
    const Attempt last = write_without();
    if (!last.job) throw required(first_, "an attempt that fails says why");
    std::string head;
    for (const std::string& line : left_out_)
      head += fmt::format("# matters, but cannot be said: {}\n", line);
    return with_head(head, *last.job);
  }

  SeveralErrors refusal() {
    write_without();
    return {required(first_, "the experiment is refused"), refused_};
  }

 private:
  struct Attempt {
    std::optional<std::string> job;
    std::string why;  ///< it is none
  };

  /// Tries again without more and more, until something is written or nothing more helps.
  Attempt write_without() {
    Attempt attempt = write(document_);
    for (int i = 0; !attempt.job && i < most_left_out; ++i) {
      const std::string why = attempt.why;
      attempt = without_one(why);
      if (attempt.why == why) break;
    }
    return attempt;
  }

  Attempt write(const Value& document) {
    std::vector<SaidOtherwise> otherwise;
    try {
      const Experiment experiment = read_experiment(resolve(document, catalogue_));
      std::string job = write_job(experiment, catalogue_, options_, writer_, &otherwise);
      note(otherwise);
      return {std::move(job), {}};
    } catch (const InputError& error) {
      note(error, document);
      return {std::nullopt, error.message()};
    }
  }

  void note(const std::vector<SaidOtherwise>& otherwise) {
    for (const SaidOtherwise& one : otherwise) {
      if (!first_) first_ = one.error;
      left_out_.push_back(one.line);
      if (!is_erased(one.path)) refused_.emplace_back(one.error.what());
    }
  }

  /// Tells whether it is a default by now.
  bool is_erased(std::string_view path) const {
    return std::ranges::any_of(erased_,
                               [&](std::string_view key) { return path.starts_with(key); });
  }

  /// What is left may be no experiment any more, of which the framework knows nothing.
  void note(const InputError& error, const Value& document) {
    if (!first_)
      first_ = error;
    else if (!can_run(document))
      return;
    for (std::string& line : lines_of(error)) refused_.push_back(std::move(line));
  }

  bool can_run(const Value& document) const {
    try {
      prepare(read_experiment(resolve(document, catalogue_)), catalogue_, options_);
      return true;
    } catch (const InputError&) {
      return false;
    }
  }

  /// Leaves out the first key without which another obstacle, or none, is left.
  Attempt without_one(const std::string& why) {
    for (const std::string_view path : likely_first(why)) {
      const Value* value = value_at(document_, path);
      if (!value) continue;
      Value document = document_;
      erase_part(document, path);
      const std::string line = fmt::format("{}: {} ({})", path, written(*value), why);
      erased_.push_back(path);
      Attempt attempt = write(document);
      if (!attempt.job && attempt.why == why) {
        erased_.pop_back();
        continue;
      }
      left_out_.insert(left_out_.begin(), line);
      document_ = std::move(document);
      return attempt;
    }
    return {std::nullopt, why};
  }

  /// Keys that the message names come before the others.
  static std::vector<std::string_view> likely_first(const std::string& why) {
    std::vector<std::string_view> paths(std::begin(dispensable), std::end(dispensable));
    std::ranges::stable_partition(
        paths, [&](std::string_view path) { return why.find(path) != std::string::npos; });
    return paths;
  }

  const config::Catalogue& catalogue_;
  const RunOptions& options_;
  const Writer& writer_;
  Value document_;
  std::vector<std::string> left_out_, refused_;
  std::vector<std::string_view> erased_;
  std::optional<InputError> first_;  ///< of the experiment as it was given
};

}  // namespace

std::string write_partly(const Experiment& experiment, const config::Catalogue& catalogue,
                         const RunOptions& options, const Writer& writer) {
  return PartialWriting(experiment, catalogue, options, writer).run();
}

SeveralErrors all_that_stops(const Experiment& experiment, const config::Catalogue& catalogue,
                             const RunOptions& options, const Writer& writer) {
  return PartialWriting(experiment, catalogue, options, writer).refusal();
}

}  // namespace pipewright::job
