package paramspec

import (
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// NoRole is the value of role by which a parameter declines the role that claims its name.
const NoRole = "none"

// roleOf returns the role that claims the name of a parameter; nil when none does.
func (r *Resolver) roleOf(parameter string) *param.Role {
	if r.Declared == nil {
		return nil
	}
	return r.Declared.RoleOf(parameter)
}

// roleOfProperty resolves the role of a parameter. Texts, lists of texts and open objects can have
// one.
func (r *Resolver) roleOfProperty(p Property, t *param.Type) *param.Role {
	written, claimed := p.Schema.Role, r.roleOf(p.Name.Value)
	if r.output {
		if written.Set() {
			r.errorf(written.Pos, RuleTraitMisplaced, "%q is part of an output, and only parameters have roles", p.Name.Value)
		}
		return nil
	}
	able := canHaveRole(t)
	switch {
	case !written.Set():
		if claimed != nil && able && !yamltree.HasKey(p.Schema.Keys, "role") {
			r.errorf(p.Name.Pos, RuleMissingTrait, "parameter %q states no role", p.Name.Value).Hint =
				"add role: " + claimed.Name + ", or role: " + NoRole
		}
		return nil
	case written.Value == NoRole && claimed != nil:
		return nil
	case written.Value == NoRole:
		r.errorf(written.Pos, RuleTraitMisplaced, "no role claims the name %q", p.Name.Value).Hint = "leave role out"
		return nil
	case !able:
		r.errorf(written.Pos, RuleTraitMisplaced, "parameter %q has type %s and can have no role", p.Name.Value, t.Kind).Hint =
			"texts, lists of texts and objects with any members can"
		return nil
	}
	if r.Declared == nil {
		r.Diags.Unknown(written.Pos, RuleUnknownTrait, "role", written.Value, nil).Cause = written.Value
		return nil
	}
	return r.Declared.Role(written)
}

// secretOfProperty resolves what the secrets are for that a parameter may name. Only a parameter with a
// role may name any: its role says how a recorder masks it.
func (r *Resolver) secretOfProperty(p Property, role *param.Role) string {
	written := p.Schema.Secret
	switch {
	case !written.Set():
		return ""
	case written.Value != param.SecretTyped && written.Value != param.SecretSent:
		r.Diags.Unknown(written.Pos, RuleUnknownTrait, "use of a secret", written.Value, []string{param.SecretTyped, param.SecretSent})
		return ""
	case role == nil:
		r.errorf(written.Pos, RuleTraitMisplaced, "parameter %q may name secrets and has no role", p.Name.Value).Hint =
			"add role: what the parameter is for says how it is masked"
	}
	return written.Value
}

func canHaveRole(t *param.Type) bool {
	for t != nil && t.Kind == param.Array {
		t = t.Items
	}
	return t != nil && (t.Kind == param.String || t.Open())
}
