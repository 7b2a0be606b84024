package main

import (
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/kube"
	"k8s.io/client-go/rest"
)

// helm3 does what helm4 does, with client-side apply.
func helm3(config *rest.Config, asked request) error {
	kube.ManagedFieldsManager = "helm"
	actions := new(action.Configuration)
	silent := func(string, ...any) {}
	if err := actions.Init(getterFor(config, asked.Namespace), asked.Namespace, "secret", silent); err != nil {
		return err
	}
	releaseChart := &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: "v2", Name: "story", Version: "1.0.0"},
		Templates: []*chart.File{{Name: "templates/all.yaml", Data: []byte(asked.Manifest)}},
	}
	if _, err := actions.Releases.Last(asked.Release); err != nil {
		install := action.NewInstall(actions)
		install.ReleaseName = asked.Release
		install.Namespace = asked.Namespace
		_, err := install.Run(releaseChart, nil)
		return err
	}
	upgrade := action.NewUpgrade(actions)
	upgrade.Namespace = asked.Namespace
	_, err := upgrade.Run(asked.Release, releaseChart, nil)
	return err
}
