package read

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// insertFrameMarkup inserts the markup of remote frames. The engine writes a remote frame as a
// comment; no text of a page can look like one, because all its text is escaped.
func (rd *Reader) insertFrameMarkup(
	ctx context.Context, w *document.World, keys []int, got *readResult, argument map[string]any,
) error {
	if len(keys) == 0 {
		return nil
	}
	children := map[int]*document.World{}
	for _, child := range rd.doc.Frames.Enter(ctx, w, keys) {
		children[child.FrameKey] = child
	}
	texts := map[string]string{}
	for _, key := range keys {
		texts[strconv.Itoa(key)], _ = rd.readFrame(ctx, children[key], 0, argument, got)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("reading the frames: %w", context.Cause(ctx))
	}
	placeholder := regexp.MustCompile(`<!--frame:(\d+)-->`)
	got.Text = placeholder.ReplaceAllStringFunc(got.Text, func(s string) string {
		return texts[placeholder.FindStringSubmatch(s)[1]]
	})
	return nil
}

// toMarkdown converts the engine's markup to Markdown.
func toMarkdown(got *readResult) error {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(),
	))
	text, err := c.ConvertString(got.Text)
	if err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	if text = strings.TrimSpace(text); text != "" {
		text += "\n"
	}
	got.Text = text
	return nil
}
