package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// configDir returns the user's folder of this program's configuration, "" if there is none.
func configDir() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "brv-lsp")
}

// settingsOf returns the settings for commands in a folder. It warns about problems in the user's own file.
// Problems in the project's file are reported by check and by the servers.
func settingsOf(root string) settings.Settings {
	now, problems := readSettings(root)
	for _, p := range problems {
		sayf(&screen{out: os.Stderr}, "brv-lsp: %s:%s\n", userFile(), p)
	}
	return now
}

// readSettings returns the settings of a folder, with the problems of the user's own file.
func readSettings(root string) (settings.Settings, []settings.Problem) {
	project, _ := settings.ReadProject(root)
	user, problems := settings.ReadUser(configDir())
	return settings.Resolve(project, user, settings.Layer{}), problems
}

// ask gives an opened folder the model, the encoder and the organisation that its settings name.
func ask(w *workspace.Workspace, now settings.Settings) {
	p := provider.Program{Getenv: os.Getenv, Dir: configDir(), Now: time.Now,
		Tell: func(what string, why error) {
			if what != provider.NoModel { // an answer that needs a model mentions that there is none
				sayf(&screen{out: os.Stderr}, "brv-lsp: %s: %s\n", what, why)
			}
		}}
	p.Find(now, true)(w)
}

// model prints which model is configured. With --try it calls the model.
func model(ctx context.Context, f *flags, o *struct{ Try bool }, e env) (int, error) {
	root, err := f.folder()
	if err != nil {
		return exitFailed, err
	}
	all, problems := readSettings(root)
	now := all.Model
	choice, err := provider.Choose(now, nil, os.Getenv)
	for _, p := range problems {
		if about := p.Key == "" || strings.HasPrefix(p.Key, "brv.model"); about && err == nil {
			err = fmt.Errorf("%s:%s", userFile(), p)
		} else {
			sayf(&screen{out: os.Stderr}, "brv-lsp: %s:%s\n", userFile(), p)
		}
	}
	if err == nil && o.Try && !choice.Asks() {
		err = fmt.Errorf("no model is set up; set brv.model.provider and brv.model.name in %s", userFile())
		if choice.IsEditor() {
			err = provider.ErrEditorOnly
		}
	}
	var tried *trial
	if err == nil && o.Try {
		tried, err = tryModel(ctx, choice, now)
	}
	if err != nil {
		choice.Problem = err.Error()
	}
	encoder, unasked := provider.DescribeEncoder(all.Embedding, nil, os.Getenv)
	if unasked != nil {
		encoder = "not asked: " + unasked.Error()
	}
	code := exitOK
	if err != nil {
		code = exitFailed
	}
	if f.json {
		return code, printJSON(e.stdout, struct {
			provider.Choice
			Settings string `json:"settings"`
			Try      *trial `json:"try,omitempty"`
			Encoder  string `json:"encoder,omitempty"`
		}{choice, userFile(), tried, encoder})
	}
	if printErr := e.print("%s", modelText(choice, encoder, tried)); printErr != nil {
		return exitFailed, printErr
	}
	return code, err
}

func userFile() string { return filepath.Join(configDir(), settings.UserFile) }

// modelText describes the configured model for people.
func modelText(c provider.Choice, encoder string, t *trial) string {
	var b strings.Builder
	switch {
	case c.IsEditor():
		sayf(&b, "provider:  editor (works only in an editor)\nmodel:     %s\n", cmp.Or(c.Name, "the editor's choice"))
	case !c.Asks() && encoder != "":
		b.WriteString("No model is set up: answers quote the tree, which is searched with the encoder below.\n")
	case !c.Asks():
		b.WriteString("No model is set up: answers quote the tree, and nothing leaves this machine.\n")
	default:
		key := "none"
		if c.KeyFrom != "" {
			key = "from " + c.KeyFrom
		}
		sayf(&b, "provider:  %s\nmodel:     %s\nserver:    %s\nkey:       %s\n", c.Provider, cmp.Or(c.Name, "none"),
			cmp.Or(c.Origin, "none"), key)
	}
	if encoder != "" {
		sayf(&b, "encoder:   %s\n", encoder)
	}
	sayf(&b, "settings:  %s\n", userFile())
	return b.String() + t.text()
}
