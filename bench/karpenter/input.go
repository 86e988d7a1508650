package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// Input is a world without nodes. Kubernetes' and Karpenter's objects are in their own JSON.
type Input struct {
	// Runs counts the measured runs; each starts anew.
	Runs int `json:"runs"`
	// Workers look at nodes at the same time: 5 in Karpenter's benchmark, one per requested CPU in its controller.
	Workers       int                 `json:"workers"`
	Pods          []*corev1.Pod       `json:"pods"`
	DaemonSetPods []*corev1.Pod       `json:"daemonSetPods"`
	Namespaces    []*corev1.Namespace `json:"namespaces"`
	NodePools     []*karpv1.NodePool  `json:"nodePools"`
	// InstanceTypes of each NodePool, by its name.
	InstanceTypes map[string][]InstanceType `json:"instanceTypes"`
	// WellKnownLabels are those that only instance types define: a NodePool need not.
	WellKnownLabels []string `json:"wellKnownLabels"`
}

// InstanceType is what a node of the type would be in its NodePool.
type InstanceType struct {
	Name         string                           `json:"name"`
	Requirements []corev1.NodeSelectorRequirement `json:"requirements"`
	Capacity     corev1.ResourceList              `json:"capacity"`
	Allocatable  corev1.ResourceList              `json:"allocatable"`
	Offerings    []Offering                       `json:"offerings"`
}

// Offering is one way to buy a type, in USD per hour.
type Offering struct {
	Zone            string  `json:"zone"`
	CapacityType    string  `json:"capacityType"`
	PriceUsdPerHour float64 `json:"priceUsdPerHour"`
	Available       bool    `json:"available"`
}

func (input Input) instanceTypes() map[string][]*cloudprovider.InstanceType {
	types := map[string][]*cloudprovider.InstanceType{}
	for pool, list := range input.InstanceTypes {
		for _, each := range list {
			types[pool] = append(types[pool], each.build())
		}
	}
	return types
}

func (it InstanceType) build() *cloudprovider.InstanceType {
	offerings := make(cloudprovider.Offerings, 0, len(it.Offerings))
	for _, offering := range it.Offerings {
		offerings = append(offerings, &cloudprovider.Offering{
			Requirements: scheduling.NewLabelRequirements(map[string]string{
				karpv1.CapacityTypeLabelKey: offering.CapacityType,
				corev1.LabelTopologyZone:    offering.Zone,
			}),
			Price:     offering.PriceUsdPerHour,
			Available: offering.Available,
		})
	}
	return &cloudprovider.InstanceType{
		Name:         it.Name,
		Requirements: scheduling.NewNodeSelectorRequirements(it.Requirements...),
		Offerings:    offerings,
		Capacity:     it.Capacity,
		Overhead:     &cloudprovider.InstanceTypeOverhead{KubeReserved: it.reserved()},
	}
}

// Whatever keeps capacity from pods, as one sum.
func (it InstanceType) reserved() corev1.ResourceList {
	reserved := corev1.ResourceList{}
	for name, capacity := range it.Capacity {
		left := capacity.DeepCopy()
		left.Sub(it.Allocatable[name])
		if left.Cmp(resource.Quantity{}) != 0 {
			reserved[name] = left
		}
	}
	return reserved
}
