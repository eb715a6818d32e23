#!/bin/bash
# A GPT of 8 experts on Summit, whose nodes have 6 devices: only the facts.
NODES=16
EXPERTS=8
cat > template.json <<TEMPLATE
{"train_batch_size": BATCH, "train_micro_batch_size_per_gpu": MICRO,
 "zero_optimization": {"stage": STAGE}, "fp16": {"enabled": true}}
TEMPLATE
sed "s/BATCH/384/" template.json | sed "s/MICRO/1/" | sed "s/STAGE/2/" > config.json
options="--tensor-model-parallel-size 1 --moe-expert-parallel-size $EXPERTS --num-experts $EXPERTS
  --num-layers 24 --hidden-size 4096 --num-attention-heads 16 --seq-length 2048
  --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 384 --train-iters 100
  --vocab-file gpt2-vocab.json --merge-file gpt2-merges.txt --fp16 --checkpoint-activations
  --create-moe-param-group --deepspeed --deepspeed_config config.json
  --pipeline-model-parallel-size 1 --no-pipeline-parallel --deepspeed-activation-checkpointing"
export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5
jsrun --nrs $((NODES * 6)) --tasks_per_rs 1 --cpu_per_rs 7 --gpu_per_rs 1 --rs_per_host 6 \
    python pretrain_gpt.py $options
