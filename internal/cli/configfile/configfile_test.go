package configfile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/pflag"
)

// csv is a list flag as the program has them.
type csv struct{ items []string }

func (c *csv) Set(s string) error {
	for item := range strings.SplitSeq(s, ",") {
		if item == "" {
			return fmt.Errorf("a name is missing")
		}
		c.items = append(c.items, item)
	}
	return nil
}
func (c *csv) String() string { return strings.Join(c.items, ",") }
func (*csv) Type() string     { return "csv" }

func sampleFlags() *pflag.FlagSet {
	f := pflag.NewFlagSet("sample", pflag.ContinueOnError)
	f.String("color", "red", "a `COLOR`")
	f.String("profile", "", "a profile")
	f.String("policy", "", "a file")
	f.String("token", "", "a credential")
	f.Bool("slim", false, "shorter")
	f.Int("limit", 7, "at most `N`")
	f.Var(&csv{}, "tools", "some")
	f.StringArray("root", nil, "may be repeated")
	_ = f.SetAnnotation("policy", PathAnnotation, []string{})
	_ = f.SetAnnotation("token", SecretAnnotation, []string{})
	return f
}

func parsed(t *testing.T, text string) *File {
	t.Helper()
	f := parse(filepath.Join(t.TempDir(), "callsheet.yaml"), []byte(text), true, sampleFlags)
	f.CheckProfiles([]string{"plain"})
	return f
}

// TestPrecedence sets one flag in every combination of the four sources.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	const both = "version: 1\ncolor: file\nprofiles:\n  work: {color: profile}\n"
	for _, test := range []struct {
		name, flags, env, file string
		want, source           string
	}{
		{"nothing", "", "", "", "red", "default"},
		{"file", "", "", "version: 1\ncolor: file\n", "file", "callsheet.yaml:2:8"},
		{"profile by flag", "--profile=work", "", both, "profile", "callsheet.yaml:4:17 (profile work)"},
		{"profile by file", "", "", both + "profile: work\n", "profile", "callsheet.yaml:4:17 (profile work)"},
		{"profile by environment", "", "CALLSHEET_PROFILE=work", both, "profile", "callsheet.yaml:4:17 (profile work)"},
		{"flag chooses another profile than the file", "--profile=home", "", both + "  home: {limit: 1}\nprofile: work\n", "file", "callsheet.yaml:2:8"},
		{"environment over profile", "--profile=work", "CALLSHEET_COLOR=env", both, "env", "CALLSHEET_COLOR"},
		{"environment over file", "", "CALLSHEET_COLOR=env", both, "env", "CALLSHEET_COLOR"},
		{"empty variable", "", "CALLSHEET_COLOR=", both, "file", "callsheet.yaml:2:8"},
		{"flag over environment", "--color=flag", "CALLSHEET_COLOR=env", both, "flag", "flag"},
		{"flag over file", "--color=flag", "", both, "flag", "flag"},
		{"flag over profile", "--color=flag --profile=work", "", both, "flag", "flag"},
		{"empty flag over all", "--color=", "CALLSHEET_COLOR=env", both, "", "flag"},
		{"manifest's profile", "--profile=plain", "", both, "file", "callsheet.yaml:2:8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			flags := sampleFlags()
			if err := flags.Parse(strings.Fields(test.flags)); err != nil {
				t.Fatal(err)
			}
			var file *File
			if test.file != "" {
				if file = parsed(t, test.file); file.Err() != nil {
					t.Fatal(file.Err())
				}
			}
			sources, err := Apply(flags, file, sampleFlags, func(name string) (string, bool) {
				variable, value, ok := strings.Cut(test.env, "=")
				return value, ok && variable == name
			})
			if err != nil {
				t.Fatal(err)
			}
			source := sources["color"].String()
			if i := strings.LastIndexByte(source, '/'); i >= 0 {
				source = source[i+1:]
			}
			if got := flags.Lookup("color").Value.String(); got != test.want || source != test.source {
				t.Errorf("color = %q from %s, want %q from %s", got, source, test.want, test.source)
			}
		})
	}
}

// TestProfileFlagKeepsManifestProfiles applies profiles of the file and of the manifest.
func TestProfileFlagKeepsManifestProfiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ flags, file, want string }{
		{"--profile=work", "version: 1\nprofiles: {work: {limit: 1}}\n", ""},
		{"--profile=work", "version: 1\nprofiles: {work: {profile: plain}}\n", "plain"},
		{"--profile=plain", "version: 1\nprofiles: {work: {limit: 1}}\n", "plain"},
		{"", "version: 1\nprofile: plain\n", "plain"},
		{"", "version: 1\nprofile: work\nprofiles: {work: {profile: plain}}\n", "plain"},
	} {
		flags := sampleFlags()
		if err := flags.Parse(strings.Fields(test.flags)); err != nil {
			t.Fatal(err)
		}
		file := parsed(t, test.file)
		if err := file.Err(); err != nil {
			t.Fatal(err)
		}
		if _, err := Apply(flags, file, sampleFlags, func(string) (string, bool) { return "", false }); err != nil {
			t.Fatal(err)
		}
		if got := flags.Lookup("profile").Value.String(); got != test.want {
			t.Errorf("%s with\n%sleaves profile %q, want %q", test.flags, test.file, got, test.want)
		}
	}
}

