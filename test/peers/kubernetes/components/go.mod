// Marks the folder as a module. Each release has a file of its own, which go is told with -modfile.
module journeyman.sh/test/kubernetes

go 1.26.0
