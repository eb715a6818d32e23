#include "search/chain.hpp"

#include <gtest/gtest.h>

#include "gpt_on_eight_devices.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

void expect_equal(const Chain& a, const Chain& b, const std::string& label) {
  ASSERT_EQ(a.links.size(), b.links.size()) << label;
  for (size_t i = 0; i < a.links.size(); ++i) {
    const Link &one = a.links[i], &two = b.links[i];
    EXPECT_EQ(one.forward, two.forward) << label;
    EXPECT_EQ(one.backward, two.backward) << label;
    EXPECT_EQ(one.gradients, two.gradients) << label;
    EXPECT_EQ(one.state, two.state) << label;
    EXPECT_EQ(one.stash, two.stash) << label;
    EXPECT_EQ(one.output, two.output) << label;
  }
}

// A chain does not depend on which were asked for before it.
TEST(ChainTables, have_the_chain_of_each_candidate) {
  const config::Catalogue catalogue;
  for (const std::string& model :
       {std::string(), std::string(", experts: {count: 4, active: 2, ffn: 512}")}) {
    const Problem problem = on_shared_machines(catalogue, "layers: 4" + model);
    ChainTables tables(problem);
    const std::vector<Estimated> all = estimated(problem, whole_space(problem));
    for (size_t k = 0; k < all.size(); k += 5) {
      const Candidate& c = all[k].candidate;
      expect_equal(tables.of(c), chain_of(problem, c), c.label() + model);
    }
  }
}

// Of twice as many replicas that share a state each holds half, and no more than before.
TEST(ChainTables, share_the_state_among_the_replicas_that_are_asked_for) {
  const config::Catalogue catalogue;
  const Problem problem = on_shared_machines(catalogue, "layers: 4");
  ChainTables tables(problem);
  Candidate c{.tensor = 1, .pipeline = 4, .data = 2, .zero = 1, .schedule = schedule_named("1f1b")};
  const Chain two = tables.of(c);
  c.pipeline = 2;
  c.data = 4;
  const Chain four = tables.of(c);
  for (size_t i = 0; i < two.links.size(); ++i) EXPECT_LT(four.links[i].state, two.links[i].state);
}

}  // namespace
}  // namespace pipewright::search
