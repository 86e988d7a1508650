/**
 * GPUs and inference or training chips, one line for each family. Columns: family, kind, name, manufacturer, then for a `gpu` its memory in
 * MiB and for an `accelerator` its NeuronCores (0: not a Neuron device), then `size:count`, with `/memoryMib` where a size differs.
 * A count of 0 is a share of one GPU: it has the labels, but no whole device to schedule on.
 */
export const accelerators = `
g4ad    gpu         radeon-pro-v520     amd      8192   x:1 2x:1 4x:1 8x:2 16x:4
g4dn    gpu         t4                  nvidia   16384  x:1 2x:1 4x:1 8x:1 12x:4 16x:1 metal:8
g5      gpu         a10g                nvidia   22888  x:1 2x:1 4x:1 8x:1 12x:4 16x:1 24x:4 48x:8
g5g     gpu         t4g                 nvidia   16384  x:1 2x:1 4x:1 8x:1 16x:2 metal:2
g6      gpu         l4                  nvidia   22888  x:1 2x:1 4x:1 8x:1 12x:4 16x:1 24x:4 48x:8
g6e     gpu         l40s                nvidia   45776  x:1 2x:1 4x:1 8x:1 12x:4 16x:1 24x:4 48x:8
g6f     gpu         l4                  nvidia   2861   large:0 x:0 2x:0/5722 4x:0/11444
g7      gpu         rtx-pro-4500        nvidia   32768  2x:1 4x:1 8x:1 12x:2 24x:4 48x:8
g7e     gpu         rtx-pro-server-6000 nvidia   98304  2x:1 4x:1 8x:1 12x:2 24x:4 48x:8
gr6     gpu         l4                  nvidia   22888  4x:1 8x:1
gr6f    gpu         l4                  nvidia   11444  4x:0
p3dn    gpu         v100                nvidia   32768  24x:8
p4d     gpu         a100                nvidia   40960  24x:8
p4de    gpu         a100                nvidia   81920  24x:8
p5      gpu         h100                nvidia   81920  4x:1 48x:8
p5e     gpu         h200                nvidia   144384 48x:8
p5en    gpu         h200                nvidia   144384 48x:8
p6-b200 gpu         b200                nvidia   183359 48x:8
p6-b300 gpu         b300                nvidia   275040 48x:8
dl2q    accelerator qualcomm-ai100      qualcomm 0      24x:8
inf1    accelerator inferentia          aws      4      x:1 2x:1 6x:4 24x:16
inf2    accelerator inferentia2         aws      2      x:1 8x:1 24x:6 48x:12
trn1    accelerator trainium            aws      2      2x:1 32x:16
trn1n   accelerator trainium            aws      2      32x:16
trn2    accelerator trainium2           aws      8      48x:16
`;
