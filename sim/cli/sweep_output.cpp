#include "cli/sweep_output.hpp"

#include <fmt/format.h>

#include <charconv>

#include "report/csv/sweep.hpp"
#include "report/json/sweep.hpp"
#include "report/page/sweep.hpp"
#include "report/text/sweep.hpp"

namespace pipewright::cli {
namespace {

constexpr size_t most_rows = 25;

}  // namespace

SweepView SweepOutcome::view() const {
  return {paths_, objective_, [this](const auto& visit) {
            store_.for_each([&](const SweepRun& run) {
              if (run.settings.size() != paths_.size())
                throw InputError(fmt::format("run {} is not of this study", run.point));
              visit(run);
            });
          }};
}

void SweepOutcome::json(std::ostream& out) const { write_sweep_json(view(), out); }

void SweepOutcome::csv(std::ostream& out) const { write_sweep_csv(view(), out); }

void SweepOutcome::html(std::ostream& out) const { write_sweep_html(view(), out); }

Report SweepOutcome::report(size_t) const { return sweep_report(view(), most_rows); }

std::optional<size_t> SweepOutcome::best() const {
  const std::vector<SweepCandidate> candidates = ranked(view()).candidates;
  if (candidates.empty() || !candidates.front().feasible) return {};
  if (!candidates.front().objectives.front()) return {};  // which judges nothing
  return candidates.front().run;
}

std::pair<int, int> read_shard(const std::string& text) {
  int shard = 0, shards = 0;
  const char* end = text.data() + text.size();
  const auto [slash, first] = std::from_chars(text.data(), end, shard);
  if (first == std::errc{} && slash != end && *slash == '/') {
    const auto [last, second] = std::from_chars(slash + 1, end, shards);
    if (second == std::errc{} && last == end && shard >= 1 && shard <= shards)
      return {shard, shards};
  }
  throw InputError(fmt::format("--shard '{}': must be i/n with i from 1 to n, as 3/16", text));
}

}  // namespace pipewright::cli
