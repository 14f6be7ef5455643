package retrieval

// NewEager returns a Retriever that saves trees of any size.
func NewEager(o Options) *Retriever {
	r, err := New(o)
	if err != nil {
		panic(err)
	}
	r.minSaved = 0
	return r
}
