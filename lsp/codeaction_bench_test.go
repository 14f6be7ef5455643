package lsp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkActions measures the round trip of listing actions where they cost most: on a
// relation that leads nowhere, which is compared with all entries, and on the title, by
// which duplicates are looked for; each after an edit, as while typing.
func BenchmarkActions(b *testing.B) {
	for _, entries := range []int{100, 10_000} {
		for _, place := range []string{"domain_0/topic", "entry_0 speaks"} {
			b.Run(fmt.Sprintf("%d/%s", entries, strings.Fields(place)[0]), func(b *testing.B) {
				e, file := benchSession(b, entries)
				text := "---\ntitle: entry_0 speaks of number 7\n---\nSee @domain_0/topic_0/entri_1234.md.\n\n"
				if err := e.Replace(file, text); err != nil {
					b.Fatal(err)
				}
				at := strings.Index(text, place)
				took := make([]time.Duration, 0, 1000)
				for b.Loop() {
					if err := e.Edit(file, len(text)-1, len(text)-1, "x"); err != nil {
						b.Fatal(err)
					}
					begin := time.Now()
					if a, err := e.Actions(b.Context(), file, at, at); err != nil || len(a) == 0 {
						b.Fatal(a, err)
					}
					took = append(took, time.Since(begin))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
			})
		}
	}
}
