/**
 * `interfaces x IPv4 addresses each / branch interfaces` of the default network card by size: the pod formula's inputs (karpenter-aws §2.2).
 *
 * `name size,size=value ...`; `*` is every size; a size that is missing has none.
 */
export const interfaceCurves = `
c8in      large=4x20/8 x=4x30/18 2x=4x30/38 4x=8x50/54 8x=8x50/84 12x=12x50/110 16x,24x,32x=16x64/106 48x=24x64/98 96x=12x64/98 metal-48xl=24x64/98 metal-96xl=12x64/98
c9g       medium=2x20 large=3x20 x,2x=4x30 4x=8x50 8x=10x50 12x=12x50 16x=16x64 24x,48x,metal-48xl=24x64
d3        x=4x3/42 2x=4x5/92 4x=4x10/118 8x=3x20/119
d3en      x=4x3/24 2x=4x5/58 4x=4x10/118 6x=4x15/118 8x=4x20/118 12x=3x30/119
f2        6x=8x30/84 12x=8x30/114 48x=15x50/107
g4ad      x,2x=2x4/12 4x=3x10/11 8x=4x15/10 16x=8x30/6
g4dn      x,2x=3x10/39 4x=3x10/59 8x=4x15/58 12x=8x30/54 16x=4x15/118 metal=15x50/107
g5        x=4x15/4 2x=4x15/17 4x=8x30/34 8x=8x30/84 12x=15x50/107 16x=8x30/114 24x=15x50/107 48x=7x50/115
g6e       large=2x10/10 x=4x15/18 2x=4x15/38 4x=8x30/54 8x=8x30/84 12x=10x30/112 16x=15x50/107 24x=10x50/102 48x=10x50/82
g7        2x=4x64/38 4x=8x64/54 8x=10x64/82 12x=12x64/110 24x=24x64/98 48x=12x64/98
g7e       2x=4x64/120 4x,8x=8x64/120 12x,24x,48x=10x64/120
h1        2x=4x15 4x,8x=8x30 16x=8x50
hpc7g     *=4x50
i3en      large=3x10/5 x=4x15/12 2x=4x15/28 3x=4x15/38 6x,12x=8x30/54 24x,metal=15x50/107
i4i       large=3x10 x=4x15/6 2x=4x15/26 4x=8x30/52 8x,12x=8x30/112 16x=15x50/120 24x=15x30/105 32x,metal=15x50/120
i7i       medium=2x4/10 large=3x10/9 x=4x15/18 2x=4x15/38 4x=8x30/54 8x,12x=8x30/84 16x,24x,48x=15x50/107 metal=8x30/54 metal-24xl,metal-48xl=15x50/107
i7ie      large=3x10/19 x,2x,3x=4x15/27 6x=8x30/54 12x=8x50/54 18x,24x,48x,metal-24xl,metal-48xl=15x50/107
i8ge      large=3x10/19 x,2x=4x15/27 3x=6x30/25 6x=10x30/52 12x=12x30/50 18x,24x=16x50/106 48x=24x50/98 metal-24xl=16x50/106 metal-48xl=24x50/98
inf1      x,2x=4x10/38 6x=8x30/54 24x=11x30/111
m1        small=2x4 medium=2x6 large=3x10 x=4x15 2x=4x30
m2        x=4x15 2x=4x30 4x=8x30
m4        large=2x10 x,2x=4x15 4x,10x,16x=8x30
m5        large=3x10/9 x=4x15/18 2x=4x15/38 4x,8x,12x=8x30/54 16x,24x=15x50/107 metal=15x50/120
m5zn      large=3x10/13 x=4x15/29 2x=4x15/62 3x=8x30/92 4x,6x,8x=8x30/114 12x,metal=15x50/107
m6in      large=3x10/9 x=4x15/18 2x=4x15/38 4x=8x30/54 8x=8x30/84 12x=8x30/114 16x,24x=15x50/107 32x,metal=8x50/106
m7a       medium=2x4/4 large=3x10/9 x=4x15/18 2x=4x15/38 4x=8x30/54 8x=8x30/84 9x=8x30/54 12x=8x30/114 16x,18x,24x,32x,48x,metal,metal-16xl,metal-24xl,metal-32xl,metal-48xl=15x50/107
m7i-flex  large=3x10/3 x=4x15/8 2x=4x15/18 4x=8x30/34 8x=8x30/54 12x=8x30/114 16x=15x50/107
m8a       medium=2x4/4 large=3x20/9 x=4x20/18 2x=4x40/38 4x=8x40/54 8x=10x40/82 12x=12x64/110 16x,24x=16x64/106 48x=24x64/98 metal-24xl=16x64/106 metal-48xl=24x64/98
m8azn     medium=3x4/3 large=4x20/8 x=4x20/18 3x=8x40/34 6x=8x40/54 12x,24x,metal-12xl,metal-24xl=16x64/106
m8g       medium=2x4/4 large=3x10/9 x=4x15/18 2x=4x15/38 4x,8x,9x,12x=8x30/54 16x,18x,24x,48x,metal,metal-24xl,metal-48xl=15x50/107
m8gb      medium=2x4/4 large=3x10/9 x=4x15/18 2x=4x15/38 4x=8x30/54 8x=10x30/52 12x=12x30/50 16x=16x50/106 24x=24x50/98 48x=12x50/98 metal-24xl=24x50 metal-48xl=12x50
m8i-flex  large=3x20/3 x=4x30/8 2x=4x30/18 4x=8x50/34 8x=10x50/52 12x=12x50/110 16x=16x64/106
m8ib      large=4x20/8 x=4x30/18 2x=4x30/38 4x=8x50/54 8x=8x50/84 12x=12x50/110 16x,24x,32x=16x64/106 48x=24x64/98 96x=12x64/98 metal-48xl=24x64 metal-96xl=12x64
m9g       medium=2x20/4 large=3x20/9 x=4x30/18 2x=4x30/38 4x=8x50/54 8x=10x50/52 12x=12x50/50 16x=16x64/106 24x,48x,metal-48xl=24x64/98
p4d       24x=15x50/62
p5        4x=4x30/58 48x=2x50/120
p5en      48x=4x50/120
r4        large=3x10 x,2x=4x15 4x,8x=8x30 16x=15x50
t2        nano,micro=2x2 small=3x4 medium=3x6 large=3x12 x,2x=3x15
t3        nano,micro=2x2 small=3x4 medium=3x6 large=3x12 x,2x=4x15
t3a       nano,micro=2x2 small=2x4 medium=3x6 large=3x12 x,2x=4x15
trn1      2x=4x15/17 32x=5x50/82
trn1n     32x=5x50/120
u-3tb1    56x=8x30/6
u-6tb1    *=15x50
u7i-12tb  224x=15x50/107
u7i-6tb   112x=15x50/107
u7in-16tb 224x=8x50/106
x1e       x=3x10 2x,4x,8x=4x15 16x,32x=8x30
x2gd      medium=2x4/10 large=3x10/9 x=4x15/18 2x=4x15/38 4x,8x,12x=8x30/54 16x,metal=15x50/107
x2iedn    x=4x15/11 2x=4x15/27 4x=8x30/54 8x=8x30/114 16x,24x,32x,metal=15x50/107
x8i       large=3x20/9 x=4x30/18 2x=4x30/38 4x=8x50/54 8x=10x50/82 12x=12x50/110 16x,24x=16x64/106 32x,48x,64x,96x,metal-48xl,metal-96xl=24x64/98
z1d       large=3x10/13 x=4x15/28 2x=4x15/58 3x,6x=8x30/54 12x,metal=15x50/107
`;

