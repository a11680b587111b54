package schema

import (
	"slices"

	"github.com/invopop/jsonschema"
)

// Manifest is the JSON Schema of the manifest's own YAML files, for completion and help in editors.
// It covers the root and the included files, which hold only tools, prompts and resources, so no key of
// the root is required.
//
// The schema is advice: it knows shapes, and takes everything the compiler takes. Names, predicates
// and types that must agree are for the compiler.
func Manifest() *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true}
	s := r.Reflect(manifest{})
	s.Title = "Tool manifest"
	s.Description = "What toolgen compiles: the tools of a server and everything they share. Included files have tools, prompts and resources alone."
	return s
}

// manifest mirrors the YAML for reflection only; the compiler reads positions as well and has its
// own reader. Keys that a file may leave out are tagged omitempty. Each key has an example in
// gen/reference/examples, and each rule a row in gen/reference/rules.txt: tests demand both.
type manifest struct {
	Version      int                   `json:"version,omitempty" jsonschema:"enum=1" jsonschema_description:"Version of the manifest's grammar."`
	Include      []string              `json:"include,omitempty" jsonschema:"minLength=1,uniqueItems=true" jsonschema_description:"Files that hold the tools, one per area, relative to this file. The file's name is the area's name."`
	Server       *server               `json:"server,omitempty" jsonschema_description:"What registries, package managers and clients' plugin formats are told of the server. Absent: there is no metadata."`
	CLI          *cli                  `json:"cli,omitempty" jsonschema_description:"The command line. Absent: there is none, and tools have no verbs."`
	Upstream     *upstream             `json:"upstream,omitempty" jsonschema_description:"The server that forwarded tools pass their calls to. Absent: no tool is forwarded."`
	Capabilities map[string]capability `json:"capabilities,omitempty" jsonschema_description:"Gates on the command line, by name. They limit context size and are no security boundary."`
	Facts        map[string]string     `json:"facts,omitempty" jsonschema_description:"Named booleans about one session and what each means: the closed vocabulary of visible."`
	Powers       map[string]power      `json:"powers,omitempty" jsonschema_description:"Dangerous things that code can do, by name. Generated code has a type for each."`
	Traits       *traits               `json:"traits,omitempty" jsonschema_description:"Values of the traits that every tool states. Absent: tools have none."`
	DefaultBytes int                   `json:"default_list_bytes,omitempty" jsonschema:"minimum=1" jsonschema_description:"The most bytes of the default list in any reachable state, before anything is revealed; left out, there is no limit."`
	ListBytes    int                   `json:"list_bytes,omitempty" jsonschema:"minimum=1" jsonschema_description:"The most bytes of a list in any reachable state, with every tier in it; left out, there is no limit."`
	List         *listStyle            `json:"list,omitempty" jsonschema_description:"How lists are written. Absent: with what says something, and nothing else, because each client pays for every byte."`
	ListOutputs  *bool                 `json:"list_output_schemas,omitempty" jsonschema:"default=true" jsonschema_description:"Whether lists have the schemas of outputs. false: they are in generated/schema and the documentation alone, unless the operator asks for them."`
	AddressedBy  string                `json:"addressed_by,omitempty" jsonschema:"minLength=1" jsonschema_description:"The parameter by which calls name the connection they are for; its facts judge the call."`
	Invariants   []string              `json:"invariants,omitempty" jsonschema:"minLength=1" jsonschema_description:"What always holds between facts: implications, written as two predicates with an arrow between them."`
	Events       map[string]event      `json:"events,omitempty" jsonschema_description:"What happens to facts by itself, by the name of the event."`
	Scenarios    map[string][]string   `json:"scenarios,omitempty" jsonschema_description:"Named sets of true facts. Each has a tools/list snapshot. Without facts there is one, called default."`
	Scopes       map[string]scope      `json:"scopes,omitempty" jsonschema_description:"Named sets of tools that a release promises, the default one first."`
	Profiles     map[string]profile    `json:"profiles,omitempty" jsonschema_description:"Faces of the first scope for hosts that must not expose certain scopes at all."`
	Types        map[string]property   `json:"types,omitempty" jsonschema_description:"Types that several tools share, by name. A property refers to one by type: Name."`
	Providers    []string              `json:"providers,omitempty" jsonschema:"enum=anthropic,enum=gemini,enum=openai,uniqueItems=true" jsonschema_description:"Providers of models whose limits on schemas hold: what one of them refuses is an error."`
	Not          map[string]string     `json:"not,omitempty" jsonschema_description:"Parameters that no tool takes, and why: what a call that gives one is answered."`
	Refusals     map[string]refusal    `json:"refusals,omitempty" jsonschema_description:"Codes that a call can be refused with. A code of the toolkit can get further fields; those of the entry any are of every code."`
	Surfaces     map[string]surface    `json:"surfaces,omitempty" jsonschema_description:"Kinds of dangerous things that policies speak of, by name."`
	Initialisms  []string              `json:"initialisms,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Words that names in Go write as they stand here, such as SQL."`
	Logging      bool                  `json:"logging,omitempty" jsonschema:"default=false" jsonschema_description:"Whether handlers send log messages to clients that ask for them."`
	Tools        []tool                `json:"tools,omitempty" jsonschema_description:"The tools of this area."`
	Prompts      []prompt              `json:"prompts,omitempty" jsonschema_description:"The prompts of this area."`
	Resources    []resource            `json:"resources,omitempty" jsonschema_description:"The resources of this area, and its templates."`
}

