#include "experiment/document_paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.hpp"

namespace pipewright::test {
namespace {

TEST(DocumentPaths, files_are_found_from_anywhere) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/mine.yaml") << "a: 1\n";
  config::Value document = config::parse(
      "model: mine.yaml\nanchor: mine.yaml\nschedule: torch-csv:mine.yaml\n"
      "cluster: {base: ./mine.yaml}\nbatch: {lengths: {file: mine.yaml}}\nprofile: other.yaml\n",
      folder.path() + "/e.yaml");
  make_paths_absolute(document);
  const std::string absolute = std::filesystem::absolute(folder.path() + "/mine.yaml").string();
  EXPECT_EQ(document.find("model")->text, absolute);
  EXPECT_EQ(document.find("anchor")->text, absolute);
  EXPECT_EQ(document.find("schedule")->text, "torch-csv:" + absolute);
  EXPECT_EQ(document.find("cluster")->find("base")->text, absolute);
  EXPECT_EQ(document.find("batch")->find("lengths")->find("file")->text, absolute);
  EXPECT_EQ(document.find("profile")->text, "other.yaml");  // there is none
}

TEST(DocumentPaths, names_of_the_catalogue_stay) {
  config::Value document = config::parse("model: gpt3-175b\ncluster: selene-96\n", "e.yaml");
  make_paths_absolute(document);
  EXPECT_EQ(document.find("model")->text, "gpt3-175b");
  EXPECT_EQ(document.find("cluster")->text, "selene-96");
}

}  // namespace
}  // namespace pipewright::test
