package config

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/jsonerr"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// pullWithin bounds the wait for the client's settings: until they come, the known ones are used.
const pullWithin = 10 * time.Second

// readUser reads the user's own file: when a folder is opened, and when the client's settings
// change.
func (s *Config) readUser() {
	layer, problems := settings.ReadUser(s.opts.Dir)
	s.preferences.mu.Lock()
	s.preferences.user = layer
	s.preferences.mu.Unlock()
	tellProblems(s, settings.UserFile+" in "+s.opts.Dir, problems, settings.Problem.String)
}

// ReadOptions reads the initialization options: settings, and client features that have no field in the
// protocol.
func (s *Config) ReadOptions(raw protocol.LSPAny) {
	s.Client.BuiltinMarkdown = client.HasMarkdown(s.Client.Name)
	raw = bytes.Clone(raw) // the message's buffer is used again
	var own map[string]json.RawMessage
	if json.Unmarshal(raw, &own) == nil {
		s.optionIn(own, "builtinMarkdown", func(v bool) { s.Client.BuiltinMarkdown = v })
		s.optionIn(own, "trusted", s.trust.say)
		s.optionIn(own, "editorModel", func(v bool) { s.Client.EditorModel = v })
		s.optionIn(own, "hoverLinks", func(v bool) { s.Client.HoverLinks = v })
		s.optionIn(own, "secrets", func(v bool) { s.Client.Secrets = v })
		raw, _ = json.Marshal(own) // of raw values that were just read
	}
	if len(raw) == 0 {
		return
	}
	layer, problems := settings.Parse(settings.Client, raw)
	s.preferences.mu.Lock()
	s.preferences.initial = layer
	s.preferences.mu.Unlock()
	tellProblems(s, "initialization options", problems, settings.Problem.Text)
}

// optionIn takes an option that is true or false out of own.
func (s *Config) optionIn(own map[string]json.RawMessage, key string, set func(bool)) {
	raw, ok := own[key]
	if !ok || string(raw) == "null" {
		return
	}
	delete(own, key)
	var v bool
	if err := json.Unmarshal(raw, &v); err != nil {
		s.Client.Log.Warn("initialization options", "err", jsonerr.At(key, err))
		return
	}
	set(v)
}

// Changed requests the settings from the client again if it supports that; settings in the notification
// itself may be stale or another server's.
func (s *Config) Changed(p *protocol.DidChangeConfigurationParams) {
	s.Client.Spawn("the user's settings", func() error {
		s.readUser()
		s.applyAll()
		return nil
	})
	if s.Client.Configuration {
		s.PullSettings()
		return
	}
	var sections map[string]json.RawMessage
	if json.Unmarshal(p.Settings, &sections) != nil || sections[settings.Prefix] == nil {
		return // other servers' settings
	}
	layer, problems := settings.Parse(settings.Client, bytes.Clone(sections[settings.Prefix]))
	s.preferences.mu.Lock()
	s.preferences.pushed = layer
	s.preferences.mu.Unlock()
	tellProblems(s, "settings", problems, settings.Problem.Text)
	s.applyAll()
}

// RegisterSettings asks the client to tell of changed settings, for clients that do so
// only when asked.
func (s *Config) RegisterSettings() {
	if s.Client.WatchSettings {
		s.Client.Register("settings", protocol.Registration{
			ID: "brv-settings", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: protocol.LSPAny(`{"section":"` + settings.Prefix + `"}`),
		})
	}
}

// PullSettings asks the client for the settings of each folder, and applies them.
func (s *Config) PullSettings() {
	if !s.Client.Configuration {
		return
	}
	s.preferences.mu.Lock()
	s.preferences.pull++
	turn := s.preferences.pull
	s.preferences.mu.Unlock()
	s.Client.Spawn("asking for settings", func() error {
		folders := s.Folders.All()
		section := settings.Prefix
		p := &protocol.ConfigurationParams{}
		for _, f := range folders {
			scope := f.URI("")
			p.Items = append(p.Items, protocol.ConfigurationItem{ScopeURI: &scope, Section: &section})
		}
		if len(p.Items) == 0 {
			return nil
		}
		ctx, cancel := context.WithTimeout(s.Client.Ctx, pullWithin)
		defer cancel()
		answers, err := s.Client.Conn.Configuration(ctx, p)
		if err != nil {
			return err
		}
		if len(answers) != len(folders) {
			return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the editor sent settings for %d folders, not %d; none were used",
				len(answers), len(folders))
		}
		s.pulled(turn, folders, answers)
		return nil
	})
}

// pulled keeps the client's answers to a pull, unless there is a newer one.
func (s *Config) pulled(turn uint64, folders []*state.Folder, answers []protocol.LSPAny) {
	layers := map[*state.Folder]settings.Layer{}
	var problems []settings.Problem
	for i, f := range folders {
		layer, wrong := settings.Parse(settings.Client, bytes.Clone(answers[i]))
		layers[f] = layer
		for _, p := range wrong {
			if !slices.Contains(problems, p) { // most folders have the same settings
				problems = append(problems, p)
			}
		}
	}
	s.preferences.mu.Lock()
	stale := s.preferences.pull != turn
	if !stale {
		s.preferences.pulled = layers
	}
	s.preferences.mu.Unlock()
	if stale {
		return
	}
	tellProblems(s, "settings", problems, settings.Problem.Text)
	s.applyAll()
}

// applyAll applies the layers to the settings of all folders: immediately for the next requests, and in the
// background for the workspaces.
func (s *Config) applyAll() {
	for _, f := range s.Folders.All() {
		if f.Settings.Load() != nil {
			s.resolve(f)
		}
		s.Client.Spawn("applying settings", func() error { return s.applySettings(f) })
	}
}

