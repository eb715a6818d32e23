// Pairs of options out of the whole table, on small models: what cannot be is refused in words, and
// whatever runs comes to its end with figures that can be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <random>

#include "experiment/option_texts.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/experiments.hpp"
#include "support/rounds.hpp"

namespace pipewright::test {
namespace {

const std::string& one_text(std::mt19937_64& random, const std::vector<std::string>& all) {
  return all[random() % all.size()];
}

/// A small GPT, which ties its embeddings, on sixteen devices.
std::string some_small_gpt(std::mt19937_64& random) {
  static const std::vector<std::string> experts = {"",
                                                   ", experts: {count: 8, active: 2, ffn: 512}"};
  static const std::vector<std::string> degrees = {"pipeline: 4", "tensor: 2, pipeline: 4",
                                                   "tensor: 4, pipeline: 2", "tensor: 4",
                                                   "pipeline: 2"};
  const auto kinds = schedule::kinds();
  return fmt::format(
      "model: {{transformer: {{layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: "
      "1024{}}}}}\n"
      "cluster: {{node: dgx-h100, nodes: 2, fabric: {{kind: fat-tree, link: ndr, nics: 8}}}}\n"
      "parallel: {{{}, zero: {}}}\n"
      "batch: {{micro: 2, sequence: 256}}\n"
      "schedule: {}\n"
      "iterations: {}\n",
      one_text(random, experts), one_text(random, degrees), random() % 4,
      kinds[random() % kinds.size()]->name, 1 + random() % 3);
}

/// What has to stand beside the keys of a map.
const std::map<std::string_view, std::vector<std::string>> companions = {
    {"parallel.context", {"parallel.context.degree=2"}},
    {"overlap.tensor", {"overlap.tensor.domino=2"}},
    {"variation", {"variation.compute_spread=10%"}},
    {"batch.lengths", {"batch.lengths.mean=100"}},
    {"failures", {"failures.device_mtbf=1000 h", "failures.checkpoint_time=10 s"}},
    {"failures.events", {"failures.device_mtbf=1000 h", "failures.checkpoint_time=10 s"}},
    {"network.flow", {"network.flow.routing=ecmp"}},
    {"outer", {"outer.sites=2", "outer.every=10"}},
    {"precision", {"precision.fp8=delayed"}},
    {"training", {"training.tokens=1B"}},
    {"adapters", {"adapters.rank=8"}},
};

/// A key that the companion of its map excludes.
constexpr std::string_view lonely = "precision.autocast";

/// Keys that are not this experiment's, or that stand in lists.
bool is_of_other_experiments(std::string_view path) {
  static const std::vector<std::string_view> rooms = {
      "model",        "cluster",  "iterations",     "traffic",
      "trace",        "peers",    "routing",        "stragglers",
      "parallel.sbp", "strategy", "network.packet", "parallel.tensor_kind.2"};
  return std::ranges::any_of(rooms, [&](std::string_view room) {
    return path.starts_with(room) && (path.size() == room.size() || path[room.size()] == '.');
  });
}

/// What to set the option to: every choice, both answers of a yes or no, and small numbers.
std::vector<std::string> values_of(const OptionText& option) {
  std::vector<std::string> values;
  for (const ChoiceText& choice : choices_of(option)) values.emplace_back(choice.name);
  if (option.type == "true or false") values = {"true", "false"};
  constexpr std::string_view range = "a whole number from ";
  if (option.type.starts_with(range)) {
    const std::string_view text = option.type.substr(range.size());
    int64_t least = 0;
    std::from_chars(text.data(), text.data() + text.size(), least);
    for (int64_t more : {0, 1, 2, 3}) values.push_back(std::to_string(least + more));
  }
  return values;
}

/// The settings to draw from, each after what has to stand beside it.
std::vector<std::vector<std::string>> settings() {
  std::vector<std::vector<std::string>> all;
  for (const OptionText& option : option_texts()) {
    if (is_of_other_experiments(option.path)) continue;
    for (const std::string& value : values_of(option)) {
      std::vector<std::string> setting;
      const std::string_view room = option.path.substr(0, option.path.rfind('.'));
      const auto companion = companions.find(room);
      if (companion != companions.end() && option.path != lonely) setting = companion->second;
      setting.push_back(fmt::format("{}={}", option.path, value));
      all.push_back(std::move(setting));
    }
  }
  return all;
}

/// Why the figures cannot be; empty where they can.
std::string objection(const RunResult& result) {
  const Metrics& m = result.metrics;
  if (m.iteration <= Time{} || m.makespan < m.bounds.best()) return "it beats its bounds";
  const Rates& rates = result.rates;
  for (const auto& figure : {rates.samples_per_s, rates.tokens_per_s, rates.mfu, rates.hfu,
                             result.expenses.energy_j, rates.model_flops_per_s_per_device})
    if (figure && !(std::isfinite(*figure) && *figure >= 0)) return "a figure is not finite";
  if (rates.mfu && *rates.mfu > 1) return "it does more than its devices can";
  if (!(m.bubble_fraction() >= 0 && m.bubble_fraction() <= 1)) return "its bubble is no fraction";
  if (std::ranges::any_of(m.ranks,
                          [](const RankResult& r) { return r.memory.activations.count < 0; }))
    return "it frees more than it holds";
  return {};
}

enum class End { refused, ran };

End run_to_its_end(config::Value document, const std::vector<std::string>& assignments) {
  try {
    for (const std::string& assignment : assignments) config::set_path(document, assignment);
    const RunResult result = run(document).result;
    EXPECT_EQ(objection(result), "");
    return End::ran;
  } catch (const InputError&) {
    return End::refused;
  } catch (const Failure& failure) {
    ADD_FAILURE() << failure.what();
    return End::ran;
  }
}

TEST(Options, any_two_are_refused_in_words_or_run_to_their_end) {
  const std::vector<std::vector<std::string>> all = settings();
  ASSERT_GT(all.size(), 100u);
  const uint64_t drawn = rounds(1000);
  uint64_t ran = 0;
  for (uint64_t round = 0; round < drawn; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_small_gpt(random);
    std::vector<std::string> assignments;
    for (int one = 0; one < 2; ++one) {
      const std::vector<std::string>& setting = all[random() % all.size()];
      assignments.insert(assignments.end(), setting.begin(), setting.end());
    }
    SCOPED_TRACE(text + fmt::format("set: {}", fmt::join(assignments, " and ")));
    ran += run_to_its_end(experiment(text), assignments) == End::ran;
  }
  EXPECT_GT(ran, drawn / 4);
}

}  // namespace
}  // namespace pipewright::test
