#include "convert/job/given_model.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

TEST(GivenModel, is_a_name_or_a_file_of_hugging_face) {
  job::Source source;
  EXPECT_FALSE(job::given_transformer(source));
  source.model = "llama-2-7b";
  EXPECT_EQ(job::given_transformer(source)->find("layers")->text, "32");
  source.model.clear();
  source.further = {{"a=1"}, {"config.json", R"({"model_type": "llama", "hidden_size": 256,
      "intermediate_size": 512, "num_attention_heads": 4, "num_hidden_layers": 3,
      "vocab_size": 1000})"}};
  EXPECT_EQ(job::given_transformer(source)->find("layers")->text, "3");
}

TEST(GivenModel, keeps_its_sequence) {
  job::Source source;
  EXPECT_FALSE(job::given_model(source));
  source.model = "llama-3-8b";
  job::Import import;
  import.experiment.set("model", *job::given_model(source));
  EXPECT_EQ(import.experiment.find("model")->find("sequence")->text, "8192");
  job::take_models_sequence(source, import);
  EXPECT_EQ(import.assumed.front(),
            "sequences have 8192 tokens, as the model's: --define max_seq_length=N says it");
}

TEST(GivenModel, without_a_sequence_asks_for_it) {
  job::Source source{.text = "", .file = "a.yaml", .given = {}, .read = {}};
  job::Import import;
  import.experiment.set("model", config::parse("{transformer: {layers: 2, hidden: 64, heads: 4, "
                                               "vocabulary: 100}}",
                                               "m.yaml"));
  EXPECT_EQ(error_of([&] { job::take_models_sequence(source, import); }),
            "a.yaml:1:1: error: nothing here says how long sequences are: --define "
            "max_seq_length=N says it");
}

TEST(GivenModel, that_is_none_is_named) {
  job::Source source;
  source.further = {{"a.json", "{}"}};
  EXPECT_EQ(error_of([&] { job::given_transformer(source); }),
            "a.json:1:1: error: this is no config.json of Hugging Face");
  source.model = "alexnet";
  EXPECT_NE(error_of([&] { job::given_transformer(source); }).find("no transformer"),
            std::string::npos);
}

TEST(GivenModel, is_the_written_one_where_nobody_gives_another) {
  job::Source source;
  source.written_model = config::parse(
      "{transformer: {layers: 5, hidden: 256, heads: 4, vocabulary: 1024}}", "a.yaml");
  EXPECT_EQ(job::given_transformer(source)->find("layers")->text, "5");
  source.model = "llama-2-7b";
  EXPECT_EQ(job::given_transformer(source)->find("layers")->text, "32");
}

}  // namespace
}  // namespace pipewright::test
