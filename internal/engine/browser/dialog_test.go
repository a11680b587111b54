package browser

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/powertest"
)

func TestDialogs(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	tab, other := openTab(t, "/a"), openTab(t, "/b")
	if err := tab.Dialogs.Handle(ctx, true, ""); err != ErrNoDialog {
		t.Errorf("no dialog: %v", err)
	}
	tests := []struct {
		code   string
		accept bool
		text   string
		want   dialog.Dialog
		answer string
	}{
		{`answer = confirm('sure?')`, true, "", dialog.Dialog{Kind: "confirm", Message: "sure?"}, "true"},
		{`answer = confirm('sure?')`, false, "", dialog.Dialog{Kind: "confirm", Message: "sure?"}, "false"},
		{`answer = prompt('name?', 'Ada')`, true, "Grace", dialog.Dialog{Kind: "prompt", Message: "name?", Default: "Ada"}, "Grace"},
		{`answer = prompt('name?')`, false, "", dialog.Dialog{Kind: "prompt", Message: "name?"}, "null"},
		{`alert('hm'); answer = 'done'`, true, "", dialog.Dialog{Kind: "alert", Message: "hm"}, "done"},
	}
	for _, test := range tests {
		_, err := evaluate.Run(ctx, tab, powertest.Script, test.code)
		var dialog *DialogError
		if !errors.As(err, &dialog) {
			t.Fatalf("%s: %v", test.code, err)
		}
		test.want.URL = site.URL + "/a"
		if diff := cmp.Diff(&DialogError{Tab: tab.ID(), Dialog: test.want, During: true}, dialog); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.code, diff)
		}
		err = tab.Do(ctx, func(context.Context, *page.Page) error { t.Error("called under a dialog"); return nil })
		if !errors.As(err, &dialog) {
			t.Errorf("under a dialog: %v", err)
		}
		js(t, other, `1`)
		if infos := tab.session.Tabs(ctx); infos[0].Dialog == nil {
			t.Errorf("the list does not show the dialog: %+v", infos)
		}
		if err := tab.Dialogs.Handle(ctx, test.accept, test.text); err != nil {
			t.Fatal(err)
		}
		if got := js(t, tab, `String(answer)`).Text(); got != test.answer || tab.Dialogs.Open() != nil {
			t.Errorf("%s: %q, want %q", test.code, got, test.answer)
		}
	}
}

func TestCloseUnderDialog(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, time.Minute)
	tab := openTab(t, "/a")
	if _, err := evaluate.Run(ctx, tab, powertest.Script, `alert(1)`); !errors.As(err, new(*DialogError)) {
		t.Fatal(err)
	}
	if err := tab.session.CloseTab(ctx, ""); err != nil {
		t.Errorf("close a tab under a dialog: %v", err)
	}
}

func TestCrash(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	tab := openTab(t, "/a")
	for _, recover := range []func() (Navigation, error){
		func() (Navigation, error) { return tab.Reload(ctx, powertest.Navigation, false, NavigateOptions{}) },
		func() (Navigation, error) {
			return tab.Navigate(ctx, powertest.Navigation, site.URL+"/a", NavigateOptions{})
		},
	} {
		err := tab.Do(ctx, func(ctx context.Context, _ *page.Page) error {
			return protocol.Exec(ctx, tab.cdp, cdppage.Crash, cdp.Empty{})
		})
		if !errors.As(err, new(*CrashedError)) {
			t.Errorf("the call that crashed: %v", err)
		}
		if _, err := evaluate.Run(ctx, tab, powertest.Script, `1`); !errors.As(err, new(*CrashedError)) {
			t.Errorf("a call after the crash: %v", err)
		}
		if tab.session.Tabs(ctx)[0].LossReason != Crashed {
			t.Error("the list does not show the crash")
		}
		if n, err := recover(); err != nil || n.Title != "A" || !n.Loaded {
			t.Fatalf("recovery: %+v, %v", n, err)
		}
		if got := js(t, tab, `document.title`).Text(); got != "A" {
			t.Errorf("after recovery: %q", got)
		}
	}
}

func TestOnChange(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	changes := make(chan string, 100)
	b := New(Config{Headless: true, OnChange: func(session string) { changes <- session }})
	defer b.Close(context.Background())
	tab, _, err := b.Session("s").Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	next := func(what string) {
		t.Helper()
		select {
		case got := <-changes:
			if got != "s" {
				t.Errorf("%s: change in %q", what, got)
			}
		case <-ctx.Done():
			t.Fatalf("%s: no change", what)
		}
	}
	next("open")
	_, _ = evaluate.Run(ctx, tab, powertest.Script, `alert(1)`)
	next("dialog")
	if err := tab.Dialogs.Handle(ctx, true, ""); err != nil {
		t.Fatal(err)
	}
	next("dialog handled")
	if err := tab.session.CloseTab(ctx, ""); err != nil {
		t.Fatal(err)
	}
	next("close")
}
