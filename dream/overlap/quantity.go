package overlap

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// quantities calls emit for each number that a text states, in one form however it is written:
// "120 s", "two minutes" and "zwei Minuten" are one, as are "50M" and "50 million". Of units
// only those of time are converted, because only these are written in two ways in practice.
// A month is 30 days and a year twelve of them, so that 90 days are three months.
//
// Digits that are part of a name (v2, CRC-16, rotate.go:88) are no numbers, nor are numbers
// of lines.
func quantities(text string, emit func(string)) {
	q := quantityReader{emit: emit}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= '0' && c <= '9':
			i = q.digits(text, i)
		case c < utf8.RuneSelf && !isLetter(c):
			if c == '\n' {
				q.flush()
			}
			i++
		default:
			end := i
			for end < len(text) {
				r, n := utf8.DecodeRuneInString(text[end:])
				if !unicode.IsLetter(r) || end > i && isIdeograph(r) {
					break
				}
				end += n
			}
			if end == i { // a sign beyond ASCII
				_, n := utf8.DecodeRuneInString(text[i:])
				i += n
				continue
			}
			q.word(text, i, end)
			i = end
		}
	}
	q.flush()
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isIdeograph(r rune) bool { return r >= 0x2E80 }

// quantityReader holds the number that was read last, whose unit may follow.
type quantityReader struct {
	emit  func(string)
	value float64
	end   int  // of the number in the text
	have  bool // a number waits for its unit
	one   bool // it is an article: a number only before a unit
	lines bool // the word before was "lines"
}

func (q *quantityReader) flush() {
	if q.have && !q.one {
		q.emit("n " + strconv.FormatFloat(q.value, 'g', 6, 64))
	}
	q.have, q.one = false, false
}

// digits reads the number that begins at i and returns its end.
func (q *quantityReader) digits(text string, i int) int {
	end := i
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' ||
		strings.IndexByte(".,:", text[end]) >= 0 && end+1 < len(text) && text[end+1] >= '0' && text[end+1] <= '9') {
		end++
	}
	if inName(text, i) || q.lines {
		for end < len(text) && (text[end] == '-' || text[end] >= '0' && text[end] <= '9') {
			end++
		}
		return end
	}
	q.flush()
	written := text[i:end]
	if hour, minute, ok := strings.Cut(written, ":"); ok {
		if minute == "00" {
			written = hour
		} else {
			q.emit("c " + strings.TrimLeft(written, "0"))
			return end
		}
	}
	if head, tail, ok := strings.Cut(written, ","); ok {
		if len(tail) >= 3 && !strings.Contains(tail, ".") || len(tail) > 3 {
			written = head + strings.ReplaceAll(tail, ",", "")
		} else {
			written = head + "." + tail
		}
	}
	v, err := strconv.ParseFloat(written, 64)
	if err != nil { // 1.2.3
		q.emit("v " + written)
		return end
	}
	q.value, q.end, q.have = v, end, true
	return end
}

// inName reports whether the digits at i belong to a name.
func inName(text string, i int) bool {
	if i == 0 {
		return false
	}
	c := text[i-1]
	switch {
	case isLetter(c) || c == '_':
		return true
	case strings.IndexByte("-.:/@#", c) >= 0:
		return i > 1 && (isLetter(text[i-2]) || text[i-2] == '_')
	}
	return false
}

// word reads a word: a number, a multiplier of the number before, or its unit.
func (q *quantityReader) word(text string, start, end int) {
	w := text[start:end]
	q.lines = false
	if len(w) > 14 {
		q.flush()
		return
	}
	w = strings.ToLower(w)
	if q.have && start-q.end <= 2 && strings.Trim(text[q.end:start], " -\u00a0") == "" && q.follows(text, w, start, end) {
		return
	}
	q.flush()
	switch v, ok := numberWords[w]; {
	case ok:
		q.value, q.end, q.have = v, end, true
	case w == "a" || w == "an" || w == "each" || w == "every" || w == "per":
		q.value, q.end, q.have, q.one = 1, end, true, true
	case w == "fortnight":
		q.time(14 * day)
	case w == "lines" || w == "line" || w == "zeilen" || w == "zeile":
		q.lines = true
	}
}

