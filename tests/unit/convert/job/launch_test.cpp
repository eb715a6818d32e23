#include "convert/job/launch.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Devices devices_of(const std::string& text) {
  const shell::Outcome outcome = shell::follow(text, "run.sh", {});
  return job::devices_of(job::launches(outcome).at(0), outcome, text);
}

TEST(Launch, a_launcher_says_nodes_and_processes) {
  const job::Devices torchrun = devices_of("torchrun --nnodes=4 --nproc_per_node 8 a.py --x 1");
  EXPECT_EQ(torchrun.nodes, 4);
  EXPECT_EQ(torchrun.per_node, 8);
  EXPECT_EQ(devices_of("mpirun -np 16 -npernode 8 python a.py").all, 16);
  EXPECT_EQ(devices_of("deepspeed --num_nodes 2 --num_gpus 4 a.py").per_node, 4);
  EXPECT_FALSE(devices_of("python a.py").nodes);
}

// --nproc-per-node of torchrun is 1 unless somebody says it.
TEST(Launch, torchrun_alone_starts_one_process) {
  EXPECT_TRUE(devices_of("torchrun a.py").one_process);
  EXPECT_TRUE(devices_of("python -m torch.distributed.run --master_port 1 a.py").one_process);
  EXPECT_FALSE(devices_of("torchrun --nproc_per_node 8 a.py").one_process);
  EXPECT_FALSE(devices_of("deepspeed a.py").one_process);
}

TEST(Launch, devices_follow_from_what_is_said) {
  EXPECT_EQ(job::world_of({.nodes = 4, .per_node = 8, .all = {}}).devices, 32);
  EXPECT_EQ(job::world_of({.nodes = 4, .per_node = {}, .all = 16}).per_node, 4);
  EXPECT_EQ(job::world_of({.nodes = {}, .per_node = {}, .all = 2}).per_node, 2);
  EXPECT_EQ(job::world_of({}).devices, 0);
}

// srun starts a torchrun on every node, which starts the processes.
TEST(Launch, a_launcher_may_start_another) {
  const job::Devices devices = devices_of("srun -N 2 -n 2 torchrun --nproc_per_node 8 a.py");
  EXPECT_EQ(devices.nodes, 2);
  EXPECT_EQ(devices.per_node, 8);
  EXPECT_FALSE(devices.all);
}

TEST(Launch, slurm_says_what_its_lines_say) {
  const auto variables =
      job::slurm_variables("#SBATCH -N 4\n#SBATCH --gres=gpu:8 # all\n#SBATCH -n32\n");
  EXPECT_EQ(variables.at("SLURM_NNODES"), "4");
  EXPECT_EQ(variables.at("SLURM_GPUS_PER_NODE"), "8");
  EXPECT_EQ(variables.at("SLURM_NTASKS"), "32");
}

TEST(Launch, several_options_of_slurm_stand_on_a_line) {
  const auto variables =
      job::slurm_variables("#SBATCH --nodes=2 --ntasks-per-node 4 --gpus-per-node=a100:4 -c 12\n");
  EXPECT_EQ(variables.at("SLURM_JOB_NUM_NODES"), "2");
  EXPECT_EQ(variables.at("SLURM_NTASKS"), "8");
  EXPECT_EQ(variables.at("SLURM_NPROCS"), "8");
  EXPECT_EQ(variables.at("SLURM_GPUS_ON_NODE"), "4");
  EXPECT_EQ(variables.at("SLURM_CPUS_PER_TASK"), "12");
}

TEST(Launch, slurm_counts_devices_by_node_or_all) {
  const job::Devices all = devices_of("#SBATCH --nodes=2\n#SBATCH --gpus=16\nsrun python a.py");
  EXPECT_EQ(job::world_of(all).devices, 16);
  EXPECT_EQ(job::world_of(all).per_node, 8);
  const job::Devices tasks = devices_of("#SBATCH -N 4\n#SBATCH -n 16\nsrun python a.py");
  EXPECT_EQ(job::world_of(tasks).devices, 16);
  const job::Devices srun =
      devices_of("srun --nodes 3 --gres=gpu:h100:4 torchrun --nproc_per_node gpu a.py");
  EXPECT_EQ(job::world_of(srun).devices, 12);
}

// What $(scontrol ...) prints is not known; its header says how many nodes the job has.
TEST(Launch, a_script_that_counts_its_nodes_has_those_of_its_header) {
  const std::string count = "N=($(scontrol show hostnames))\n";
  const std::string header = "#SBATCH --nodes=4\n";
  EXPECT_EQ(job::world_of(
                devices_of(header + count + "torchrun --nnodes ${#N[@]} --nproc_per_node 8 a.py"))
                .devices,
            32);
  EXPECT_EQ(job::world_of(devices_of(header + count +
                                     "M=${#N[@]}\ntorchrun --nnodes $M --nproc_per_node 8 a.py"))
                .devices,
            32);
  EXPECT_FALSE(devices_of(count + "torchrun --nnodes ${#N[@]} --nproc_per_node 8 a.py").nodes);
}

