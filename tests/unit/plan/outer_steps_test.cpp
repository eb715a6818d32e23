#include "plan/outer_steps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "plan/memory.hpp"
#include "plan/rank_memory.hpp"
#include "support/error_of.hpp"
#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

/// On two DGX A100: eight replicas of two tensor ranks.
std::string job(const std::string& outer, const std::string& zero = "0") {
  return "parallel: {tensor: 2, zero: " + zero + "}\nschedule: 1f1b\n" + outer;
}

double parameters(const StagedModel& model) { return trained_of(model.layers_of(0)).all(); }

double sent_by_model(const StagedModel& model) {
  double bytes = 0;
  for (const std::vector<OuterWork>& fragment : outer_works(model))
    for (const OuterWork& work : fragment) bytes += static_cast<double>(work.exchange.bytes.count);
  return bytes;
}

// Two sites of four replicas: each device exchanges a fourth of what it holds.
TEST(PlanOuterSteps, a_device_exchanges_its_share) {
  ModelJob whole(small_gpt(job("outer: {sites: 2, every: 10}\n")));
  const StagedModel model = whole.cut(1);
  EXPECT_NEAR(sent_by_model(model), 4 * parameters(model) / 4, 8);
  ModelJob narrow(small_gpt(job("outer: {sites: 2, every: 10, precision: fp4}\n")));
  EXPECT_NEAR(sent_by_model(narrow.cut(1)), 0.5 * parameters(model) / 4, 8);
}

TEST(PlanOuterSteps, fragments_are_the_whole) {
  ModelJob whole(small_gpt(job("outer: {sites: 2, every: 10}\n")));
  ModelJob cut(small_gpt(job("outer: {sites: 2, every: 10, fragments: 5}\n")));
  EXPECT_EQ(outer_works(cut.cut(1)).size(), 5u);
  EXPECT_NEAR(sent_by_model(cut.cut(1)), sent_by_model(whole.cut(1)), 32);
}

// The weights of the last exchange and a momentum: 8 bytes for each weight of a device's share.
TEST(PlanOuterSteps, a_device_keeps_its_share_of_the_outer_state) {
  for (const char* zero : {"0", "1", "3"}) {
    ModelJob with(small_gpt(job("outer: {sites: 2, every: 10}\n", zero)));
    ModelJob shapes(small_gpt(job("outer: {sites: 2, every: 10, optimizer: sgd}\n", zero)));
    const StagedModel model = with.cut(1);
    const Bytes more = rank_memory(model, 0).optimizer - rank_memory(shapes.cut(1), 0).optimizer;
    EXPECT_NEAR(static_cast<double>(more.count), 4 * parameters(model) / 4, 8);
  }
}

// Sites of eight, four, two and one replica: a device's share of the outer state doubles each time.
TEST(PlanOuterSteps, more_sites_never_keep_less_of_the_outer_state) {
  ModelJob none(small_gpt(job("")));
  const Bytes without = rank_memory(none.cut(1), 0).optimizer;
  for (const int sites : {1, 2, 4, 8}) {
    ModelJob with(small_gpt(job(fmt::format("outer: {{sites: {}, every: 10}}\n", sites))));
    const StagedModel model = with.cut(1);
    const Bytes more = rank_memory(model, 0).optimizer - without;
    EXPECT_NEAR(static_cast<double>(more.count), 8 * parameters(model) * sites / 8, 16) << sites;
  }
}

TEST(PlanOuterSteps, overlap_keeps_what_is_under_way) {
  ModelJob alone(small_gpt(job("outer: {sites: 2, every: 10}\n")));
  ModelJob beside(small_gpt(job("outer: {sites: 2, every: 10, overlap: 2}\n")));
  const StagedModel model = beside.cut(1);
  const Bytes more = rank_memory(model, 0).buffers - rank_memory(alone.cut(1), 0).buffers;
  EXPECT_NEAR(static_cast<double>(more.count), 4 * parameters(model) / 4, 8);
}

std::string outer_refusal(const std::string& text) {
  return error_of([&] { run(small_gpt(text)); });
}

TEST(PlanOuterSteps, are_refused_by_name) {
  const auto says = [&](const std::string& text, const std::string& what) {
    EXPECT_NE(outer_refusal(text).find(what), std::string::npos) << outer_refusal(text);
  };
  says(job("outer: {sites: 3, every: 10}\n"), "outer.sites 3 must divide data 8");
  says(job("outer: {sites: 2, every: 4, fragments: 5}\n"), "outer.fragments 5");
  says(job("outer: {sites: 2, every: 4, overlap: 4}\n"), "outer.overlap 4");
  says(job("outer: {sites: 2, every: 4}\noffload: optimizer\n"), "hosts");
  says(job("outer: {sites: 2, every: 4}\niterations: 2\n"), "several simulated iterations");
  says("parallel: {pipeline: 2}\nschedule: chimera\nouter: {sites: 2, every: 4}\n", "one copy");
  says(job("outer: {every: 4}\n"), "sites");
}

}  // namespace
}  // namespace pipewright::test
