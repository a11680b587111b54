package main

import "testing"

const gridReading = `- generic [ref=e1]:
  - generic [ref=e2]: Country
  - combobox [ref=e3]:
    - option "Norway"
  - grid [ref=e8]:
    - row [ref=e10]:
      - columnheader "Name" [ref=e13]
      - columnheader "Qty" [ref=e21]
    - row [ref=e30]:
      - gridcell "Name 1" [ref=e33]
      - gridcell "3" [ref=e35]:
        - checkbox "Select" [ref=e36]
`

func TestSnapshotFindsFieldsAndCells(t *testing.T) {
	lines := parseSnapshot(gridReading)
	for name, want := range map[string]string{"Country": "e3", "Name 1 Qty": "e35", "checkbox in row Name 1": "e36", "Norway": "e3"} {
		if got, ok := lines.findField(name); !ok || got.ref != want {
			t.Errorf("findField(%q) is %q, %v; want %s", name, got.ref, ok, want)
		}
	}
	if got, ok := lines.find("Lima"); ok {
		t.Errorf("find(Lima) is %+v, want none", got)
	}
}
