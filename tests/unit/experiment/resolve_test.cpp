#include <gtest/gtest.h>

#include <fstream>

#include "config/catalogue.hpp"
#include "experiment/experiment.hpp"
#include "support/temporary_folder.hpp"

namespace pipewright::test {
namespace {

TEST(Resolve, the_file_of_an_anchor_is_changed_as_a_map_is) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/a.yaml") << "nodes: 2\nfactors: {kernels: 1.5, host: 1}\n";
  config::Value document = config::parse("anchor: a.yaml\n", folder.path() + "/e.yaml");
  config::set_path(document, "anchor.factors.kernels=2");
  const config::Value resolved = resolve(document, config::Catalogue());
  const config::Value& anchor = *resolved.find("anchor");
  EXPECT_EQ(anchor.find("nodes")->text, "2");
  EXPECT_EQ(anchor.find("factors")->find("kernels")->text, "2");
  EXPECT_EQ(anchor.find("factors")->find("host")->text, "1");
  EXPECT_FALSE(anchor.find("base"));
}

}  // namespace
}  // namespace pipewright::test
