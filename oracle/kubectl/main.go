// Command kubectl is kubectl, built from its module: for trying the test API server with it.
//
//	go build -ldflags "-X k8s.io/component-base/version.gitVersion=v1.37.1" -o kubectl .
//
// A module of its own, since it needs more of Kubernetes than the oracle does.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	util.BehaviorOnFatal(func(message string, code int) {
		if message != "" {
			os.Stderr.WriteString(message)
			if message[len(message)-1] != '\n' {
				os.Stderr.WriteString("\n")
			}
		}
		os.Exit(code)
	})
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
