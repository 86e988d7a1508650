/**
 * Families on Intel processors, one line each. Columns:
 *
 * 1. family, the part of the type's name before the dot;
 * 2. hypervisor `n` nitro or `x` xen (bare-metal sizes have none), then `e` if traffic between instances is encrypted;
 * 3. sustained clock, MHz; 4. GiB of memory per vCPU;
 * 5. on-demand USD per vCPU-hour in us-east-1, rounded per type to 5 decimals, or to `~n`; `-` no list price;
 * 6. local NVMe: GB per vCPU, or the name of an `nvmeCurves` line;
 * 7. to 10. names of the lines in `interfaceCurves` (or `pods=N`: EC2 publishes no limits, so N is the pod capacity itself),
 *    `ebsBandwidthCurves`, `networkBandwidthCurves` and `efaCurves`; a curve bears the name of one family that has it;
 * 11. the sizes: `8x` is `8xlarge`. vCPUs follow from the name (medium 1, large 2, xlarge 4, `Nx` and `metal-Nxl` 4N, metal as the largest
 *     size); exceptions as `size:vcpus/memoryMib@clockMhz$usdPerHour`.
 */
export const intelFamilies = `
c1        x  0    0.84961  .065        -      m1        -        -         -         medium:2 x:8/7168
c3        x  2800 1.875    .0525       -      r4        -        m4        -         large x 2x 4x 8x
c4        x  2900 1.875    .04975~3    -      r4        c4       m4        -         large x 2x 4x 8x:36/61440$1.591
c5        n  3400 2        .0425       -      m8g       m5       m5        -         large x 2x 4x 9x 12x@3600 18x 24x@3600 metal@3600
c5d       n  3400 2        .048        c5d    m8g       m5       m5        -         large x 2x 4x 9x 12x@3600 18x 24x@3600 metal@3600
c5n       ne 3400 2.625    .054        -      m7a       m5       m5zn      m8ib      large x 2x 4x 9x/98304 18x/196608 metal/196608
c6i       ne 3500 2        .0425       -      m7a       x8i      m7a       m6i       large x 2x 4x 8x 12x 16x 24x 32x metal
c6id      ne 3500 2        .0504       m8id   m7a       x8i      m7a       m6i       large x 2x 4x 8x 12x 16x 24x 32x metal
c6in      ne 3500 2        .0567       -      m6in      m8ib     m8in      m6in      large x 2x 4x 8x 12x 16x 24x 32x metal
c7i       ne 3200 2        .044625     -      m7a       m7a      m7a       x8i       large x 2x 4x 8x 12x 16x 24x 48x metal-24xl$4.7124 metal-48xl
c7i-flex  ne 3200 2        .0423938    -      m7i-flex  x8i      m7i-flex  -         large x 2x 4x 8x 12x 16x
c8i       ne 3900 2        .046855     -      x8i       x8i      x8i       x8i       large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$9.89578 metal-96xl
c8i-flex  ne 3900 2        .04451      -      m8i-flex  x8i      m8i-flex  -         large x 2x 4x 8x 12x 16x
c8ib      ne 3900 2        .06804      -      m8ib      m8ib     m8ib      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$14.37005 metal-96xl
c8id      ne 3900 2        .05544      m8id   x8i       x8i      x8i       x8i       large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$11.70893 metal-96xl
c8in      ne 3900 2        .06804      -      c8in      m8in     m8in      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$14.37005 metal-96xl
c8ine     ne 3900 2        .08505      -      m8ib      x8i      m8in      -         large x 2x 4x 8x 12x
d2        x  2400 7.625    .1725       -      r4        m4       m4        -         x 2x 4x 8x:36/249856$5.52
d3        ne 3100 8        .12486~3    1485   d3        d3en     d3        -         x 2x 4x 8x$3.99552
d3en      ne 3100 4        .13143~3    6990   d3en      d3en     d3en      -         x 2x 4x 6x 8x$4.20576 12x$6.30864
dl2q      ne 2500 8        -           -      m7a       m5       m8ib      m8g       24x
g4dn      ne 2500 4        .068        g4dn   g4dn      g4dn     g4dn      i3en      x$0.526 2x$0.752 4x$1.204 8x 12x$3.912 16x metal:96$7.824
g7        ne 3900 4        .14850667   g7     g7        g7       g7        g7        2x$2.52 4x$3.04208 8x$4.08624 12x 24x 48x
g7e       ne 2400 10.66667 .17262667   g7e    g7e       g7e      g7e       g6e       2x/65536$3.36312 4x/131072$3.99816 8x/262144$5.26824 12x 24x 48x/2097152
h1        x  2300 4        .0585       -      h1        h1       z1d       -         2x 4x 8x 16x
hpc6id    ne 3500 16       -           237.5  pods=51   hpc6id   m8in      m6in      32x:64
i2        x  2500 7.625    .21313~3    -      r4        -        m4        -         x 2x 4x 8x
i3        x  2300 7.625    .078        237.5  r4        r4       z1d       -         large x 2x 4x 8x 16x
i3en      ne 3100 8        .113        625    i3en      m5       i3en      i3en      large x 2x 3x 6x 12x 24x metal
i4i       ne 3500 8        .0858~3     i7i    i4i       x8i      i4i       m6i       large x 2x 4x 8x 12x 16x 24x$8.2368 32x$10.9824 metal
i7i       ne 2400 8        .09438~4    i7i    i7i       x8i      i7i       i7i       large x 2x 4x 8x 12x 16x 24x 48x metal-24xl$9.6204 metal-48xl$19.2408
i7ie      ne 3600 8        .12995      625    i7ie      x8i      i7ie      x8i       large x 2x 3x 6x 12x 18x 24x 48x metal-24xl$13.2844 metal-48xl$26.5687
inf1      ne 2500 2        .04918~3    -      inf1      m5       inf1      m8g       x$0.228 2x$0.362 6x 24x
m1        x  0    3.75     .0875~3     -      m1        -        -         -         small:1/1740$0.044 medium/3788 large x
m2        x  0    8.54980  .1225       -      m2        -        -         -         x:2 2x:4 4x:8/70041
m3        x  2500 3.75     .0665~3     -      m1        -        -         -         medium large x 2x
m4        x  2400 4        .05         -      m4        m4       m4        -         large x 2x 4x 10x 16x@2300
m5        n  3100 4        .048        -      m5        m5       m5        -         large x 2x 4x 8x 12x 16x 24x metal
m5d       n  3100 4        .0565       37.5   m8g       m5       m5        -         large x 2x 4x 8x 12x 16x 24x metal
m5dn      ne 3100 4        .068        37.5   m8g       m5       m5n       m8g       large x 2x 4x 8x 12x 16x 24x metal
m5n       ne 3100 4        .0595       -      m8g       m5       m5n       m8g       large x 2x 4x 8x 12x 16x 24x metal
m5zn      ne 4500 4        .082585~4   -      m5zn      m5zn     m5zn      i3en      large x 2x 3x 6x 12x metal$4.3605
m6i       ne 3500 4        .048        -      m7a       x8i      m7a       m6i       large x 2x 4x 8x 12x 16x 24x 32x metal
m6id      ne 3500 4        .059325     m8id   m7a       x8i      m7a       m6i       large x 2x 4x 8x 12x 16x 24x 32x metal
m6idn     ne 3500 4        .07956      m8id   m6in      m8ib     m8in      m6in      large x 2x 4x 8x 12x 16x 24x 32x metal
m6in      ne 3500 4        .069615     -      m6in      m8ib     m8in      m6in      large x 2x 4x 8x 12x 16x 24x 32x metal
m7i       ne 3200 4        .0504       -      m7a       m7a      m7a       x8i       large x 2x 4x 8x 12x 16x 24x 48x metal-24xl$5.32224 metal-48xl
m7i-flex  ne 3200 4        .04788      -      m7i-flex  x8i      m7i-flex  -         large x 2x 4x 8x 12x 16x
m8i       ne 3900 4        .05292      -      x8i       x8i      x8i       x8i       large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl metal-96xl
m8i-flex  ne 3900 4        .050275     -      m8i-flex  x8i      m8i-flex  -         large x 2x 4x 8x 12x 16x
m8ib      ne 3900 4        .08354      -      m8ib      m8ib     m8ib      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$17.64365 metal-96xl
m8id      ne 3900 4        .06526      m8id   x8i       x8i      x8i       x8i       large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl metal-96xl
m8idb     ne 3900 4        .09547      m8id   m8ib      m8ib     m8ib      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$20.16326 metal-96xl
m8idn     ne 3900 4        .09547      m8id   m8ib      m8in     m8in      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$20.16326 metal-96xl
m8in      ne 3900 4        .08354      -      m8ib      m8in     m8in      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$17.64365 metal-96xl
m8ine     ne 3900 4        .104425     -      m8ib      x8i      m8in      -         large x 2x 4x 8x 12x
p3dn      ne 2500 8        .325125     18.75  m7a       m5       m8ib      m8g       24x
p4d       ne 3000 12       .22872544~6 p4d    p4d       m5       p4d       p4d       24x
p4de      ne 3000 12       .2859068    p4d    p4d       m5       p4d       p4d       24x
p5en      ne 2400 10.66667 .32966667   p5     p5en      g7e      p5        trn2      48x/2097152
p6-b200   ne 2400 10.66667 .5934       p5     p5en      g7e      p5        p6-b200   48x/2097152
p6-b300   ne 2400 21.33333 .74175      p5     p5en      g7e      p6-b300   trn2      48x/4194304
r3        x  2500 7.625    .08313~3    -      r4        -        m4        -         large/15360 x 2x 4x 8x
r4        x  2300 7.625    .0665       -      r4        r4       z1d       -         large x 2x 4x 8x 16x
r5        n  3100 8        .063        -      m5        m5       m5        -         large x 2x 4x 8x 12x 16x 24x metal
r5b       n  3100 8        .0745       -      m8g       r5b      m5        -         large x 2x 4x 8x 12x 16x 24x metal$7.8672
r5d       n  3100 8        .072        37.5   m8g       m5       m5        -         large x 2x 4x 8x 12x 16x 24x metal
r5dn      ne 3100 8        .0835       37.5   m8g       m5       m5n       m8g       large x 2x 4x 8x 12x 16x 24x metal
r5n       ne 3100 8        .0745       -      m8g       m5       m5n       m8g       large x 2x 4x 8x 12x 16x 24x metal
r6i       ne 3500 8        .063        -      m7a       x8i      m7a       m6i       large x 2x 4x 8x 12x 16x 24x 32x metal
r6id      ne 3500 8        .0756       m8id   m7a       x8i      m7a       m6i       large x 2x 4x 8x 12x 16x 24x 32x metal
r6idn     ne 3500 8        .097695     m8id   m6in      m8ib     m8in      m6in      large x 2x 4x 8x 12x 16x 24x 32x metal
r6in      ne 3500 8        .087165     -      m6in      m8ib     m8in      m6in      large x 2x 4x 8x 12x 16x 24x 32x metal
r7i       ne 3200 8        .06615      -      m7a       m7a      m7a       x8i       large x 2x 4x 8x 12x 16x 24x 48x metal-24xl$6.98544 metal-48xl
r7iz      ne 3900 8        .093        -      m7a       r7iz     r7iz      m8g       large x 2x 4x 8x 12x 16x 32x metal-16xl$6.5472 metal-32xl$13.0944
r8i       ne 3900 8        .06946      -      x8i       x8i      x8i       x8i       large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$14.66995 metal-96xl
r8i-flex  ne 3900 8        .065985     -      m8i-flex  x8i      m8i-flex  -         large x 2x 4x 8x 12x 16x
r8ib      ne 3900 8        .1046       -      m8ib      m8ib     m8ib      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$22.09152 metal-96xl
r8id      ne 3900 8        .08316      m8id   x8i       x8i      x8i       x8i       large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$17.56339 metal-96xl
r8idb     ne 3900 8        .117235     m8id   m8ib      m8ib     m8ib      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$24.76003 metal-96xl
r8idn     ne 3900 8        .117235     m8id   m8ib      m8in     m8in      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$24.76003 metal-96xl
r8in      ne 3900 8        .1046       -      m8ib      m8in     m8in      m8ib      large x 2x 4x 8x 12x 16x 24x 32x 48x 96x metal-48xl$22.09152 metal-96xl
t1        x  0    0.61230  .02         -      t2        -        -         -         micro:1
t2        x  2300 4        .0464       -      t2        -        -         -         nano:1/512@2400$0.0058 micro:1/1024@2500$0.0116 small:1/2048@2500$0.023 medium:2/4096$0.0464 large x 2x
t3        n  2500 4        .0416       -      t3        t3       t3        -         nano:2/512$0.0052 micro:2/1024$0.0104 small:2/2048$0.0208 medium:2/4096$0.0416 large x 2x
trn1      ne 3500 4        .16796875   m8id   trn1      x2iedn   trn1      trn1      2x 32x
trn1n     ne 3500 4        .19359375   59.375 trn1n     x2iedn   trn1n     trn1n     32x
trn2      ne 3500 10.66667 -           g5     pods=100  g7       p5        trn2      48x/2097152
u-3tb1    ne 2100 13.71429 .121875     -      u-3tb1    u-3tb1   u-3tb1    -         56x/3145728
u-6tb1    ne 2100 13.71429 .121875     -      u-6tb1    u-6tb1   u-6tb1    -         56x/6291456$46.40391 112x/6291456
u7i-12tb  ne 1900 13.71429 .14015828   -      u7i-12tb  u7i-12tb u7i-12tb  u7i-12tb  224x/12582912
u7i-6tb   ne 1900 13.71429 .14015625   -      u7i-6tb   u7i-6tb  u-6tb1    u7i-6tb   112x/6291456
u7i-8tb   ne 1900 18.28571 .186875     -      u7i-6tb   u7i-6tb  u-6tb1    u7i-6tb   112x/8388608
u7in-16tb ne 1900 18.28571 .20142364   -      u7in-16tb u7i-12tb u7in-16tb u7in-16tb 224x/16777216
u7in-24tb ne 1900 27.42857 .30215545   -      u7in-16tb u7i-12tb u7in-16tb u7in-16tb 224x/25165824
u7in-32tb ne 1900 36.57143 .40288722   -      u7in-16tb u7i-12tb u7in-16tb u7in-16tb 224x/33554432
vt1       ne 2500 2        .0541667    -      i3en      m5       vt1       m8g       3x 6x 24x
x1        x  2300 15.25    .1042031    -      x1e       x1e      x1e       -         16x 32x
x1e       x  2300 30.5     .2085       -      x1e       x1e      x1e       -         x 2x 4x 8x 16x 32x
x2idn     ne 3500 16       .1042031    x2iedn m7a       x2iedn   x2iedn    m6i       16x 24x 32x metal
x2iedn    ne 3500 32       .20840625   x2iedn x2iedn    x2iedn   x2iedn    m6i       x$0.83363 2x 4x 8x 16x 24x 32x metal
x2iezn    ne 4500 32       .2085       -      m5zn      m5zn     x2iezn    x2iezn    2x 4x 6x 8x 12x metal
x8i       ne 3900 16       .109415     -      x8i       x8i      x8i       x8i       large x 2x 4x 8x 12x 16x 24x 32x 48x 64x 96x$48.74438 metal-48xl$23.10845 metal-96xl$48.74438
z1d       n  4000 8        .093        37.5   z1d       m5zn     z1d       -         large x 2x 3x 6x 12x metal
`;
