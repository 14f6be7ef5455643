package retrieval

// The ranking's constants. They were found by coordinate descent over seven data
// sets at once (memory transcripts, curated facts, product documentation, web
// documentation, reference pages, code, abstracts), each counted by how far it lies
// above the best of three published baselines; bench/retrieval prints the figures
// and bench/runs keeps them. None was fitted to a single set or query.
const (
	// termSaturation is BM25's k1.
	termSaturation = 1.2

	// titleAgreement and headingAgreement weigh how well an entry's title, and the best title of its
	// sections, match the query.
	titleAgreement   = 1.5
	headingAgreement = 0.4

	// togetherness weighs how much of the query one passage holds. titleContext is the share that a passage
	// gets of a word that stands in the entry's title.
	togetherness = 0.7
	titleContext = 0.5

	// nearness weighs the share of the query within nearBytes bytes of text, and neighbours weighs every two
	// neighbouring words of it that are neighbours in the text too; neighbourSaturation saturates these. See
	// near.go.
	nearness            = 0.7
	nearBytes           = 120
	neighbours          = 0.5
	neighbourSaturation = 1.0

	// formCredit and synonymCredit are the weights of another form of a word and of a synonym, relative to
	// the word itself.
	formCredit    = 0.7
	synonymCredit = 0.2

	// The weight of a word in a query, against 1 for a plain one: an identifier that the tree knows as a
	// whole, the parts of such an identifier, a compound as a whole, and two neighbours joined.
	weightName     = 0.75
	weightPart     = 0.4
	weightCompound = 0.15
	weightPair     = 0.4

	// weightLanguage is the weight of a programming language's name, unless the language is a subject of the
	// tree. It is a subject if it occurs in the title or path of at least subjectShare of the entries that
	// have it.
	weightLanguage = 0.3
	subjectShare   = 0.25
)

// fieldWeights and fieldLengths are BM25F's weight and b of each field. A body's length counts in full: the
// passages find a statement inside a long body.
var (
	fieldWeights = [numFields]float64{
		fieldTitle: 1.2, fieldSummary: 1.5, fieldLabels: 1.5, fieldHeadings: 1.8, fieldPath: 1, fieldFiles: 1, fieldBody: 1,
	}
	fieldLengths = [numFields]float64{
		fieldTitle: 0.5, fieldSummary: 0.5, fieldLabels: 0.5, fieldHeadings: 0.5, fieldPath: 0.5, fieldFiles: 0.5, fieldBody: 1,
	}
)
