package input_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// A drop is one that the target took: the answer says what it gained.
func TestDropSaysWhatTheTargetGained(t *testing.T) {
	const source = `<div id=s draggable=true role=button aria-label=Source style="width:100px;height:30px">Source</div>`
	const target = `<div id=t role=list aria-label=Basket style="width:200px;height:80px;margin-top:60px;background:#ddd"`
	b := pagetest.Show(t, "")
	for name, c := range map[string]struct{ target, want string }{
		"copied":              {target + ` ondragover="event.preventDefault()" ondrop="this.innerHTML += '<p>Row 1</p>'"></div>`, `list "Basket" gained "Row 1"`},
		"moved":               {target + ` ondragover="event.preventDefault()" ondrop="this.append(s)"></div>`, `list "Basket" gained "Source"`},
		"after a second over": {target + ` ondragover="if ((this.n = (this.n ?? 0) + 1) > 1) event.preventDefault()" ondrop="this.innerHTML += '<p>Row 2</p>'"></div>`, `gained "Row 2"`},
		"hidden source":       {target + ` ondragover="event.preventDefault()" ondrop="s.hidden = true; this.innerHTML += '<p>Copy</p>'"></div>`, "no longer drawn"},
		"of a document":       {target + `></div><script>document.ondragover = e => e.target === t && e.preventDefault(); document.ondrop = e => { t.innerHTML += '<p>Row 3</p>' }</script>`, `gained "Row 3"`},
		"drawn anew":          {target + ` ondragover="event.preventDefault()" ondrop="const c = this.cloneNode(); c.innerHTML = '<p>Row 4</p>'; this.replaceWith(c)"></div>`, `Row 4`},
		"in a table":          {`<table><tbody id=t><tr><td style="width:200px;height:40px">Row 0</tbody></table><script>t.ondragover = e => e.preventDefault(); t.ondrop = e => { t.insertRow().insertCell().textContent = 'Row 5' }</script>`, `Row 5`},
		"another type":        {target + ` ondragover="if (event.dataTransfer.types.includes('application/x-own')) event.preventDefault()"></div>`, ""},
		"not accepted":        {target + `></div>`, ""},
		"refused":             {target + ` ondragover="event.preventDefault(); event.dataTransfer.dropEffect = 'none'"></div>`, ""},
		"only entered":        {target + ` ondragenter="event.preventDefault()" ondrop="this.innerHTML += '<p>Row</p>'"></div>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b.Body(source + c.target)
			e, err := b.Mouse.Drag(b.Ctx, input.Target{Ref: b.Ref("#s")}, input.Target{Ref: b.Ref("#t")}, input.DragOptions{})
			if c.want == "" {
				if _, ok := errors.AsType[*input.DropRefusedError](err); !ok {
					t.Errorf("%+v %v", e.Changes, err)
				}
			} else if err != nil || !strings.Contains(strings.Join(e.Changes, "\n"), c.want) {
				t.Errorf("%+v %v", e.Changes, err)
			}
		})
	}
}
