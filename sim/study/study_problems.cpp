// What a message complains about is taken out of the study, and the rest is read again.
#include "study/study_problems.hpp"

#include <algorithm>
#include <utility>

#include "simulate/taken_out.hpp"

namespace pipewright {
namespace {

using config::Value;

constexpr std::string_view experiment_key = "experiment";

/// A study without what was complained about so far.
class Rest {
 public:
  explicit Rest(Value document) : document_(std::move(document)) {}

  const Value& document() const { return document_; }
  bool has_all_settings() const { return has_all_settings_; }

  /// Tells whether the error is there only because a map or list has lost what it had.
  bool caused(const InputError& error) const {
    return std::ranges::any_of(
        removals_, [&](const Removal& one) { return stands_at(one.from, error.where()); });
  }

  /// Takes out what `error` complains about. Returns false where the rest cannot be read again.
  bool take_out(const InputError& error) {
    const Value* experiment = document_.find(experiment_key);
    const bool is_experiment = experiment && stands_at(experiment->mark, error.where());
    const bool lacks_key = dynamic_cast<const MissingKey*>(&error) != nullptr;
    has_all_settings_ = has_all_settings_ && only_judges(error.where());
    if (!is_experiment && !lacks_key && remove_at(document_, error.where(), removals_)) return true;
    // In the file of the experiment, or there is none.
    return std::exchange(has_experiment_, false) && document_.is_map() && stand_in();
  }

 private:
  /// Tells whether what stands there changes no run: it says how runs are judged, or how many.
  bool only_judges(const Where& where) const {
    return std::ranges::any_of(document_.entries, [&](const config::Entry& entry) {
      if (entry.key != "objective" && entry.key != "screen") return false;
      const auto is_there = [&](const Value& value) { return stands_at(value.mark, where); };
      return is_there(entry.value) || std::ranges::any_of(entry.value.items, is_there);
    });
  }

  /// An empty map is read as an experiment.
  bool stand_in() {
    Value nothing;
    nothing.kind = Value::Kind::map;
    document_.set(experiment_key, std::move(nothing));
    return true;
  }

  Value document_;
  std::vector<Removal> removals_;
  bool has_experiment_ = true, has_all_settings_ = true;
};

}  // namespace

std::optional<Study> readable_study(Value document, const config::Catalogue& catalogue,
                                    std::vector<std::string>& problems) {
  Rest rest(std::move(document));
  while (true) {
    try {
      Study study = read_study(rest.document(), catalogue);
      if (!rest.has_all_settings()) return std::nullopt;
      return study;
    } catch (const InputError& error) {
      if (!rest.caused(error)) problems.push_back(error.what());
      if (!rest.take_out(error)) return std::nullopt;
    }
  }
}

}  // namespace pipewright
