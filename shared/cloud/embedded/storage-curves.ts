/**
 * Maximum EBS bandwidth in Mbps by size, of types that are EBS-optimised by default.
 *
 * `name size,size=value ...`; `*` is every size; a size that is missing has none.
 */
export const ebsBandwidthCurves = `
a1       *=3500
c4       large=500 x=750 2x=1000 4x=2000 8x=4000
c5a      large,x,2x,4x,8x=3170 12x=4750 16x=6300 24x=9500
c6gn     medium,large,x,2x,4x=9500 8x=19000 12x=28500 16x=38000
d3en     x,2x,4x=2800 6x=4000 8x=5000 12x=7000
f2       6x=7500 12x=15000 48x=60000
g4dn     x,2x=3500 4x=4750 8x,12x,16x=9500 metal=19000
g5       x,2x=3500 4x=4750 8x,12x,16x=16000 24x,48x=19000
g6       x,2x=5000 4x=8000 8x=16000 12x,16x=20000 24x=30000 48x=60000
g6f      large,x,2x=5000 4x=6000
g7       2x,4x=8000 8x=16000 12x=20000 24x=40000 48x=80000
g7e      2x=5000 4x=8000 8x=16000 12x=25000 24x=50000 48x=100000
h1       2x=1750 4x=3500 8x=7000 16x=14000
hpc6id   32x=2085
hpc7a    *=2085
hpc7g    *=2085
m4       large=450 x=750 2x=1000 4x=2000 8x,10x=4000 16x=10000
m5       large,x,2x,3x,4x,6x=4750 8x=6800 9x,12x=9500 16x=13600 18x,24x,metal=19000
m5a      large,x,2x,4x=2880 8x=4750 12x=6780 16x=9500 24x=13750
m5zn     large,x,2x=3170 3x,4x=4750 6x=9500 8x=12000 12x,metal=19000
m6g      medium,large,x,2x,4x=4750 8x=9500 12x=14250 16x,metal=19000
m7a      medium,large,x,2x,4x,8x=10000 12x=15000 16x=20000 24x=30000 32x,48x,metal=40000 metal-24xl=30000 metal-48xl=40000
m8azn    medium,large,x,3x,6x=15000 12x=30000 24x=60000 metal-12xl=30000 metal-24xl=60000
m8gb     medium,large,x,2x,4x=25000 8x=50000 12x=75000 16x=100000 24x=150000 48x=300000 metal-24xl=150000 metal-48xl=300000
m8gn     medium,large,x,2x,4x=10000 8x=20000 12x=30000 16x=40000 24x=60000 48x=120000 metal=40000 metal-24xl=60000 metal-48xl=120000
m8ib     large,x,2x,4x,8x=25000 12x=37500 16x=50000 24x=75000 32x=100000 48x=150000 96x=300000 metal=100000 metal-48xl=150000 metal-96xl=300000
m8in     medium,large,x,2x,4x,8x=10000 12x=15000 16x=20000 24x=30000 32x=40000 48x=60000 96x=120000 metal=20000 metal-48xl=60000 metal-96xl=120000
m9g      medium,large,x,2x,4x,8x=12000 12x=18000 16x=24000 24x=36000 48x,metal-48xl=72000
p5       4x=10000 48x=80000
r4       large=425 x=850 2x=1700 4x=3500 8x=7000 16x=14000
r5a      large,x,2x,4x=2880 8x=4750 12x=6780 16x=9500 24x=13570
r5b      large,x,2x,4x=10000 8x=20000 12x=30000 16x=40000 24x,metal=60000
r7iz     large,x,2x,4x,8x=10000 12x=19000 16x=20000 32x=40000 metal-16xl=20000 metal-32xl=40000
t3       nano,micro,small,medium=2085 large,x,2x=2780
u-3tb1   56x=19000
u-6tb1   *=38000
u7i-12tb 224x=100000
u7i-6tb  112x=100000
x1e      x=500 2x=1000 4x=1750 8x=3500 16x=7000 32x=14000
x2iedn   x,2x,4x,8x=20000 16x=40000 24x=60000 32x,metal=80000
x8i      medium,large,x,2x,3x,4x,6x,8x=10000 12x=15000 16x=20000 18x=22500 24x=30000 32x=40000 48x=60000 64x=70000 96x=80000 metal=40000 metal-24xl=30000 metal-48xl=60000 metal-96xl=80000
`;

/**
 * Local NVMe storage in GB by size, where it does not simply grow with the vCPUs.
 *
 * `name size,size=value ...`; `*` is every size; a size that is missing has none.
 */
export const nvmeCurves = `
c5ad   large=75 x=150 2x=300 4x=600 8x=1200 12x=1800 16x=2400 24x=3800
c5d    large=50 x=100 2x=200 4x=400 9x=900 12x,18x=1800 24x,metal=3600
f2     6x=940 12x=1880 48x=7520
g4dn   x=125 2x,4x=225 8x,12x,16x=900 metal=1800
g5     x=250 2x=450 4x=600 8x=900 12x=3800 16x=1900 24x=3800 48x=7600
g6     x=250 2x=450 4x=600 8x=900 12x=3760 16x=1880 24x=3760 48x=7520
g6f    large,x=100 2x=200 4x=450
g7     2x=440 4x=875 8x=930 12x=1900 24x=3800 48x=7600
g7e    2x,4x,8x=1900 12x=3800 24x=7600 48x=15200
i7i    large=468 x=937 2x=1875 4x=3750 8x=7500 12x=11250 16x=15000 24x=22500 32x=30000 48x=45000 metal=30000 metal-24xl=22500 metal-48xl=45000
im4gn  large=937 x=1875 2x=3750 4x=7500 8x=15000 16x=30000
is4gen medium=937 large=1875 x=3750 2x=7500 4x=15000 8x=30000
m6gd   medium=59 large=118 x=237 2x=474 4x=950 8x=1900 12x=2850 16x,metal=3800
m8id   medium=59 large=118 x=237 2x=474 4x=950 8x=1900 12x=2850 16x=3800 24x=5700 32x=7600 48x=11400 96x=22800 metal=7600 metal-24xl=5700 metal-48xl=11400 metal-96xl=22800
p4d    24x=8000
p5     4x=3800 48x=30400
x2gd   medium=59 large=118 x=237 2x=475 4x=950 8x=1900 12x=2850 16x,metal=3800
x2iedn x=118 2x=237 4x=475 8x=950 16x=1900 24x=2850 32x,metal=3800
x8aedz large=158 x=316 3x=950 6x=1900 12x=3800 24x=7600 metal-12xl=3800 metal-24xl=7600
`;
