#!/bin/bash
# Megatron-DeepSpeed's GPT 1.3B with 128 experts on 128 GPUs: only the facts.
NUM_GPUS=${NUM_GPUS:-128}
EP_SIZE=128
if [[ $EP_SIZE -gt $NUM_GPUS ]]; then EP=$NUM_GPUS; else EP=$EP_SIZE; fi
options=" --tensor-model-parallel-size 1 --moe-expert-parallel-size ${EP} \
  --num-experts ${EP_SIZE} --moe-loss-coeff 0.01 --moe-train-capacity-factor 1.0 \
  --moe-eval-capacity-factor 1.0 --moe-min-capacity 4 --create-moe-param-group \
  --lr-decay-tokens 300000000000 --micro-batch-size 4 --global-batch-size 512 \
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 \
  --max-position-embeddings 2048 --fp16 --vocab-file v.json --merge-file m.txt \
  --checkpoint-activations --deepspeed-activation-checkpointing"
cat <<EOT > ds_config.json
{"train_batch_size": 512, "train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true},
 "zero_optimization": {"stage": 0}}
EOT
deepspeed --num_nodes 16 --num_gpus 8 pretrain_gpt.py ${options} --deepspeed \
  --deepspeed_config ds_config.json --no-pipeline-parallel
