package crawl

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/callsheet/callsheet/internal/work/jobs"
)

// storeResult writes the result of an address and counts its outcome.
func storeResult(ctx context.Context, tx jobs.Tx, job string, l *lease, page Page) error {
	line, err := json.Marshal(page)
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	body, err := deflate(line)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO crawl_result (crawl, seq, page, at, body) VALUES (?, ?, ?, {now}, ?)", job, page.Seq, l.id, body); err != nil {
		return err
	}
	if page.Outcome == OutcomeFailed {
		if err := tx.CountFailedStep(ctx, job); err != nil {
			return err
		}
	}
	return addCount(ctx, tx, job, page.Outcome, 1)
}

// addCount adds to one of the counts of a crawl: the pages of an outcome, or the addresses left out
// for a reason.
func addCount(ctx context.Context, tx jobs.Tx, job, what string, n int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO crawl_count (crawl, what, n) VALUES (?, ?, ?)
ON CONFLICT (crawl, what) DO UPDATE SET n = crawl_count.n + excluded.n`, job, what, n)
	return err
}

// deflaters are reused: the tables of one take a megabyte, which a page of some kilobytes should
// not cost.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // fails for an invalid level only
	return w
}}

func deflate(line []byte) ([]byte, error) {
	var b bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	if _, err := w.Write(line); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func inflate(body []byte) ([]byte, error) {
	line, err := io.ReadAll(flate.NewReader(bytes.NewReader(body)))
	if err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	return line, nil
}
