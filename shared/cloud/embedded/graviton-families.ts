/**
 * Families on AWS Graviton processors (arm64); columns as in `intelFamilies`.
 */
export const gravitonFamilies = `
a1     n  2300 2  .0255      -      i7i   a1    c5a   -     medium large x 2x 4x metal
c6g    n  2500 2  .034       -      m8g   m6g   m6g   -     medium large x 2x 4x 8x 12x 16x metal$2.3066
c6gd   n  2500 2  .0384      m6gd   m8g   m6g   m6g   -     medium large x 2x 4x 8x 12x 16x metal$2.6051
c6gn   ne 2500 2  .0432      -      m8g   c6gn  c6gn  m8gb  medium large x 2x 4x 8x 12x 16x
c7g    ne 2600 2  .03625     -      m8g   m8in  m7g   m8gb  medium$0.0363 large x 2x 4x 8x 12x 16x metal
c7gd   ne 2600 2  .04536~4   m6gd   m8g   m8in  m7g   m8gb  medium large x 2x 4x 8x 12x 16x metal
c7gn   ne 2600 2  .0624      -      m8g   m8gn  m8gn  m8gb  medium large x 2x 4x 8x 12x 16x metal
c8g    ne 2800 2  .03988     -      m8g   m7a   m8g   m8g   medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$4.21133 metal-48xl@2700
c8gb   ne 2800 2  .05925     -      m8gb  m8gb  m8gb  m8gb  medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$6.02928 metal-48xl@2700
c8gd   ne 2800 2  .04899     m8id   m8g   m7a   m8g   m8g   medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$5.17334 metal-48xl@2700
c8gn   ne 2800 2  .05925     -      m8gb  m8gn  m8gn  m8gb  medium$0.0593 large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$6.0293 metal-48xl@2700
c9g    ne 2800 2  .04347     -      c9g   m9g   m9g   x8i   medium large x 2x 4x 8x 12x 16x 24x 48x metal-48xl$9.18086
c9gd   ne 2800 2  .0534      m8id   c9g   m9g   m9g   x8i   medium large x 2x 4x 8x 12x 16x 24x 48x metal-48xl$11.27808
g5g    n  2500 2  .042875    -      m8g   m6g   m6g   -     x$0.42 2x$0.556 4x$0.828 8x 16x metal
hpc7g  ne 2600 2  .1052      -      hpc7g hpc7g hpc7g hpc7g 4x/131072 8x/131072$1.6832 16x$1.6832
i4g    ne 2500 8  .07722     i7i    m8g   x8i   i4i   m8gb  large x 2x 4x 8x 16x
i8g    ne 2800 8  .0858      i7i    m8g   x8i   i8g   x8i   large x 2x 4x 8x 12x 16x 24x 48x metal-24xl$9.06048 metal-48xl$18.12096
i8ge   ne 2800 8  .11865     625    i8ge  x8i   i8ge  x8i   large x 2x 3x 6x 12x 18x 24x 48x@2700 metal-24xl$12.1313 metal-48xl@2700$24.2626
im4gn  ne 2500 4  .090948    im4gn  m8g   m8gn  m8in  m8gb  large x 2x 4x 8x 16x
is4gen ne 2500 6  .144075    is4gen m8g   m8gn  m8in  -     medium large x 2x 4x 8x
m6g    n  2500 4  .0385      -      m8g   m6g   m6g   -     medium large x 2x 4x 8x 12x 16x metal$2.6112
m6gd   n  2500 4  .0452      m6gd   m8g   m6g   m6g   -     medium large x 2x 4x 8x 12x 16x metal$3.0664
m7g    ne 2600 4  .0408      -      m8g   m8in  m7g   m8gb  medium large x 2x 4x 8x 12x 16x metal
m7gd   ne 2600 4  .0533922~4 m6gd   m8g   m8in  m7g   m8gb  medium large x 2x 4x 8x 12x 16x metal
m8g    ne 2800 4  .04488     -      m8g   m7a   m8g   m8g   medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$4.73933 metal-48xl@2700
m8gb   ne 2800 4  .07275     -      m8gb  m8gb  m8gb  m8gb  medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$14.80608 metal-48xl@2700
m8gd   ne 2800 4  .05766     m8id   m8g   m7a   m8g   m8g   medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$6.0889 metal-48xl@2700
m8gn   ne 2800 4  .07275     -      m8gb  m8gn  m8gn  m8gb  medium$0.0728 large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$7.403 metal-48xl@2700
m9g    ne 2800 4  .04892     -      m9g   m9g   m9g   x8i   medium large x 2x 4x 8x 12x 16x 24x 48x metal-48xl$10.3319
m9gd   ne 2800 4  .06285     m8id   m9g   m9g   m9g   x8i   medium large x 2x 4x 8x 12x 16x 24x 48x metal-48xl$13.27392
r6g    n  2500 8  .0504      -      m8g   m6g   m6g   -     medium large x 2x 4x 8x 12x 16x metal$3.4191
r6gd   n  2500 8  .0576      m6gd   m8g   m6g   m6g   -     medium large x 2x 4x 8x 12x 16x metal$3.9076
r7g    ne 2600 8  .05355~4   -      m8g   m8in  m7g   m8gb  medium large x 2x 4x 8x 12x 16x metal
r7gd   ne 2600 8  .06804~4   m6gd   m8g   m8in  m7g   m8gb  medium large x 2x 4x 8x 12x 16x metal
r8g    ne 2800 8  .05891     -      m8g   m7a   m8g   m8g   medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$6.2209 metal-48xl@2700
r8gb   ne 2800 8  .09109     -      m8gb  m8gb  m8gb  m8gb  medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$18.53864 metal-48xl@2700
r8gd   ne 2800 8  .07348     m8id   m8g   m7a   m8g   m8g   medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$7.75949 metal-48xl@2700
r8gn   ne 2800 8  .09109~4   -      m8gb  m8gn  m8gn  m8gb  medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$9.2693 metal-48xl@2700
t4g    n  2500 4  .0336      -      t3    t3    t3    -     nano:2/512$0.0042 micro:2/1024$0.0084 small:2/2048$0.0168 medium:2/4096$0.0336 large x 2x
x2gd   n  2500 16 .0835      x2gd   x2gd  m6g   m6g   -     medium large x 2x 4x 8x 12x 16x metal$5.8784
x8g    ne 2800 16 .0977      -      m8g   m7a   m8g   m8g   medium large x 2x 4x 8x 12x 16x 24x 48x@2700 metal-24xl$10.31712 metal-48xl@2700
`;
