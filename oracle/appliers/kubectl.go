package main

import (
	"errors"
	"os"
	"strings"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/cmd/apply"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// kubectl runs kubectl apply, for the tool kubectl with --server-side.
func kubectl(config *rest.Config, asked request) (err error) {
	file, err := os.CreateTemp("", "story-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if err := os.WriteFile(file.Name(), []byte(asked.Manifest), 0o600); err != nil {
		return err
	}
	// kubectl ends its process on errors.
	defer func() {
		if message, isText := recover().(string); isText {
			err = errors.New(message)
		}
	}()
	cmdutil.BehaviorOnFatal(func(message string, _ int) { panic(strings.TrimSpace(message)) })
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	command := apply.NewCmdApply("kubectl", cmdutil.NewFactory(getterFor(config, asked.Namespace)), streams)
	arguments := []string{"--filename", file.Name()}
	if asked.Tool == "kubectl" {
		arguments = append(arguments, "--server-side")
		if asked.Manager != "" {
			arguments = append(arguments, "--field-manager", asked.Manager)
		}
	}
	if asked.Force {
		arguments = append(arguments, "--force-conflicts")
	}
	command.SetArgs(arguments)
	return command.Execute()
}
