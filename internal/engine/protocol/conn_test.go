package protocol_test

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"golang.org/x/sync/errgroup"

	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// open starts a browser and connects to it.
func open(t *testing.T) *protocol.Conn {
	t.Helper()
	executable, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	data, err := chromium.NewTempDataDir()
	if err != nil {
		t.Fatal(err)
	}
	process, err := chromium.Start(executable, data.Path, chromium.Options{Headless: true, Width: 800, Height: 600, TempDir: data.TempDir})
	if err != nil {
		t.Fatal(err)
	}
	conn := protocol.Open(process.Transport, func(any) {}, func(s *protocol.Session, _ *target.Info) { s.Close(t.Context()) })
	t.Cleanup(func() {
		_ = conn.Close()
		<-process.Exited()
		_ = data.Remove(context.Background()) // the next start sweeps what is left
	})
	return conn
}

// A session of Attach lives on while HoldNew ends those that the browser opens for existing pages.
func TestHoldNewKeepsAttachedSessions(t *testing.T) {
	conn := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	made, err := cdp.Call(ctx, conn, target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	if err != nil {
		t.Fatal(err)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for range 200 {
			if err := conn.HoldNew(ctx, "page"); err != nil {
				return err
			}
		}
		return nil
	})
	for range 4 {
		group.Go(func() error {
			for range 100 {
				s, err := conn.Attach(ctx, made.TargetID)
				if err != nil {
					return err
				}
				if err := protocol.Exec(ctx, s, page.Enable, page.EnableParams{}); err != nil {
					return err
				}
				s.Close(ctx)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}
