#include "convert/megatron/program.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

megatron::Program named(const std::string& program) {
  job::Launch launch;
  launch.program = program;
  job::Import import;
  return megatron::program_of(launch, {.file = "run.sh"}, import);
}

TEST(MegatronProgram, is_told_by_its_name) {
  EXPECT_EQ(named("/opt/Megatron-LM/pretrain_gpt.py"), megatron::Program::gpt);
  EXPECT_EQ(named("pretrain_bert.py"), megatron::Program::bert);
  EXPECT_EQ(named("pretrain_t5.py"), megatron::Program::t5);
  EXPECT_EQ(named("pretrain_mamba.py"), megatron::Program::hybrid);
  EXPECT_EQ(named("pretrain_hybrid.py"), megatron::Program::hybrid);
  EXPECT_EQ(named("train.py"), megatron::Program::list);
}

TEST(MegatronProgram, what_pretrains_no_text_is_refused) {
  for (const char* program : {"pretrain_vision_classify.py", "tools/checkpoint/convert.py",
                              "tasks/main.py", "run_text_generation_server.py"})
    EXPECT_NE(error_of([&] { named(program); }).find("cannot be said"), std::string::npos)
        << program;
}

}  // namespace
}  // namespace pipewright::test
