package chromium

import "github.com/prometheus/procfs"

// Descendants returns the processes with these ids and all that they have started. The error is that of a system
// without /proc.
func Descendants(roots []int) (found []procfs.ProcStat, err error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	byParent := make(map[int][]procfs.ProcStat)
	for _, p := range all {
		if stat, err := p.Stat(); err == nil { // one that has ended meanwhile has none
			byParent[stat.PPID] = append(byParent[stat.PPID], stat)
			for _, pid := range roots {
				if pid == stat.PID {
					found = append(found, stat)
				}
			}
		}
	}
	for i := 0; i < len(found); i++ {
		found = append(found, byParent[found[i].PID]...)
	}
	return found, nil
}