/**
 * Baseline network bandwidth in Mbps by size. Sizes with only a vague published figure ("up to") have none.
 *
 * `name size,size=value ...`; `*` is every size; a size that is missing has none.
 */
export const networkBandwidthCurves = `
c5a       medium=500 large=750 x=1250 2x=2500 4x=5000 8x=10000 12x=12000 16x,24x=20000 metal=5000
c6gn      medium=1600 large=3000 x=6300 2x=12500 4x=25000 8x=50000 12x=75000 16x=100000
d3        x=3000 2x=6000 4x=12500 8x=25000
d3en      x=6000 2x=12500 4x=25000 6x=40000 8x=50000 12x=75000
g4ad      x=2000 2x=4167 4x=8333 8x=15000 16x=25000
g4dn      x=5000 2x=10000 4x=20000 8x,12x,16x=50000 metal=100000
g5        large=1500 x=2500 2x=5000 4x=10000 8x=25000 12x=40000 16x=25000 24x=50000 48x=100000
g6e       x=2500 2x=5000 4x=20000 8x=25000 12x=100000 16x=35000 24x=200000 48x=400000
g7        2x,4x=60000 8x=80000 12x=175000 24x=350000 48x=700000
g7e       2x,4x=50000 8x=100000 12x=400000 24x=800000 48x=1600000
hpc7a     *=300000
hpc7g     *=200000
i3en      large=2100 x=4200 2x=8400 3x=12500 6x=25000 12x=50000 24x,metal=100000
i4i       large=781 x=1875 2x=4687 4x=9375 8x=18750 12x=28120 16x=37500 24x=56250 32x,metal=75000
i7i       large=1171 x=2343 2x=4687 4x=9375 8x=25000 12x=28120 16x=37500 24x=56250 48x=100000 metal-24xl=56250 metal-48xl=100000
i7ie      large=2083 x=4166 2x=8333 3x,6x=12500 12x=25000 18x=37500 24x=50000 48x=100000 metal-24xl=50000 metal-48xl=100000
i8g       large=1172 x=2344 2x=4688 4x=9375 8x=25000 12x=28120 16x=37500 24x=56250 48x=100000 metal-24xl=56250 metal-48xl=90000
i8ge      large=2100 x=4200 2x=8400 3x=12500 6x=37500 12x=75000 18x=112500 24x=150000 48x=180000 metal-24xl=150000 metal-48xl=180000
inf1      x,2x=5000 6x=25000 24x=100000
inf2      x=2083 8x=16667 24x=50000 48x=100000
m4        8x,10x=10000 16x=25000
m5        large=750 x=1250 2x=2500 4x=5000 8x=10000 9x,12x=12000 16x=20000 18x,24x,metal=25000
m5a       large=750 x=1250 2x=2500 4x=5000 8x=7500 12x=10000 16x=12000 24x=20000
m5n       large=2100 x=4100 2x=8125 4x=16250 8x=25000 12x=50000 16x=75000 24x,metal=100000
m5zn      large=3000 x=5000 2x=10000 3x,4x=15000 6x,9x=50000 12x,18x,metal=100000
m6g       medium=500 large=750 x=1250 2x=2500 4x=5000 8x=12000 12x=20000 16x,metal=25000
m7a       medium=390 large=781 x=1562 2x=3125 4x=6250 8x=12500 12x=18750 16x=25000 24x=37500 32x,48x,metal=50000 metal-24xl=37500 metal-48xl=50000
m7g       medium=520 large=937 x=1876 2x=3750 4x=7500 8x=15000 12x=22500 16x,metal=30000
m7i-flex  large=390 x=781 2x=1562 4x=3125 8x=6250 12x=9375 16x=12500
m8azn     medium=2080 large=4170 x=8330 3x=25000 6x=50000 12x=100000 24x=200000 metal-12xl=100000 metal-24xl=200000
m8g       medium=520 large=937 x=1875 2x=3750 4x=7500 8x=15000 12x=22500 16x=30000 24x=40000 48x=50000 metal-24xl=40000 metal-48xl=50000
m8gb      medium=2083 large=4166 x=8333 2x=16666 4x=33330 8x=66660 12x=100000 16x=133330 24x=200000 48x=400000 metal-24xl=200000 metal-48xl=400000
m8gn      medium=3125 large=6250 x=12500 2x=25000 4x=50000 8x=100000 12x=150000 16x=200000 24x=300000 48x=600000 metal=200000 metal-24xl=300000 metal-48xl=600000
m8i-flex  large=468 x=937 2x=1875 4x=3750 8x=7500 12x=11250 16x=15000
m8ib      large=2083 x=4166 2x=8333 4x=16666 8x=33330 12x=50000 16x=66660 24x=100000 32x=133330 48x=200000 96x=400000 metal-48xl=200000 metal-96xl=400000
m8in      medium=1562 large=3125 x=6250 2x=12500 4x=25000 8x=50000 12x=75000 16x=100000 24x=150000 32x=200000 48x=300000 96x=600000 metal=200000 metal-48xl=300000 metal-96xl=600000
m9g       medium=550 large=1000 x=2100 2x=4250 4x=8500 8x=17000 12x=25000 16x=34000 24x=50000 48x,metal-48xl=100000
p4d       24x=400000
p5        4x=100000 48x=3200000
p6-b300   48x=6400000
r7iz      large=781 x=1562 2x=3125 4x=6250 8x=12500 12x,16x=25000 32x=50000 metal-16xl=25000 metal-32xl=50000
t3        nano=32 micro=64 small=128 medium=256 large=512 x=1024 2x=2048
trn1      2x=3125 32x=800000
trn1n     32x=1600000
u-3tb1    56x=50000
u-6tb1    *=100000
u7i-12tb  224x=100000
u7in-16tb 224x=200000
vt1       3x=3120 6x=6250 24x=25000
x1e       x=625 2x=1250 4x=2500 8x=5000 16x=10000 32x=25000
x2iedn    x=1875 2x=5000 4x=12500 8x=25000 16x=50000 24x=75000 32x,metal=100000
x2iezn    2x=12500 4x=15000 6x=50000 8x=75000 12x,metal=100000
x8aedz    large=1562 x=3125 3x=9375 6x=18750 12x=37500 24x=75000 metal-12xl=37500 metal-24xl=75000
x8i       medium=520 large=937 x=1875 2x=3750 4x=7500 8x=15000 12x=22500 16x=30000 24x=40000 32x=50000 48x=75000 64x=80000 96x=100000 metal-24xl=40000 metal-48xl=75000 metal-96xl=100000
z1d       large=750 x=1250 2x=2500 3x,4x=5000 6x=12000 8x=10000 12x,16x,metal=25000
`;

/**
 * Interfaces that can be Elastic Fabric Adapters, by size.
 *
 * `name size,size=value ...`; `*` is every size; a size that is missing has none.
 */
export const efaCurves = `
g6e       8x,12x,16x=1 24x=2 48x=4
g7        8x,12x,24x=1 48x=2
hpc7a     *=2
hpc7g     *=1
i3en      8x,12x,16x,24x,48x,metal=1
i7i       24x,48x,metal-48xl=1
m6i       32x,metal=1
m6in      32x,metal=2
m8g       24x,32x,48x,metal,metal-24xl,metal-32xl,metal-48xl=1
m8gb      16x,24x=1 48x=2 metal,metal-24xl=1 metal-48xl=2
m8ib      9x,18x,48x=1 96x=2 metal,metal-48xl=1 metal-96xl=2
p4d       24x=4
p5        4x=1 48x=32
p6-b200   48x=8
trn1      32x=8
trn1n     32x=16
trn2      48x=16
u7i-12tb  224x=1
u7i-6tb   112x=1
u7in-16tb 224x=2
x2iezn    12x,metal=1
x8i       48x,64x,96x,metal,metal-48xl,metal-96xl=1
`;
