package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

func mkdir(dir string) string {
	_ = os.MkdirAll(dir, 0o755) // opening it says what is wrong
	return dir
}

// report is the run as text.
func report(all []verdict, names []string, steps int, o options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Drift, %s\n\n", time.Now().UTC().Format(time.DateOnly))
	fmt.Fprintf(&b, "%s; %d steps (-per %d, -skip %d, -later %d), %d namings. %s, %d processors.\n\n", strings.Join(names, ", "),
		steps, o.per, o.skip, o.later, len(all), runtime.Version(), runtime.NumCPU())
	b.WriteString("| truth | named | found | right |\n|---|---|---|---|\n")
	for _, kind := range append(slices.Clone(positives), "all") {
		n, found, right := count(all, kind, true)
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", kind, n, share(found, n), share(right, n))
	}
	b.WriteString("\n| truth | named | false |\n|---|---|---|\n")
	for _, kind := range append(slices.Clone(negatives), "all") {
		n, found, _ := count(all, kind, false)
		fmt.Fprintf(&b, "| %s | %d | %s |\n", kind, n, share(found, n))
	}
	var slow []float64
	for i, v := range all {
		if i == 0 || v.Seconds != all[i-1].Seconds {
			slow = append(slow, v.Seconds)
		}
	}
	slices.Sort(slow)
	if len(slow) > 0 {
		fmt.Fprintf(&b, "\nSeconds for all entries of a step, nothing remembered: median %.2f, worst %.2f.\n", slow[len(slow)/2],
			slow[len(slow)-1])
	}
	b.WriteString("\nMisses and false findings:\n\n")
	for _, v := range all {
		if isPositive(v.Truth) && v.Right || !isPositive(v.Truth) && v.Found == "" {
			continue
		}
		fmt.Fprintf(&b, "- %s %s %s by %s: `%s` %s (share %.2f%s): found %q %s %s\n", v.Repo, v.To[:10], v.Truth, v.Form, v.Path,
			v.Symbol, v.Share, to(v.Target), v.Found, v.FoundTo, v.Reason)
	}
	return b.String()
}

func to(target string) string {
	if target == "" {
		return ""
	}
	return " → " + target
}

// count counts the namings of a kind, or of all positives or negatives.
func count(all []verdict, kind string, positive bool) (n, found, right int) {
	for _, v := range all {
		if v.Truth != kind && (kind != "all" || isPositive(v.Truth) != positive) {
			continue
		}
		n++
		if v.Found != "" {
			found++
		}
		if v.Right {
			right++
		}
	}
	return n, found, right
}

func share(part, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% (%d)", 100*float64(part)/float64(of), part)
}
