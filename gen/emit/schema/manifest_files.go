package schema

import "github.com/invopop/jsonschema"

// ModuleFile is a file that a person writes beside the manifest, and its schema.
type ModuleFile struct {
	Name   string // relative to the directory of the manifest, or to the module for the settings
	Schema *jsonschema.Schema
}

// ModuleFiles lists the files that a person writes beside the manifest. They are described for people
// alone: the schemas are not written anywhere.
func ModuleFiles() []ModuleFile {
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true}
	file := func(name, title, description string, of any) ModuleFile {
		s := r.Reflect(of)
		s.Title, s.Description = title, description
		return ModuleFile{name, s}
	}
	return []ModuleFile{
		file("toolgen.yaml", "Settings", "Where the manifests of a module are and what is made of them. It stands beside go.mod. A module without it has one manifest at the usual place.", settings{}),
		file("allowances.yaml", "Allowances", "Breaking changes against the last release that are meant. It stands beside the root file.", allowances{}),
		file("competitors.yaml", "Competitors", "Tools of other products, which competitor_ref is held against. It stands beside the root file.", competitors{}),
		file("claims.yaml", "Claims", "Places where the project uses a word that promises more than a test can show, each with its evidence. It stands beside the root file.", claims{}),
	}
}

// settings and the types below mirror YAML for reflection only, as manifest does.
type settings struct {
	Version   int              `json:"version" jsonschema:"enum=1" jsonschema_description:"Version of the file's grammar."`
	Manifests []manifestPlaces `json:"manifests" jsonschema_description:"The manifests of the module."`
}

type manifestPlaces struct {
	Manifest   string        `json:"manifest" jsonschema:"minLength=1" jsonschema_description:"The root file, relative to the root of the module."`
	Output     string        `json:"output,omitempty" jsonschema:"default=generated" jsonschema_description:"Directory of the generated files. A run deletes other files from it."`
	Handlers   string        `json:"handlers,omitempty" jsonschema:"default=tools" jsonschema_description:"Directory of the packages of handlers, one per area."`
	Docs       []string      `json:"docs,omitempty" jsonschema_description:"Documents and directories of documents that are held against the manifest. Absent: docs, README.md and CONTRIBUTING.md. []: none."`
	Packages   *packageNames `json:"packages,omitempty" jsonschema_description:"Names of the generated packages."`
	Joined     bool          `json:"joined,omitempty" jsonschema:"default=false" jsonschema_description:"Whether the output has few files: one of Go for each package, docs.md, and surface.json with the schemas and the lists. Absent: a file for each of them, which shows in a review which list changed."`
	References bool          `json:"references,omitempty" jsonschema:"default=false" jsonschema_description:"Whether the output has docs/RULES.md and schema/manifest.schema.json, which are the same for every manifest of one version of toolgen."`
}

type packageNames struct {
	Toolset  string `json:"toolset,omitempty" jsonschema:"default=toolset" jsonschema_description:"Package of parameters and results."`
	Registry string `json:"registry,omitempty" jsonschema:"default=registry" jsonschema_description:"Package that joins tools and handlers."`
	Codes    string `json:"codes,omitempty" jsonschema:"default=codes" jsonschema_description:"Package of the codes of refusals."`
	Power    string `json:"power,omitempty" jsonschema:"default=power" jsonschema_description:"Package with a type for each power."`
	CLI      string `json:"cli,omitempty" jsonschema:"default=cli" jsonschema_description:"Package of the verbs of the command line."`
}

type allowances struct {
	Version    int         `json:"version" jsonschema:"enum=1" jsonschema_description:"Version of the file's grammar."`
	Allowances []allowance `json:"allowances" jsonschema_description:"What is allowed. Each names a rule and one thing that may break it; after a release they are spent and deleted."`
}

type allowance struct {
	Rule     string `json:"rule" jsonschema:"minLength=1" jsonschema_description:"The rule that may be broken."`
	Tool     string `json:"tool,omitempty" jsonschema_description:"The tool that may break it. Absent: the allowance is for a code, a prompt or a resource."`
	Code     string `json:"code,omitempty" jsonschema_description:"The code of refusals that may break it. Absent: the allowance is for a tool, a prompt or a resource."`
	Prompt   string `json:"prompt,omitempty" jsonschema_description:"The prompt that may break it. Absent: the allowance is for a tool, a code or a resource."`
	Resource string `json:"resource,omitempty" jsonschema_description:"The resource that may break it. Absent: the allowance is for a tool, a code or a prompt."`
	List     string `json:"list,omitempty" jsonschema:"enum=annotations" jsonschema_description:"annotations: the style of lists may break it. Absent: the allowance is for a tool, a code, a prompt or a resource."`
	Why      string `json:"why" jsonschema:"minLength=1" jsonschema_description:"Why clients have to live with the change."`
}

type competitors struct {
	Version  int                `json:"version" jsonschema:"enum=1" jsonschema_description:"Version of the file's grammar."`
	Products map[string]product `json:"products" jsonschema_description:"Products by name."`
}

type product struct {
	Version string   `json:"version" jsonschema:"minLength=1" jsonschema_description:"The version whose list of tools this is."`
	Checked string   `json:"checked" jsonschema:"minLength=1" jsonschema_description:"The day on which the product answered tools/list so."`
	Tools   []string `json:"tools" jsonschema_description:"Names of its tools."`
}

type claims struct {
	Version int      `json:"version" jsonschema:"enum=1" jsonschema_description:"Version of the file's grammar."`
	Words   []string `json:"words,omitempty" jsonschema_description:"Words beside the compiler's own that need an entry wherever they stand."`
	Claims  []claim  `json:"claims" jsonschema_description:"The places where such words stand."`
}

type claim struct {
	File     string `json:"file" jsonschema:"minLength=1" jsonschema_description:"The document, the file of the manifest or the package."`
	Text     string `json:"text" jsonschema:"minLength=1" jsonschema_description:"What the file says there: three words or more, one of them the word."`
	Evidence string `json:"evidence" jsonschema:"minLength=1" jsonschema_description:"A test, as package.TestName, or a document that shows it."`
}
