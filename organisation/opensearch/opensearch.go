// Package opensearch keeps an organisation's knowledge in OpenSearch 2.19, by six of its calls over HTTP: _bulk, _search
// with aggregations, _mget, index, create and refresh. It finds by one field of terms, which this program made of the
// texts; no analyser, similarity or script of the engine's is used, so that nothing depends on its version.
//
//	PREFIX-texts-ANALYSIS        a document each: {repository, path, text, terms, lengths}
//	PREFIX-manifests-ANALYSIS    a document for each repository
//
// ANALYSIS is [retrieval.Analysis]: a program that analyses texts otherwise begins with empty indexes, which the next
// pushes fill. Indexes have one replica. Every call ends with its context's deadline: the engine's own timeouts do not
// end a write while it has no cluster manager.
package opensearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/retrieval"
)

// Bounds of calls.
const (
	maxAnswer = 32 << 20 // bytes of an answer: 50 texts of 256 KiB, and manifests of 5,000 entries
	maxBulk   = 4 << 20  // bytes of a _bulk: what was measured
	maxListed = 10_000   // documents of one search, the engine's own limit: repositories, and texts of one
)

// Store is an engine. It is an [organisation.Store].
type Store struct {
	engines          []*outbound.Client
	last             atomic.Int32 // the engine that answered last
	texts, manifests string
}

// Options say where the engine is. Key is the value of the Authorization header, "" for none.
type Options struct {
	Endpoints []string
	Key       string
	Prefix    string // of the indexes' names; brv if ""
	Replicas  int
}

