package recorder

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/argument"
)

// ManualStep is a step that no call made: what a person did, as the call that does the same.
type ManualStep struct {
	Tool       string
	Args       map[string]any             // without the tab; tab ids in it become aliases
	Targets    map[string]locate.Identity // by the JSON pointer of the argument
	Tab        string                     // id
	URL        string                     // after the step
	OpenedTabs []string                   // ids
	StartedAt  time.Time
	Summary    string
	// Secrets are the arguments that the recording must not hold, by JSON pointer. Values of the vault
	// in them become references.
	Secrets map[string]string
	// Asked are the JSON pointers of more arguments that a replay needs as parameters.
	Asked   []string
	Verdict json.RawMessage
}

// Manual appends the steps of a person to the active recording of a session. Its methods must not run
// concurrently.
type Manual struct{ recording *sessionRecording }

// Manual returns the writer of a session's active recording, or ErrNotRecording.
func (r *Recorder) Manual(session string) (*Manual, error) {
	a := r.activeRecording(session)
	if a == nil {
		return nil, ErrNotRecording
	}
	return &Manual{recording: a}, nil
}

// AddSecrets makes the recording leave out these values from now on.
func (m *Manual) AddSecrets(values ...string) { m.recording.secrets.addTyped(values...) }

// Append appends a step in the background.
func (m *Manual) Append(s ManualStep) { m.write(s, m.recording.recorder.cfg.Archive.Append) }

// Amend replaces the latest step in the background.
func (m *Manual) Amend(s ManualStep) { m.write(s, m.recording.recorder.cfg.Archive.Amend) }

func (m *Manual) write(s ManualStep, put func(id, owner string, s *Step, done func(error)) error) {
	a := m.recording
	step := a.manualStep(s)
	if err := put(a.id, a.owner, &step, a.onAppended); err != nil {
		a.onAppended(err)
	}
}

// Notice returns why steps were lost since it was last called; "" when none was.
func (m *Manual) Notice() string { return m.recording.takeNotice() }

// manualStep redacts a step.
func (sr *sessionRecording) manualStep(s ManualStep) Step {
	sr.learnTokens(s)
	typed := make([]typedText, 0, len(s.Secrets))
	for pointer, value := range s.Secrets {
		typed = append(typed, typedText{pointer: pointer, value: value})
	}
	redact := sr.stepRedactor(typed, len(typed) > 0)
	r := redactor{roles: argument.Roles(s.Tool, s.Args), secrets: map[string]bool{}, redactText: redact, tabAlias: sr.tabAlias}
	for _, t := range typed {
		r.secrets[t.pointer] = true
	}
	for _, pointer := range s.Asked {
		r.secrets[pointer] = true
	}
	args, _ := sr.withReferences(s.Tool, s.Args).(map[string]any)
	out := Step{
		Tool: s.Tool, StartedAt: s.StartedAt.UTC(), Outcome: "ok", Tab: sr.tabAlias(s.Tab), URL: redact(network.RedactURL(s.URL)),
		Summary: redact(s.Summary),
	}
	out.Args = r.redactArguments(args)
	out.MaskedPointers = r.maskedPointers
	for _, id := range s.OpenedTabs {
		out.OpenedTabs = append(out.OpenedTabs, sr.tabAlias(id))
	}
	for pointer, id := range s.Targets {
		if out.Targets == nil {
			out.Targets = make(map[string]locate.Identity)
		}
		id.Name, id.Text, id.Label, id.TestID = redact(id.Name), redact(id.Text), redact(id.Label), redact(id.TestID)
		out.Targets[pointer] = id
	}
	if len(s.Verdict) > 0 {
		out.Verdict = redactJSON(s.Verdict, redact)
	}
	return out
}

// learnTokens collects the secrets in addresses.
func (sr *sessionRecording) learnTokens(s ManualStep) {
	sr.secrets.addTokens(network.SecretsIn(s.URL))
	visitStrings(s.Args, func(arg string) {
		if strings.Contains(arg, "://") {
			sr.secrets.addTokens(network.SecretsIn(arg))
		}
	})
}

// withReferences returns arguments in which typed values of the vault are references to them.
func (sr *sessionRecording) withReferences(tool string, args map[string]any) any {
	reference := sr.recorder.cfg.Reference
	if reference == nil {
		return args
	}
	roles, traits := argument.Roles(tool, args), toolset.TraitsOf(tool)
	return argument.ReplaceTexts(args, func(pointer, text string) string {
		if roles[pointer] == toolset.RoleTyped && traits.Secret(pointer) != "" {
			return reference(text)
		}
		return text
	})
}
