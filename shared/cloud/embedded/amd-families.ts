/**
 * Families on AMD processors; columns as in `intelFamilies`.
 */
export const amdFamilies = `
c5a    ne 3300 2        .0385     -      m8g      c5a   c5a    -     large x 2x 4x 8x 12x 16x 24x
c5ad   ne 3300 2        .043      c5ad   m8g      c5a   c5a    -     large x 2x 4x 8x 12x 16x 24x
c6a    ne 3600 2        .03825    -      m7a      m7a   m7a    x8i   large x 2x 4x 8x 12x 16x 24x 32x 48x metal
c7a    ne 3700 2        .05132    -      m7a      m7a   m7a    x8i   medium large x 2x 4x 8x 12x 16x 24x 32x 48x metal-48xl
c8a    ne 4500 2        .053885   -      m8a      x8i   x8i    x8i   medium large x 2x 4x 8x 12x 16x 24x 48x metal-24xl$5.69026 metal-48xl
f2     ne 3400 10.66667 .0825     f2     f2       f2    i7ie   x8i   6x 12x 48x/2097152
g4ad   ne 3000 4        .0541875  37.5   g4ad     c5a   g4ad   -     x$0.37853 2x$0.54117 4x 8x 16x
g5     ne 3300 4        .08483333 g5     g5       g5    g5     i3en  x$1.006 2x$1.212 4x$1.624 8x$2.448 12x$5.672 16x$4.096 24x 48x
g6     ne 3400 4        .06953333 g6     m7a      g6    g5     i3en  x$0.8048 2x$0.9776 4x$1.3232 8x$2.0144 12x$4.6016 16x$3.3968 24x 48x
g6e    ne 3400 8        .15693323 g5     g6e      g6    g6e    g6e   x$1.861 2x$2.24208 4x$3.00424 8x$4.52856 12x$10.49264 16x$7.57719 24x 48x
g6f    ne 3400 4        .059375   g6f    g6e      g6f   g5     -     large$0.202 x 2x 4x
gr6    ne 3400 8        .0962     g5     m7a      g6    g5     i3en  4x 8x$2.4464
gr6f   ne 3400 8        .066625   28.125 m7a      g6    g5     -     4x
hpc6a  ne 3600 4        -         -      pods=100 hpc7a m9g    x8i   48x:96
hpc7a  ne 3700 32       -         -      pods=100 hpc7a hpc7a  hpc7a 12x:24 24x:48/786432 48x:96/786432 96x:192/786432
hpc8a  ne 4500 4        -         -      pods=100 hpc7a hpc7a  m8ib  96x:192
inf2   ne 3600 4        .06761078 -      m7a      x8i   inf2   -     x$0.7582 8x$1.96786 24x 48x
m5a    n  2500 4        .043      -      m8g      m5a   m5a    -     large x 2x 4x 8x 12x 16x 24x
m5ad   n  2200 4        .0515     37.5   m8g      m5a   m5a    -     large x 2x 4x 8x@2500 12x 16x@2500 24x
m6a    ne 3600 4        .0432     -      m7a      m7a   m7a    x8i   large x 2x 4x 8x 12x 16x 24x 32x 48x metal
m7a    ne 3700 4        .05796    -      m7a      m7a   m7a    x8i   medium large x 2x 4x 8x 12x 16x 24x 32x 48x metal-48xl
m8a    ne 4500 4        .06086    -      m8a      x8i   x8i    x8i   medium large x 2x 4x 8x 12x 16x 24x 48x metal-24xl$6.42682 metal-48xl
m8azn  ne 5000 4        .10323    -      m8azn    m8azn m8azn  m8g   medium large x 3x 6x 12x 24x metal-12xl$5.45054 metal-24xl$10.90109
p5     ne 3600 10.66667 .43       p5     p5       p5    p5     p5    4x/262144 48x/2097152$55.04
p5e    ne 3600 10.66667 -         p5     p5       g7    p5     p5    48x/2097152
r5a    n  2500 8        .0565     -      m8g      r5a   m5a    -     large x 2x 4x 8x 12x 16x 24x
r5ad   n  2200 8        .0655     37.5   m8g      r5a   m5a    -     large x 2x 4x 8x@2500 12x 16x@2500 24x
r6a    ne 3600 8        .0567     -      m7a      m7a   m7a    x8i   large x 2x 4x 8x 12x 16x 24x 32x 48x metal
r7a    ne 3700 8        .076075   -      m7a      m7a   m7a    x8i   medium large x 2x 4x 8x 12x 16x 24x 32x 48x metal-48xl
r8a    ne 4500 8        .07988    -      m8a      x8i   x8i    x8i   medium large x 2x 4x 8x 12x 16x 24x 48x metal-24xl$8.43533 metal-48xl
t3a    n  2200 4        .0376     -      t3a      t3    t3     -     nano:2/512$0.0047 micro:2/1024$0.0094 small:2/2048$0.0188 medium:2/4096$0.0376 large x 2x
x8aedz ne 5000 32       -         x8aedz m8azn    m8azn x8aedz m8g   large x 3x 6x 12x 24x metal-12xl metal-24xl
`;
