// Command rbac writes the roles and bindings that an API server creates for itself, as a TypeScript module.
//
//	go run ./rbac > ../../src/apiserver/authorization/bootstrap-data.ts
//
// With -vectors N it prints N random sets of roles instead, and what the authorizer of k8s.io/kubernetes answers about them:
//
//	go run ./rbac -vectors 300 -seed 1 > ../../test/vectors/rbac.json
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

func main() {
	count := flag.Int("vectors", 0, "how many sets of random roles to answer for")
	seed := flag.Int64("seed", 1, "the seed of the random roles")
	flag.Parse()
	write := writeRoles
	if *count > 0 {
		write = func() error { return writeVectors(*count, *seed) }
	}
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "rbac:", err)
		os.Exit(1)
	}
}

// A role is [verbs, groups, resources, names, URLs] for each rule; lists of texts are joined with blanks, because no text has any.
type entry struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	Rules     [][]string        `json:"rules,omitempty"`
	Aggregate map[string]string `json:"aggregate,omitempty"`
	Role      string            `json:"role,omitempty"`
	Subjects  []string          `json:"subjects,omitempty"`
}

type policy struct {
	ClusterRoles        []entry `json:"clusterRoles"`
	ClusterRoleBindings []entry `json:"clusterRoleBindings"`
	Roles               []entry `json:"roles"`
	RoleBindings        []entry `json:"roleBindings"`
}

func writeRoles() error {
	found := policy{}
	for _, role := range append(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()...) {
		out := entry{Name: role.Name, Labels: ownLabels(role.Labels), Rules: rows(role.Rules)}
		if role.AggregationRule != nil {
			for _, selector := range role.AggregationRule.ClusterRoleSelectors {
				if len(selector.MatchExpressions) > 0 || out.Aggregate != nil {
					return fmt.Errorf("the selectors of %s do not fit the table", role.Name)
				}
				out.Aggregate = selector.MatchLabels
			}
		}
		found.ClusterRoles = append(found.ClusterRoles, out)
	}
	for _, binding := range append(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()...) {
		out := entry{Name: binding.Name, Role: binding.RoleRef.Kind + "/" + binding.RoleRef.Name, Subjects: subjects(binding.Subjects)}
		found.ClusterRoleBindings = append(found.ClusterRoleBindings, out)
	}
	roles := bootstrappolicy.NamespaceRoles()
	for _, namespace := range slices.Sorted(maps.Keys(roles)) {
		for _, role := range roles[namespace] {
			found.Roles = append(found.Roles, entry{Name: role.Name, Namespace: namespace, Rules: rows(role.Rules)})
		}
	}
	bindings := bootstrappolicy.NamespaceRoleBindings()
	for _, namespace := range slices.Sorted(maps.Keys(bindings)) {
		for _, binding := range bindings[namespace] {
			out := entry{Name: binding.Name, Namespace: namespace, Role: binding.RoleRef.Kind + "/" + binding.RoleRef.Name}
			out.Subjects = subjects(binding.Subjects)
			found.RoleBindings = append(found.RoleBindings, out)
		}
	}
	text, err := json.Marshal(found)
	if err != nil {
		return err
	}
	lines := strings.ReplaceAll(string(text), "},{\"name\"", "},\n{\"name\"")
	fmt.Print("// Written by oracle/reset-fields/rbac from the bootstrap policy of k8s.io/kubernetes (Apache-2.0).\n\n")
	fmt.Print("/** JSON, as src/apiserver/authorization/bootstrap.ts reads it. */\n")
	fmt.Print("export const bootstrapData = String.raw`" + lines + "`\n")
	return nil
}

// ownLabels leaves out the label that all these objects have.
func ownLabels(labels map[string]string) map[string]string {
	out := maps.Clone(labels)
	delete(out, "kubernetes.io/bootstrapping")
	return out
}

func rows(rules []rbacv1.PolicyRule) [][]string {
	out := [][]string{}
	for _, rule := range rules {
		row := []string{}
		for _, list := range [][]string{rule.Verbs, rule.APIGroups, rule.Resources, rule.ResourceNames, rule.NonResourceURLs} {
			row = append(row, joined(list))
		}
		for len(row) > 0 && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		out = append(out, row)
	}
	return out
}

// joined writes the group of the core kinds as "core", because an empty text can't be told from no text.
func joined(list []string) string {
	out := []string{}
	for _, text := range list {
		if text == "" {
			text = "core"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func subjects(list []rbacv1.Subject) []string {
	out := []string{}
	for _, subject := range list {
		kind := subject.Kind
		if kind == rbacv1.ServiceAccountKind {
			kind += "/" + subject.Namespace
		}
		out = append(out, kind+"/"+subject.Name)
	}
	return out
}
