package git

import "strings"

// Hunk is a run of lines that one side of a difference has and the other has not.
type Hunk struct {
	Line int    // 1-based, of the first, in the file that has them
	Text string // without the last line end
}

// maxRounds bounds how often what lies between equal lines is looked into again.
const maxRounds = 12

// compare tells which lines of before are not in after, and the other way round. It takes
// what is equal at both ends, then lines that stand once on both sides and in the same
// order as anchors, and looks between them again: O(n log n) a round, and a moved block is
// moved as a whole. Line ends count as LF.
func compare(before, after string) (removed, added []Hunk) {
	c := comparison{a: splitLines(before), b: splitLines(after)}
	c.keptA, c.keptB = make([]bool, len(c.a)), make([]bool, len(c.b))
	c.match(0, len(c.a), 0, len(c.b), 0)
	return hunks(c.a, c.keptA), hunks(c.b, c.keptB)
}

type comparison struct {
	a, b         []string
	keptA, keptB []bool
}

func (c *comparison) keep(i, j int) { c.keptA[i], c.keptB[j] = true, true }

// match marks what is equal in a[i:n] and b[j:m].
func (c *comparison) match(i, n, j, m, round int) {
	for i < n && j < m && c.a[i] == c.b[j] {
		c.keep(i, j)
		i, j = i+1, j+1
	}
	for i < n && j < m && c.a[n-1] == c.b[m-1] {
		n, m = n-1, m-1
		c.keep(n, m)
	}
	if i == n || j == m || round == maxRounds {
		return
	}
	anchors := c.anchors(i, n, j, m)
	for _, at := range anchors {
		c.match(i, at[0], j, at[1], round+1)
		c.keep(at[0], at[1])
		i, j = at[0]+1, at[1]+1
	}
	if len(anchors) > 0 {
		c.match(i, n, j, m, round+1)
	}
}

// anchors are the lines that stand once in a[i:n] and once in b[j:m]: the most of them
// that have one order on both sides.
func (c *comparison) anchors(i, n, j, m int) [][2]int {
	count := map[string][3]int{} // times in a, times in b, place in b
	for _, s := range c.a[i:n] {
		v := count[s]
		v[0]++
		count[s] = v
	}
	for k := j; k < m; k++ {
		if v, ok := count[c.b[k]]; ok {
			v[1], v[2] = v[1]+1, k
			count[c.b[k]] = v
		}
	}
	var pairs [][2]int
	for k := i; k < n; k++ {
		if v := count[c.a[k]]; v[0] == 1 && v[1] == 1 {
			pairs = append(pairs, [2]int{k, v[2]})
		}
	}
	return rising(pairs)
}

// rising is the longest part of pairs whose second numbers rise.
func rising(pairs [][2]int) [][2]int {
	tails, before := []int{}, make([]int, len(pairs)) // index of the last pair of a run by its length
	for k, p := range pairs {
		low, high := 0, len(tails)
		for low < high {
			if mid := (low + high) / 2; pairs[tails[mid]][1] < p[1] {
				low = mid + 1
			} else {
				high = mid
			}
		}
		before[k] = -1
		if low > 0 {
			before[k] = tails[low-1]
		}
		if low == len(tails) {
			tails = append(tails, k)
		} else {
			tails[low] = k
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([][2]int, len(tails))
	for at, k := tails[len(tails)-1], len(out)-1; k >= 0; k-- {
		out[k] = pairs[at]
		at = before[at]
	}
	return out
}

func hunks(lines []string, kept []bool) (out []Hunk) {
	for i := 0; i < len(lines); i++ {
		start := i
		for i < len(lines) && !kept[i] {
			i++
		}
		if i > start {
			out = append(out, Hunk{Line: start + 1, Text: strings.Join(lines[start:i], "\n")})
		}
	}
	return out
}

// splitLines splits a text at its line ends; a last one begins no line.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, s := range lines {
		lines[i] = strings.TrimSuffix(s, "\r")
	}
	return lines
}
