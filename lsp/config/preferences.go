package config

import (
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/lsp/state"
)

// preferences are the settings from the client and the user. The zero value means a client without
// settings.
type preferences struct {
	mu       sync.Mutex                       // guards the fields below
	user     settings.Layer                   // of the user's own file
	initial  settings.Layer                   // of the initialization options
	pushed   settings.Layer                   // of didChangeConfiguration, from clients that cannot be asked
	pulled   map[*state.Folder]settings.Layer // what the client answered last, for each folder
	pull     uint64                           // counts the pulls: an answer to an older one is dropped
	reported map[string]string                // by source: the problems last reported to the user
	folders  map[*state.Folder]*configured    // the pending state of each folder
}

// folder holds the settings that a folder is being given.
func (p *preferences) folder(f *state.Folder) *configured {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.folders == nil {
		p.folders = map[*state.Folder]*configured{}
	}
	if p.folders[f] == nil {
		p.folders[f] = &configured{}
	}
	return p.folders[f]
}

// forget deletes the data about a folder that was closed.
func (p *preferences) forget(f *state.Folder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.folders, f)
}

// of returns the user's layer and the client's layers for a folder, the latest on top.
func (p *preferences) of(f *state.Folder) (user, client settings.Layer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.user, p.pulled[f].Over(p.pushed.Over(p.initial))
}

// configured holds the settings of a folder while they are applied. Of its locks applying is taken first,
// then resolving; that of [preferences] is taken inside of all others.
type configured struct {
	project   atomic.Pointer[settings.Layer] // the layer of the project's own file
	resolving sync.Mutex                     // held while settings are made of the layers
	applying  sync.Mutex                     // held while it is opened, or opened anew
	applied   *settings.Settings             // those that the workspace has; applying guards it
	models    atomic.Int64                   // counts the models that were to be made for it
	modeling  sync.Mutex                     // held while it is given one
}