// follows reads a word right behind a number: its multiplier, its unit or the rest of it.
func (q *quantityReader) follows(text, w string, start, end int) bool {
	v, isNumber := numberWords[w]
	part := w == "quarter" && strings.HasPrefix(text[end:], " of")
	by, multiplies := multipliers[w]
	seconds, isUnit := timeUnits[w]
	switch {
	case q.one && isNumber && (part || !isUnit): // a dozen, a quarter of
		q.value, q.one = v, false
	case multiplies && (len(w) > 1 || start == q.end):
		q.value *= by
	case isUnit:
		q.time(q.value * seconds)
		return true
	case w == "one" && q.value >= 20 && q.value < 100: // twenty-one
		q.value++
	case isNumber && v < 10 && q.value >= 20 && q.value < 100:
		q.value += v
	case q.value < 1 && (w == "of" || w == "a" || w == "an"): // half an hour
	default:
		return false
	}
	q.end = end
	return true
}

// time emits a duration.
func (q *quantityReader) time(seconds float64) {
	q.have, q.one = false, false
	q.emit("t " + strconv.FormatFloat(year(seconds), 'g', 6, 64))
}

// year makes 365 days the year that twelve months are.
func year(seconds float64) float64 {
	if seconds >= 365*86400 && int64(seconds)%(365*86400) == 0 {
		return seconds / 365 * 360
	}
	return seconds
}

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

// timeUnits are units of time in seconds, as English, German, French, Spanish and Japanese
// write them.
var timeUnits = lists(map[float64]string{
	1e-3:      "ms millisecond milliseconds millisekunden",
	1:         "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos 秒",
	minute:    "min mins minute minutes minuten minuto minutos 分",
	hour:      "h hr hrs hour hours stunde stunden heure heures hora horas 時",
	day:       "d day days tag tage tagen jour jours día días dia dias 日",
	7 * day:   "week weeks woche wochen semaine semaines semana semanas 週",
	30 * day:  "month months monat monate monaten mois mes meses",
	90 * day:  "quarter quarters quartal trimestre",
	360 * day: "year years jahr jahre jahren ans année années año años 年",
})

// multipliers follow a number.
var multipliers = lists(map[float64]string{
	100: "hundred hundert", 1e3: "thousand tausend mille mil k", 1e6: "million millions millionen m",
})

// numberWords are numbers written as words. One is left out: it is nearly always a pronoun
// or an article; so are those of other languages that mean something else in English.
var numberWords = lists(map[float64]string{
	0: "zero null", 0.5: "half", 0.25: "quarter", 1: "once single", 2: "two twice zwei deux dos second",
	3: "three thrice drei trois tres third",
	4: "four vier quatre cuatro fourth", 5: "five fünf cinq cinco fifth", 6: "six sechs seis sixth", 7: "seven sieben sept siete seventh",
	8: "eight acht huit ocho eighth", 9: "nine neun neuf nueve ninth", 10: "ten zehn dix diez tenth", 11: "eleven elf onze once",
	12: "twelve zwölf douze doce dozen", 13: "thirteen dreizehn treize trece", 14: "fourteen vierzehn quatorze catorce",
	15: "fifteen fünfzehn quinze quince", 16: "sixteen sechzehn seize", 17: "seventeen", 18: "eighteen", 19: "nineteen",
	20: "twenty zwanzig vingt veinte", 30: "thirty dreißig trente treinta", 40: "forty vierzig quarante cuarenta",
	50: "fifty fünfzig cinquante cincuenta",
	60: "sixty sechzig soixante sesenta", 70: "seventy siebzig setenta", 80: "eighty achtzig ochenta", 90: "ninety neunzig noventa",
	100: "hundred hundert", 1e3: "thousand tausend mille mil", 1e6: "million",
})

// lists turns lists of words into a table by word.
func lists(by map[float64]string) map[string]float64 {
	out := map[string]float64{}
	for v, words := range by {
		for w := range strings.FieldsSeq(words) {
			if have, twice := out[w]; !twice || v < have {
				out[w] = v
			}
		}
	}
	return out
}

// shown is a term for people.
func shown(term string) string {
	kind, rest, ok := strings.Cut(term, " ")
	if !ok {
		return term
	}
	if seconds, err := strconv.ParseFloat(rest, 64); err == nil && kind == "t" {
		return time.Duration(seconds * float64(time.Second)).String()
	}
	return rest
}
