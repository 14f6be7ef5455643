package tree

// Origin says where the text of a batch comes from. The zero value is a person.
type Origin struct {
	Kind   OriginKind `json:"kind,omitempty"`
	Tool   string     `json:"tool,omitempty"`   // the program that wrote it, as it calls itself
	Model  string     `json:"model,omitempty"`  // the language model, where one is known
	Commit string     `json:"commit,omitempty"` // of the code that it was written about, abbreviated
}

// OriginKind is who wrote something.
type OriginKind string

// The kinds of authors. Only what people write is not always held for a review.
const (
	OriginHuman OriginKind = "human"
	OriginAgent OriginKind = "agent"
	OriginModel OriginKind = "model"
	OriginRules OriginKind = "rules" // of this program, that draft without a model
)

// Human reports whether a person wrote it.
func (o Origin) Human() bool { return o.Kind == "" || o.Kind == OriginHuman }
