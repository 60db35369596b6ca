package dev.decant.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the comments of a Java source, without literals that look like comments. */
final class Comments {
  /** Drawings and examples, which are no sentences. */
  private static final Pattern DRAWING = Pattern.compile("<pre>.*?</pre>|\\{@snippet.*?\\n \\*\\s*\\}", Pattern.DOTALL);
  private static final Pattern MARGIN = Pattern.compile("(?m)^\\s*(/\\*\\*?|\\*/|\\*)|\\*/$");
  private static final Pattern PARAGRAPH = Pattern
      .compile("\\n\\s*\\n|<p>|<li>|@(?:param\\s+\\S+|return|throws\\s+\\S+|deprecated)");

  /**
   * A paragraph, a tag, or a run of line comments, as one line of text.
   *
   * @param line the number of the line where its comment begins
   */
  record Comment(int line, String text) {}

  private final String source;
  private final List<Comment> found = new ArrayList<>();
  /** Text and lines of the line comments that the next line may continue; empty without one. */
  private final StringBuilder run = new StringBuilder();
  private int runBegan;
  private int runEnded;

  private Comments(String source) {
    this.source = source;
  }

  static List<Comment> in(String source) {
    Comments comments = new Comments(source);
    comments.read();
    return comments.found;
  }

  private void read() {
    int at = 0;
    while (at < source.length()) {
      if (source.startsWith("//", at)) {
        int end = end(at, "\n");
        lineComment(at, source.substring(at + 2, end).strip());
        at = end;
      } else if (source.startsWith("/*", at)) {
        int end = end(at + 2, "*/") + 2;
        blockComment(at, source.substring(at, Math.min(end, source.length())));
        at = end;
      } else if (source.startsWith("\"\"\"", at)) {
        at = afterLiteral(at + 3, "\"\"\"");
      } else if (source.charAt(at) == '"' || source.charAt(at) == '\'') {
        at = afterLiteral(at + 1, source.substring(at, at + 1));
      } else {
        at++;
      }
    }
    endRun();
  }

  private int end(int from, String mark) {
    int end = source.indexOf(mark, from);
    return end < 0 ? source.length() : end;
  }

  private int afterLiteral(int from, String quote) {
    int at = from;
    while (at < source.length() && !source.startsWith(quote, at)) {
      at += source.charAt(at) == '\\' ? 2 : 1;
    }
    return at + quote.length();
  }

  private int line(int at) {
    return 1 + (int) source.substring(0, at).chars().filter(c -> c == '\n').count();
  }

  private void lineComment(int at, String text) {
    int line = line(at);
    boolean isAlone = source.substring(source.lastIndexOf('\n', at) + 1, at).isBlank();
    if (run.isEmpty() || !isAlone || line != runEnded + 1) {
      endRun();
      runBegan = line;
    } else {
      run.append(' ');
    }
    run.append(text);
    runEnded = line;
    if (!isAlone) {
      endRun();
    }
  }

  private void endRun() {
    add(runBegan, run.toString());
    run.setLength(0);
  }

  private void blockComment(int at, String comment) {
    endRun();
    String text = MARGIN.matcher(DRAWING.matcher(comment).replaceAll("")).replaceAll("");
    int line = line(at);
    PARAGRAPH.splitAsStream(text).forEach(paragraph -> add(line, paragraph));
  }

  private void add(int line, String text) {
    String sentence = text.replaceAll("\\s+", " ").strip();
    if (!sentence.isEmpty()) {
      found.add(new Comment(line, sentence));
    }
  }
}
