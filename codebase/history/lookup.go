package history

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// lookup answers one list of questions; each step sends git one request for all of them.
type lookup struct {
	past *Past
	ctx  context.Context
	asks []Ask
	out  []Version
	at   []git.Place // where each file is read from
}

// states finds the commit of each question and the object at the path there.
func (l *lookup) states() error {
	l.at = make([]git.Place, len(l.asks))
	states, err := l.past.states(l.ctx, l.asks)
	if err != nil {
		return err
	}
	for i, state := range states {
		if state.Hash != "" {
			l.out[i].Known, l.out[i].State = true, state
			l.at[i] = git.Place{Commit: state.Hash, Path: l.asks[i].Path}
		}
	}
	return l.look()
}

// look marks the questions whose place has an object.
func (l *lookup) look() error {
	objects, err := l.past.find(l.ctx, l.at)
	for i, o := range objects {
		if v := &l.out[i]; v.Known && !v.There && o.Hash != "" {
			v.There, v.Folder, v.Then = true, o.Folder, l.at[i].Path
		}
	}
	return err
}

// elsewhere searches other branches for paths that the line does not have.
func (l *lookup) elsewhere() error {
	any := false
	for i, v := range l.out {
		if !v.Known || v.There || l.asks[i].LineOnly {
			continue
		}
		if m, ok := l.past.history.newestBefore(l.asks[i].Path, v.State.Time); ok {
			l.at[i].Commit, any = m.Hash, true
		}
	}
	if !any {
		return nil
	}
	return l.look()
}

// ends completes shortened paths.
func (l *lookup) ends() error {
	any := false
	for i, v := range l.out {
		if !v.Known || v.There || !l.asks[i].Short {
			continue
		}
		byName, err := l.past.names(l.ctx, v.State.Hash)
		if err != nil {
			return err
		}
		var fits []string
		for _, p := range byName[path.Base(l.asks[i].Path)] {
			if strings.HasSuffix(p, "/"+l.asks[i].Path) {
				fits = append(fits, p)
			}
		}
		if len(fits) == 1 {
			l.at[i], any = git.Place{Commit: v.State.Hash, Path: fits[0]}, true
		}
	}
	if !any {
		return nil
	}
	return l.look()
}

// names returns the files of a commit by their names without folders.
func (p *Past) names(ctx context.Context, commit string) (map[string][]string, error) {
	if known, ok := p.ends.Get(commit); ok {
		return known, nil
	}
	files, err := p.repo.Files(ctx, commit, maxTree)
	if err != nil {
		return nil, err
	}
	names := make(map[string][]string, len(files))
	for _, f := range files {
		names[path.Base(f.Path)] = append(names[path.Base(f.Path)], f.Path)
	}
	p.ends.Add(commit, names, 1)
	return names, nil
}

// backward finds the former names of files that got theirs after the state.
func (l *lookup) backward() error {
	names := map[int]string{}
	for i, v := range l.out {
		if a := l.asks[i]; v.Known && !v.There && (!a.LineOnly || a.Path == a.Neighbour) {
			names[i] = a.Path
		}
	}
	for step := 0; len(names) > 0 && step < maxSteps; step++ {
		if err := l.past.learn(l.ctx, l.pending(names), "A", l.past.births); err != nil {
			return err
		}
		for i, name := range names {
			born := l.past.births[git.Place{Commit: l.out[i].State.Hash, Path: name}]
			from := l.past.origins[born.Hash+"\x00"+name]
			if born.Hash == "" || from == "" {
				delete(names, i)
				continue
			}
			names[i] = from
			l.at[i] = git.Place{Commit: l.out[i].State.Hash, Path: from}
			if l.out[i].Event.Hash == "" {
				l.out[i].Event = born
			}
		}
		if err := l.look(); err != nil {
			return err
		}
		for i := range names {
			if l.out[i].There {
				delete(names, i)
			}
		}
	}
	for i := range names {
		l.out[i].Event = Event{}
	}
	return nil
}

