import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.languagetool.JLanguageTool;
import org.languagetool.Language;
import org.languagetool.Languages;
import org.languagetool.rules.Rule;
import org.languagetool.rules.RuleMatch;
import org.languagetool.rules.spelling.SpellingCheckRule;

/**
 * Check TEXTS RULES WORDS: asks LanguageTool about texts, which are separated by NUL. RULES are left out, WORDS are
 * spelled right; both are separated by spaces. Each finding is a line: the number of the text, start and end in UTF-16
 * units, the rule, and the message, separated by tabs.
 */
public class Check {
  public static void main(String[] args) throws Exception {
    try {
      check(args);
      System.exit(0);
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void check(String[] args) throws Exception {
    String[] texts = Files.readString(Path.of(args[0])).split("\0");
    List<String> rules = List.of(args[1].split(" ")), words = List.of(args[2].split(" "));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    Language english = Languages.getLanguageForShortCode("en-US");
    int workers = Runtime.getRuntime().availableProcessors();
    ExecutorService pool = Executors.newFixedThreadPool(workers);
    List<Future<StringBuilder>> parts = new ArrayList<>();
    for (int w = 0; w < workers; w++) {
      int first = w;
      parts.add(pool.submit((Callable<StringBuilder>) () -> {
        JLanguageTool tool = new JLanguageTool(english);
        rules.forEach(tool::disableRule);
        for (Rule rule : tool.getAllActiveRules()) {
          if (rule instanceof SpellingCheckRule) {
            ((SpellingCheckRule) rule).addIgnoreTokens(words);
          }
        }
        StringBuilder found = new StringBuilder();
        for (int i = first; i < texts.length; i += workers) {
          for (RuleMatch m : tool.check(texts[i])) {
            String message = m.getMessage().replaceAll("<[^>]*>", "'").replaceAll("\\s+", " ");
            List<String> better = m.getSuggestedReplacements();
            found.append(i + "\t" + m.getFromPos() + "\t" + m.getToPos() + "\t" + m.getRule().getId() + "\t" + message
                + " " + better.subList(0, Math.min(3, better.size())) + "\n");
          }
        }
        return found;
      }));
    }
    for (Future<StringBuilder> part : parts) {
      out.print(part.get());
    }
    out.flush();
  }
}
