package main

import (
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/kube"
	"k8s.io/client-go/rest"
)

// helm3 does what helm4 does, with client-side apply.
func helm3(config *rest.Config, asked request) error {
	kube.ManagedFieldsManager = helmManager(asked)
	actions := new(action.Configuration)
	silent := func(string, ...any) {}
	if err := actions.Init(getterFor(config, asked.Namespace), asked.Namespace, "secret", silent); err != nil {
		return err
	}
	template := &chart.File{Name: templateName, Data: []byte(asked.Manifest)}
	releaseChart := &chart.Chart{Metadata: new(chart.Metadata), Templates: []*chart.File{template}}
	releaseChart.Metadata.APIVersion, releaseChart.Metadata.Name, releaseChart.Metadata.Version = "v2", chartName, "1.0.0"
	if _, err := actions.Releases.Last(asked.Release); err == nil {
		upgrade := action.NewUpgrade(actions)
		upgrade.Namespace = asked.Namespace
		_, err := upgrade.Run(asked.Release, releaseChart, nil)
		return err
	}
	install := action.NewInstall(actions)
	install.ReleaseName, install.Namespace = asked.Release, asked.Namespace
	_, err := install.Run(releaseChart, nil)
	return err
}
