package main

import (
	"log/slog"

	"helm.sh/helm/v4/pkg/action"
	common "helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
)

// helm4 installs or upgrades a release whose chart has the manifest as its only template.
func helm4(config *rest.Config, asked request) error {
	kube.ManagedFieldsManager = "helm"
	slog.SetDefault(slog.New(slog.DiscardHandler))
	actions := action.NewConfiguration()
	if err := actions.Init(getterFor(config, asked.Namespace), asked.Namespace, "secret"); err != nil {
		return err
	}
	if asked.Rollback {
		rollback := action.NewRollback(actions)
		rollback.ForceConflicts = asked.Force
		rollback.WaitStrategy = kube.HookOnlyStrategy
		return rollback.Run(asked.Release)
	}
	releaseChart := &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: "v2", Name: "story", Version: "1.0.0"},
		Templates: []*common.File{{Name: "templates/all.yaml", Data: []byte(asked.Manifest)}},
	}
	if _, err := actions.Releases.Last(asked.Release); err != nil {
		install := action.NewInstall(actions)
		install.ReleaseName = asked.Release
		install.Namespace = asked.Namespace
		install.TakeOwnership = true
		install.ForceConflicts = asked.Force
		install.WaitStrategy = kube.HookOnlyStrategy
		_, err := install.Run(releaseChart, nil)
		return err
	}
	upgrade := action.NewUpgrade(actions)
	upgrade.Namespace = asked.Namespace
	upgrade.ForceConflicts = asked.Force
	upgrade.TakeOwnership = true
	upgrade.WaitStrategy = kube.HookOnlyStrategy
	if asked.ServerSide != "" {
		upgrade.ServerSideApply = asked.ServerSide
	}
	_, err := upgrade.Run(asked.Release, releaseChart, nil)
	return err
}

// getterFor gives Helm and kubectl the server and the namespace.
func getterFor(config *rest.Config, namespace string) *genericclioptions.ConfigFlags {
	flags := genericclioptions.NewConfigFlags(false)
	flags.APIServer = &config.Host
	flags.Namespace = &namespace
	return flags
}
