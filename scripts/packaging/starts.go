package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/scripts/packaging/internal/client"
)

// starts measures how long servers take until they have answered their first two requests. The rounds alternate, so that
// a busy machine delays all of them alike.
func starts(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("starts", flag.ContinueOnError)
	rounds := flags.Int("rounds", 21, "how often each command is started")
	most := flags.Duration("most", 0, "fail if the median of a command is later than that of the first by more; 0 does not fail")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() < 2 {
		return errors.New(usage)
	}
	times := make([][]time.Duration, flags.NArg())
	for range *rounds {
		for i, command := range flags.Args() {
			began := time.Now()
			if _, err := client.Ask(ctx, client.Server{Command: strings.Fields(command)}); err != nil {
				return err
			}
			times[i] = append(times[i], time.Since(began))
		}
	}
	var late []string
	for i, command := range flags.Args() {
		m, first := median(times[i]), median(times[0])
		fmt.Printf("start: %6.1f ms %+6.1f ms  %.2f×  %s\n", ms(m), ms(m-first), float64(m)/float64(first), command)
		if *most > 0 && m-first > *most {
			late = append(late, command)
		}
	}
	if len(late) > 0 {
		return fmt.Errorf("more than %s later than the first: %s", *most, strings.Join(late, ", "))
	}
	return nil
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
