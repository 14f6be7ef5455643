// Command organisation compares, on labelled sets of bench/retrieval, the local search with candidates of a real cluster that
// are ranked with its counts, and with the cluster's own order:
//
//	organisation/opensearch/test/serve.sh DIR go run ./bench/organisation -data DIR -sets cookbook-docs,cacm
package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/organisation/opensearch"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func main() {
	data, sets := flag.String("data", "", "folder of the sets"), flag.String("sets", "cookbook-docs", "their names")
	flag.Parse()
	for _, set := range strings.Split(*sets, ",") {
		agree(*data, set)
	}
}

func agree(data, set string) {
	dir := data + "/" + set + "/"
	ctx := context.Background()
	f, _ := os.Open(dir + "docs.jsonl.gz")
	z, err := gzip.NewReader(f)
	if err != nil {
		log.Fatal(err)
	}
	var docs []organisation.Document
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 64<<20)
	ids := map[string]string{}
	for sc.Scan() {
		var d map[string]any
		json.Unmarshal(sc.Bytes(), &d)
		id := fmt.Sprint(d["id"])
		path := strings.NewReplacer(" ", "-").Replace(strings.TrimSuffix(id, ".md")) + ".md"
		if p, ok := d["path"].(string); ok && p != "" {
			path = p
		}
		text, _ := d["text"].(string)
		if title, ok := d["title"].(string); ok && title != "" && !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "---") {
			text = "# " + title + "\n\n" + text
		}
		if organisation.CheckPath(path) != nil {
			path = "x/y/" + organisation.Digest(path)[:12] + ".md"
		}
		ids[path] = id
		docs = append(docs, organisation.Document{Repository: "acme/" + set, Path: path, Text: text})
	}
	qrels := map[string]map[string]float64{}
	raw, _ := os.ReadFile(dir + "qrels.tsv")
	for line := range strings.Lines(string(raw)) {
		c := strings.Fields(line)
		if len(c) < 3 {
			continue
		}
		d, g := c[1], c[2]
		if len(c) == 4 {
			d, g = c[2], c[3]
		}
		var gain float64
		fmt.Sscan(g, &gain)
		if qrels[c[0]] == nil {
			qrels[c[0]] = map[string]float64{}
		}
		qrels[c[0]][d] = gain
	}
	s, err := opensearch.Open(ctx, opensearch.Options{Endpoints: strings.Split(os.Getenv("BRV_OPENSEARCH"), ","), Prefix: "agree-" + set})
	if err != nil {
		log.Fatal(err)
	}
	began := time.Now()
	{
		for part := range slices.Chunk(docs, 500) {
			if err := s.Write(ctx, "acme/"+set, part, nil); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Println("pushed", len(docs), time.Since(began))
	}
	var c retrieval.Collection
	var entries []*format.Entry
	seen := map[string]bool{}
	for _, d := range docs {
		if seen[d.Path] {
			continue
		}
		seen[d.Path] = true
		e := d.Entry()
		_, l := retrieval.Analysed(e)
		c.Add(l, 1)
		entries = append(entries, e)
	}
	repos := []string{"acme/" + set}
	c.Count = func(ctx context.Context, g [][]string) ([]int, error) { return s.Count(ctx, repos, g) }
	slices.SortFunc(entries, func(a, b *format.Entry) int { return strings.Compare(a.Path, b.Path) })
	r, _ := retrieval.New(retrieval.Options{})
	local, err := r.Sync(ctx, tree.NewSnapshot(entries, nil))
	if err != nil {
		log.Fatal(err)
	}
	var a, b, eng, same float64
	n := 0
	var took []time.Duration
	qf, _ := os.Open(dir + "queries.jsonl")
	sc = bufio.NewScanner(qf)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var q map[string]any
		json.Unmarshal(sc.Bytes(), &q)
		id, text := fmt.Sprint(q["id"]), fmt.Sprint(q["text"])
		rel := qrels[id]
		if len(rel) == 0 || n >= 120 {
			continue
		}
		n++
		query := retrieval.Query{Text: text, Limit: 10}
		lr, _ := local.Search(ctx, query)
		began := time.Now()
		found, _, err := s.Find(ctx, repos, retrieval.Terms(text), organisation.Candidates)
		if err != nil {
			log.Fatal(err)
		}
		var cand []*format.Entry
		var order []string
		for _, d := range found {
			cand = append(cand, d.Entry())
			order = append(order, ids[d.Path])
		}
		or, err := c.Rank(ctx, cand, query)
		if err != nil {
			log.Fatal(err)
		}
		took = append(took, time.Since(began))
		names := func(r retrieval.Result) (out []string) {
			for _, h := range r.Hits {
				out = append(out, ids[strings.TrimPrefix(h.Path, "acme/"+set+"/")])
			}
			return out
		}
		ln, on := names(lr), names(or)
		a += ndcg(ln, rel)
		b += ndcg(on, rel)
		eng += ndcg(order, rel)
		hit := 0
		for _, x := range ln {
			if slices.Contains(on, x) {
				hit++
			}
		}
		same += float64(hit) / float64(max(1, len(ln)))
	}
	slices.Sort(took)
	fmt.Printf("%s: %d docs, %d questions: local %.4f, candidates+ours %.4f, engine's own order %.4f, same hits %.3f; find+count+rank p50 %v p95 %v\n", set, len(docs), n, a/float64(n), b/float64(n), eng/float64(n), same/float64(n), took[len(took)/2], took[len(took)*95/100])
}

func ndcg(got []string, rel map[string]float64) float64 {
	var dcg, ideal float64
	for i, g := range got[:min(10, len(got))] {
		dcg += (math.Pow(2, rel[g]) - 1) / math.Log2(float64(i)+2)
	}
	gains := slices.Sorted(maps.Values(rel))
	slices.Reverse(gains)
	for i, g := range gains[:min(10, len(gains))] {
		ideal += (math.Pow(2, g) - 1) / math.Log2(float64(i)+2)
	}
	if ideal == 0 {
		return 0
	}
	return dcg / ideal
}
