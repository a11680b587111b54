package emittest

import (
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/uritemplate"
)

// entries adds a prompt, a resource and a template to an area: together they use every field of theirs.
func entries(ts *model.Toolset, area *model.Area, c *model.Capability, connected *model.Fact) {
	entry := func(name, title, goName, description string) model.Entry {
		return model.Entry{
			Name: name, Title: title, GoName: goName, Description: description, Area: area, Capability: c, Tagged: true, Scopes: ts.Scopes[:1], TimeoutMS: 5000,
		}
	}
	argument := func(name, goName string, values ...string) *model.Argument {
		out := &model.Argument{Name: name, GoName: goName, Type: &model.Type{Kind: model.String}}
		if len(values) > 0 {
			out.Type.Enum, out.Type.EnumGoName = values, "Explain"+goName
		}
		return out
	}
	what, tone := argument("what", "What"), argument("tone", "Tone", "plain", "for|mal")
	what.Required, what.Completed, what.Title, what.Description = true, true, "What", "An element <b>."
	explain := &model.Prompt{Entry: entry("explain", "Explain", "Explain", "Explain an *element* | of the page."), Arguments: []*model.Argument{what, tone}}
	explain.Visible = model.Predicate{Text: "connected", Expr: model.FactExpr{Fact: connected}}
	hello := &model.Prompt{Entry: entry("hello", "Say hello", "Hello", "Greet.")}
	log := &model.Resource{Entry: entry("log", "Log", "Log", "What happened."), URI: "page://log", MIME: "text/plain", Size: 10, Subscribe: true}
	log.Audience, log.Priority = []string{"user"}, new(0.5)
	id := argument("id", "ID")
	id.Required, id.Completed = true, true
	kind := argument("kind", "Kind", "png", "jpeg")
	kind.Required, kind.Type.EnumGoName = true, "PictureKind"
	picture := &model.Resource{
		Entry: entry("picture", "A picture", "Picture", "A picture of the page."), Template: uritemplate.MustParse("page://{id}/picture.{kind}"),
		Variables: []*model.Argument{id, kind},
	}
	area.Prompts, area.Resources = []*model.Prompt{explain, hello}, []*model.Resource{log, picture}
	ts.Prompts, ts.Resources = area.Prompts, area.Resources
}