type capability struct {
	Title       string `json:"title" jsonschema:"minLength=1" jsonschema_description:"Name for people."`
	Description string `json:"description" jsonschema:"minLength=1" jsonschema_description:"One sentence: what the tools behind this gate are for."`
	OptIn       bool   `json:"opt_in,omitempty" jsonschema:"default=false" jsonschema_description:"Off unless the operator asks for it, by a flag of the capability's name."`
}

type server struct {
	Name        string              `json:"name" jsonschema:"pattern=^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" jsonschema_description:"Name in the registry of the protocol: the reverse of a domain, a slash and a name, as in io.github.someone/weather."`
	Title       string              `json:"title" jsonschema:"minLength=1" jsonschema_description:"Name for people."`
	Description string              `json:"description" jsonschema:"minLength=1,maxLength=100" jsonschema_description:"What the server is for, in at most 100 characters."`
	Program     string              `json:"program,omitempty" jsonschema:"minLength=1" jsonschema_description:"Name of the executable; that of cli when left out."`
	Repository  string              `json:"repository,omitempty" jsonschema:"minLength=1" jsonschema_description:"Address of the source code."`
	Website     string              `json:"website,omitempty" jsonschema:"minLength=1" jsonschema_description:"Address of the documentation."`
	License     string              `json:"license,omitempty" jsonschema:"minLength=1" jsonschema_description:"SPDX identifier of the licence."`
	Author      string              `json:"author" jsonschema:"minLength=1" jsonschema_description:"Who publishes the server."`
	NPM         string              `json:"npm,omitempty" jsonschema:"minLength=1" jsonschema_description:"Package on npm that starts the server. Absent: clients start the program."`
	Keywords    []string            `json:"keywords,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Words that people find the server by."`
	Skill       *skill              `json:"skill,omitempty" jsonschema_description:"What SKILL.md says of the command line beside the verbs: how work is done with them."`
	Environment map[string]variable `json:"environment,omitempty" jsonschema_description:"Environment variables that the server reads, by name."`
}

type listStyle struct {
	Titles      string `json:"titles,omitempty" jsonschema:"enum=distinct,enum=all,enum=none,default=distinct" jsonschema_description:"Titles of tools, prompts and resources. distinct: those that do not repeat the name."`
	Annotations string `json:"annotations,omitempty" jsonschema:"enum=distinct,enum=all,enum=none,default=distinct" jsonschema_description:"Hints of tools, which effects decide. distinct: those that differ from the protocol's default. all: each, as some catalogues of servers demand."`
	Schemas     string `json:"schemas,omitempty" jsonschema:"enum=brief,enum=full,default=brief" jsonschema_description:"Schemas of inputs. brief: without limits, without most defaults, and without a word that objects are closed; a call that ignores those is refused all the same. full: with all of that, for clients that check arguments before they send them."`
}

