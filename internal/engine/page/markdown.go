package page

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
)

// insertFrameMarkup puts the markup of frames where their doors are. The engine writes a door as a comment; no text of a page
// can look like one, because all its text is escaped.
func (p *Page) insertFrameMarkup(ctx context.Context, w *world, doors []int, got *readResult, argument map[string]any) error {
	if len(doors) == 0 {
		return nil
	}
	behind := map[int]*world{}
	for _, child := range p.enterFrames(ctx, w, doors) {
		behind[child.frameKey] = child
	}
	texts := map[string]string{}
	for _, door := range doors {
		texts[strconv.Itoa(door)], _ = p.readFrame(ctx, behind[door], 0, argument, got)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("reading the frames: %w", context.Cause(ctx))
	}
	mark := regexp.MustCompile(`<!--frame:(\d+)-->`)
	got.Text = mark.ReplaceAllStringFunc(got.Text, func(s string) string { return texts[mark.FindStringSubmatch(s)[1]] })
	return nil
}

// toMarkdown turns the engine's markup into Markdown.
func toMarkdown(got *readResult) error {
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
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