// forward finds the later history of files that HEAD does not have under their name.
func (l *lookup) forward() error {
	names := map[int]string{}
	for i, v := range l.out {
		if v.There && v.Now == "" {
			names[i] = l.asks[i].Path
			if strings.HasSuffix(v.Then, "/"+l.asks[i].Path) {
				names[i] = v.Then
			}
		}
	}
	for step := 0; len(names) > 0 && step < maxSteps; step++ {
		if err := l.settleHead(names); err != nil {
			return err
		}
		if err := l.past.learn(l.ctx, l.pending(names), "D", l.past.fates); err != nil {
			return err
		}
		for i, name := range names {
			gone := l.past.fates[git.Place{Commit: l.out[i].State.Hash, Path: name}]
			if gone.Hash != "" {
				l.out[i].Event = gone
			}
			to := l.past.arrivals[gone.Hash+"\x00"+name]
			if names[i] = to; to == "" {
				delete(names, i)
			}
		}
	}
	return nil
}

// settleHead resolves the files that HEAD has, and removes them from names.
func (l *lookup) settleHead(names map[int]string) error {
	var order []int
	var places []git.Place
	for i, name := range names {
		order, places = append(order, i), append(places, git.Place{Commit: l.past.head, Path: name})
	}
	objects, err := l.past.find(l.ctx, places)
	for k, o := range objects {
		if o.Hash != "" {
			l.out[order[k]].Now = places[k].Path
			delete(names, order[k])
		}
	}
	return err
}

// pending are the names as places in the states of their questions.
func (l *lookup) pending(names map[int]string) (places []git.Place) {
	for i, name := range names {
		places = append(places, git.Place{Commit: l.out[i].State.Hash, Path: name})
	}
	return places
}

// texts reads the contents.
func (l *lookup) texts() error {
	objects, err := l.past.find(l.ctx, l.at)
	if err != nil {
		return err
	}
	texts, err := l.past.contents(l.ctx, objects)
	for i := range l.out {
		if l.out[i].There && !l.out[i].Folder {
			l.out[i].Text = texts[objects[i].Hash]
		}
	}
	return err
}

// find is [git.Repository.Objects] with a memory.
func (p *Past) find(ctx context.Context, places []git.Place) ([]git.Object, error) {
	if len(p.objects) > maxMemo {
		p.objects = map[git.Place]git.Object{}
	}
	var ask []git.Place
	for _, at := range places {
		if _, known := p.objects[at]; !known && at.Commit != "" {
			p.objects[at] = git.Object{}
			ask = append(ask, at)
		}
	}
	found, err := p.repo.Objects(ctx, ask)
	if err != nil {
		for _, at := range ask {
			delete(p.objects, at)
		}
		return make([]git.Object, len(places)), err
	}
	for i, at := range ask {
		p.objects[at] = found[i]
	}
	out := make([]git.Object, len(places))
	for i, at := range places {
		out[i] = p.objects[at]
	}
	return out, nil
}

// contents reads the texts of files that are not too large, by hash.
func (p *Past) contents(ctx context.Context, objects []git.Object) (map[string]string, error) {
	texts := map[string]string{}
	var ask []string
	for _, o := range objects {
		if o.Hash == "" || o.Folder || o.Size > MaxText {
			continue
		}
		if _, asked := texts[o.Hash]; asked {
			continue
		}
		text, known := p.texts.Get(o.Hash)
		texts[o.Hash] = text
		if !known {
			ask = append(ask, o.Hash)
		}
	}
	err := p.repo.Contents(ctx, ask, MaxText, func(hash string, text []byte) {
		texts[hash] = string(text)
		p.texts.Add(hash, texts[hash], 1)
	})
	return texts, err
}

