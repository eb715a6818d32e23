ARGS=(
  --num-layers 4 --hidden-size 256
  --num-attention-heads 4 --micro-batch-size 1 --seq-length "128" # c
)
P='--bf16'
torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py ${ARGS[@]} $P \
  --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout "Et|(t)*3L"
