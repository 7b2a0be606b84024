package main

import (
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/fluxcd/pkg/ssa/utils"
	"helm.sh/helm/v4/pkg/action"
	common "helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
)

const (
	chartName    = "story"
	templateName = "templates/all.yaml"
)

// helmManager returns the name under which a program with Helm's code writes.
func helmManager(asked request) string {
	if strings.HasPrefix(asked.Tool, "flux-helm") {
		return "helm-controller"
	}
	return "helm"
}

// helm4 installs or upgrades a release whose chart has the manifest as its only template. For flux-helm, it has helm-controller's options.
func helm4(config *rest.Config, asked request) error {
	kube.ManagedFieldsManager = helmManager(asked)
	if asked.Tool == "flux-helm" {
		var err error
		if asked.Manifest, err = labelledManifest(asked); err != nil {
			return err
		}
		asked.Force = true
	}
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
	releaseChart, err := chartOf(asked)
	if err != nil {
		return err
	}
	if _, err := actions.Releases.Last(asked.Release); err != nil {
		install := action.NewInstall(actions)
		install.ReleaseName = asked.Release
		install.Namespace = asked.Namespace
		install.TakeOwnership = true
		install.ForceConflicts = asked.Force
		install.WaitStrategy = kube.HookOnlyStrategy
		install.DisableHooks = asked.Chart != "" // Nobody runs the Jobs of its hooks.
		_, err := install.Run(releaseChart, map[string]any{})
		return err
	}
	upgrade := action.NewUpgrade(actions)
	upgrade.Namespace = asked.Namespace
	upgrade.ForceConflicts = asked.Force
	upgrade.TakeOwnership = true
	upgrade.WaitStrategy = kube.HookOnlyStrategy
	upgrade.DisableHooks = asked.Chart != ""
	if asked.ServerSide != "" {
		upgrade.ServerSideApply = asked.ServerSide
	}
	_, err = upgrade.Run(asked.Release, releaseChart, map[string]any{})
	return err
}

// chartOf returns the chart of the request, or one whose only template is the manifest.
func chartOf(asked request) (*chart.Chart, error) {
	if asked.Chart != "" {
		return loader.Load(asked.Chart)
	}
	return &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: "v2", Name: chartName, Version: "1.0.0"},
		Templates: []*common.File{{Name: templateName, Data: []byte(asked.Manifest)}},
	}, nil
}

// labelledManifest returns the manifest with the labels that helm-controller adds after rendering.
func labelledManifest(asked request) (string, error) {
	objects, err := utils.ReadObjects(strings.NewReader(asked.Manifest))
	if err != nil {
		return "", err
	}
	var manifest strings.Builder
	for _, object := range objects {
		labels := object.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels["helm.toolkit.fluxcd.io/name"], labels["helm.toolkit.fluxcd.io/namespace"] = asked.Release, asked.Namespace
		object.SetLabels(labels)
		text, err := json.Marshal(object)
		if err != nil {
			return "", err
		}
		manifest.WriteString("---\n" + string(text) + "\n")
	}
	return manifest.String(), nil
}

// getterFor gives Helm and kubectl the server and the namespace.
func getterFor(config *rest.Config, namespace string) *genericclioptions.ConfigFlags {
	flags := genericclioptions.NewConfigFlags(false)
	flags.APIServer = &config.Host
	flags.Namespace = &namespace
	return flags
}
