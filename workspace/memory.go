package workspace

// Memory keeps a feature's value for each folder as long as that is open: an index that is made
// once, answers that are asked for again. A feature has it as a package variable, and asks it
// with the view of a request:
//
//	var vocabularies = workspace.NewMemory(func(*workspace.Workspace) *vocabulary { return &vocabulary{} })
//	…
//	words := vocabularies.Of(v).inUse(prefix)
//
// The value is shared by all requests and so guards itself.
type Memory[T any] struct{ make func(*Workspace) T }

// NewMemory is a memory whose values are made by make, where they are asked for first. What
// make returns may be thrown away: another request may have been faster.
func NewMemory[T any](make func(*Workspace) T) *Memory[T] { return &Memory[T]{make} }

// Of is the value of the folder that a view shows.
func (m *Memory[T]) Of(v *View) T {
	if kept, ok := v.ws.memory.Load(m); ok {
		return kept.(T)
	}
	kept, _ := v.ws.memory.LoadOrStore(m, m.make(v.ws))
	return kept.(T)
}
