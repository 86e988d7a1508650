package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	nodepoolutils "sigs.k8s.io/karpenter/pkg/utils/nodepool"
)

// Report is the plan of the last run, and the time of each.
type Report struct {
	Nodes int `json:"nodes"`
	// PriceUsdPerHour is the sum over nodes of the cheapest offering that each could become.
	PriceUsdPerHour float64       `json:"priceUsdPerHour"`
	Unplaced        []UnplacedPod `json:"unplaced"`
	Runs            []Run         `json:"runs"`
}

// UnplacedPod is a pod that found no node, and why.
type UnplacedPod struct {
	Pod   string `json:"pod"`
	Error string `json:"error"`
}

// Run is the time from pods and instance types in memory to the final plan, topology building included.
type Run struct {
	Milliseconds float64 `json:"milliseconds"`
	// CPUMilliseconds is the time of all threads together.
	CPUMilliseconds float64 `json:"cpuMilliseconds"`
}

// Instance types are kept from run to run, as cloud providers keep them from loop to loop.
func measure(input Input) (Report, error) {
	karpv1.WellKnownLabels.Insert(input.WellKnownLabels...)
	nodepoolutils.OrderByWeight(input.NodePools)
	types := input.instanceTypes()
	var report Report
	for range max(1, input.Runs) {
		pods, typesOfRun := copied(input.Pods), map[string][]*cloudprovider.InstanceType{}
		for pool, list := range types {
			typesOfRun[pool] = slices.Clone(list)
		}
		kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects(input.Namespaces)...).Build()
		runtime.GC()
		startedAt, cpuBefore := time.Now(), cpuTime()
		results, err := plan(kube, input, pods, typesOfRun)
		if err != nil {
			return Report{}, err
		}
		report.Runs = append(report.Runs, Run{milliseconds(time.Since(startedAt)), milliseconds(cpuTime() - cpuBefore)})
		report.take(results)
	}
	return report, nil
}

// As Karpenter's provisioner plans, but for its limit of one minute.
func plan(kube client.Client, input Input, pods []*corev1.Pod, types map[string][]*cloudprovider.InstanceType) (scheduling.Results, error) {
	ctx := options.ToContext(injection.WithControllerName(context.Background(), "provisioner"), &options.Options{
		PreferencePolicy:  options.PreferencePolicyRespect,
		MinValuesPolicy:   options.MinValuesPolicyStrict,
		IgnoreDRARequests: true,
		FeatureGates:      options.DefaultFeatureGates(),
	})
	settings := []scheduling.Options{
		scheduling.DisableReservedCapacityFallback,
		scheduling.NumConcurrentReconciles(input.Workers),
		scheduling.MinValuesPolicy(options.MinValuesPolicyStrict),
	}
	now := clock.RealClock{}
	cluster := state.NewCluster(now, kube, nil)
	topology, err := scheduling.NewTopology(ctx, kube, cluster, nil, input.NodePools, types, pods, settings...)
	if err != nil {
		return scheduling.Results{}, fmt.Errorf("building the topology: %w", err)
	}
	recorder := events.NewRecorder(&record.FakeRecorder{})
	scheduler := scheduling.NewScheduler(ctx, kube, input.NodePools, cluster, nil, topology, types, input.DaemonSetPods,
		recorder, now, nil, nil, settings...)
	results, err := scheduler.Solve(ctx, pods)
	if err != nil {
		return scheduling.Results{}, fmt.Errorf("solving: %w", err)
	}
	return results.TruncateInstanceTypes(ctx, scheduling.MaxInstanceTypes), nil
}

func (report *Report) take(results scheduling.Results) {
	report.Nodes, report.PriceUsdPerHour, report.Unplaced = len(results.NewNodeClaims), 0, []UnplacedPod{}
	for _, claim := range results.NewNodeClaims {
		cheapest := claim.InstanceTypeOptions.OrderByPrice(claim.Requirements)[0]
		offering := cheapest.Offerings.Available().Compatible(claim.Requirements).Cheapest()
		report.PriceUsdPerHour += offering.Price
	}
	for pod, err := range results.PodErrors {
		report.Unplaced = append(report.Unplaced, UnplacedPod{Pod: client.ObjectKeyFromObject(pod).String(), Error: err.Error()})
	}
	slices.SortFunc(report.Unplaced, func(a, b UnplacedPod) int { return strings.Compare(a.Pod, b.Pod) })
}

// Karpenter sorts the pods it is given, and relaxes them.
func copied(pods []*corev1.Pod) []*corev1.Pod {
	copies := make([]*corev1.Pod, 0, len(pods))
	for _, pod := range pods {
		copies = append(copies, pod.DeepCopy())
	}
	return copies
}

func objects(namespaces []*corev1.Namespace) []client.Object {
	list := make([]client.Object, 0, len(namespaces))
	for _, namespace := range namespaces {
		list = append(list, namespace)
	}
	return list
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func milliseconds(duration time.Duration) float64 {
	return float64(duration) / float64(time.Millisecond)
}
