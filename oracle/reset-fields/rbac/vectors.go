package main

import (
	"context"
	"fmt"
	"math/rand"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"

	"structured-merge-diff-reset-fields/jsonlist"
)

// A random is a source of roles, users and requests over few names, so that many of them meet.
type random struct{ *rand.Rand }

func (r random) pick(texts string) string {
	list := strings.Split(texts, " ")
	return list[r.Intn(len(list))]
}

func (r random) some(most int, texts string) []string {
	var out []string
	for range r.Intn(most + 1) {
		out = append(out, strings.ReplaceAll(r.pick(texts), "core", ""))
	}
	return out
}

func (r random) rules(namespaced bool) []rbacv1.PolicyRule {
	out := []rbacv1.PolicyRule{}
	for range 1 + r.Intn(3) {
		rule := rbacv1.PolicyRule{Verbs: append(r.some(2, "get list create update *"), r.pick("get watch"))}
		if !namespaced && r.Intn(4) == 0 {
			rule.NonResourceURLs = append(r.some(2, "/healthz /healthz/* /metrics * /api*"), "/version")
		} else {
			rule.APIGroups = append(r.some(1, "core apps *"), strings.ReplaceAll(r.pick("core apps"), "core", ""))
			rule.Resources = append(r.some(2, "pods pods/status */scale deployments *"), r.pick("pods deployments/scale secrets"))
			if r.Intn(3) == 0 {
				rule.ResourceNames = r.some(2, "a b")
			}
		}
		out = append(out, rule)
	}
	return out
}

func (r random) subjects() []rbacv1.Subject {
	out := []rbacv1.Subject{}
	for range 1 + r.Intn(2) {
		switch r.Intn(3) {
		case 0:
			out = append(out, rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: r.pick("ann bob")})
		case 1:
			out = append(out, rbacv1.Subject{Kind: "Group", APIGroup: rbacv1.GroupName, Name: r.pick("dev ops system:authenticated")})
		default:
			out = append(out, rbacv1.Subject{Kind: "ServiceAccount", Namespace: r.pick("one two"), Name: "robot"})
		}
	}
	return out
}

func (r random) user() *user.DefaultInfo {
	name := r.pick("ann bob system:serviceaccount:one:robot system:serviceaccount:two:robot")
	return &user.DefaultInfo{Name: name, Groups: append(r.some(1, "dev ops"), "system:authenticated")}
}

// A vector is a set of roles, and the answers of the released authorizer to questions about them.
type vector struct {
	Objects     []any        `json:"objects"`
	Questions   []question   `json:"questions"`
	Rules       []ruleAnswer `json:"rules"`
	Escalations []escalation `json:"escalations"`
}

type who struct {
	User   string   `json:"user"`
	Groups []string `json:"groups"`
}