// learn finds, for each path and state, the first later commit that removed ("D") or the last that added
// ("A") it, and the renames of those commits. One log, from the oldest state, serves all.
func (p *Past) learn(ctx context.Context, places []git.Place, kind string, into map[git.Place]Event) error {
	oldest := -1
	var paths []string
	var asked []git.Place
	for _, at := range places {
		if _, known := into[at]; known {
			continue
		}
		oldest = max(oldest, p.index[at.Commit])
		paths, asked = append(paths, at.Path), append(asked, at)
	}
	if len(asked) > 0 {
		seen, err := p.events(ctx, p.line[oldest].Hash, paths, kind)
		if err != nil {
			return err
		}
		for _, at := range asked {
			into[at] = p.choose(seen[at.Path], at.Commit, kind)
		}
	}
	for _, at := range places {
		if e := into[at]; e.Hash != "" {
			if err := p.renames(ctx, e.Hash); err != nil {
				return err
			}
		}
	}
	return nil
}

// events reads, from one log between a state and HEAD, the changes of paths, newest first.
func (p *Past) events(ctx context.Context, state string, paths []string, kind string) (map[string][]Event, error) {
	seen := map[string][]Event{}
	slices.Sort(paths)
	for chunk := range slices.Chunk(slices.Compact(paths), 200) { // far below the limit of a command line
		opts := git.LogOptions{Head: p.head, Since: state, FirstParent: true, Only: kind, Paths: chunk, MaxChanges: maxChanges}
		err := p.repo.Log(ctx, opts, func(c git.Commit) error {
			for _, change := range c.Changes {
				e := Event{c.Hash, time.Unix(c.Time, 0)}
				seen[change.Path] = append(seen[change.Path], e)
				for dir := path.Dir(change.Path); dir != "." && seen[dir] == nil; dir = path.Dir(dir) {
					seen[dir] = []Event{e} // the last change below a folder is its own
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// choose selects the change of a path, of several newest first, that counts for a state: the first removal
// after it, or the last addition.
func (p *Past) choose(events []Event, state, kind string) (chosen Event) {
	for _, e := range events {
		if p.index[e.Hash] >= p.index[state] {
			break
		}
		chosen = e
		if kind == "A" {
			break
		}
	}
	return chosen
}

// renames reads what one commit moved.
func (p *Past) renames(ctx context.Context, commit string) error {
	if p.changed[commit] {
		return nil
	}
	p.changed[commit] = true
	opts := git.LogOptions{Head: commit, FirstParent: true, MaxCommits: 1, Only: "DR", Renames: git.SimilarRenames, MaxChanges: maxChanges}
	return p.repo.Log(ctx, opts, func(c git.Commit) error {
		moved := map[string]string{}
		for _, change := range c.Changes {
			if moved[change.Path] = ""; change.From != "" {
				delete(moved, change.Path)
				moved[change.From] = change.Path
				p.origins[commit+"\x00"+change.Path] = change.From
			}
		}
		maps.Copy(moved, MovedFolders(moved))
		for from, to := range moved {
			p.arrivals[commit+"\x00"+from] = to
		}
		return nil
	})
}

// MovedFolders returns the folders that files left, with the other folder to which more than half of these files went, or
// "". moved has the present paths of the files, "" for removed ones.
func MovedFolders(moved map[string]string) map[string]string {
	type pair struct{ from, to string }
	left, went, out := map[string]int{}, map[pair]int{}, map[string]string{}
	for from, to := range moved {
		to = path.Dir(to)
		for dir := path.Dir(from); dir != "."; dir = path.Dir(dir) {
			out[dir] = ""
			if left[dir]++; to == "." {
				continue
			}
			went[pair{dir, to}]++
			if path.Base(dir) == path.Base(to) {
				to = path.Dir(to)
			} else {
				to = "."
			}
		}
	}
	for p, n := range went {
		if 2*n > left[p.from] {
			out[p.from] = p.to
		}
	}
	return out
}