type skill struct {
	When     string         `json:"when" jsonschema:"minLength=1" jsonschema_description:"When an agent is to use the skill; the end of its description."`
	Sections []skillSection `json:"sections" jsonschema:"minItems=1" jsonschema_description:"Sections, in order."`
}

type skillSection struct {
	Title    string   `json:"title" jsonschema:"minLength=1" jsonschema_description:"Heading."`
	Text     string   `json:"text,omitempty" jsonschema:"minLength=1" jsonschema_description:"Markdown before the commands."`
	Commands []string `json:"commands,omitempty" jsonschema_description:"Command lines, each with a comment behind #. The compiler parses them."`
}

type variable struct {
	Description string `json:"description" jsonschema:"minLength=1" jsonschema_description:"What the variable is for."`
	Secret      bool   `json:"secret,omitempty" jsonschema:"default=false" jsonschema_description:"Whether its value is a secret."`
	Required    bool   `json:"required,omitempty" jsonschema:"default=false" jsonschema_description:"Whether the server does not start without it."`
}

type upstream struct {
	Command     []string          `json:"command,omitempty" jsonschema:"minItems=1" jsonschema_description:"Program and arguments of a server on standard input and output."`
	Environment []string          `json:"environment,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Names of environment variables that the program gets beside those of the system."`
	URL         string            `json:"url,omitempty" jsonschema:"minLength=1" jsonschema_description:"Address of a server over HTTP."`
	Headers     map[string]string `json:"headers,omitempty" jsonschema_description:"Headers of each HTTP request. ${NAME} stands for an environment variable."`
}

type power struct {
	Description string   `json:"description" jsonschema:"minLength=1" jsonschema_description:"What code can do with the power."`
	Surface     string   `json:"surface,omitempty" jsonschema:"minLength=1" jsonschema_description:"The policy surface that tools with the power state."`
	Changes     bool     `json:"changes,omitempty" jsonschema:"default=false" jsonschema_description:"Whether a call that uses the power changes something; it is then not read-only."`
	Asks        bool     `json:"asks,omitempty" jsonschema:"default=false" jsonschema_description:"Whether a person is asked before a call that uses the power, where no decision of the operator is about it. Generated code lists these powers; the server asks."`
	DemandedBy  []string `json:"demanded_by,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Functions that take a value of the power, by package and name; for the documentation."`
}

type surface struct {
	Description string `json:"description" jsonschema:"minLength=1" jsonschema_description:"What tools of the surface can do."`
	Flag        string `json:"flag,omitempty" jsonschema:"minLength=1" jsonschema_description:"The flag of the command line by which no call has a power of the surface, without the leading hyphens."`
}

type refusal struct {
	Description string                  `json:"description,omitempty" jsonschema:"minLength=1" jsonschema_description:"Why a call is refused with the code."`
	Class       string                  `json:"class,omitempty" jsonschema:"enum=invalid,enum=forbidden,enum=not_found,enum=conflict,enum=too_large,enum=failed,enum=internal,enum=unavailable,enum=timeout" jsonschema_description:"What kind of reason the code is, as the status codes of HTTP are classed."`
	From        names                   `json:"from,omitempty" jsonschema_description:"A sentinel error of Go that stands for the code, or a list of them: a package below the module, of the standard library or by its import path, and the variable, as in internal/store.ErrNotFound. The generated registry refers to it. A handler returns it, alone or wrapped; the client is told the description and the advice, and no word of the error."`
	Advice      string                  `json:"advice,omitempty" jsonschema:"minLength=1" jsonschema_description:"What a client does instead, where an error under from stands for the code. Required beside from."`
	Fields      map[string]refusalField `json:"fields,omitempty" jsonschema_description:"Members that the envelope may have beside code, tool and message."`
}

