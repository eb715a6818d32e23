#!/usr/bin/bash
# As torchtitan's run_train.sh starts a job, on 16 nodes: only the facts.
NGPU=${NGPU:-"8"}
CONFIG_FILE=${CONFIG_FILE:-"./llama3-405b.toml"}
TRAIN_FILE=${TRAIN_FILE:-"torchtitan.train"}
torchrun --nnodes 16 --nproc_per_node=${NGPU} --rdzv_backend c10d \
    -m ${TRAIN_FILE} --job.config_file ${CONFIG_FILE} --training.seq_len 4096 --compile.no-enable "$@"