// TestOnlySettingsComeFromTheEnvironment has a flag of one command that is no setting.
func TestOnlySettingsComeFromTheEnvironment(t *testing.T) {
	t.Parallel()
	flags := sampleFlags()
	flags.Bool("json", false, "")
	if _, err := Apply(flags, nil, sampleFlags, func(name string) (string, bool) { return "true", name == "CALLSHEET_JSON" }); err != nil {
		t.Fatal(err)
	}
	if flags.Lookup("json").Value.String() != "false" {
		t.Error("CALLSHEET_JSON sets a flag that is no setting")
	}
}

func TestListsAndPaths(t *testing.T) {
	t.Parallel()
	file := parsed(t, "version: 1\ntools: [a, b]\nroot: [x, 'y,z']\npolicy: sub/p.yaml\nslim: true\nlimit: 3\n")
	if err := file.Err(); err != nil {
		t.Fatal(err)
	}
	flags := sampleFlags()
	if _, err := Apply(flags, file, sampleFlags, func(string) (string, bool) { return "", false }); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"tools": "a,b", "root": `[x,"y,z"]`, "policy": filepath.Join(filepath.Dir(file.Path), "sub", "p.yaml"), "slim": "true", "limit": "3",
	} {
		if got := flags.Lookup(name).Value.String(); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
}

func TestEnvironmentMistakes(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"CALLSHEET_LIMIT=many":      `CALLSHEET_LIMIT: "many" is wrong`,
		"CALLSHEET_POLICY=p.yaml":   "CALLSHEET_POLICY: the path must be absolute",
		"CALLSHEET_TOOLS=a,,b":      "a name is missing",
		"CALLSHEET_SLIM=sometimes":  `CALLSHEET_SLIM: "sometimes" is wrong`,
		"CALLSHEET_PROFILE=":        "",
		"CALLSHEET_UNKNOWN=anyhing": "",
	} {
		name, value, _ := strings.Cut(variable, "=")
		_, err := Apply(sampleFlags(), nil, sampleFlags, func(n string) (string, bool) { return value, n == name })
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", variable, err, want)
		}
	}
}

// TestCredentialsNeedAPrivateFile reads one that others can read, whose value no message repeats.
func TestCredentialsNeedAPrivateFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "callsheet.yaml")
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o640: true, 0o604: true} {
		if err := os.WriteFile(path, []byte("version: 1\ntoken: hunter2\n"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		f, err := Load(path, true, sampleFlags)
		if err != nil {
			t.Fatal(err)
		}
		err = f.Err()
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "callsheet.yaml")
	if f, err := Load(path, false, sampleFlags); f != nil || err != nil {
		t.Errorf("a default file that is missing: %v, %v", f, err)
	}
	if _, err := Load(path, true, sampleFlags); err == nil {
		t.Error("a named file that is missing is no error")
	}
}

// TestExampleIsValid reads the example, which names every setting.
func TestExampleIsValid(t *testing.T) {
	t.Parallel()
	text := Example(sampleFlags())
	if err := parsed(t, text).Err(); err != nil {
		t.Error(err)
	}
	for _, name := range Names(sampleFlags()) {
		if !strings.Contains(text, "\n# "+name+": ") {
			t.Errorf("the example leaves out %s", name)
		}
	}
}

// TestSchemaTakesWhatIsRead holds the schema for editors against the reader.
func TestSchemaTakesWhatIsRead(t *testing.T) {
	t.Parallel()
	raw, err := Schema(sampleFlags())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("s.json")
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		"version: 1\n": true,
		"version: 1\ncolor: blue\nlimit: 3\nslim: true\ntools: [a]\nroot: b\nprofiles: {w: {limit: 1}}\nprofile: w\n": true,
		"version: 1\ncolour: blue\n":                false,
		"version: 1\nslim: sometimes\n":             false,
		"version: 1\nlimit: many\n":                 false,
		"version: 1\ntools: []\n":                   false,
		"version: 1\ncolor: {a: 1}\n":               false,
		"version: 1\nprofiles: {w: {version: 1}}\n": false,
		"color: blue\n":                             false,
	} {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		plain, _ := json.Marshal(value)
		instance, _ := jsonschema.UnmarshalJSON(strings.NewReader(string(plain)))
		if err := schema.Validate(instance); (err == nil) != valid {
			t.Errorf("%sschema says %v", text, err)
		}
		if err := parsed(t, text).Err(); (err == nil) != valid {
			t.Errorf("%sreader says %v", text, err)
		}
	}
}

// A flag of the file that lacks its colon is named, also inside of a profile.
func TestKeyWithoutColon(t *testing.T) {
	t.Parallel()
	for text, key := range map[string]string{
		"version: 1\nslim true\n": "slim",
		"version: 1\nprofiles:\n  work:\n    slim: true\n    limit 5\n": "limit",
		"version: 1\nproviders:\n  far: {}\nprofile work\n":             "profile",
	} {
		f := parsed(t, text)
		if len(f.Diags) != 1 || !strings.Contains(f.Diags[0].Message, `"`+key+`" has no colon`) {
			t.Errorf("%q: %v", text, f.Diags)
		}
	}
}
