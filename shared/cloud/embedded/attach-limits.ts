/**
 * EBS volumes that an instance can attach, its root among them, where the rules of `attachLimit` do not say it: a shared limit less its
 * NVMe disks and accelerators, and dedicated limits that do not follow the number of vCPUs.
 *
 * `family,family size,size=limit ...`. From the Amazon EC2 User Guide, "Amazon EBS volume limits for Amazon EC2 instances", and
 * DescribeInstanceTypes (EbsInfo, MaximumEbsAttachments).
 */
export const attachLimitExceptions = `
c5ad                            large,x,2x=26 4x,8x,12x,16x,24x=25
c5d                             large,x,2x,4x,9x=26 12x,18x=25 24x=23
c6gd,m6gd,r6gd,x2gd             medium,large,x,2x,4x,8x=26 12x,16x=25
c7gd,m7gd,r7gd                  medium,large,x,2x,4x,8x=26 12x,16x=25
c6id,m6id,r6id,m6idn,r6idn      large,x,2x,4x,8x=26 12x,16x=25 24x,32x=23
m5d,m5ad,m5dn,r5d,r5ad,r5dn     large,x,2x=26 4x,8x,12x=25 16x,24x=23
z1d                             large,x,2x,3x,6x=26 12x=25
x2idn,x2iedn                    x,2x,4x,8x,16x=26 24x,32x=25
hpc6id                          32x=23
i3en                            large,x,3x=26 2x,6x=25 12x=23 24x=19
i4g,im4gn                       large,x,2x,4x=26 8x=25 16x=23
i4i                             large,x,2x,4x=26 8x=25 12x=24 16x=23 24x=21 32x=19
is4gen                          medium,large,x,2x=26 4x=25 8x=23
d3                              x=24 2x=21 4x=15 8x=3
d3en                            x=25 2x=23 4x=19 6x=15 8x=11 12x=3
g4ad                            x,2x,4x=25 8x=24 16x=21
g4dn                            x,2x,4x,8x,16x=25 12x=22
g5                              x,2x,4x,8x,16x=25 12x,24x=22 48x=9
g5g                             x,2x,4x,8x=26 16x=25
inf1                            x,2x=26 6x=23 24x=11
inf2                            x,8x=26 24x,48x=28
trn1,trn1n                      2x=25 32x=28
dl2q                            24x=19
vt1                             3x=25 6x=23
p3dn                            24x=17
p4d,p4de                        24x=28
p5,p5e,p5en,p6-b200,p6-b300     48x=64
trn2                            48x=64
hpc7a                           12x,24x,48x,96x=27
c8gn,m8gn,r8gn                  48x=64 metal-48xl=39
c8gb,r8gb                       metal-48xl=78
c8a,m8a,r8a                     metal-24xl=64
c8i,m8i,r8i,x8i                 metal-48xl=64
c8ib,c8id,c8in,c8ine            metal-48xl=64
m8ib,m8id,m8idb,m8idn           metal-48xl=64
m8in,m8ine                      metal-48xl=64
r8ib,r8id,r8idb,r8idn,r8in      metal-48xl=64
x8aedz                          12x,metal-12xl=64 24x=128 metal-24xl=79
`;
