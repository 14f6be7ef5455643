package terminaltest

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// What a cell of a picture measures, and the colours of its styles: those of dark terminals.
const (
	cellWidth, cellHeight = 8.4, 18
	paper, ink            = "#1e1e2e", "#cdd6f4"
)

var inks = map[string]string{"31": "#f38ba8", "32": "#a6e3a1", "33": "#f9e2af", "36": "#94e2d5"}

var style = regexp.MustCompile(`\x1b\[(\d*)m`)

// SVG draws the screen, with its styles.
func (d *Driver) SVG() string {
	dated := regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`).ReplaceAllString(d.Screen.View().Content, "2026-11-20 09:30:00")
	lines := strings.Split(varies[2].is.ReplaceAllString(dated, "2 ms"), "\n")
	width := float64(ansi.StringWidth(lines[0])+2) * cellWidth
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="monospace" font-size="14">`+"\n"+
		`<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", width, (len(lines)+1)*cellHeight, paper)
	for i, line := range lines {
		y, x, fill, weight, reverse := (i+1)*cellHeight, cellWidth, ink, "", false
		for line != "" {
			at := style.FindStringSubmatchIndex(line)
			text := line
			if at != nil {
				text = line[:at[0]]
			}
			if shown := strings.TrimRight(text, " "); shown != "" || reverse {
				long, color := float64(ansi.StringWidth(text))*cellWidth, fill
				if reverse {
					fmt.Fprintf(&out, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, x, y-13, long, cellHeight, fill)
					color = paper
				}
				fmt.Fprintf(&out, `<text x="%.1f" y="%d" fill="%s"%s xml:space="preserve" textLength="%.1f">%s</text>`+"\n", x, y, color, weight,
					float64(ansi.StringWidth(shown))*cellWidth, html.EscapeString(shown))
			}
			if x += float64(ansi.StringWidth(text)) * cellWidth; at == nil {
				break
			}
			switch code := line[at[2]:at[3]]; code {
			case "":
				fill, weight, reverse = ink, "", false
			case "1":
				weight = ` font-weight="bold"`
			case "7":
				reverse = true
			default:
				fill = inks[code]
			}
			line = line[at[1]:]
		}
	}
	return out.String() + "</svg>\n"
}