type question struct {
	who
	Verb        string `json:"verb"`
	Namespace   string `json:"namespace,omitempty"`
	Group       string `json:"group,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Name        string `json:"name,omitempty"`
	Path        string `json:"path,omitempty"`
	Allowed     bool   `json:"allowed"`
	Reason      string `json:"reason,omitempty"`
	Refusal     any    `json:"refusal,omitempty"`
}

type ruleAnswer struct {
	who
	Namespace string              `json:"namespace"`
	Rules     []rbacv1.PolicyRule `json:"rules"`
	Error     string              `json:"error,omitempty"`
}

type escalation struct {
	who
	Namespace string              `json:"namespace,omitempty"`
	Granted   []rbacv1.PolicyRule `json:"granted"`
	Error     string              `json:"error,omitempty"`
}

func writeVectors(count int, seed int64) error {
	r := random{rand.New(rand.NewSource(seed))}
	return jsonlist.Print(count, func(int) (any, error) { return r.vector(), nil })
}

func (r random) vector() vector {
	var out vector
	var roles []*rbacv1.Role
	var bindings []*rbacv1.RoleBinding
	var clusterRoles []*rbacv1.ClusterRole
	var clusterBindings []*rbacv1.ClusterRoleBinding
	meta := func(kind string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: kind}
	}
	for i := range 2 {
		name := fmt.Sprintf("c%d", i)
		clusterRoles = append(clusterRoles, &rbacv1.ClusterRole{TypeMeta: meta("ClusterRole"), ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: r.rules(false)})
		ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: r.pick("c0 c1 missing")}
		if r.Intn(2) == 0 {
			clusterBindings = append(clusterBindings, &rbacv1.ClusterRoleBinding{TypeMeta: meta("ClusterRoleBinding"), ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: ref, Subjects: r.subjects()})
		}
	}
	for _, namespace := range []string{"one", "two"} {
		object := metav1.ObjectMeta{Name: "r", Namespace: namespace}
		roles = append(roles, &rbacv1.Role{TypeMeta: meta("Role"), ObjectMeta: object, Rules: r.rules(true)})
		for i := range 2 {
			object.Name = fmt.Sprintf("b%d", i)
			ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "r"}
			if r.Intn(2) == 0 {
				ref = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: r.pick("c0 c1")}
			}
			bindings = append(bindings, &rbacv1.RoleBinding{TypeMeta: meta("RoleBinding"), ObjectMeta: object, RoleRef: ref, Subjects: r.subjects()})
		}
	}
	resolver, getters := validation.NewTestRuleResolver(roles, bindings, clusterRoles, clusterBindings)
	decider := rbac.New(getters, getters, getters, getters)
	for _, role := range clusterRoles {
		out.Objects = append(out.Objects, role)
	}
	for _, role := range roles {
		out.Objects = append(out.Objects, role)
	}
	for _, binding := range clusterBindings {
		out.Objects = append(out.Objects, binding)
	}
	for _, binding := range bindings {
		out.Objects = append(out.Objects, binding)
	}
	for range 12 {
		out.Questions = append(out.Questions, r.ask(decider))
	}
	for _, namespace := range []string{"", "one"} {
		u := r.user()
		rules, err := resolver.RulesFor(context.Background(), u, namespace)
		out.Rules = append(out.Rules, ruleAnswer{who{u.Name, u.Groups}, namespace, rules, textOf(err)})
	}
	for range 3 {
		u := r.user()
		namespace := r.pick("one two")
		granted := r.rules(true)
		ctx := request.WithNamespace(request.WithUser(context.Background(), u), namespace)
		out.Escalations = append(out.Escalations, escalation{who{u.Name, u.Groups}, namespace, granted, textOf(validation.ConfirmNoEscalation(ctx, resolver, granted))})
	}
	return out
}

func (r random) ask(decider *rbac.RBACAuthorizer) question {
	u := r.user()
	out := question{who: who{u.Name, u.Groups}, Verb: r.pick("get list create update watch delete")}
	attributes := authorizer.AttributesRecord{User: u, Verb: out.Verb}
	if r.Intn(5) == 0 {
		out.Path = r.pick("/healthz /healthz/etcd /version /metrics /apis")
		attributes.Path = out.Path
	} else {
		out.Namespace, out.Name = strings.ReplaceAll(r.pick("one two none"), "none", ""), strings.ReplaceAll(r.pick("a b none"), "none", "")
		out.Group = strings.ReplaceAll(r.pick("core apps"), "core", "")
		out.Resource, out.Subresource, _ = strings.Cut(r.pick("pods pods/status deployments deployments/scale secrets"), "/")
		attributes.Namespace, attributes.Name, attributes.APIGroup = out.Namespace, out.Name, out.Group
		attributes.Resource, attributes.Subresource, attributes.ResourceRequest = out.Resource, out.Subresource, true
	}
	decision, reason, err := decider.Authorize(context.Background(), attributes)
	out.Allowed, out.Reason = decision == authorizer.DecisionAllow, reason
	if err != nil {
		out.Reason = err.Error()
	}
	if !out.Allowed {
		out.Refusal = responsewriters.ForbiddenStatusError(attributes, reason).ErrStatus
	}
	return out
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
