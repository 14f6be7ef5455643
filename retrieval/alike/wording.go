package alike

import "strings"

// What is known here of English: the words that may be missing from a
// question without changing what it asks, and those that say how the others hang
// together. Whatever is not listed here is content, negations included.

func wordList(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

var (
	// idleWords say nothing anywhere, fillers nothing behind a helper or a question
	// word, leadWords nothing in front of a question.
	idleWords = wordList("a an the please pls plz kindly there it its i we")
	fillers   = wordList("just actually basically really exactly simply")
	leadWords = wordList("hi hello hey ok okay so well now thanks")
	tailWords = wordList("thanks thank you thx pls plz please cheers")

	// speakers are the subjects of "how do I …": the same question whoever asks.
	speakers = wordList("i we you one")

	// askable are those whom a request goes to: "can you tell me".
	askable = wordList("you someone somebody anyone anybody")

	// errands are what is asked for in front of a question that is part of it.
	errands = wordList("explain describe summarize summarise clarify list outline compare find check")

	beForms = wordList("is are was were be been being")
	doForms = wordList("do does did")

	// looseRelations may dissolve into a compound: "expiry of tokens", "token expiry".
	looseRelations = wordList("of in on at for with about")

	// firmRelations never do. They hold direction, order, comparison, condition and
	// exception.
	firmRelations = wordList(`to from into onto over under than before after by per via through across along
		against toward towards upon around during within among between inside outside near above below behind since
		until till as without except unless if because while whereas although though despite instead like whether`)

	// clauseRelations are the relations that a clause with a verb of its own may follow.
	clauseRelations = wordList("before after since until till as unless if because while whereas although though whether when where why how")

	// degreeWords make one question of "how" and themselves.
	degreeWords = wordList("many much long often far old big large fast quickly deep high soon small few late early wide hard expensive")

	// phrasalVerbs, by stem: "log in" is not "log".
	phrasalVerbs = wordList("log sign check opt turn switch plug clock hand fill zoom kick hook rely move carry hold go")

	// actorVerbs are verbs, by stem, whose subject and object can change places.
	actorVerbs = wordList(`call invok use own pay paid hire invit tell told ask give gave send sent beat hit hate love
		teach taught meet met see saw know knew marri hug wake notifi implement inherit includ contain make let get
		depend requir trust extend wrap bought sold sue owe kill
		ran broke chose drove took brought caught lost won led fed drew fought lent left held kept heard felt found forgot
		forgav built burnt bit blew ate drank dealt grew hid hurt knelt rode said sang shot shook showed spoke spent stole
		struck swore swept swung tore thought threw understood woke wore wrote went came fell stood beg delet remov creat`)

	// actorForms act only with an ending, since without one they are nouns too.
	actorForms = wordList(`block trigger lock manag report need import export updat visit follow lead run test mock start
		stop load read write like help link access support name store queri request watch guard
		log render pass return emit listen poll scrape fetch valid verifi encrypt handl deploy publish consum produc
		subscrib pars compil generat defin serv spawn inject overrid connect talk`)

	// opposites come in twos, and each belongs to the word beside it.
	opposites = wordList(`min max minimum maximum old new public private first last source target left right upper lower
		inner outer internal external local remote input output big small high low`)

	// focusing words belong to the word behind them, or put others in order.
	focusing = wordList("not non no never neither nor only even then all every each some both most least more less too")

	// converterVerbs are verbs, by stem, that go from one thing to another: order counts
	// wherever they stand.
	converterVerbs = wordList("convert migrat translat transform copi move rename replac swap redirect merg divid subtract export import switch upgrad downgrad cast make made appoint elect promot")

	// unplurals are words whose last s is no plural, so that its loss makes another word.
	unplurals = wordList(`https ios windows news rails arms goods customs means times always series species williams roberts
		peters adams edwards richards daniels stevens phillips rogers matthews andrews harris davis lewis james charles
		jenkins kubernetes postgres redis express canvas alias atlas bias lens gas physics analytics analysis basis axis
		emacs this thus yes various previous perhaps besides towards afterwards cors stats savings sts jess ross chris
		johns works glasses francis dennis nicholas thomas lucas jonas carlos marcos texas paris athens`)

	// shortPlurals are the plurals of up to three letters; others are acronyms.
	shortPlurals = wordList("ids prs vms dbs pcs uis")

	numerals = wordList(`one two three four five six seven eight nine ten eleven twelve twenty hundred thousand million
		first second third fourth fifth sixth seventh eighth ninth tenth`)
)

var modals = map[string]string{
	"can": "can", "could": "can", "will": "will", "would": "would", "should": "should",
	"shall": "should", "ought": "should", "must": "must", "might": "might",
}

var irregularPlurals = map[string]string{
	"children": "child", "mice": "mouse", "feet": "foot", "indices": "index", "indexes": "index", "vertices": "vertex",
	"matrices": "matrix", "criteria": "criterion", "schemata": "schema", "analyses": "analysis", "women": "woman",
	"men": "man", "aliases": "alias", "statuses": "status", "buses": "bus", "canvases": "canvas", "viruses": "virus",
	"biases": "bias", "atlases": "atlas", "gases": "gas", "lenses": "lens", "knives": "knife", "leaves": "leaf",
	"halves": "half", "lives": "life", "quizzes": "quiz",
}

// contractions are short forms, without their apostrophe, that are not told by
// their ending alone.
var contractions = map[string]string{
	"cannot": "can not", "cant": "can not", "wont": "will not", "shant": "should not", "aint": "is not",
	"dont": "do not", "doesnt": "does not", "didnt": "did not", "isnt": "is not", "arent": "are not",
	"wasnt": "was not", "werent": "were not", "couldnt": "could not", "shouldnt": "should not",
	"wouldnt": "would not", "hasnt": "has not", "havent": "have not", "hadnt": "had not", "mustnt": "must not",
	"mightnt": "might not", "whats": "what is", "wheres": "where is", "whos": "who is", "hows": "how is",
	"whens": "when is", "whys": "why is", "theres": "there is", "im": "i am", "ive": "i", "lets": "",
}

// requestOpeners are what may stand before a question without being part of it. A dot
// stands for any helper and person, "can you" or "would someone".
var requestOpeners = func() [][]string {
	var out [][]string
	for line := range strings.Lines(`quick question
		just tell me
		just give me
		just show me
		tell me about
		tell me
		give me
		show me
		remind me
		let me know
		. tell me about
		. tell me
		. give me
		. show me
		. remind me
		. let me know
		. please tell me
		. please
		i want to know
		i need to know
		i wanted to know
		i would like to know
		i am wondering
		i was wondering
		i wonder
		do you know
		does anyone know
		does anybody know
		does someone know
		any idea
		may i ask
		can i ask
		could i ask`) {
		out = append(out, strings.Fields(line))
	}
	return out
}()

// singular is a word without the plural: no other ending is taken off, since
// "authority" is no "author", and a "setting" no "set".
func singular(w string) string {
	if one, ok := irregularPlurals[w]; ok {
		w = one
	}
	if strings.HasSuffix(w, "s") && !unplurals[w] && (len(w) > 3 || shortPlurals[w]) {
		switch {
		case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
		case strings.HasSuffix(w, "ies") && len(w) > 4:
			w = w[:len(w)-3] + "y"
		default:
			w = w[:len(w)-1]
		}
	}
	for _, end := range []string{"sse", "xe", "che", "she", "zze"} { // classes, boxes; and cache like caches
		if strings.HasSuffix(w, end) {
			return w[:len(w)-1]
		}
	}
	if strings.HasSuffix(w, "ie") && len(w) > 4 { // cookie like cookies
		return w[:len(w)-2] + "y"
	}
	return w
}