type refusalField struct {
	Type        string `json:"type" jsonschema:"enum=any,enum=array,enum=boolean,enum=number,enum=object,enum=string" jsonschema_description:"JSON type of the value."`
	Description string `json:"description" jsonschema:"minLength=1" jsonschema_description:"What the value is."`
}

type traits struct {
	Roles  map[string]role   `json:"roles,omitempty" jsonschema_description:"What a parameter can be for, by the name of the role."`
	Shows  map[string]string `json:"shows,omitempty" jsonschema_description:"What a result can show, and what each value means."`
	Record map[string]string `json:"record,omitempty" jsonschema_description:"How a recorder can treat a call, and what each value means."`
	Replay map[string]string `json:"replay,omitempty" jsonschema_description:"How a recorded call can be made again or written as code, and what each value means."`
}

type role struct {
	Description string   `json:"description" jsonschema:"minLength=1" jsonschema_description:"What a parameter with the role is."`
	Form        string   `json:"form,omitempty" jsonschema:"minLength=1" jsonschema_description:"Regular expression of the values, where all have one form. A positional argument of a verb can then be this or another property."`
	Names       []string `json:"names,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Parameters called so must state a role: this one, another, or none."`
}

type toolTraits struct {
	Keeps   bool   `json:"keeps" jsonschema_description:"Whether the tool persists or passes on what its arguments say; it then gets names of secrets, not values."`
	Durable bool   `json:"durable,omitempty" jsonschema:"default=false" jsonschema_description:"Whether an answer promises that something is on disk; the tool then waits for the database, and no other tool does."`
	Shows   string `json:"shows,omitempty" jsonschema:"minLength=1" jsonschema_description:"What a result shows; a value of the root file."`
	Record  string `json:"record,omitempty" jsonschema:"minLength=1" jsonschema_description:"How a recorder treats a call; a value of the root file."`
	Replay  string `json:"replay,omitempty" jsonschema:"minLength=1" jsonschema_description:"How a recorded call is made again or written as code; a value of the root file."`
}

type event struct {
	When string `json:"when" jsonschema_description:"Predicate over facts: when the event can happen."`
	changes
}

type changes struct {
	Sets     []string `json:"sets,omitempty" jsonschema_description:"Facts that become true."`
	Clears   []string `json:"clears,omitempty" jsonschema_description:"Facts that become false."`
	MaySet   []string `json:"may_set,omitempty" jsonschema_description:"Facts that may become true. In may_clear too: the fact may be either afterwards."`
	MayClear []string `json:"may_clear,omitempty" jsonschema_description:"Facts that may become false."`
}

type scope struct {
	Status  string `json:"status" jsonschema:"enum=frozen,enum=open" jsonschema_description:"frozen: the set of tools equals the lock, in both directions. open: it may change."`
	Since   string `json:"since" jsonschema_description:"Release that first promised the scope. Quote it: 0.10 is a number in YAML."`
	Records bool   `json:"deferral_records,omitempty" jsonschema:"default=false" jsonschema_description:"Whether a call of a deferred tool is answered with its whole record, and not refused with TOOL_DEFERRED. Each then states since and, where the module has competitors.yaml, competitor_ref."`
}

type profile struct {
	ExcludeScopes []string `json:"exclude_scopes" jsonschema:"minLength=1,uniqueItems=true" jsonschema_description:"Scopes of which the profile serves no tool."`
}

type deferred struct {
	Reason        string        `json:"reason" jsonschema:"minLength=20" jsonschema_description:"Why the tool is deliberately not there."`
	CLIEquivalent cliEquivalent `json:"cli_equivalent,omitempty" jsonschema_description:"The command that does it today; it must parse. Required where the manifest has cli; clients of other servers are told of none."`
	CompetitorRef competitorRef `json:"competitor_ref,omitempty" jsonschema_description:"The counterpart elsewhere, out of competitors.yaml. Required where the module has that file and the scope has deferral_records."`
	Since         string        `json:"since,omitempty" jsonschema:"minLength=1" jsonschema_description:"Release or phase of the decision. Absent: that of the scope. Required where the scope has deferral_records."`
	Surfaces      []string      `json:"surfaces" jsonschema:"uniqueItems=true" jsonschema_description:"Policy surfaces the tool would touch."`
}

