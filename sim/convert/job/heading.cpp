#include "convert/job/heading.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "convert/job/carried.hpp"
#include "convert/job/settings.hpp"
#include "convert/job/step_counts.hpp"
#include "interop/words.hpp"

namespace pipewright::job {
namespace {

using config::Value;

constexpr std::string_view assumed = "assumed: ";
constexpr std::string_view slight = "matters somewhat, but is not simulated: ";

/// Tells whether the experiment is on the cluster that a note of an import assumes: DGX B200 is
/// dgx-b200.
bool is_on_assumed_cluster(const Experiment& experiment, const std::string& note) {
  const Value* cluster = experiment.document.find("cluster");
  const Value* node = cluster && cluster->is_map() ? cluster->find("node") : nullptr;
  if (!node || node->text.empty()) return false;
  std::string words = interop::lower_case(note);
  std::ranges::replace(words, ' ', '-');
  return words.find('-' + node->text + '-') != std::string::npos;
}

/// Returns what a note is about: "--softmax-type" or "optimizer.implementation".
std::string subject_of(std::string_view note) {
  const size_t end = note.find_first_of(" :");
  std::string_view subject = note.substr(0, end);
  if (subject.starts_with("--")) subject.remove_prefix(2);
  return std::string(subject);
}

/// What an experiment says in words of its own, among them constants of its model.
constexpr std::string_view decided[] = {
    "train-samples",     "train-iters",  "moe-flex-dispatcher-backend",   "rotary-percent",
    "rotary-percentage", "squared-relu", "moe-router-load-balancing-type"};

/// Tells whether an experiment says what the key or the argument says.
bool is_decided(std::string_view path) {
  std::string name(path.substr(path.find_last_of('.') + 1));
  std::ranges::replace(name, '_', '-');
  return std::ranges::find(decided, name) != std::end(decided);
}

/// Tells whether a path is about the size of a step, by which what goes along is counted.
bool lies_in_step(std::string_view path) { return path.substr(0, path.find('.')) == step; }

class Heading {
 public:
  Heading(const Experiment& experiment, const Writer& writer, const Background& background,
          std::vector<std::string>& remarks)
      : experiment_(experiment), writer_(writer), background_(background), remarks_(remarks) {}

  std::string run() {
    if (const std::string start = writer_.start ? writer_.start(experiment_) : ""; !start.empty())
      add(start);
    if (writer_.warnings)
      for (const std::string& warning : writer_.warnings(experiment_)) remark(warning);
    notes();
    constants();
    beside();
    if (!writer_.model_outside && leaves_base_open(experiment_))
      add(fmt::format("assumed: the model does not say the base of its rotation: {} takes its own",
                      writer_.format));
    return std::move(text_);
  }

 private:
  /// Comments end with their line.
  void add(std::string line) {
    std::ranges::replace_if(
        line, [](unsigned char c) { return c < 32 || c == 127; }, ' ');
    text_ += fmt::format("# {}\n", line);
  }
  void remark(const std::string& line) {
    add(line);
    remarks_.push_back(line);
  }

  /// Tells whether the job has what a note is about.
  bool is_written(const std::string& subject) const {
    if (is_decided(subject)) return true;
    const std::vector<std::string> along = paths_of(writer_.along);
    const auto is_it = [&](const std::string& path) {
      return path == subject || path.ends_with('.' + subject);
    };
    if (std::ranges::any_of(along, is_it)) return true;
    return std::ranges::any_of(model_constants(experiment_), [&](const ModelConstant& constant) {
      const auto words = interop::words_of(constant.said.text);
      return constant.what == Constant::megatrons_arguments && writer_.says &&
             writer_.says(experiment_, constant) &&
             std::ranges::find(words, "--" + subject) != words.end();
    });
  }

  void notes() {
    for (const std::string& note : background_.notes) {
      const bool is_of_cluster =
          note.starts_with(assumed) && note.substr(assumed.size()).starts_with(no_cluster);
      if (is_of_cluster && !is_on_assumed_cluster(experiment_, note)) continue;
      const bool is_lost =
          note.starts_with(slight) && !is_written(subject_of(note.substr(slight.size())));
      const std::string said =
          is_lost ? fmt::format("not written: {}", note.substr(slight.size())) : note;
      add("of the job that was imported: " + said);
    }
  }

  void constants() {
    for (const std::string& constant : unsaid_constants(experiment_, writer_))
      remark(fmt::format("not written: {} ({} takes its own)", constant, writer_.format));
  }

  /// What the job said beside the experiment, as far as it is not written.
  void beside() {
    bool says_any = false;
    for (const config::Entry& entry : background_.carried.entries) {
      const bool is_own = entry.key == writer_.format;
      says_any |= is_own && !writer_.along.is_null();
      std::vector<std::string> lost;
      const Value* apart = entry.value.find(left);
      if (apart)
        for (const Value& one : apart->items) lost.push_back(written(one));
      const std::vector<std::string> taken =
          is_own ? paths_of(writer_.along) : std::vector<std::string>();
      for (const std::string& path : paths_of(entry.value))
        if (path != left && !lies_in_step(path) && !is_decided(path) &&
            std::ranges::find(taken, path) == taken.end())
          lost.push_back(path);
      if (!lost.empty())
        add(fmt::format("not written: {} (of the {} job that was imported)", fmt::join(lost, ", "),
                        entry.key));
    }
    if (!says_any && !writer_.yours.empty()) add(fmt::format("yours to add: {}", writer_.yours));
  }

  const Experiment& experiment_;
  const Writer& writer_;
  const Background& background_;
  std::vector<std::string>& remarks_;
  std::string text_;
};

}  // namespace

std::string heading(const Experiment& experiment, const Writer& writer,
                    const Background& background, std::vector<std::string>& remarks) {
  return Heading(experiment, writer, background, remarks).run();
}

}  // namespace pipewright::job
