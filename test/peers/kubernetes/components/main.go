// One program for the four parts of a Kubernetes control plane: its first argument says which. Linked together they take the disk
// space and the link time of one. It ends when its standard input does, so that it never outlives the process that started it.
package main

import (
	"fmt"
	"io"
	"os"
	_ "time/tzdata" // for the time zones of CronJobs

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllermanager.NewControllerManagerCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	}
	component := ""
	if len(os.Args) > 1 {
		component = os.Args[1]
		os.Args = append([]string{component}, os.Args[2:]...)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if component == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	command, known := commands[component]
	if !known {
		fmt.Fprintf(os.Stderr, "the first argument is %q: want etcd, kube-apiserver, kube-controller-manager or kube-scheduler\n", component)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