type cliEquivalent struct {
	Verb string   `json:"verb" jsonschema:"minLength=1" jsonschema_description:"A verb of the command line."`
	Args []string `json:"args,omitempty" jsonschema_description:"Its arguments; a placeholder stands in angle brackets."`
}

type competitorRef struct {
	Product string `json:"product" jsonschema:"minLength=1" jsonschema_description:"A product of competitors.yaml."`
	Tool    string `json:"tool,omitempty" jsonschema:"oneof_required=tool" jsonschema_description:"Its tool."`
	None    string `json:"none,omitempty" jsonschema:"oneof_required=none" jsonschema_description:"Why it has no such tool."`
}

type tool struct {
	Name        string              `json:"name" jsonschema:"pattern=^[a-z][a-z0-9_]{0\\,63}$" jsonschema_description:"Name on the wire: lower case letters, digits and underscores, at most 64."`
	Title       string              `json:"title" jsonschema:"minLength=1" jsonschema_description:"Name for people."`
	Description string              `json:"description,omitempty" jsonschema:"minLength=1" jsonschema_description:"What the model reads in every session, so every word is paid for. Conditional requirements are appended by the compiler."`
	Capability  string              `json:"capability,omitempty" jsonschema:"default=core,minLength=1" jsonschema_description:"The gate the tool stands behind. core is assumed with a warning; a release build refuses that."`
	Scope       names               `json:"scope" jsonschema_description:"The scope, or the list of scopes, that the tool belongs to."`
	Tier        int                 `json:"tier,omitempty" jsonschema:"default=1,enum=1,enum=2,enum=3" jsonschema_description:"1: listed by default. 2 and 3: hidden until a tool with builtin: expand reveals them."`
	Effects     effects             `json:"effects" jsonschema_description:"What a client may rely on when it decides whether to ask a person first."`
	Listed      string              `json:"listed,omitempty" jsonschema:"minLength=1" jsonschema_description:"Boolean expression over facts, as in Go: the states in which a client that follows the list is sent the tool. Without it, tier 1 is sent wherever it is visible."`
	Joins       string              `json:"joins,omitempty" jsonschema:"minLength=1" jsonschema_description:"Boolean expression over facts, as in Go: the states in which a tool of tier 2 or 3 stands behind the core list, which is tier 1 in every state."`
	Also        map[string]string   `json:"also,omitempty" jsonschema_description:"Other capabilities that have the tool, each with the states in which it is listed where that capability is asked for and its own is not."`
	Visible     string              `json:"visible" jsonschema:"minLength=1" jsonschema_description:"Boolean expression over facts, as in Go, that decides listing and guards the call; or always."`
	Changes     changes             `json:"changes,omitempty" jsonschema_description:"What a successful call does to facts."`
	Surfaces    []string            `json:"surfaces,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Dangerous powers the tool uses; a policy can forbid each."`
	Powers      map[string]any      `json:"powers,omitempty" jsonschema_description:"Powers that the handler is handed, by name: always, or one parameter with the values that need the power, or with given."`
	Traits      *toolTraits         `json:"traits,omitempty" jsonschema_description:"What the server must know beside the schema. Required where the root file declares traits."`
	Asks        []string            `json:"asks,omitempty" jsonschema:"enum=elicitation,enum=elicitation.url,enum=sampling,enum=roots,uniqueItems=true" jsonschema_description:"What the handler asks the client for with Call.Ask: elicitation is a form for the person behind it, elicitation.url a page to open, sampling a text of its model, roots its directories. A client that has not declared the capability is refused. Anything else is refused to the handler."`
	Confirm     string              `json:"confirm,omitempty" jsonschema:"minLength=1" jsonschema_description:"The question that a person answers before the handler runs, as a form of the client; {title} is the value of the parameter title. It implies asks: [elicitation]. Without the person's agreement the call is refused with NOT_CONFIRMED, and where the client cannot ask with CANNOT_CONFIRM."`
	Forward     string              `json:"forward,omitempty" jsonschema:"minLength=1" jsonschema_description:"The upstream's name of the tool that calls are passed to. Absent: a handler runs the tool."`
	Input       map[string]property `json:"input,omitempty" jsonschema_description:"Parameters by name, in the order clients show them. {} when there are none. A forwarded tool without it has the upstream's schema."`
	Output      map[string]property `json:"output,omitempty" jsonschema_description:"Members of structuredContent by name. Only for tools that always return it."`
	RequireWhen []requirement       `json:"require_when,omitempty" jsonschema_description:"Conditional requirements among parameters: checked at the call and appended to the description."`
	Budget      budget              `json:"budget,omitempty" jsonschema_description:"Limits of one call."`
	Slim        *slim               `json:"slim,omitempty" jsonschema_description:"The tool's entry in the list that --slim serves. Absent: not in that list."`
	Builtin     string              `json:"builtin,omitempty" jsonschema:"enum=expand" jsonschema_description:"The handler of the toolkit that runs the tool; the area then has none for it."`
	CLI         verbs               `json:"cli,omitempty" jsonschema_description:"The tool's verb, or a list of them. Absent: the tool's name with hyphens."`
	Was         names               `json:"was,omitempty" jsonschema_description:"An older name, or a list of them; they keep working in flags and in calls."`
	Not         map[string]string   `json:"not,omitempty" jsonschema_description:"Parameters that the tool does not take, and why: what a call that gives one is answered."`
	Deferred    *deferred           `json:"deferred,omitempty" jsonschema_description:"Why the tool is deliberately not there; instead of everything that a live tool has."`
}