TEST(Launch, a_container_names_its_devices) {
  EXPECT_FALSE(devices_of("docker run --gpus all image python a.py").all);
}

TEST(Launch, a_number_that_is_none_is_named) {
  EXPECT_NE(
      error_of([] { devices_of("torchrun --nnodes many a.py"); }).find("--nnodes needs a number"),
      std::string::npos);
}

TEST(Launch, a_module_is_a_program) {
  const auto program = [](const std::string& text) {
    return job::launches(shell::follow(text, "run.sh", {})).at(0).program;
  };
  EXPECT_EQ(program("torchrun -m a.b.train --x 1"), "a/b/train.py");
  EXPECT_EQ(program("python -m torch.distributed.run a.py --x 1"), "a.py");
}

TEST(Launch, a_program_sees_some_devices) {
  const auto visible = [](const std::string& text) {
    return job::launches(shell::follow(text, "run.sh", {})).at(0).visible;
  };
  EXPECT_EQ(visible("CUDA_VISIBLE_DEVICES=1,2 python a.py --x 1")->text, "1,2");
  EXPECT_EQ(
      visible("CUDA_VISIBLE_DEVICES=0 python b.py\nCUDA_VISIBLE_DEVICES=1 python a.py --x 1")->text,
      "0");
  EXPECT_FALSE(visible("CUDA_VISIBLE_DEVICES=0 ls\npython a.py --x 1"));
}

// sbatch reads no further than the first command.
TEST(Launch, slurm_reads_what_stands_before_the_first_command) {
  EXPECT_TRUE(job::slurm_variables("#!/bin/bash\n\n# x\nset -e\n#SBATCH -N 4\n").empty());
  EXPECT_EQ(job::slurm_variables("#!/bin/bash\n\n# x\n#SBATCH -N 4\n").size(), 2u);
}

TEST(Launch, a_job_that_a_script_queues_has_its_own_options) {
  const auto devices = [](const std::string& options) {
    return devices_of("N=4\nsbatch " + options +
                      " <<E\n#!/bin/bash\n#SBATCH --nodes=$N --gpus-per-node=8\n"
                      "srun python a.py --x 1\nE\n");
  };
  EXPECT_EQ(job::world_of(devices("")).devices, 32);
  EXPECT_EQ(job::world_of(devices("-N 2")).devices, 16);
  EXPECT_NE(error_of([&] { devices("--nodes=$M"); }).find("hangs on ${M}, which is not known"),
            std::string::npos);
}

// The -N of numactl names nodes of memory.
TEST(Launch, options_of_a_program_that_pins_are_its_own) {
  const job::Devices devices =
      devices_of("srun -N 2 numactl -N 4-7 -m 4-7 torchrun --nproc_per_node 8 a.py");
  EXPECT_EQ(devices.nodes, 2);
  EXPECT_EQ(devices.per_node, 8);
  EXPECT_FALSE(devices_of("mpirun -np 8 numactl -N 0-3 python a.py").nodes);
}

TEST(Launch, devices_that_a_script_counts_are_not_said) {
  for (const char* count :
       {"$(nvidia-smi -L | wc -l)", "`nvidia-smi -L | wc -l`", "$(rocm-smi --showid | wc -l)",
        "$(python -c 'import torch; print(torch.cuda.device_count())')"})
    for (const char* launch : {"", "eval "}) {
      const job::Devices devices = devices_of(std::string("N=") + count + "\n" + launch +
                                              "torchrun --nnodes 2 --nproc_per_node $N a.py");
      EXPECT_EQ(devices.nodes, 2) << count;
      EXPECT_FALSE(devices.per_node) << count;
    }
}

TEST(Launch, the_variable_that_counts_nodes_is_known) {
  EXPECT_EQ(devices_of("NNODES=2\ntorchrun --nnodes $NNODES a.py").nodes_variable, "NNODES");
  EXPECT_EQ(devices_of("A=2\nO=\"--nnodes=${A}\"\ntorchrun $O a.py").nodes_variable, "A");
  EXPECT_EQ(devices_of("N=2\ndeepspeed --num_nodes \"$N\" a.py").nodes_variable, "N");
  EXPECT_EQ(devices_of("torchrun --nnodes 2 a.py").nodes_variable, "");
}

}  // namespace
}  // namespace pipewright::test