// Open makes the indexes where there are none.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Prefix == "" {
		o.Prefix = "brv"
	}
	s := &Store{texts: o.Prefix + "-texts-" + retrieval.Analysis(), manifests: o.Prefix + "-manifests-" + retrieval.Analysis()}
	for _, address := range o.Endpoints {
		at, err := outbound.Parse(address)
		if err != nil {
			return nil, err
		}
		s.engines = append(s.engines, outbound.NewClient(at, func(h http.Header) {
			if o.Key != "" {
				h.Set("Authorization", o.Key)
			}
		}, maxAnswer))
	}
	settings := object{"number_of_replicas": o.Replicas, "number_of_shards": 1,
		"analysis": object{"analyzer": object{"terms": object{"type": "custom", "tokenizer": "terms"}},
			"tokenizer": object{"terms": object{"type": "char_group", "tokenize_on_chars": []string{"\n"}}}}}
	keyword, kept := object{"type": "keyword"}, object{"type": "object", "enabled": false}
	for index, fields := range map[string]object{
		s.texts: {"repository": keyword, "path": object{"type": "keyword", "index": false, "doc_values": false},
			"text":  object{"type": "text", "index": false},
			"terms": object{"type": "text", "analyzer": "terms", "index_options": "freqs"}, "lengths": kept},
		s.manifests: {"repository": keyword, "manifest": kept},
	} {
		err := s.do(ctx, http.MethodPut, "/"+index, object{"settings": settings,
			"mappings": object{"dynamic": false, "properties": fields}}, nil)
		if is := (*outbound.Status)(nil); errors.As(err, &is) && is.Code == http.StatusBadRequest &&
			strings.Contains(is.Said, "resource_already_exists") {
			err = nil
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

type object map[string]any

// do sends a request to an engine that answers: the one that did last, or else each other one if that cannot
// be reached or uses up its part of the time, as a paused one does. Every write may be repeated, except a
// manifest's, whose version reveals that.
func (s *Store) do(ctx context.Context, method, path string, body, into any) (err error) {
	first := int(s.last.Load())
	for i := range s.engines {
		n := (first + i) % len(s.engines)
		err = func() error {
			part, cancel := ctx, context.CancelFunc(func() {})
			if end, ok := ctx.Deadline(); ok {
				part, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(len(s.engines)-i))
			}
			defer cancel()
			_, err := s.engines[n].Do(part, method, path, body, into)
			return err
		}()
		var status *outbound.Status
		if err == nil || errors.As(err, &status) && status.Code < 500 {
			s.last.Store(int32(n))
			return err
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}

// wrong is an answer of the engine that cannot be used.
func wrong(what string) error {
	return fmt.Errorf("%w as it should: %s", organisation.ErrUnreached, what)
}

// found has the answer to a search.
type found struct {
	TimedOut bool `json:"timed_out"`
	Shards   *struct {
		Total      int `json:"total"`
		Successful int `json:"successful"`
		Failed     int `json:"failed"`
	} `json:"_shards"`
	Hits struct {
		Hits []hit `json:"hits"`
	} `json:"hits"`
	Aggregations map[string]struct {
		Buckets map[string]struct {
			Count int `json:"doc_count"`
		} `json:"buckets"`
	} `json:"aggregations"`
}

type hit struct {
	ID      string  `json:"_id"`
	Found   *bool   `json:"found"`
	Seq     *int64  `json:"_seq_no"`
	Primary *int64  `json:"_primary_term"`
	Source  *source `json:"_source"`
}

func (h hit) version() (string, bool) {
	if h.Seq == nil || h.Primary == nil {
		return "", false
	}
	return fmt.Sprintf("if_seq_no=%d&if_primary_term=%d", *h.Seq, *h.Primary), true
}

type source struct {
	Repository string                 `json:"repository"`
	Path       string                 `json:"path,omitempty"`
	Text       string                 `json:"text,omitempty"`
	Terms      string                 `json:"terms,omitempty"`
	Lengths    *retrieval.Lengths     `json:"lengths,omitempty"`
	Manifest   *organisation.Manifest `json:"manifest,omitempty"`
}

// search asks, and reports whether a part did not answer.
func (s *Store) search(ctx context.Context, index string, body object) (f found, partial bool, err error) {
	if err := s.do(ctx, http.MethodPost, "/"+index+"/_search", body, &f); err != nil {
		return f, false, err
	}
	if f.Shards == nil || f.Shards.Successful == 0 {
		return f, false, wrong("no part of the index answered")
	}
	return f, f.TimedOut || f.Shards.Failed > 0 || f.Shards.Successful < f.Shards.Total, nil
}

// whole is search that fails if a part did not answer.
func (s *Store) whole(ctx context.Context, index string, body object) (found, error) {
	f, partial, err := s.search(ctx, index, body)
	if err == nil && partial {
		err = wrong("a part of the index did not answer")
	}
	return f, err
}

// Manifests returns the manifests of all repositories: it reads their versions first, and then the rest of
// the changed ones.
func (s *Store) Manifests(ctx context.Context, before map[string]*organisation.Manifest) (map[string]*organisation.Manifest, error) {
	f, err := s.whole(ctx, s.manifests, object{"size": maxListed, "_source": []string{"repository"},
		"seq_no_primary_term": true, "query": object{"match_all": object{}}})
	if err != nil {
		return nil, err
	}
	out := map[string]*organisation.Manifest{}
	var ids []string
	for _, h := range f.Hits.Hits {
		version, ok := h.version()
		if !ok || h.Source == nil {
			return nil, wrong("a manifest without a version")
		}
		if m := before[h.Source.Repository]; m != nil && m.Version == version {
			out[m.Repository] = m
			continue
		}
		ids = append(ids, h.ID)
	}
	const atOnce = 32 // manifests in one answer, of some 30 KiB each, and of 1 MiB at most
	for len(ids) > 0 {
		var got struct {
			Docs []hit `json:"docs"`
		}
		n := min(atOnce, len(ids))
		if err := s.do(ctx, http.MethodPost, "/"+s.manifests+"/_mget", object{"ids": ids[:n]}, &got); err != nil {
			return nil, err
		}
		ids = ids[n:]
		for _, h := range got.Docs {
			version, ok := h.version()
			if !ok || h.Source == nil || h.Source.Manifest == nil {
				return nil, wrong("an invalid manifest")
			}
			m := h.Source.Manifest
			if !organisation.IsRepository(m.Repository) || h.ID != organisation.Digest(m.Repository)[:32] || !plausible(m.Lengths) {
				return nil, wrong("an invalid manifest")
			}
			m.Version = version
			out[m.Repository] = m
		}
	}
	return out, nil
}

// maxTokens is more than all fields of a repository have: 5,000 texts of 256 KiB.
const maxTokens = organisation.MaxEntries * organisation.MaxText

// plausible reports whether lengths are counts.
func plausible(l retrieval.Lengths) bool {
	ok := l.Entries >= 0
	for f := range l.Sums {
		ok = ok && l.Sums[f] >= 0 && l.Filled[f] >= 0 && l.Filled[f] <= int64(l.Entries) && l.Sums[f] < maxTokens
	}
	return ok
}

// Texts are the documents of a repository.
func (s *Store) Texts(ctx context.Context, repository string) (map[string]retrieval.Lengths, error) {
	f, err := s.whole(ctx, s.texts, object{"size": maxListed, "_source": []string{"lengths"},
		"query": object{"term": object{"repository": repository}}})
	if err != nil {
		return nil, err
	}
	out := map[string]retrieval.Lengths{}
	for _, h := range f.Hits.Hits {
		if h.Source == nil || h.Source.Lengths == nil || !plausible(*h.Source.Lengths) {
			return nil, wrong("a document has no valid field lengths")
		}
		out[h.ID] = *h.Source.Lengths
	}
	return out, nil
}

// Write puts and removes documents, and makes them visible.
func (s *Store) Write(ctx context.Context, repository string, put []organisation.Document, remove []string) error {
	var b bytes.Buffer
	items := 0
	flush := func() error {
		if b.Len() == 0 {
			return nil
		}
		var said struct {
			Items []map[string]struct {
				Status int `json:"status"`
			} `json:"items"`
		}
		if err := s.do(ctx, http.MethodPost, "/"+s.texts+"/_bulk?refresh=true", b.Bytes(), &said); err != nil {
			return err
		}
		if len(said.Items) != items {
			return wrong("the answer to a bulk request lacks items")
		}
		for _, item := range said.Items {
			for action, i := range item {
				if i.Status/100 != 2 && !(action == "delete" && i.Status == http.StatusNotFound) {
					return wrong("a document was refused (" + strconv.Itoa(i.Status) + ")")
				}
			}
		}
		b.Reset()
		items = 0
		return nil
	}
	enc := json.NewEncoder(&b)
	for _, d := range put {
		d.Repository = repository
		terms, l := retrieval.Analysed(d.Entry())
		if err := errors.Join(enc.Encode(object{"index": object{"_id": d.ID()}}),
			enc.Encode(source{Repository: repository, Path: d.Path, Text: d.Text, Terms: strings.Join(terms, "\n"), Lengths: &l})); err != nil {
			return err
		}
		if items++; b.Len() > maxBulk {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	for _, id := range remove {
		items++
		if err := enc.Encode(object{"delete": object{"_id": id}}); err != nil {
			return err
		}
	}
	return flush()
}

// Commit replaces a manifest.
func (s *Store) Commit(ctx context.Context, m, before *organisation.Manifest) error {
	condition := "op_type=create"
	if before != nil {
		condition = before.Version
	}
	err := s.do(ctx, http.MethodPut, "/"+s.manifests+"/_doc/"+organisation.Digest(m.Repository)[:32]+"?refresh=true&"+condition,
		source{Repository: m.Repository, Manifest: m}, nil)
	if is := (*outbound.Status)(nil); errors.As(err, &is) && is.Code == http.StatusConflict {
		return organisation.ErrConflict
	}
	return err
}

// Find finds candidates.
func (s *Store) Find(ctx context.Context, repositories []string, terms []retrieval.Term, most int) ([]organisation.Document, bool, error) {
	var should []object
	for _, t := range terms {
		should = append(should, object{"term": object{"terms": object{"value": t.Text, "boost": t.Weight}}})
	}
	f, partial, err := s.search(ctx, s.texts, object{"size": most, "_source": []string{"repository", "path", "text"},
		"query": object{"bool": object{"filter": in(repositories), "should": should, "minimum_should_match": 1}}})
	if err != nil {
		return nil, false, err
	}
	var out []organisation.Document
	for _, h := range f.Hits.Hits {
		if h.Source != nil {
			out = append(out, organisation.Document{Repository: h.Source.Repository, Path: h.Source.Path, Text: h.Source.Text})
		}
	}
	return out, partial, nil
}

// in is the filter for the repositories that the person may read.
func in(repositories []string) []object {
	return []object{{"terms": object{"repository": repositories}}}
}

// Count counts documents.
func (s *Store) Count(ctx context.Context, repositories []string, groups [][]string) ([]int, error) {
	filters := object{}
	for i, g := range groups {
		filters[strconv.Itoa(i)] = object{"terms": object{"terms": g}}
	}
	if len(groups) == 0 {
		return nil, nil
	}
	f, _, err := s.search(ctx, s.texts, object{"size": 0, "query": object{"bool": object{"filter": in(repositories)}},
		"aggs": object{"holding": object{"filters": object{"filters": filters}}}})
	if err != nil {
		return nil, err
	}
	out := make([]int, len(groups))
	for i := range out {
		bucket, ok := f.Aggregations["holding"].Buckets[strconv.Itoa(i)]
		if !ok {
			return nil, wrong("counts are missing")
		}
		out[i] = bucket.Count
	}
	return out, nil
}