// JSONSchemaExtend says that an entry is a live tool or a deferred one.
func (tool) JSONSchemaExtend(s *jsonschema.Schema) {
	s.Required = []string{"name", "scope"}
	s.AnyOf = []*jsonschema.Schema{{Required: []string{"deferred"}}, {Required: []string{"title", "effects", "visible", "input"}}, {Required: []string{"title", "effects", "visible", "forward"}}}
}

type cli struct {
	Program  string   `json:"program" jsonschema:"minLength=1" jsonschema_description:"Name of the program, as typed."`
	Commands []string `json:"commands,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Commands of the program itself; no verb may be called so."`
	Flags    []string `json:"flags,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Flags that the program gives every verb."`
}

type verb struct {
	Verb        string         `json:"verb,omitempty" jsonschema:"pattern=^[a-z][a-z0-9]*(-[a-z0-9]+)*$" jsonschema_description:"As typed. Absent: the tool's name with hyphens."`
	Description string         `json:"description,omitempty" jsonschema:"minLength=1" jsonschema_description:"For help. Absent: the tool's."`
	Args        []string       `json:"args,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Positional parameters in order; one that may be left out ends in a question mark. a|b: a word that has the form of a's role is a, any other is b. Absent: the required scalars."`
	Set         map[string]any `json:"set,omitempty" jsonschema_description:"Parameters that the verb gives itself, with their values."`
	Flags       map[string]any `json:"flags,omitempty" jsonschema_description:"Other names for parameters; or switches, each a mapping of one parameter to the value it stands for."`
	Hide        []string       `json:"hide,omitempty" jsonschema:"uniqueItems=true" jsonschema_description:"Parameters that the verb does not take."`
	Save        bool           `json:"save,omitempty" jsonschema:"default=false" jsonschema_description:"Whether --out writes the picture or other file of the result to a file of the caller."`
	Watch       bool           `json:"watch,omitempty" jsonschema_description:"Whether --watch repeats the call and shows each change. Only of tools that are read_only." jsonschema:"default=false"`
	Example     string         `json:"example,omitempty" jsonschema:"minLength=1" jsonschema_description:"A whole command line; the compiler parses it."`
}

// verbs is one verb or a list of verbs.
type verbs []verb

// JSONSchema spells out the two forms; reflection sees only the list.
func (verbs) JSONSchema() *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, DoNotReference: true}
	one := r.Reflect(verb{})
	one.Version, one.Title = "", "verb"
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, {Type: "array", Items: one}}}
}

