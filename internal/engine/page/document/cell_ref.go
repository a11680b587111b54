package document

import (
	"context"
)

// locateCell is LocateRef for a derived ref: e47/3 is the third cell of row e47, e47/Qty its cell
// under that column, and e3/2/Qty or e3/Name 3/Qty is in the second row, or in that of this name, of
// table e3.
func (d *Document) locateCell(ctx context.Context, ref, base string, path []string) (*World, int, error) {
	w, n, err := d.LocateRef(ctx, base)
	if err != nil {
		return nil, 0, err
	}
	var cell struct {
		N int `json:"n"`
	}
	if err := d.EvaluateIn(ctx, w, "cellRef", map[string]any{"n": n, "path": path}, &cell); err != nil {
		return nil, 0, d.Translate(ctx, ref, err)
	}
	return w, cell.N, nil
}
