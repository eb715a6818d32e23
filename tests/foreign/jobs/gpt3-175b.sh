#!/bin/bash
# Megatron-LM's example of GPT-3 175B on 128 GPUs: only the facts.
GPUS_PER_NODE=8
NUM_NODES=${NUM_NODES:-1}
LAUNCH=(--nproc_per_node $GPUS_PER_NODE --nnodes $NUM_NODES)
MODEL=(--num-layers 96 --hidden-size 12288 --num-attention-heads 96
       --seq-length 2048 --max-position-embeddings 2048 --attention-backend auto)
TRAINING=(--micro-batch-size 1 --global-batch-size 1536 --train-iters 500000 --fp16
          --lr 6.0e-5 --lr-decay-style cosine --clip-grad 1.0)
PARALLEL=(
  --tensor-model-parallel-size 8
  --pipeline-model-parallel-size 16
)
DATA=(--data-path "$5" --vocab-file $3 --merge-file $4 --split 949,50,1)
torchrun ${LAUNCH[@]} pretrain_gpt.py ${MODEL[@]} ${TRAINING[@]} ${PARALLEL[@]} ${DATA[@]}