type effects struct {
	ReadOnly    bool `json:"read_only" jsonschema_description:"The tool changes nothing a person would notice."`
	Destructive bool `json:"destructive" jsonschema_description:"The tool may delete or overwrite something."`
	Idempotent  bool `json:"idempotent" jsonschema_description:"A second identical call changes nothing more."`
	OpenWorld   bool `json:"open_world" jsonschema_description:"The tool reaches what the server does not control, such as a site."`
}

type budget struct {
	ResultBytes int `json:"result_bytes,omitempty" jsonschema:"default=25000,minimum=1" jsonschema_description:"Most bytes of text in one result."`
	TimeoutMS   int `json:"timeout_ms,omitempty" jsonschema:"default=30000,minimum=1" jsonschema_description:"Deadline of one call in milliseconds."`
}

type slim struct {
	Description string   `json:"description" jsonschema:"minLength=1" jsonschema_description:"A shorter description."`
	Input       []string `json:"input" jsonschema:"uniqueItems=true" jsonschema_description:"Parameters that stay listed; calls still accept all of them."`
}

type requirement struct {
	When map[string]names `json:"when,omitempty" jsonschema_description:"One parameter and the value, or list of values, for which the requirement applies. Absent: always."`
	All  []string         `json:"all,omitempty" jsonschema:"oneof_required=all,minItems=1" jsonschema_description:"Parameters that must all be present."`
	Any  []string         `json:"any,omitempty" jsonschema:"oneof_required=any,minItems=2" jsonschema_description:"Parameters of which at least one must be present."`
	One  []string         `json:"one,omitempty" jsonschema:"oneof_required=one,minItems=2" jsonschema_description:"Parameters of which exactly one must be present."`
	Only []string         `json:"only,omitempty" jsonschema:"oneof_required=only,minItems=1" jsonschema_description:"Parameters that may be present for these values alone."`
}