// readProject reads the project's layer of a folder.
func (s *Config) readProject(f *state.Folder) {
	layer, problems := settings.ReadProject(f.Real)
	s.preferences.folder(f).project.Store(&layer)
	tellProblems(s, settings.ProjectFile, problems, settings.Problem.String)
}

// resolve gives a folder the settings that the layers say, and returns them.
func (s *Config) resolve(f *state.Folder) *settings.Settings {
	c := s.preferences.folder(f)
	c.resolving.Lock()
	defer c.resolving.Unlock()
	var project settings.Layer
	if p := c.project.Load(); p != nil {
		project = *p
	}
	user, client := s.preferences.of(f)
	resolved := settings.Resolve(project, user, client)
	f.Settings.Store(&resolved)
	return &resolved
}

// applySettings updates an open folder to the layers. The choice of code is made when a folder is opened: if
// it changes, the folder is opened anew.
func (s *Config) applySettings(f *state.Folder) error {
	c := s.preferences.folder(f)
	c.applying.Lock()
	defer c.applying.Unlock()
	now, before := s.resolve(f), c.applied
	if before != nil {
		c.applied = now
	}
	if before == nil || reflect.DeepEqual(now, before) {
		return nil // it is not open yet, or nothing changed
	}
	var err error
	reopen := !reflect.DeepEqual(now.Code, before.Code) || !reflect.DeepEqual(now.Documents, before.Documents)
	if reopen {
		err = f.Reopen(s.Client.Ctx, s.folderOptions(f, now))
	}
	if now.Model != before.Model || now.Organisation != before.Organisation {
		s.Client.Keys.Forget()
	}
	if reopen || now.Model != before.Model || now.Embedding != before.Embedding || now.Organisation != before.Organisation {
		s.applyModel(f)
	}
	s.diagnostics.DiskChanged()
	s.Refresh.Want(state.RefreshLenses | state.RefreshInlays)
	return err
}

// openFolder opens a folder with its settings.
func (s *Config) openFolder(f *state.Folder) error {
	c := s.preferences.folder(f)
	c.applying.Lock()
	defer c.applying.Unlock()
	s.readProject(f)
	s.readUser()
	now := s.resolve(f)
	c.applied = now
	f.Open(s.Client.Ctx, s.folderOptions(f, now))
	s.applyModel(f)
	s.Refresh.Want(state.RefreshStatus)
	_, err := f.Wait(s.Client.Ctx)
	return err
}

// folderOptions are those with which a folder's workspace is opened.
func (s *Config) folderOptions(f *state.Folder, now *settings.Settings) workspace.Options {
	o := s.opts.Workspace
	o.Now, o.Log = s.Client.Now, s.Client.Log
	o.Watch, o.CodeScan = !f.HoldsManyProjects(), !f.HoldsManyProjects()
	o.Changed = func(c workspace.Change) { s.diskChanged(f, c) }
	o.Progress = s.Refresh.Scanning()
	o.FollowCode = !s.Client.WatchFiles
	o.Patience = time.Duration(workspace.Look)
	o.Peers = func() []*workspace.Workspace { return s.peers(f) }
	o.Trusted, o.Untrusted = s.trusts(f)
	return o.WithCode(now.Code).WithDocuments(now.Documents).WithOthers(s.opts.Dir)
}

// projectChanged reads a project's settings again. The user's trust was given to the folder with its former
// settings.
func (s *Config) projectChanged(f *state.Folder) {
	s.Client.Spawn("project settings", func() error {
		s.readProject(f)
		s.applyTrust(f)
		s.diagnostics.DiskChanged() // of the file itself
		return s.applySettings(f)
	})
}

// tellProblems tells the user of invalid settings in a source, or in a folder, unless the last message about
// it was the same.
func tellProblems[P any](s *Config, source string, problems []P, text func(P) string) {
	message := ""
	if len(problems) > 0 {
		message = fmt.Sprintf("brv: %s: %s", source, text(problems[0]))
	}
	if more := len(problems) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	s.preferences.mu.Lock()
	told := s.preferences.reported[source]
	if s.preferences.reported == nil {
		s.preferences.reported = map[string]string{}
	}
	s.preferences.reported[source] = message
	s.preferences.mu.Unlock()
	if message == "" || message == told {
		return
	}
	for _, p := range problems {
		s.Client.Log.Warn("settings", "source", source, "problem", text(p))
	}
	s.Client.Spawn("message", func() error {
		s.Client.Tell(s.Client.Ctx, protocol.MessageTypeWarning, message)
		return nil
	})
}

// diskChanged is called when a folder's workspace has read the disk again.
func (s *Config) diskChanged(f *state.Folder, c workspace.Change) {
	if c.Settings {
		s.projectChanged(f)
	}
	s.Refresh.Want(state.RefreshViews)
	if c.Completed { // a hover or a definition has no refresh of its own, and the lenses may have been right
		s.Refresh.Want(state.RefreshLenses)
	}
	s.Client.Background(func() { s.tellUnread(f) })
	switch {
	case c.Tree:
		s.diagnostics.DiskChanged()
	case c.Code, c.Drift:
		s.diagnostics.CodeChanged()
	}
}

// tellUnread tells the user why a folder's context tree is not read, if something else has its path.
func (s *Config) tellUnread(f *state.Folder) {
	var problems []error
	if ws := f.Current(); ws != nil && !ws.HasTree() {
		if err := ws.NoTree(); err != workspace.ErrNoTree {
			problems = append(problems, err)
		}
	}
	tellProblems(s, f.Spelled, problems, error.Error)
}
