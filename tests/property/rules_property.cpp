// The shipped rules files say what the program's own schedules do, action by action.
#include <gtest/gtest.h>

#include "golden_folder.hpp"
#include "order_text.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::schedule {
namespace {

const std::string folder = std::string(golden_folder) + "/../../workloads/schedules";

/// The schedule of `spec`, or nothing where it does not fit the shape.
std::optional<Schedule> built_if_it_fits(const std::string& spec, const Shape& shape) {
  try {
    return build(shape, config::parse(spec, "spec"));
  } catch (const Misfit&) {
    return std::nullopt;
  }
}

struct Same {
  std::string file, rule_options;  ///< {rules: FILE, OPTIONS}
  std::string name, name_options;
};

void expect_the_same(const Same& pair, const Shape& shape, int& compared) {
  const auto ours = built_if_it_fits("{name: " + pair.name + pair.name_options + "}", shape);
  const auto rules = built_if_it_fits(
      "{rules: " + folder + "/" + pair.file + ".yaml" + pair.rule_options + "}", shape);
  const std::string where = pair.file + pair.rule_options + " p=" + std::to_string(shape.ranks) +
                            " m=" + std::to_string(shape.micro_batches);
  ASSERT_EQ(ours.has_value(), rules.has_value()) << where;
  if (!ours) return;
  ++compared;
  EXPECT_EQ(ours->stages, rules->stages) << where;
  EXPECT_EQ(ours->slices, rules->slices) << where;
  EXPECT_EQ(ours->slice_tokens, rules->slice_tokens) << where;
  EXPECT_EQ(ours->step_every, rules->step_every) << where;
  EXPECT_EQ(ours->synchronous, rules->synchronous) << where;
  for (int i = 0; i < shape.ranks; ++i) {
    ASSERT_EQ(ours->order[i], rules->order[i]) << where << " rank " << i << "\n"
                                               << test::order_text(ours->order[i], true) << "\n"
                                               << test::order_text(rules->order[i], true);
  }
}

/// Over many shapes; some must fit.
void expect_the_same(const Same& pair) {
  int compared = 0;
  for (int p = 1; p <= 9; ++p)
    for (int m = 1; m <= 24; ++m)
      expect_the_same(pair, {.ranks = p, .micro_batches = m, .iterations = 1 + m % 2}, compared);
  EXPECT_GT(compared, 20) << pair.file;
}

TEST(ShippedRules, gpipe) {
  expect_the_same({"gpipe", "", "gpipe", ""});
  expect_the_same({"gpipe", ", reversed: true", "gpipe", ", backward_order: reversed"});
}

TEST(ShippedRules, one_f_one_b) { expect_the_same({"1f1b", "", "1f1b", ""}); }

TEST(ShippedRules, zb_h1) { expect_the_same({"zb-h1", "", "zb-h1", ""}); }

TEST(ShippedRules, chimera) {
  expect_the_same({"chimera", "", "chimera", ""});
  expect_the_same({"chimera", ", pipelines: 4", "chimera", ", pipelines: 4"});
}

TEST(ShippedRules, dualpipe) { expect_the_same({"dualpipe", "", "dualpipe", ""}); }

TEST(ShippedRules, hanayo) {
  expect_the_same({"hanayo", "", "hanayo", ""});
  expect_the_same({"hanayo", ", waves: 2, in_flight: 3", "hanayo", ", waves: 2, in_flight: 3"});
}

TEST(ShippedRules, interleaved_one_f_one_b) {
  for (const char* options : {"", ", virtual: 1", ", virtual: 3", ", virtual: 4, group: 5"})
    expect_the_same({"interleaved-1f1b", options, "interleaved-1f1b", options});
}

TEST(ShippedRules, terapipe) {
  for (const char* options : {"", ", slices: 3", ", slices: [5, 6, 2]"})
    expect_the_same({"terapipe", options, "terapipe", options});
}

TEST(ShippedRules, pipedream) { expect_the_same({"pipedream", "", "pipedream", ""}); }

// --- The manual ---

/// The blocks of rules.md that begin with ```yaml, in order.
std::vector<config::Value> examples_of_the_manual() {
  const std::string text = config::read_file(folder + "/../../sim/schedule/rules/rules.md");
  const std::string open = "```yaml\n";
  std::vector<config::Value> blocks;
  for (size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    const size_t end = text.find("```", at);
    blocks.push_back(config::parse(text.substr(at, end - at), "rules.md"));
    at = end;
  }
  return blocks;
}

Schedule from(const config::Value& rules, const Shape& shape) {
  config::Value spec;
  spec.set("rules", rules);
  return build(shape, spec);
}

TEST(RulesManual, its_worked_example_gives_the_orders_it_shows) {
  const config::Value example = examples_of_the_manual().at(1);
  const Schedule s = from(example, {.ranks = 2, .micro_batches = 3});
  const std::string manual = config::read_file(folder + "/../../sim/schedule/rules/rules.md");
  for (int i = 0; i < 2; ++i) {
    const std::string line = "rank " + std::to_string(i) + "   " + test::order_text(s.order[i]);
    EXPECT_NE(manual.find(line), std::string::npos) << line;
  }
}

TEST(RulesManual, its_other_examples_can_be_built) {
  const std::vector<config::Value> blocks = examples_of_the_manual();
  ASSERT_EQ(blocks.size(), 8u);
  const Shape shape{.ranks = 4, .micro_batches = 6};
  const auto changed = [&](const config::Value& changes) {
    config::Value rules = blocks[1];
    config::merge(rules, changes);
    return rules;
  };
  EXPECT_EQ(from(changed(blocks[2]), shape).order, from(blocks[1], shape).order)
      << "without a smaller cap nothing changes";
  EXPECT_EQ(test::order_text(from(changed(blocks[3]), {}).order[0]), "0F0 0I0 0W0");
  for (const config::Value* orders : {&blocks[4], &blocks[5]}) {
    config::Value rules = *orders;
    rules.set("placement", config::scalar("linear"));
    EXPECT_EQ(from(rules, shape).stages, 4);
  }
  EXPECT_FALSE(from(changed(blocks[6]), shape).synchronous);
}

}  // namespace
}  // namespace pipewright::schedule