type property struct {
	Type        string              `json:"type" jsonschema:"pattern=^(string|integer|number|boolean|array|object|any|[A-Z][A-Za-z0-9]*)$" jsonschema_description:"JSON type of the value, or the name of a shared type. any takes every JSON value."`
	Description string              `json:"description,omitempty" jsonschema_description:"Only what the name does not say; a unit such as ms."`
	GoType      string              `json:"go_type,omitempty" jsonschema:"pattern=^[A-Z][A-Za-z0-9]*$" jsonschema_description:"Name in Go of the type of an object or an enum, of items too. Absent: it is made of the names around it."`
	Role        string              `json:"role,omitempty" jsonschema:"minLength=1" jsonschema_description:"What the parameter is for: a role of the root file, or none where only the name suggests one."`
	Secret      string              `json:"secret,omitempty" jsonschema:"enum=typed,enum=sent" jsonschema_description:"What {secret:NAME} in the parameter is for: typed as input, or sent to an origin. Absent: refused."`
	Required    bool                `json:"required,omitempty" jsonschema:"default=false" jsonschema_description:"Whether the value must be present. Never together with default."`
	Enum        enum                `json:"enum,omitempty" jsonschema_description:"Of a string the allowed texts; of an integer the allowed numbers by their names, as in {low: 1, high: 2}."`
	Default     any                 `json:"default,omitempty" jsonschema:"anyof_type=string;number;boolean" jsonschema_description:"Value that is used when the parameter is absent."`
	Minimum     *float64            `json:"minimum,omitempty" jsonschema_description:"Least number allowed."`
	Maximum     *float64            `json:"maximum,omitempty" jsonschema_description:"Greatest number allowed."`
	MinLength   *int                `json:"minLength,omitempty" jsonschema:"minimum=0" jsonschema_description:"Fewest characters."`
	MaxLength   *int                `json:"maxLength,omitempty" jsonschema:"minimum=0" jsonschema_description:"Most characters."`
	MinItems    *int                `json:"minItems,omitempty" jsonschema:"minimum=0" jsonschema_description:"Fewest items."`
	MaxItems    *int                `json:"maxItems,omitempty" jsonschema:"minimum=0" jsonschema_description:"Most items."`
	Pattern     string              `json:"pattern,omitempty" jsonschema:"minLength=1" jsonschema_description:"RE2 expression the string must contain a match of; anchor it with ^ and $ where the whole must match."`
	Format      string              `json:"format,omitempty" jsonschema:"enum=date,enum=time,enum=date-time,enum=duration,enum=email,enum=hostname,enum=uri,enum=ipv4,enum=ipv6,enum=uuid" jsonschema_description:"Form of the string, which every call is held to. Go code gets a time for date-time."`
	Nullable    bool                `json:"nullable,omitempty" jsonschema:"default=false" jsonschema_description:"Whether null is a value too."`
	Items       *property           `json:"items,omitempty" jsonschema_description:"Type of an array's items."`
	Properties  map[string]property `json:"properties,omitempty" jsonschema_description:"Members of an object by name."`
	Not         map[string]string   `json:"not,omitempty" jsonschema_description:"Members that the object does not take, and why."`
	Was         names               `json:"was,omitempty" jsonschema_description:"An older name, or a list of them; they keep working in flags and in calls."`
	Listed      *bool               `json:"listed,omitempty" jsonschema:"default=true" jsonschema_description:"false: calls take the parameter, and lists do not show it."`
	FromObject  names               `json:"from_object,omitempty" jsonschema_description:"How an object is read that is given instead: json for a text; for a list of texts what stands between name and value; for a list of objects the properties for name and value; for a list of numbers the members."`
	Additional  additionalValues    `json:"additionalProperties,omitempty" jsonschema_description:"Of an object without properties. true: it takes any members, and its reader gets it as JSON text. A type: a map from any names to values of the type."`
	Names       *namePattern        `json:"propertyNames,omitempty" jsonschema_description:"What the names of a map match."`
	MinMembers  *int                `json:"minProperties,omitempty" jsonschema:"minimum=0" jsonschema_description:"Fewest members of a map."`
	MaxMembers  *int                `json:"maxProperties,omitempty" jsonschema:"minimum=0" jsonschema_description:"Most members of a map."`
	Union       *unionOf            `json:"union,omitempty" jsonschema_description:"Of an object without properties: it is one of several variants."`
}

type namePattern struct {
	Pattern string `json:"pattern" jsonschema:"minLength=1" jsonschema_description:"RE2 expression."`
}

type unionOf struct {
	Tag      string                         `json:"tag" jsonschema:"minLength=1" jsonschema_description:"Member whose text is the name of the variant."`
	Variants map[string]map[string]property `json:"variants" jsonschema_description:"Variants by name, each with its members beside the tag."`
}

// enum is a list of texts, or names with whole numbers.
type enum []string

// JSONSchema spells out the two forms; reflection sees only the list.
func (enum) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Type: "array", Items: &jsonschema.Schema{Type: "string"}, UniqueItems: true, MinItems: new(uint64(1))},
		{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "integer"}, MinProperties: new(uint64(1))},
	}}
}

// additionalValues is true, or the type of a map's values.
type additionalValues bool

// JSONSchema spells out the two forms; reflection sees only the first.
func (additionalValues) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "boolean"}, {Ref: "#/$defs/property"}}}
}

// names is one name or a list of names.
type names []string

// JSONSchema spells out the two forms; reflection sees only the list.
func (names) JSONSchema() *jsonschema.Schema {
	name := &jsonschema.Schema{Type: "string", MinLength: new(uint64(1))}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		name,
		{Type: "array", Items: name, UniqueItems: true},
	}}
}

// Keys lists every key of the manifest's grammar, so that a document that speaks of one is not
// thought to mean a tool.
func Keys() []string {
	var out []string
	var walk func(*jsonschema.Schema)
	walk = func(s *jsonschema.Schema) {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			out = append(out, p.Key)
			walk(p.Value)
		}
	}
	s := Manifest()
	walk(s)
	for _, d := range s.Definitions {
		walk(d)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
