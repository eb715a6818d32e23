#include "config/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "temporary_folder.hpp"

namespace pipewright::config {
namespace {

using test::error_of;
using test::TemporaryFolder;
using testing::HasSubstr;
using testing::StartsWith;

Value user_value(std::string_view yaml) { return parse(yaml, "user.yaml"); }

std::vector<std::string> names_of(const Catalogue& catalogue, std::string_view kind) {
  std::vector<std::string> names;
  for (const Listing& listing : catalogue.list(kind)) names.push_back(listing.name);
  return names;
}

TEST(Catalogue, files_are_compiled_in_under_their_folder_and_name) {
  const Value device = Catalogue().load("devices", scalar("a100-sxm-80g"));
  EXPECT_EQ(as_bytes(*device.find("memory")), 80 * GiB);
  const Mark& mark = device.find("memory")->mark;
  EXPECT_EQ(*mark.file, "catalogue:devices/a100-sxm-80g.yaml");
  EXPECT_EQ(mark.line, 4);
}

TEST(Catalogue, lists_by_name_with_descriptions) {
  const std::vector<Listing> links = Catalogue().list("links");
  ASSERT_GT(links.size(), 20u);
  for (size_t i = 1; i < links.size(); ++i) EXPECT_LT(links[i - 1].name, links[i].name);
  for (const Listing& link : links) EXPECT_NE(link.description, "") << link.name;
}

TEST(Catalogue, an_unknown_name_is_reported_where_it_was_used) {
  const Value user = user_value("cluster:\n  node: dgx-a100-80gb\n");
  const Value* named = user.find("cluster")->find("node");
  EXPECT_EQ(error_of([&] { Catalogue().load("nodes", *named); }),
            "user.yaml:2:9: error: unknown node 'dgx-a100-80gb'; did you mean 'dgx-a100-80g'? "
            "('pipewright list nodes' lists all)");
}

// What is changed of a node that the base has by name is changed of that node; a node that is
// written out takes its place.
TEST(Catalogue, a_change_of_a_named_node_or_device_keeps_the_rest_of_it) {
  const Value named =
      user_value("base: selene-96\nnode: {price_per_hour: 32, device: {memory: 81 GiB}}\n");
  const Value cluster = Catalogue().resolve("clusters", named);
  const std::string before = Catalogue().load("clusters", scalar("selene-96")).find("node")->text;
  const Value* changed = cluster.find("node");
  EXPECT_EQ(changed->find("base")->text, before);
  const Value node = Catalogue().resolve("nodes", *changed);
  EXPECT_EQ(node.find("devices")->text, "8");
  EXPECT_TRUE(node.find("device")->find("base")) << "of the node's device the memory is another";
  const Value whole = user_value("base: selene-96\nnode: {device: h100-sxm, devices: 4}\n");
  EXPECT_FALSE(Catalogue().resolve("clusters", whole).find("node")->find("base"));
}

TEST(Catalogue, a_model_of_hugging_face_has_its_folders_name_by_either_path) {
  const TemporaryFolder folder;
  folder.write("my-llama/config.json", "{\"model_type\": \"llama\"}");
  const std::string path = folder.path() + "/my-llama";
  for (const std::string& one : {path, path + "/", path + "/config.json"})
    EXPECT_EQ(Catalogue().resolve("models", scalar(one)).find("_name_or_path")->text, "my-llama")
        << one;
}

TEST(Catalogue, a_name_of_another_kind_is_told_as_such) {
  const auto told = [](std::string_view kind, const char* name) {
    return error_of([&] { Catalogue().load(kind, scalar(name)); });
  };
  EXPECT_THAT(told("clusters", "dgx-h100"),
              HasSubstr("it is a node, and a cluster of it is '{node: dgx-h100, nodes: 1}'"));
  EXPECT_THAT(told("nodes", "h100-sxm"), HasSubstr("unknown node 'h100-sxm'; it is a device"));
  EXPECT_THAT(told("experiments", "gpt3-175b"), HasSubstr("; it is a model"));
}

TEST(Catalogue, a_folder_of_a_model_is_named_by_its_path) {
  const TemporaryFolder folder;
  folder.write("my-llama/config.json", "{\"model_type\": \"llama\"}");
  const std::string file = folder.write("job.yaml", "model: my-llama\n");
  EXPECT_THAT(error_of([&] { Catalogue().load("models", *parse_file(file).find("model")); }),
              HasSubstr("the folder of that name is './my-llama'"));
}

TEST(Catalogue, a_folder_of_the_search_path_adds_and_overrides) {
  const TemporaryFolder folder;
  folder.write("devices/mine.yaml", "description: my own\n");
  folder.write("devices/a100-sxm-80g.yaml", "description: overridden\n");
  folder.write("topologies/links/wire.yaml", "description: laid out like the repository\n");
  const Catalogue catalogue(folder.path());
  EXPECT_EQ(as_text(*catalogue.load("devices", scalar("mine")).find("description")), "my own");
  EXPECT_EQ(as_text(*catalogue.load("devices", scalar("a100-sxm-80g")).find("description")),
            "overridden");
  EXPECT_THAT(names_of(catalogue, "links"), testing::Contains("wire"));
  EXPECT_EQ(names_of(catalogue, "devices").size(), names_of(Catalogue(), "devices").size() + 1);
}

TEST(Catalogue, an_earlier_folder_hides_a_later_one) {
  const TemporaryFolder first, second;
  first.write("links/wire.yaml", "description: first\n");
  second.write("links/wire.yaml", "description: second\n");
  const Catalogue catalogue(first.path() + "::" + second.path());
  EXPECT_EQ(as_text(*catalogue.load("links", scalar("wire")).find("description")), "first");
}

TEST(Catalogue, a_search_path_that_leads_nowhere_is_an_error) {
  EXPECT_EQ(error_of([] { Catalogue("/no/such/folder"); }),
            "error: PIPEWRIGHT_PATH names '/no/such/folder', which is not a folder");
}

TEST(Catalogue, a_base_is_merged_under_the_changes) {
  const Value link = Catalogue().resolve("links", user_value("{base: hdr, latency: 7 us}"));
  EXPECT_EQ(as_time(*link.find("latency")), microseconds(7));
  EXPECT_DOUBLE_EQ(as_bandwidth(*link.find("bandwidth")).bytes_per_s, 25e9);
  EXPECT_EQ(link.find("base"), nullptr);
}

TEST(Catalogue, maps_inside_a_base_are_merged_too) {
  const Value cluster = Catalogue().resolve(
      "clusters", user_value("{base: selene-96, nodes: 4, fabric: {link: ndr}}"));
  EXPECT_EQ(as_int(*cluster.find("nodes"), 1, 100), 4);
  EXPECT_EQ(as_text(*cluster.find("fabric")->find("link")), "ndr");
  EXPECT_EQ(as_int(*cluster.find("fabric")->find("nics"), 1, 100), 8);
}

TEST(Catalogue, a_base_that_leads_back_to_itself_is_an_error) {
  const TemporaryFolder folder;
  folder.write("links/a.yaml", "base: b\n");
  folder.write("links/b.yaml", "base: a\n");
  EXPECT_THAT(error_of([&] { Catalogue(folder.path()).load("links", scalar("a")); }),
              HasSubstr("does one lead back to itself?"));
}

TEST(Catalogue, a_path_is_seen_from_the_file_that_names_it) {
  const TemporaryFolder folder;
  folder.write("parts/wire.yaml", "latency: 3 us\n");
  const std::string user = folder.write("experiment.yaml", "link: parts/wire.yaml\n");
  const Value link = Catalogue().resolve("links", *parse_file(user).find("link"));
  EXPECT_EQ(as_time(*link.find("latency")), microseconds(3));
}

TEST(Catalogue, a_file_that_cannot_be_read_is_reported_where_it_is_named) {
  EXPECT_EQ(error_of([] { Catalogue().resolve("links", user_value("./missing.yaml")); }),
            "user.yaml:1:1: error: cannot read file './missing.yaml'");
}

TEST(Catalogue, a_list_is_not_an_entry) {
  EXPECT_THAT(error_of([] { Catalogue().resolve("nodes", user_value("[1, 2]")); }),
              StartsWith("user.yaml:1:1: error: must be the name of a node"));
  EXPECT_THAT(error_of([] { Catalogue().resolve("experiments", user_value("[1, 2]")); }),
              StartsWith("user.yaml:1:1: error: must be the name of an experiment"));
}

TEST(Catalogue, an_empty_file_is_not_an_entry) {
  const TemporaryFolder folder;
  const std::string empty = folder.write("empty.yaml", "# nothing\n");
  EXPECT_THAT(error_of([&] { Catalogue().resolve("models", user_value(empty)); }),
              StartsWith(empty + ":1:1: error: is empty"));
}

TEST(Catalogue, entries_are_known_by_the_name_at_the_bottom_of_their_bases) {
  EXPECT_EQ(name_of(scalar("hdr")), "hdr");
  EXPECT_EQ(name_of(scalar("folder/wire.yaml")), "wire");
  EXPECT_EQ(name_of(user_value("{base: hdr, latency: 1 us}")), "hdr");
  EXPECT_EQ(name_of(user_value("{latency: 1 us}")), std::nullopt);
}

}  // namespace
}  // namespace pipewright::config
